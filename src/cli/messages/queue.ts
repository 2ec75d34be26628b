// sluice queue: who waits, since when, until when, and why.

import type { Command } from 'commander';
import { PRIORITIES } from '../../domain/priority.ts';
import { systemClock } from '../../system/clock.ts';
import { addClientOptions, connect } from '../client.ts';
import { type Io, printJson } from '../io.ts';
import { correlationColumn, duration, moment, table } from '../terminal/table.ts';

interface Options {
  readonly account?: string;
  readonly chat?: string;
  readonly priority?: string;
  readonly limit: string;
  readonly json?: true;
}

interface Queue {
  readonly depths: Readonly<Record<string, number>>;
  readonly items: readonly Waiting[];
}

interface Waiting {
  readonly id: string;
  readonly correlation: string;
  readonly account: string;
  readonly chat: string;
  readonly priority: string;
  readonly since: string;
  readonly eta: string | null;
  readonly why: string;
  readonly cause?: string | null;
  readonly waitsFor?: string | null;
  readonly kinds?: readonly string[];
  readonly position?: number;
  readonly tries?: number;
  readonly behind: number;
}

const FILTERS = ['account', 'chat', 'priority'] as const;

export function addQueue(program: Command, io: Io): void {
  const command = program
    .command('queue')
    .description(
      'who waits: the first of each chat and session, those that wait longest first, and why',
    )
    .option('--account <id>', 'of this account')
    .option('--chat <id>', 'all that wait for this chat')
    .addOption(program.createOption('--priority <class>', 'of this class').choices(PRIORITIES))
    .option('--limit <n>', 'at most so many, up to 500', '20');
  addClientOptions(command).action(async (options: Options) => {
    const query = new URLSearchParams({ limit: options.limit });
    for (const name of FILTERS) {
      const value = options[name];
      if (value !== undefined) query.set(name, value);
    }
    const queue = (await connect(io, { ...options }).call('GET', `/v1/queue?${query}`)) as Queue;
    if (options.json) printJson(io, queue);
    else io.out(described(queue, systemClock().now()));
  });
}

function described({ depths, items }: Queue, now: number): string {
  const { retry = 0, inFlight = 0, ...classes } = depths;
  const waiting = Object.values(classes).reduce((sum, each) => sum + each, 0);
  const counts = Object.entries(classes).map(([name, count]) => `${name} ${count}`);
  const head = `${waiting} waiting (${counts.join(', ')}; ${retry} to be tried again), ${inFlight} in flight`;
  if (items.length === 0) return head;
  const correlated = correlationColumn(items);
  const rows = items.map((item) => {
    const { id, account, chat, priority, since, why, behind, cause } = item;
    const waits = duration(now - Date.parse(since));
    const own = correlated.of(item);
    const place = [waits, expected(item, now), behind];
    return [id, ...own, account, chat, priority, ...place, why, cause ?? ''];
  });
  const place = ['account', 'chat', 'class', 'waits', 'expected', 'behind'];
  const names = ['id', ...correlated.names, ...place, 'why', 'code'];
  return `${head}\n\n${table(names, rows)}`;
}

// Of an account that is held, and of one that was tried before, the next try is known, not that it goes out; else what
// ends the wait.
function expected(item: Waiting, now: number): string {
  const { eta, waitsFor, kinds = [], position, tries = 0 } = item;
  if (eta === null) return waitsFor ? `waits for ${waitsFor}` : 'unknown';
  const isRetried = tries > 0 && position === 1 && kinds.includes('due');
  return isRetried || kinds.includes('held')
    ? `tried again at ${moment(eta)}`
    : `in ${duration(Date.parse(eta) - now)}`;
}
