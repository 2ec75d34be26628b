// sluice limits settings | set | reset: the numbers of an account's limits, and which of them were set by hand.

import type { Command } from 'commander';
import { addClientOptions, connect } from '../client.ts';
import { type Io, printJson, WrongUsage } from '../io.ts';
import { table } from '../terminal/table.ts';

interface ShownSetting {
  readonly name: string;
  readonly meaning: string;
  readonly unit: string | null;
  readonly value: number | null;
  readonly usual: number | null;
  readonly from: 'default' | 'settings' | 'hand';
}

interface LimitsAnswer {
  readonly id: string;
  readonly settings: readonly ShownSetting[];
}

interface Options {
  readonly json?: true;
}

export function addLimitSettings(limits: Command, io: Io): void {
  const show = limits
    .command('settings')
    .description('the numbers of an account’s limits, and which were set by hand')
    .argument('<account>', 'its id');
  addClientOptions(show).action((account: string, options: Options) =>
    ask(io, account, null, options),
  );
  const set = limits
    .command('set')
    .description('set limits of an account by hand; in force at once, kept over a restart')
    .argument('<account>', 'its id')
    .argument('<name=value...>', 'such as group_mpm=10; `none` where a limit may be left out');
  addClientOptions(set).action((account: string, pairs: string[], options: Options) =>
    ask(io, account, Object.fromEntries(pairs.map(pairOf)), options),
  );
  const reset = limits
    .command('reset')
    .description('back to what the settings say')
    .argument('<account>', 'its id')
    .argument('[name...]', 'left out: all that were set by hand');
  addClientOptions(reset).action(async (account: string, names: string[], options: Options) => {
    const given = names.length > 0 ? names : await byHand(io, account, options);
    await ask(io, account, Object.fromEntries(given.map((name) => [name, null])), options);
  });
}

// `change` null: they are only shown.
async function ask(
  io: Io,
  account: string,
  change: Readonly<Record<string, number | string | null>> | null,
  options: Options,
): Promise<void> {
  const client = connect(io, { ...options });
  const path = pathOf(account);
  const answer = await (change === null
    ? client.call('GET', path)
    : client.call('PATCH', path, change));
  if (options.json) printJson(io, answer);
  else io.out(describe(answer as LimitsAnswer));
}

async function byHand(io: Io, account: string, options: Options): Promise<string[]> {
  const { settings } = (await connect(io, { ...options }).call(
    'GET',
    pathOf(account),
  )) as LimitsAnswer;
  return settings.filter(({ from }) => from === 'hand').map(({ name }) => name);
}

function pathOf(account: string): string {
  return `/v1/accounts/${encodeURIComponent(account)}/limits`;
}

function pairOf(pair: string): [name: string, value: number | string] {
  const at = pair.indexOf('=');
  const [name, value] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
  const number = Number(value);
  if (at < 1 || value === '' || (value !== 'none' && !Number.isFinite(number))) {
    throw new WrongUsage(`${pair}: expected NAME=NUMBER, such as group_mpm=10`);
  }
  return [name, value === 'none' ? value : number];
}

const WHERE: Readonly<Record<ShownSetting['from'], string>> = {
  default: 'default',
  settings: 'the settings',
  hand: 'set by hand',
};

function describe({ id, settings }: LimitsAnswer): string {
  if (settings.length === 0) return `${id} has no limits that can be set`;
  const rows = settings.map(({ name, meaning, unit, value, usual, from }) => [
    meaning,
    `${amount(value)}${unit === null || value === null ? '' : ` ${unit}`}`,
    from === 'hand' ? `${WHERE[from]}, else ${amount(usual)}` : WHERE[from],
    name,
  ]);
  return table(['limit', 'value', 'from', 'name'], rows);
}

function amount(value: number | null): string {
  return value === null ? 'none' : String(value);
}
