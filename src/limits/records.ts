// Freezes and learned rates as records: how they are read back, and moved with the clock. What comes from
// disk is checked like anything from outside; a record that says nothing sensible is left alone.

import { FAMILIES, GATES } from '../domain/call.ts';
import { FACTOR_MIN, type LearnedRate } from './learning.ts';
import type { FreezeScope, LimitRecord, Rule } from './words.ts';

export type Fact =
  | {
      kind: 'freeze';
      scope: FreezeScope;
      // '' unless the scope is chat or family.
      chat: string;
      name: string;
      since: number;
      until: number;
      cause: string;
    }
  | { kind: 'rate'; scope: Rule['scope']; chat: string; rule: Rule; rate: LearnedRate };

const FREEZE_KEY = /^freeze\|(chat|family|gate|account)\|([^|]*)\|(.*)$/s;
const RATE_KEY = /^rate\|(chat|account)\|([^|]*)\|(.*)$/s;

export function readRecord({ key, value }: LimitRecord): Fact | null {
  const body = parse(value);
  if (body === null) return null;
  const freeze = FREEZE_KEY.exec(key);
  if (freeze !== null) {
    const [, scope, name, chat] = freeze;
    return readFreeze(scope as FreezeScope, name!, chat!, body);
  }
  const rate = RATE_KEY.exec(key);
  if (rate === null) return null;
  const [, scope, name, chat] = rate;
  return readRate(scope as Rule['scope'], name!, chat!, body);
}

type Body = Readonly<Record<string, unknown>>;

function readFreeze(scope: FreezeScope, name: string, chat: string, body: Body): Fact | null {
  const { since, until, cause } = body;
  if (!isAmount(since) || !isAmount(until) || typeof cause !== 'string') return null;
  if (scope === 'family' && !FAMILIES.some((family) => family === name)) return null;
  if (scope === 'gate' && !GATES.some((gate) => gate === name)) return null;
  return { kind: 'freeze', scope, chat, name: scope === 'chat' ? chat : name, since, until, cause };
}

function readRate(scope: Rule['scope'], name: string, chat: string, body: Body): Fact | null {
  const { factor, offences, fellAt, count, perMs } = body;
  if (!isAmount(factor) || factor < FACTOR_MIN || factor > 1) return null;
  if (!isAmount(offences) || !isAmount(fellAt) || !isAmount(count) || !isAmount(perMs)) return null;
  const rule: Rule = { name, scope, count, perMs };
  return { kind: 'rate', scope, chat, rule, rate: { factor, offences, fellAt } };
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function parse(text: string): Body | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? (value as Body | null) : null;
  } catch {
    return null;
  }
}

// The wall clock has stepped by so much since it was written: its times move along. And however long ago that was, a
// freeze lasts no longer from now than it was meant to in all.
export function shiftRecord(record: LimitRecord, stepMs: number, now: number): LimitRecord {
  const fact = readRecord(record);
  const body = fact === null ? null : parse(record.value);
  if (fact === null || body === null) return record;
  if (fact.kind === 'rate') {
    if (stepMs === 0) return record;
    const fellAt = Math.max(0, fact.rate.fellAt + stepMs);
    return { ...record, value: JSON.stringify({ ...body, fellAt }) };
  }
  const lengthMs = fact.until - fact.since;
  const until = Math.min(fact.until + stepMs, now + lengthMs);
  if (until === fact.until) return record;
  return {
    ...record,
    value: JSON.stringify({ ...body, since: Math.max(0, until - lengthMs), until }),
  };
}
