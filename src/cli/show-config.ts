// sluice config: what is in force and where it comes from. Secrets are never shown.

import type { Command } from 'commander';
import {
  type Config,
  type Origins,
  SETTING_KEYS,
  type SettingKey,
  type Settings,
  settingOf,
} from '../config/config.ts';
import { type Io, printJson } from './io.ts';
import { addSettingFlags, configFrom } from './settings.ts';
import { table } from './terminal/table.ts';

const HIDDEN = '***';

export function addConfig(program: Command, io: Io): void {
  const command = program
    .command('config')
    .description('print the settings in force and where they come from')
    .option('--json', 'for programs');
  addSettingFlags(command).action((options: Record<string, unknown>) => {
    const { config, origins, warnings } = configFrom(io, options);
    for (const warning of warnings) io.err(`warning: ${warning}`);
    if (options.json === true) printJson(io, asJson(config, origins));
    else io.out(asText(config, origins));
  });
}

function asText(config: Config, origins: Origins): string {
  const rows = SETTING_KEYS.map((key) => {
    const { section, name, unit } = settingOf(key);
    return [`${section}.${name}`, shown(config, key), unit ?? '', origins[key]];
  });
  const accounts = config.accounts.map(({ name, platform, settings }) => {
    const own = SETTING_KEYS.filter((key) => settings[key] !== config[key]);
    return [
      name,
      platform,
      own.map((key) => `${settingOf(key).name}=${shown(settings, key)}`).join(' '),
    ];
  });
  const text = table(['setting', 'value', 'unit', 'from'], rows);
  return accounts.length === 0
    ? text
    : `${text}\n\n${table(['account', 'platform', 'its own settings'], accounts)}`;
}

function asJson(config: Config, origins: Origins): unknown {
  const settings = SETTING_KEYS.map((key) => {
    const { section, name, secret } = settingOf(key);
    const value = secret && config[key] !== null ? HIDDEN : config[key];
    return [`${section}.${name}`, { value, from: origins[key] }];
  });
  const accounts = config.accounts.map(({ name, platform }) => ({ name, platform, token: HIDDEN }));
  return { settings: Object.fromEntries(settings), accounts };
}

function shown(settings: Settings, key: SettingKey): string {
  const value: unknown = settings[key];
  if (value === null) return 'none';
  if (settingOf(key).secret) return HIDDEN;
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(itemName).join(',');
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value !== 'object') return String(value);
  return 'seconds' in value ? String(value.seconds) : (value as { kind: string }).kind;
}

function itemName(item: unknown): string {
  return typeof item === 'object' && item !== null && 'name' in item
    ? String(item.name)
    : String(item);
}
