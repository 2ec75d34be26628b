// sluice messages …: every delivery there is, whatever became of it.

import type { Command } from 'commander';
import { addClientOptions, connect } from '../client.ts';
import { type Io, printJson } from '../io.ts';
import { correlationColumn, moment, table } from '../terminal/table.ts';
import { describeDelivery, type Meanings, meaningsFrom, type ShownDelivery } from './delivery.ts';

interface Options {
  readonly account?: string;
  readonly chat?: string;
  readonly session?: string;
  readonly state?: string;
  readonly reason?: string;
  readonly correlation?: string;
  readonly messageId?: string;
  readonly text?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit: string;
  readonly json?: true;
}

const STATES = [
  ...['queued', 'sending', 'sent', 'uncertain'],
  ...['dead', 'superseded', 'expired', 'cancelled'],
];
const FILTERS = [
  ...(['account', 'chat', 'session', 'state', 'reason'] as const),
  ...(['correlation', 'messageId', 'text', 'since', 'until'] as const),
];

export function addMessages(program: Command, io: Io): void {
  const messages = program
    .command('messages')
    .description('deliveries in whatever state: list, show, cancel');
  addList(messages, io);
  addShow(messages, io);
  addCancel(messages, io);
}

function addList(messages: Command, io: Io): void {
  const command = messages
    .command('list', { isDefault: true })
    .description('list deliveries, newest first')
    .option('--account <id>', 'of this account')
    .option('--chat <id>', 'to this chat')
    .option('--session <name>', 'of this session')
    .addOption(messages.createOption('--state <state>', 'in this state').choices(STATES))
    .option('--reason <code>', 'for this reason')
    .option('--correlation <id>', 'with this correlation id')
    .option('--message-id <id>', 'that made this message, as the platform numbers it')
    .option('--text <words>', 'with this in their content')
    .option('--since <time>', 'accepted at or after (ISO 8601)')
    .option('--until <time>', 'accepted before (ISO 8601)')
    .option('--limit <n>', 'at most so many, up to 1000', '50');
  addClientOptions(command).action(async (options: Options) => {
    const query = new URLSearchParams({ limit: options.limit });
    for (const name of FILTERS) {
      const value = options[name];
      if (value !== undefined) query.set(name, value);
    }
    const client = connect(io, { ...options });
    const answer = (await client.call('GET', `/v1/messages?${query}`)) as {
      items: ShownDelivery[];
      next: string | null;
    };
    if (options.json) return printJson(io, answer);
    io.out(listed(answer.items, await meaningsFrom(client)));
    if (answer.next !== null) io.out('there may be more: narrow it down, or raise --limit');
  });
}

function addShow(messages: Command, io: Io): void {
  const command = messages.command('show').description('one delivery whole').argument('<id>');
  addClientOptions(command).action(async (id: string, options: Options) => {
    const client = connect(io, { ...options });
    const found = (await client.call('GET', pathOf(id))) as ShownDelivery;
    if (options.json) printJson(io, found);
    else io.out(describeDelivery(found, await meaningsFrom(client)));
  });
}

function addCancel(messages: Command, io: Io): void {
  const command = messages
    .command('cancel')
    .description('withdraw a delivery that has not gone out')
    .argument('<id>');
  addClientOptions(command).action(async (id: string, options: Options) => {
    const answer = await connect(io, { ...options }).call('DELETE', pathOf(id));
    if (options.json) printJson(io, answer);
    else io.out(`${id} is cancelled`);
  });
}

function pathOf(id: string): string {
  return `/v1/messages/${encodeURIComponent(id)}`;
}

function listed(items: readonly ShownDelivery[], said: Meanings): string {
  if (items.length === 0) return 'no deliveries';
  const correlated = correlationColumn(items);
  const rows = items.map((each) => [
    each.id,
    ...correlated.of(each),
    moment(each.acceptedAt),
    each.account,
    each.chat,
    each.method,
    each.state,
    each.messageId ?? '',
    each.reason === null ? '' : (said[each.reason] ?? each.reason),
    each.reason ?? '',
  ]);
  const names = [
    ...['id', ...correlated.names, 'accepted', 'account', 'chat', 'method', 'state'],
    ...['message id', 'why', 'code'],
  ];
  return table(names, rows);
}
