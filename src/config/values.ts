// From raw values with an origin to settings: the same step for file, variables, flags and accounts.

import type { PlatformDefinition } from '../platforms/definition.ts';
import { PLATFORMS } from '../platforms/registry.ts';
import { FORMER_NAMES, formerInWords, formerVariableOf } from './former.ts';
import { type SettingProblem, unknownName } from './problem.ts';
import { flagOf, type Setting, variableOf } from './setting-row.ts';
import { SETTING_KEYS, SETTINGS, type SettingKey, type Settings } from './settings.ts';

export interface Given {
  readonly key: SettingKey;
  readonly raw: unknown;
  // As the person wrote it.
  readonly name: string;
}

export type Origin = 'default' | 'file' | 'variable' | 'flag';

// Read by clients and by the loader itself; not settings of the gateway.
export const CLIENT_VARIABLES = ['SLUICE_URL', 'SLUICE_KEY', 'SLUICE_CONFIG'];

export const INITIAL: Settings = Object.freeze(
  Object.fromEntries(SETTING_KEYS.map((key) => [key, SETTINGS[key].initial])),
) as unknown as Settings;

export function settingOf(key: SettingKey): Setting<unknown> {
  return SETTINGS[key] as Setting<unknown>;
}

export function keyOfName(name: string): SettingKey | null {
  return SETTING_KEYS.find((key) => SETTINGS[key].name === name) ?? null;
}

// `named`: variables that hold a token of the file's accounts.
export function fromVariables(
  env: Readonly<Record<string, string | undefined>>,
  named: readonly string[],
  { problems, warnings }: { problems: SettingProblem[]; warnings: string[] },
): Given[] {
  const byVariable = new Map(SETTING_KEYS.map((key) => [variableOf(settingOf(key)), key]));
  // Before those of our own, which are applied later and win.
  const given: Given[] = fromAliases(env);
  for (const [name, raw] of Object.entries(env)) {
    if (!name.startsWith('SLUICE_') || raw === undefined || raw === '') continue;
    const former = FORMER_NAMES.find((each) => formerVariableOf(each) === name);
    const key = byVariable.get(name) ?? former?.key ?? undefined;
    if (former !== undefined && !byVariable.has(name)) {
      const now = former.key === null ? null : variableOf(settingOf(former.key));
      warnings.push(formerInWords(former, name, now));
    }
    if (key !== undefined) given.push({ key, raw, name });
    else if (former !== undefined) continue;
    else if (!CLIENT_VARIABLES.includes(name) && !named.includes(name)) {
      problems.push(unknownName(name, [...byVariable.keys()]));
    }
  }
  return given;
}

function fromAliases(env: Readonly<Record<string, string | undefined>>): Given[] {
  return SETTING_KEYS.flatMap((key) => {
    const { alias } = settingOf(key);
    const raw = alias === null ? undefined : env[alias.variable];
    if (alias === null || raw === undefined || raw === '') return [];
    return [{ key, raw: alias.values?.[raw.toLowerCase()] ?? raw, name: alias.variable }];
  });
}

export function fromFlags(
  flags: Readonly<Record<string, string>>,
  problems: SettingProblem[],
): Given[] {
  const given: Given[] = [];
  for (const [flag, raw] of Object.entries(flags)) {
    const key = SETTING_KEYS.find((each) => flagOf(settingOf(each)) === flag);
    if (key === undefined) problems.push(unknownName(flag, SETTING_KEYS.map(flagName)));
    else given.push({ key, raw, name: flag });
  }
  return given;
}

// Applies what was given over `base`; what is wrong becomes a problem and changes nothing.
export function apply(
  base: Settings,
  given: readonly Given[],
  problems: SettingProblem[],
): { settings: Settings; changed: SettingKey[] } {
  const values: Record<string, unknown> = { ...base };
  const changed: SettingKey[] = [];
  for (const { key, raw, name } of given) {
    const setting = settingOf(key);
    const parsed = setting.reader.read(raw);
    if (setting.refused !== null) {
      problems.push({ name, value: null, expected: setting.refused });
    } else if (parsed.kind === 'wrong') {
      const { path, value: part } = parsed.at ?? { path: '', value: raw };
      const value = setting.secret ? null : (JSON.stringify(part) ?? null);
      problems.push({ name: `${name}${path}`, value, expected: `expected ${parsed.expected}` });
    } else {
      values[key] = parsed.value;
      changed.push(key);
    }
  }
  return { settings: Object.freeze(values) as Settings, changed };
}

// Relations between settings, which no single reader can see.
export function relate(settings: Settings, where: string, problems: SettingProblem[]): void {
  const check = (fine: boolean, key: SettingKey, expected: string) => {
    if (fine) return;
    const { name, secret } = settingOf(key);
    const value = secret ? null : JSON.stringify(settings[key]);
    problems.push({ name: `${where}${name}`, value, expected });
  };
  check(
    settings.retryBaseMs <= settings.retryMaxMs,
    'retryBaseMs',
    `expected at most retry_max_ms (${settings.retryMaxMs})`,
  );
  check(
    settings.breakerOpenMs <= settings.breakerOpenMsMax,
    'breakerOpenMs',
    `expected at most breaker_open_ms_max (${settings.breakerOpenMsMax})`,
  );
  check(
    settings.ingestEverySMin <= settings.ingestEverySMax,
    'ingestEverySMin',
    `expected at most ingest_every_s_max (${settings.ingestEverySMax})`,
  );
  check(
    settings.redisUrl === null || settings.databaseUrl !== null,
    'redisUrl',
    'expected database_url beside it',
  );
  check(
    settings.databaseUrl === null || settings.secret !== null,
    'secret',
    'expected a secret that all nodes on the same database_url share',
  );
  check(
    settings.databaseUrl === null || settings.order !== 'platform',
    'order',
    'expected lane or account beside database_url: the nodes of a fleet keep no order among themselves',
  );
  for (const definition of PLATFORMS as readonly PlatformDefinition[]) {
    for (const { key, expected } of definition.relate?.(settings) ?? []) {
      check(false, key as SettingKey, expected);
    }
  }
}

function flagName(key: SettingKey): string {
  return flagOf(settingOf(key)) ?? '';
}
