// From file, variables and flags (later ones win) to one frozen Config. Touches nothing outside.
// Nothing is guessed: a name nobody knows or a value nobody can use stops the start, all at once.

import { type AccountEntry, readAccounts, tokenVariables } from './accounts.ts';
import { readFileContent } from './file.ts';
import type { SettingProblem } from './problem.ts';
import { SETTING_KEYS, type SettingKey, type Settings } from './settings.ts';
import { apply, fromFlags, fromVariables, INITIAL, type Origin, relate } from './values.ts';

export interface Config extends Settings {
  readonly accounts: readonly AccountEntry[];
}

export interface Sources {
  readonly file: { readonly path: string; readonly text: string } | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  // By flag: `--group-mpm`.
  readonly flags: Readonly<Record<string, string>>;
  // For token files; throws when the file cannot be read.
  readText(path: string): string;
}

export type Origins = Readonly<Record<SettingKey, Origin>>;

export type ResolvedConfig =
  // `warnings`: names of earlier versions, which still work.
  | { kind: 'ok'; config: Config; origins: Origins; warnings: readonly string[] }
  | { kind: 'wrong'; problems: readonly SettingProblem[] };

export function resolveConfig(sources: Sources): ResolvedConfig {
  const problems: SettingProblem[] = [];
  const warnings: string[] = [];
  const { file, env, flags } = sources;
  const content =
    file === null
      ? { given: [], accounts: [] }
      : readFileContent(file.path, file.text, problems, warnings);
  const named = tokenVariables(content.accounts);
  const variables = fromVariables(env, named, { problems, warnings });
  const origins = Object.fromEntries(SETTING_KEYS.map((key) => [key, 'default' as Origin]));

  let settings = INITIAL;
  for (const [origin, given] of [
    ['file', content.given],
    ['variable', variables],
    ['flag', fromFlags(flags, problems)],
  ] as const) {
    const applied = apply(settings, given, problems);
    settings = applied.settings;
    for (const key of applied.changed) origins[key] = origin;
  }
  relate(settings, '', problems);
  const accounts = Object.freeze(readAccounts(content.accounts, settings, sources, problems));

  if (problems.length > 0) return { kind: 'wrong', problems };
  const config = Object.freeze({ ...settings, accounts });
  return { kind: 'ok', config, origins: origins as Origins, warnings };
}

// Every default, for the library and for tests: `defaultConfig({ port: 0 })`.
export function defaultConfig(changes: Partial<Config> = {}): Config {
  return Object.freeze({ ...INITIAL, accounts: [], ...changes });
}
