// The `limit_rules` of the settings: a list of limits as people write them, `5 per 5 s` of a scope and under a name.
// What is wrong is told with its place in the list, its value and what would be right.

import { FAMILIES, type Family } from '../domain/call.ts';
import {
  LIMIT_SCOPES,
  type LimitAmount,
  type LimitRule,
  type LimitScope,
} from '../domain/limit-rule.ts';
import { PLATFORMS } from '../platforms/registry.ts';
import { jsonOrUndefined } from '../system/json.ts';
import type { ParsedSetting, SettingReader } from './parse.ts';

// As it stands in the file, and as the library takes it.
export interface LimitRuleEntry {
  readonly name: string;
  // `20 per 60 s`, `1 per 6 s, burst 45`.
  readonly limit: string;
  readonly scope: LimitScope;
  // Left out: send and edit.
  readonly calls?: readonly Exclude<Family, 'free'>[];
  // Left out: every platform.
  readonly platform?: string;
}

// A call must satisfy all of them, at every decision.
const LIMIT_RULES_MAX = 20;
const COUNT_MAX = 10_000;
// A start reads back the calls of so long, so that a restart gives nobody a new budget.
const WINDOW_MS_MAX = 3_600_000;
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, min: 60_000, h: 3_600_000 };
const LIMIT = /^(\d{1,9}) per (?:(\d{1,9}(?:\.\d{1,3})?) ?)?(ms|s|min|h)(?:, burst (\d{1,9}))?$/;
// Platforms name their own rules with underscores: one name must not mean two limits.
const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{N} .,'-]{0,58}[\p{L}\p{N}.'])?$/u;
const CALLS = FAMILIES.filter((family) => family !== 'free');
const USUAL_CALLS: readonly Family[] = ['send', 'edit'];
const FIELDS = ['name', 'limit', 'scope', 'calls', 'platform'];

const EXPECTED = {
  list: 'a list of rules with name, limit and scope (as JSON in a variable or flag)',
  rule: `${FIELDS.slice(0, 3).join(', ')}, and optionally calls, platform`,
  name: 'a name of its own of 1 to 60 letters, digits, spaces and .,\'- (platforms use "_" in theirs)',
  limit:
    `such as "20 per 60 s" or "1 per 6 s, burst 45": 1 to ${COUNT_MAX} within 1 ms to 1 h, ` +
    'a burst of at least 2 that is back within 1 h',
  scope: `one of ${LIMIT_SCOPES.join(', ')}`,
  calls: `a list of ${CALLS.join(', ')}`,
  platform: `one of ${PLATFORMS.map(({ name }) => name).join(', ')}, or left out for all`,
} as const;

interface Wrong {
  readonly kind: 'wrong';
  readonly expected: string;
  readonly at?: { readonly path: string; readonly value: unknown };
}

export function limitRules(): SettingReader<readonly LimitRule[]> {
  return { expected: `${EXPECTED.list}, at most ${LIMIT_RULES_MAX}`, read: readRules };
}

function readRules(raw: unknown): ParsedSetting<readonly LimitRule[]> {
  const list = typeof raw === 'string' ? jsonOrUndefined(raw) : raw;
  if (!Array.isArray(list) || list.length > LIMIT_RULES_MAX) {
    return { kind: 'wrong', expected: `${EXPECTED.list}, at most ${LIMIT_RULES_MAX}` };
  }
  const rules: LimitRule[] = [];
  for (const [index, entry] of list.entries()) {
    const read = readRule(entry, `[${index}]`);
    if (read.kind === 'wrong') return read;
    if (rules.some(({ name }) => name === read.rule.name)) {
      return wrong(`[${index}].name`, read.rule.name, EXPECTED.name);
    }
    rules.push(read.rule);
  }
  return { kind: 'ok', value: Object.freeze(rules) };
}

function readRule(entry: unknown, where: string): { kind: 'read'; rule: LimitRule } | Wrong {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    return wrong(where, entry, EXPECTED.rule);
  }
  const { name, limit, scope, calls = USUAL_CALLS, platform = null } = entry as RawRule;
  const unknown = Object.keys(entry).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) return wrong(`${where}.${unknown}`, undefined, EXPECTED.rule);
  if (typeof name !== 'string' || !NAME.test(name)) {
    return wrong(`${where}.name`, name, EXPECTED.name);
  }
  const amount = typeof limit === 'string' ? amountOf(limit.trim()) : null;
  if (amount === null) return wrong(`${where}.limit`, limit, EXPECTED.limit);
  const known = LIMIT_SCOPES.find((each) => each === scope);
  if (known === undefined) return wrong(`${where}.scope`, scope, EXPECTED.scope);
  const families = familiesOf(calls);
  if (families === null) return wrong(`${where}.calls`, calls, EXPECTED.calls);
  if (platform !== null && !PLATFORMS.some((each) => each.name === platform)) {
    return wrong(`${where}.platform`, platform, EXPECTED.platform);
  }
  const rule = { name, scope: known, platform: platform as string | null, families, amount };
  return { kind: 'read', rule: Object.freeze(rule) };
}

type RawRule = Readonly<Partial<Record<string, unknown>>>;

function amountOf(limit: string): LimitAmount | null {
  const [, countText, timeText = '1', unit = '', burstText] = LIMIT.exec(limit) ?? [];
  const count = Number(countText);
  const perMs = Number(timeText) * (UNIT_MS[unit] ?? Number.NaN);
  if (!isWithin(count, 1, COUNT_MAX) || !isWithin(perMs, 1, WINDOW_MS_MAX)) return null;
  if (burstText === undefined) return { kind: 'window', count, perMs };
  const burst = Number(burstText);
  const everyMs = perMs / count;
  if (!isWithin(burst, 2, COUNT_MAX) || burst * everyMs > WINDOW_MS_MAX) return null;
  return { kind: 'debt', burst, everyMs };
}

function isWithin(value: number, min: number, max: number): boolean {
  return value >= min && value <= max;
}

function familiesOf(calls: unknown): readonly Family[] | null {
  if (!Array.isArray(calls) || calls.length === 0) return null;
  const families = CALLS.filter((family) => calls.includes(family));
  return calls.every((each) => families.includes(each)) ? Object.freeze(families) : null;
}

function wrong(path: string, value: unknown, expected: string): Wrong {
  return { kind: 'wrong', expected, at: { path, value } };
}
