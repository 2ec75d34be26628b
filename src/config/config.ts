// The entry of the folder: finds the configuration on this machine (--config FILE, else SLUICE_CONFIG, else
// ./sluice.yaml if there is one), then variables, then flags, and makes one frozen Config of it.

import { existsSync, readFileSync } from 'node:fs';
import { type ResolvedConfig, resolveConfig } from './resolve.ts';

const FILE_NAME = 'sluice.yaml';

export function loadConfig(options: {
  file: string | null;
  env: Readonly<Record<string, string | undefined>>;
  flags: Readonly<Record<string, string>>;
}): ResolvedConfig {
  const { env, flags } = options;
  const named = options.file ?? env.SLUICE_CONFIG ?? null;
  const path = named ?? (existsSync(FILE_NAME) ? FILE_NAME : null);
  const readText = (name: string) => readFileSync(name, 'utf8');
  const file = path === null ? null : readConfigFile(path, readText);
  if (file?.kind === 'unreadable') {
    const expected = `the configuration file cannot be read: ${file.detail}`;
    return { kind: 'wrong', problems: [{ name: file.path, value: null, expected }] };
  }
  return resolveConfig({ file, env, flags, readText });
}

function readConfigFile(path: string, readText: (path: string) => string) {
  try {
    return { kind: 'read' as const, path, text: readText(path) };
  } catch (error) {
    return { kind: 'unreadable' as const, path, detail: (error as Error).message };
  }
}

export type { AccountEntry } from './accounts.ts';
export {
  type AccountOptions,
  configOf,
  type GatewayOptions,
  type SettingOptions,
} from './options.ts';
export type { Wait } from './parse.ts';
export { describeProblem, type SettingProblem } from './problem.ts';
export { type Config, defaultConfig, type Origins, type ResolvedConfig } from './resolve.ts';
export { flagOf, SECTIONS, type Setting, type SettingSection, variableOf } from './setting-row.ts';
export { SETTING_KEYS, type SettingKey, type Settings } from './settings.ts';
export { type ShownConfig, showConfig } from './shown.ts';
export type { Origin } from './values.ts';
export { CLIENT_VARIABLES, settingOf } from './values.ts';
