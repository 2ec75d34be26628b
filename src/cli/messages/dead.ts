// sluice dead …: the letters that will not be tried again unless someone says so.

import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { parseJson } from '../../system/json.ts';
import { addClientOptions, type Client, commandLine, connect } from '../client.ts';
import { Failed, type Io, printJson, WrongUsage } from '../io.ts';
import { correlationColumn, moment, table } from '../terminal/table.ts';
import { describeDelivery, type Meanings, meaningsFrom, type ShownDelivery } from './delivery.ts';

interface Filter {
  readonly account?: string;
  readonly chat?: string;
  readonly reason?: string;
  readonly since?: string;
  readonly state?: string;
}

interface Options extends Filter {
  readonly all?: true;
  readonly group?: true;
  readonly limit?: string;
  readonly body?: string;
  readonly json?: true;
}

interface Cause {
  readonly account: string;
  readonly reason: string;
  readonly count: number;
  readonly oldestAt: string;
  readonly newestAt: string;
}

interface Handled {
  readonly done: number;
  readonly failed: number;
  readonly failures: readonly { id: string; code: string; detail: string }[];
  readonly next: string | null;
}

type Verb = 'retry' | 'discard';

const DONE = { retry: 'queued again', discard: 'discarded' } as const;
const FILTERS = ['account', 'chat', 'reason', 'since', 'state'] as const;
const RETRIES_SHOWN_MAX = 5;

export function addDead(program: Command, io: Io): void {
  const dead = program
    .command('dead')
    .description('dead letters: list, show, retry, edit, discard');
  addList(dead, io);
  addShow(dead, io);
  addEdit(dead, io);
  addHandle(dead, io, 'retry', 'queue dead letters again');
  addHandle(dead, io, 'discard', 'give dead letters up for good');
}

function addList(dead: Command, io: Io): void {
  const command = dead
    .command('list')
    .description('list dead letters, newest first')
    .option('--group', 'count them by cause')
    .option('--limit <n>', 'at most so many', '50');
  addFilters(addClientOptions(command)).action(async (options: Options) => {
    const query = new URLSearchParams(filterOf(options));
    if (options.group) query.set('group', 'cause');
    else query.set('limit', options.limit ?? '50');
    const client = connect(io, { ...options });
    const answer = (await client.call('GET', `/v1/dead?${query}`)) as {
      items?: ShownDelivery[];
      groups?: Cause[];
      next?: string | null;
    };
    if (options.json) return printJson(io, answer);
    const said = await meaningsFrom(client);
    io.out(options.group ? causes(answer.groups ?? [], said) : letters(answer.items ?? [], said));
    for (const line of retries(answer.groups ?? [])) {
      io.out(commandLine(io, line, { ...options }));
    }
    if (answer.next) io.out('there may be more: --limit shows up to 1000, --group counts them all');
  });
}

function addShow(dead: Command, io: Io): void {
  const command = dead.command('show').description('one letter whole').argument('<id>');
  addClientOptions(command).action(async (id: string, options: Options) => {
    const path = `/v1/messages/${encodeURIComponent(id)}`;
    const client = connect(io, { ...options });
    const letter = (await client.call('GET', path)) as ShownDelivery;
    if (options.json) printJson(io, letter);
    else io.out(describeDelivery(letter, await meaningsFrom(client)));
  });
}

function addEdit(dead: Command, io: Io): void {
  const command = dead
    .command('edit')
    .description('change a letter’s parameters and queue it again')
    .argument('<id>')
    .requiredOption('--body <json>', 'the call’s new parameters; @FILE reads a file');
  addClientOptions(command).action(async (id: string, options: Options) => {
    const body = readBody(options.body ?? '');
    const path = `/v1/dead/${encodeURIComponent(id)}`;
    const answer = await connect(io, { ...options }).call('PATCH', path, { body });
    if (options.json) printJson(io, answer);
    else io.out(`${id} is queued again`);
  });
}

