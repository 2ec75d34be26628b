// sluice accounts …: those the gateway knows, a try of one that is held back, and the end of one no longer needed.

import type { Command } from 'commander';
import { PLATFORM_DEFAULT } from '../../platforms/registry.ts';
import { systemClock } from '../../system/clock.ts';
import { addClientOptions, commandLine, connect } from '../client.ts';
import { Failed, type Io, printJson, WrongUsage } from '../io.ts';
import { table } from '../terminal/table.ts';
import { cureOf, type ShownAccount, troubleOf } from './view.ts';

interface Removed {
  readonly cancelled: number;
  readonly inFlight: number;
  readonly tokens: number;
  readonly streams: number;
  readonly broadcasts: number;
}

interface Probed {
  readonly found: 'taken' | 'refused' | 'unreachable';
  readonly detail: string;
  readonly thawed: number;
}

interface ProbeOptions {
  readonly chat?: string;
  readonly force?: true;
  readonly json?: true;
}

export function addAccounts(program: Command, io: Io): void {
  const accounts = program
    .command('accounts')
    .description('the accounts it speaks for: list, add, probe, remove');
  addList(accounts, io);
  addAdd(accounts, io);
  addProbe(accounts, io);
  addRemove(accounts, io);
}

function addList(accounts: Command, io: Io): void {
  const command = accounts
    .command('list', { isDefault: true })
    .description('all of them, and what keeps any from sending');
  addClientOptions(command).action(async (options: { json?: true }) => {
    const answer = await connect(io, { ...options }).call('GET', '/v1/accounts');
    const found = (answer as { accounts: ShownAccount[] }).accounts;
    if (options.json) {
      printJson(io, found);
      return;
    }
    const now = systemClock().now();
    const rows = found.map((each) => [
      each.id,
      String(each.waiting),
      String(each.inFlight),
      troubleOf(each, now) ?? 'sending',
    ]);
    io.out(
      rows.length === 0
        ? 'no account yet'
        : table(['account', 'waiting', 'in flight', 'state'], rows),
    );
    const cures = found.flatMap((each) => cureOf(each) ?? []);
    if (cures.length > 0) io.out('');
    for (const cure of cures) io.out(commandLine(io, cure, { ...options }));
  });
}

function addAdd(accounts: Command, io: Io): void {
  const command = accounts
    .command('add')
    .description('make an account known by its token, which is read from SLUICE_TOKEN')
    .option('--platform <name>', 'its platform', PLATFORM_DEFAULT.name);
  addClientOptions(command).action(async (options: { platform: string; json?: true }) => {
    // Not an argument: those are seen by everyone on the machine, and kept by the shell.
    const token = io.env.SLUICE_TOKEN;
    if (token === undefined || token === '') throw new WrongUsage('set SLUICE_TOKEN to the token');
    const { platform } = options;
    const answer = (await connect(io, { ...options }).call('POST', '/v1/accounts', {
      platform,
      token,
    })) as { id: string; isNew: boolean };
    if (options.json) printJson(io, answer);
    else io.out(`${answer.id} is ${answer.isNew ? 'added' : 'known already'}`);
  });
}

function addProbe(accounts: Command, io: Io): void {
  const command = accounts
    .command('probe')
    .description('ask the platform for an account now, and try what is held back')
    .argument('<account>', 'its id')
    .option('--chat <chat>', 'and what is held back in this chat')
    .option('--force', 'also while the platform said to wait, which may make the wait longer');
  addClientOptions(command).action(async (id: string, options: ProbeOptions) => {
    const { chat, force } = options;
    const path = `/v1/accounts/${encodeURIComponent(id)}/probe`;
    const asked = { ...(chat === undefined ? {} : { chat }), ...(force ? { force } : {}) };
    const answer = (await connect(io, { ...options }).call('POST', path, asked)) as Probed;
    if (options.json) printJson(io, answer);
    else io.out(`${FOUND[answer.found](id)} (${answer.detail})${freezesEnded(answer.thawed)}`);
    if (answer.found !== 'taken') throw new Failed(`${id} cannot send yet`);
  });
}

const FOUND: Readonly<Record<Probed['found'], (id: string) => string>> = {
  taken: (id) => `the platform answers and takes the token of ${id}`,
  refused: (id) => `the platform answers, and refuses the token of ${id}`,
  unreachable: (id) => `the platform still takes no calls of ${id}`,
};

function freezesEnded(count: number): string {
  return count === 0
    ? ''
    : `; ${count === 1 ? '1 freeze is' : `${count} freezes are`} ended, one call goes first`;
}

function addRemove(accounts: Command, io: Io): void {
  const command = accounts
    .command('remove')
    .description('forget an account and its token; what waits for it is cancelled')
    .argument('<account>', 'its id');
  addClientOptions(command).action(async (id: string, options: { json?: true }) => {
    const path = `/v1/accounts/${encodeURIComponent(id)}`;
    const answer = (await connect(io, { ...options }).call('DELETE', path)) as Removed;
    if (options.json) printJson(io, answer);
    else io.out(`${id} is removed${inWords(answer)}`);
  });
}

function inWords({ cancelled, inFlight, tokens, streams, broadcasts }: Removed): string {
  const ended = [
    [cancelled, 'deliveries cancelled'],
    [inFlight, 'calls still in flight'],
    [tokens, 'virtual tokens revoked'],
    [streams, 'streams cancelled'],
    [broadcasts, 'broadcasts cancelled'],
  ] as const;
  return ended.flatMap(([count, words]) => (count === 0 ? [] : [`, ${count} ${words}`])).join('');
}
