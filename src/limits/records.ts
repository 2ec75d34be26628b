// Freezes and learned rates as records: how they are read back, and moved with the clock. What comes from
// disk is checked like anything from outside; a record that says nothing sensible is left alone.

import { FAMILIES } from '../domain/call.ts';
import { type LearnedRate, newRate, SHARE_MIN } from './learning.ts';
import type { FreezeScope, LimitRecord, Rule } from './types.ts';

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

const FREEZE_KEY = /^freeze\|(chat|family|budget|account)\|([^|]*)\|(.*)$/s;
const HALVED_SHARE_MIN = 0.5;
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
  if (scope === 'budget' && name === '') return null;
  return { kind: 'freeze', scope, chat, name: scope === 'chat' ? chat : name, since, until, cause };
}

function readRate(scope: Rule['scope'], name: string, chat: string, body: Body): Fact | null {
  const { count, perMs } = body;
  const rate = 'factor' in body ? readHalved(body) : readLearned(body);
  if (rate === null || !isAmount(count) || !isAmount(perMs)) return null;
  return { kind: 'rate', scope, chat, rule: { name, scope, count, perMs }, rate };
}

function readLearned({ share, ceiling, fellAt, changedAt, failures }: Body): LearnedRate | null {
  if (!isShare(share) || !isShare(ceiling)) return null;
  if (!isAmount(fellAt) || !isAmount(changedAt) || !isAmount(failures)) return null;
  return { ...newRate(), share, ceiling, fellAt, changedAt, failures };
}

// As it was written when each refusal halved it, whatever had been sent: only so much of that is believed.
function readHalved({ factor, fellAt }: Body): LearnedRate | null {
  if (!isShare(factor) || !isAmount(fellAt)) return null;
  return { ...newRate(), share: Math.max(factor, HALVED_SHARE_MIN), fellAt, changedAt: fellAt };
}

function isShare(value: unknown): value is number {
  return isAmount(value) && value >= SHARE_MIN && value <= 1;
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
    const changedAt = Math.max(0, fact.rate.changedAt + stepMs);
    const times = 'factor' in body ? { fellAt } : { fellAt, changedAt };
    return { ...record, value: JSON.stringify({ ...body, ...times }) };
  }
  const lengthMs = fact.until - fact.since;
  const until = Math.min(fact.until + stepMs, now + lengthMs);
  if (until === fact.until) return record;
  return {
    ...record,
    value: JSON.stringify({ ...body, since: Math.max(0, until - lengthMs), until }),
  };
}
