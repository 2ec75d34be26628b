// sluice limits …: which chats are held back and by what, and an operator's hand on them: closed until a time, or
// opened before it; and the numbers of an account's limits.

import type { Command } from 'commander';
import { systemClock } from '../../system/clock.ts';
import { addClientOptions, connect } from '../client.ts';
import { type Io, printJson } from '../io.ts';
import { secondsOf } from '../seconds.ts';
import { moment, table, until as untilWhen } from '../terminal/table.ts';
import { addLimitSettings } from './settings.ts';

interface ShownLimit {
  readonly account: string;
  readonly chat: string;
  readonly rules: readonly {
    readonly name: string;
    readonly says: string;
    readonly used: number;
    readonly count: number;
    readonly learned: number;
  }[];
  readonly freezes: readonly { scope: string; until: string | null; cause: string }[];
}

interface ListOptions {
  readonly account?: string;
  readonly chat?: string;
  readonly frozen?: true;
  readonly json?: true;
}

interface HandOptions {
  readonly for?: number;
  readonly reason?: string;
  readonly json?: true;
}

export function addLimits(program: Command, io: Io): void {
  const limits = program
    .command('limits')
    .description('budgets, learned rates and freezes: list, freeze, thaw, settings, set, reset');
  addList(limits, io);
  addFreeze(limits, io);
  addThaw(limits, io);
  addLimitSettings(limits, io);
}

function addList(limits: Command, io: Io): void {
  const command = limits
    .command('list', { isDefault: true })
    .description('what is known of accounts and chats, those with freezes first')
    .option('--account <account>', 'of this one only')
    .option('--chat <chat>', 'of this one only')
    .option('--frozen', 'only what is frozen now');
  addClientOptions(command).action(async (options: ListOptions) => {
    const query = new URLSearchParams();
    if (options.account !== undefined) query.set('account', options.account);
    if (options.chat !== undefined) query.set('chat', options.chat);
    if (options.frozen === true) query.set('frozen', 'true');
    const answer = await connect(io, { ...options }).call('GET', `/v1/limits?${query}`);
    const { limits: found, more } = answer as { limits: ShownLimit[]; more: number };
    if (options.json) {
      printJson(io, answer);
      return;
    }
    io.out(found.length === 0 ? 'nothing is known of it' : table(HEAD, found.flatMap(rowsOf)));
    if (more > 0) io.out(`and ${more} more; name an account or a chat`);
  });
}

const HEAD = ['account', 'chat', 'limit', 'used', 'code'];

// What is frozen first, then each limit: in words, its code last.
function rowsOf({ account, chat, rules, freezes }: ShownLimit): string[][] {
  const place = [account, chat === '' ? 'all' : chat];
  const now = systemClock().now();
  const frozen = freezes.map(({ scope, until, cause }) => {
    const end = untilWhen(until, now);
    return [...place, `frozen${end === null ? '' : ` until ${end}`}: ${cause}`, '', scope];
  });
  const budgets = rules.map(({ name, says, used, count, learned }) => {
    const lowered = learned < 1 ? ` (learned: ${Math.round(learned * 100)} % of it)` : '';
    return [...place, `${says}${lowered}`, `${used} of ${count}`, name];
  });
  const rows = [...frozen, ...budgets];
  return rows.length === 0 ? [[...place, 'nothing was sent lately', '', '']] : rows;
}

function addFreeze(limits: Command, io: Io): void {
  const command = limits
    .command('freeze')
    .description('let nothing of a chat, or of an account, go out for a time')
    .argument('<account>', 'its id')
    .argument('[chat]', 'left out: the account as a whole')
    .requiredOption('--for <time>', 'how long, such as 90s, 10m or 12h', secondsOf)
    .option('--reason <text>', 'shown wherever it is asked why a message waits');
  addClientOptions(command).action(
    async (account: string, chat: string | undefined, options: HandOptions) => {
      const { for: seconds, reason } = options;
      const body = { account, chat, seconds, reason };
      const answer = await connect(io, { ...options }).call('POST', '/v1/limits/freeze', body);
      if (options.json) printJson(io, answer);
      else
        io.out(
          `${inWords(account, chat)} is frozen until ${moment((answer as { until: string }).until)}`,
        );
    },
  );
}

function addThaw(limits: Command, io: Io): void {
  const command = limits
    .command('thaw')
    .description('end the freezes of a chat or an account now; one call goes first and shows')
    .argument('<account>', 'its id')
    .argument('[chat]', 'left out: the freezes of the account as a whole');
  addClientOptions(command).action(
    async (account: string, chat: string | undefined, options: HandOptions) => {
      const client = connect(io, { ...options });
      const answer = await client.call('POST', '/v1/limits/thaw', { account, chat });
      const { thawed } = answer as { thawed: number };
      if (options.json) printJson(io, answer);
      else if (thawed === 0) io.out(`${inWords(account, chat)} was not frozen`);
      else io.out(`${inWords(account, chat)} goes on: one call first, then the others`);
    },
  );
}

function inWords(account: string, chat: string | undefined): string {
  return chat === undefined ? account : `chat ${chat} of ${account}`;
}