function addHandle(dead: Command, io: Io, verb: Verb, description: string): void {
  const command = dead
    .command(verb)
    .description(description)
    .argument('[ids...]', 'which; or filter, or --all')
    .option('--all', 'all of them');
  addFilters(addClientOptions(command)).action(async (ids: string[], options: Options) => {
    const filter = filterOf(options);
    const isFiltered = options.all === true || Object.keys(filter).length > 0;
    if (ids.length > 0 === isFiltered) {
      throw new WrongUsage('name ids, or filter them, or say --all');
    }
    const client = connect(io, { ...options });
    const which = ids.length > 0 ? { ids } : { filter };
    const handled = await handle(io, client, verb, which);
    if (options.json) printJson(io, handled);
    else io.out(summary(verb, handled));
    if (handled.failed > 0) throw new Failed(`${handled.failed} could not be handled`);
  });
}

// The gateway works in bounded steps and says where the next one begins.
async function handle(io: Io, client: Client, verb: Verb, which: object): Promise<Handled> {
  const path = `/v1/dead/${verb}`;
  let sum = (await client.call('POST', path, which)) as Handled;
  while (sum.next !== null) {
    io.progress?.(`${sum.done} ${DONE[verb]} so far`);
    const step = (await client.call('POST', path, { ...which, cursor: sum.next })) as Handled;
    const done = sum.done + step.done;
    const failed = sum.failed + step.failed;
    sum = { done, failed, failures: [...sum.failures, ...step.failures], next: step.next };
  }
  io.progress?.('');
  return sum;
}

function addFilters(command: Command): Command {
  return command
    .option('--account <id>', 'of this account')
    .option('--chat <id>', 'to this chat')
    .option('--reason <code>', 'for this reason')
    .option('--since <time>', 'accepted at or after (ISO 8601)')
    .addOption(
      command
        .createOption('--state <state>', 'in this state (default: dead)')
        .choices(['dead', 'uncertain']),
    );
}

function filterOf(options: Options): Record<string, string> {
  return Object.fromEntries(
    FILTERS.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  );
}

function readBody(text: string): unknown {
  const parsed = parseJson(text.startsWith('@') ? readFile(text.slice(1)) : text);
  if (parsed.kind === 'value') return parsed.value;
  throw new WrongUsage(`--body: expected JSON or @FILE: it is ${parsed.detail}`);
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new WrongUsage(`--body: expected JSON or @FILE: ${(error as Error).message}`);
  }
}

function letters(dead: readonly ShownDelivery[], said: Meanings): string {
  if (dead.length === 0) return 'no dead letters';
  const correlated = correlationColumn(dead);
  const rows = dead.map((letter) => [
    letter.id,
    ...correlated.of(letter),
    moment(letter.settledAt ?? letter.acceptedAt),
    letter.account,
    letter.chat,
    letter.method,
    letter.tries,
    letter.reason === null ? '' : (said[letter.reason] ?? letter.reason),
    letter.detail ?? '',
    letter.reason ?? '',
  ]);
  const what = ['since', 'account', 'chat', 'method', 'tries', 'why', 'detail', 'code'];
  const names = ['id', ...correlated.names, ...what];
  return table(names, rows);
}

function causes(groups: readonly Cause[], said: Meanings): string {
  if (groups.length === 0) return 'no dead letters';
  const rows = groups.map((group) => [
    group.count,
    said[group.reason] ?? group.reason,
    group.account,
    moment(group.oldestAt),
    moment(group.newestAt),
    group.reason,
  ]);
  return table(['count', 'why', 'account', 'oldest', 'newest', 'code'], rows);
}

// To try again what died of one cause, all of it.
function retries(groups: readonly Cause[]): string[] {
  return groups
    .slice(0, RETRIES_SHOWN_MAX)
    .map(({ account, reason }) => `dead retry --account ${account} --reason ${reason}`);
}

function summary(verb: Verb, handled: Handled): string {
  const failures = handled.failures.map(({ id, detail }) => `\n  ${id}: ${detail}`);
  return `${handled.done} ${DONE[verb]}${failures.join('')}`;
}
