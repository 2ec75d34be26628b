// Settings as they are shown to people and programs: by their long-lived names, secrets struck out.

import { isDeepStrictEqual } from 'node:util';
import type { Config, Origins } from './resolve.ts';
import { variableOf } from './setting-row.ts';
import { SETTING_KEYS, type SettingKey, type Settings } from './settings.ts';
import { settingOf } from './values.ts';

export const HIDDEN = '***';

export interface ShownSetting {
  readonly value: unknown;
  // Where it was set, where that is known.
  readonly from?: string;
  readonly meaning: string;
  readonly unit: string | null;
  // The environment variable that sets it.
  readonly variable: string;
  readonly isDefault: boolean;
}

export interface ShownConfig {
  // By `section.name`.
  readonly settings: Readonly<Record<string, ShownSetting>>;
  readonly accounts: readonly {
    readonly name: string;
    readonly platform: string;
    readonly token: string;
    // Those that are its own.
    readonly settings: Readonly<Record<string, unknown>>;
  }[];
}

export function showConfig(config: Config, origins: Origins | null): ShownConfig {
  const settings = SETTING_KEYS.map((key) => {
    const from = origins === null ? {} : { from: origins[key] };
    const setting = settingOf(key);
    const { meaning, unit } = setting;
    const isDefault = isDeepStrictEqual(config[key], setting.initial);
    const about = { meaning, unit, variable: variableOf(setting), isDefault };
    return [pathOf(key), { value: hidden(config, key), ...from, ...about }] as const;
  });
  const accounts = config.accounts.map(({ name, platform, settings: own }) => {
    const keys = SETTING_KEYS.filter((key) => own[key] !== config[key]);
    const values = keys.map((key) => [pathOf(key), hidden(own, key)] as const);
    return { name, platform, token: HIDDEN, settings: Object.fromEntries(values) };
  });
  return { settings: Object.fromEntries(settings), accounts };
}

function pathOf(key: SettingKey): string {
  const { section, name } = settingOf(key);
  return `${section}.${name}`;
}

function hidden(settings: Settings, key: SettingKey): unknown {
  const value: unknown = settings[key];
  return settingOf(key).secret && value !== null ? HIDDEN : value;
}
