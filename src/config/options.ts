// The settings as the library takes them: by their names in code, in the values of the file. A caller's mistake is a
// programmer's error: it throws, and tells all of them at once.

import type { LimitRule } from '../domain/limit-rule.ts';
import type { PLATFORMS } from '../platforms/registry.ts';
import { readAccounts } from './accounts.ts';
import type { LimitRuleEntry } from './limit-rules.ts';
import type { Wait } from './parse.ts';
import { describeProblem, type SettingProblem, unknownName } from './problem.ts';
import type { Config } from './resolve.ts';
import { SETTING_KEYS, type SettingKey, type Settings } from './settings.ts';
import { apply, type Given, INITIAL, relate, settingOf } from './values.ts';

export type SettingOptions = {
  readonly [K in SettingKey]?: Settings[K] extends Wait
    ? 'hold' | 'async' | number
    : Settings[K] extends readonly LimitRule[]
      ? readonly LimitRuleEntry[]
      : Settings[K];
};

// Where a platform has no tokens, the name of an account stands in its place.
type NamedOptions<Definition> = Definition extends {
  name: infer P;
  credentials: { byName: infer N };
}
  ? N extends true
    ? { readonly platform: P; readonly name: string }
    : { readonly platform: P; readonly token: string; readonly name?: string }
  : never;

export type AccountOptions = NamedOptions<(typeof PLATFORMS)[number]> & {
  // Those that are per account.
  readonly settings?: SettingOptions;
};

export interface GatewayOptions extends SettingOptions {
  readonly accounts?: readonly AccountOptions[];
}

// In someone else's process only what needs a person is worth a line.
const LIBRARY_DEFAULTS: Settings = Object.freeze({ ...INITIAL, log: 'warn' });
const NO_SOURCES = {
  env: {},
  readText(): string {
    throw new Error('tokens are given as they are');
  },
};

export function configOf(options: GatewayOptions): Config {
  const problems: SettingProblem[] = [];
  const { accounts: entries = [], ...given } = options;
  const { settings } = apply(LIBRARY_DEFAULTS, givenOf(given, problems), problems);
  relate(settings, '', problems);
  const accounts = readAccounts(entries.map(entryOf), settings, NO_SOURCES, problems);
  if (problems.length === 0) return Object.freeze({ ...settings, accounts });
  throw new TypeError(`options that cannot be used: ${problems.map(describeProblem).join('; ')}`);
}

function givenOf(options: SettingOptions, problems: SettingProblem[]): Given[] {
  const given: Given[] = [];
  for (const [name, raw] of Object.entries(options)) {
    const key = SETTING_KEYS.find((each) => each === name);
    if (key === undefined) problems.push(unknownName(name, SETTING_KEYS));
    else if (raw !== undefined) given.push({ key, raw, name });
  }
  return given;
}

// As an entry of the file, where settings have their long-lived names.
function entryOf({ settings = {}, ...entry }: AccountOptions): Record<string, unknown> {
  const named = Object.entries(settings).map(([name, raw]) => {
    const key = SETTING_KEYS.find((each) => each === name);
    return [key === undefined ? name : settingOf(key).name, raw];
  });
  return { ...entry, settings: Object.fromEntries(named) };
}
