// sluice config: what is in force and where it comes from; --running: what a gateway was started with, and where a
// start from here would differ. Secrets are never shown.

import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import { SETTING_KEYS, type ShownConfig, settingOf, showConfig } from '../config/config.ts';
import { connect } from './client.ts';
import { type Io, printJson } from './io.ts';
import { addSettingFlags, configFrom } from './settings.ts';
import { table } from './terminal/table.ts';

const UNITS = new Map(
  SETTING_KEYS.map(settingOf).map(({ section, name, unit }) => [`${section}.${name}`, unit ?? '']),
);

export function addConfig(program: Command, io: Io): void {
  const command = program
    .command('config')
    .description('print the settings in force and where they come from')
    .option('--running', 'of the gateway that runs, and where a start from here would differ')
    .option(
      '--url <url>',
      'with --running: the gateway (default: SLUICE_URL, else as the settings say)',
    )
    .option('--json', 'for programs');
  addSettingFlags(command).action(async (options: Record<string, unknown>) => {
    const { config, origins, warnings } = configFrom(io, options);
    for (const warning of warnings) io.err(`warning: ${warning}`);
    const here = showConfig(config, origins);
    if (options.running !== true) {
      if (options.json === true) printJson(io, here);
      else io.out(asText(here, 'from', ({ from = '' }) => from));
      return;
    }
    const running = (await connect(io, options).call('GET', '/v1/config')) as ShownConfig;
    if (options.json === true) printJson(io, running);
    else io.out(asText(running, 'from here', ({ value }, path) => other(here, path, value)));
  });
}

// '' where it is the same.
function other({ settings }: ShownConfig, path: string, running: unknown): string {
  const value = settings[path]?.value;
  // As both look in JSON.
  const isSame = isDeepStrictEqual(JSON.parse(JSON.stringify(value ?? null)), running ?? null);
  return isSame ? '' : shown(value);
}

type ShownValue = ShownConfig['settings'][string];

function asText(
  { settings, accounts }: ShownConfig,
  last: string,
  lastOf: (setting: ShownValue, path: string) => string,
): string {
  const rows = Object.entries(settings).map(([path, setting]) => {
    return [path, shown(setting.value), UNITS.get(path) ?? '', lastOf(setting, path)];
  });
  const text = table(['setting', 'value', 'unit', last], rows);
  if (accounts.length === 0) return text;
  const own = accounts.map(({ name, platform, settings: its }) => {
    const values = Object.entries(its).map(([path, value]) => `${nameIn(path)}=${shown(value)}`);
    return [name, platform, values.join(' ')];
  });
  return `${text}\n\n${table(['account', 'platform', 'its own settings'], own)}`;
}

function nameIn(path: string): string {
  return path.slice(path.indexOf('.') + 1);
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return 'none';
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
