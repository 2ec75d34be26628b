// The settings on the command line: a flag for each row of the table that may have one.

import type { Command } from 'commander';
import {
  type Config,
  describeProblem,
  flagOf,
  loadConfig,
  type Origins,
  SECTIONS,
  SETTING_KEYS,
  settingOf,
} from '../config/config.ts';
import { type Io, WrongUsage } from './io.ts';

export function addSettingFlags(command: Command): Command {
  command.option('--config <file>', 'configuration file (default: sluice.yaml if there is one)');
  for (const setting of SETTING_KEYS.map(settingOf)) {
    const flag = flagOf(setting);
    if (flag === null || setting.refused !== null) continue;
    // A switch may stand alone.
    const value = typeof setting.initial === 'boolean' ? '[value]' : '<value>';
    const option = command.createOption(`${flag} ${value}`, meaningOf(setting));
    command.addOption(option.helpGroup(`${SECTIONS[setting.section]}:`));
  }
  return command;
}

// `options`: what commander read, by camel-cased flag.
export function configFrom(
  io: Io,
  options: Readonly<Record<string, unknown>>,
): {
  config: Config;
  origins: Origins;
  warnings: readonly string[];
} {
  const flags: Record<string, string> = {};
  for (const setting of SETTING_KEYS.map(settingOf)) {
    const flag = flagOf(setting);
    const given = flag === null ? undefined : options[camelCase(flag)];
    if (flag === null) continue;
    if (typeof given === 'string') flags[flag] = given;
    else if (given === true) flags[flag] = 'on';
  }
  const file = typeof options.config === 'string' ? options.config : null;
  const loaded = loadConfig({ file, env: io.env, flags });
  if (loaded.kind === 'ok') return loaded;
  const lines = loaded.problems.map((problem) => `  ${describeProblem(problem)}`);
  throw new WrongUsage(`settings that cannot be used:\n${lines.join('\n')}`);
}

function meaningOf(setting: { meaning: string; unit: string | null; initial: unknown }): string {
  const { meaning, unit, initial } = setting;
  const isPlain = typeof initial === 'string' || typeof initial === 'number';
  const byDefault = isPlain ? ` (default: ${initial})` : '';
  return `${meaning}${unit === null ? '' : `, ${unit}`}${byDefault}`;
}

export function camelCase(flag: string): string {
  return flag
    .replace(/^--/, '')
    .replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
