// sluice broadcast: one message to everyone in a file, watched until all have it; and the broadcasts there are.

import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Command } from 'commander';
import { PRIORITIES } from '../../domain/priority.ts';
import { PLATFORM_DEFAULT } from '../../platforms/registry.ts';
import { systemClock } from '../../system/clock.ts';
import { addClientOptions, connect } from '../client.ts';
import { Failed, type Io, printJson, WrongUsage } from '../io.ts';
import { onlyAccount } from '../target.ts';
import { type OrderOptions, orderOf, withList } from './order.ts';
import { watchBroadcast } from './progress.ts';
import {
  type BroadcastAnswer,
  describeBroadcast,
  listBroadcasts,
  listRecipients,
  type ShownRecipient,
} from './view.ts';

interface Options extends OrderOptions {
  readonly detach?: true;
  readonly json?: true;
}

interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  txt: 'text/plain',
};
const STDIN = '-';

export function addBroadcast(program: Command, io: Io): void {
  const broadcast = program
    .command('broadcast')
    .description('send one message to many chats')
    .option(
      '--to <file>',
      'who: .csv with a header, .ndjson, or .txt with a chat per line; - reads CSV',
    )
    .option('--audience <name>', 'who: saved before under this name')
    .option(
      '--text <text>',
      'the text; {{name}} is filled from the list, {{name|friend}} has a default',
    )
    .option('--body <json>', 'the call’s parameters, without the target')
    .option('--parse-mode <mode>', 'HTML or MarkdownV2; what is filled in is escaped')
    .option('--method <name>', 'the platform’s name of the call (default: its message of text)')
    .option('--account <id>', 'account id or token (default: the only one there is)')
    .option('--platform <name>', 'the account’s platform', PLATFORM_DEFAULT.name)
    .addOption(program.createOption('--priority <class>', 'class').choices([...PRIORITIES]))
    .option('--name <name>', 'your own name of it')
    .option('--not-before <time>', 'not to begin earlier (ISO 8601)')
    .option('--idempotency-key <key>', 'the same key again sends nothing')
    .option('--detach', 'do not wait for its end');
  addClientOptions(broadcast).action((options: Options) => run(io, options));
  addSave(broadcast, io);
  addList(broadcast, io);
  addShow(broadcast, io);
  addRecipients(broadcast, io);
  addSteer(broadcast, io, 'pause', 'send to nobody further, until it is resumed');
  addSteer(broadcast, io, 'resume', 'go on');
  addSteer(broadcast, io, 'cancel', 'send to nobody further, for good');
}

async function run(io: Io, options: Options): Promise<void> {
  if ((options.to === undefined) === (options.audience === undefined)) {
    throw new WrongUsage('name who gets it: --to FILE or --audience NAME');
  }
  const client = connect(io, { ...options });
  const account = options.account ?? (await onlyAccount(client, options.platform));
  const order = orderOf(account, options);
  const made = (await (options.to === undefined
    ? client.call('POST', '/v1/broadcasts', order)
    : pourWith(io, options.to, (source, type) => {
        const form = withList(order, source, type);
        return client.pour('/v1/broadcasts', form.body, form.type);
      }))) as BroadcastAnswer;
  if (options.detach === true) {
    if (options.json) printJson(io, made);
    else io.out(describeBroadcast(made));
    return;
  }
  const ended = await watchBroadcast({ client, clock: systemClock(), io, first: made });
  if (options.json) printJson(io, ended);
  else io.out(describeBroadcast(ended));
  if (ended.state !== 'done') throw new Failed(`the broadcast is ${ended.state}`);
}

// Reads the file, or what is piped in, while it is sent.
async function pourWith<T>(
  io: Io,
  file: string,
  send: (source: Readable, type: string) => Promise<T>,
): Promise<T> {
  const source = file === STDIN ? io.input : createReadStream(file);
  if (source === undefined) throw new WrongUsage('nothing is piped in');
  const unreadable = new Promise<never>((_, reject) => {
    source.once('error', (error: Error) => reject(new Failed(`${file}: ${error.message}`)));
  });
  const ending = /\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? 'csv';
  try {
    return await Promise.race([send(source, TYPES[ending] ?? 'text/csv'), unreadable]);
  } finally {
    source.destroy();
  }
}

function addSave(broadcast: Command, io: Io): void {
  const command = broadcast
    .command('save')
    .description('save a list of recipients as an audience')
    .argument('<name>')
    .argument('<file>', '.csv with a header, .ndjson, or .txt with a chat per line; - reads CSV');
  addClientOptions(command).action(async (name: string, file: string, _: object, self: Command) => {
    const options = self.optsWithGlobals<Options>();
    const path = `/v1/audiences/${encodeURIComponent(name)}`;
    const client = connect(io, { ...options });
    const saved = (await pourWith(io, file, (source, type) =>
      client.pour(path, source, type, 'PUT'),
    )) as { count: number; repeated: number; fields: string[] };
    if (options.json) return printJson(io, saved);
    const twice = saved.repeated === 0 ? '' : `, ${saved.repeated} more were in it twice`;
    io.out(
      `${name}: ${saved.count} recipients${twice}; fields: ${saved.fields.join(', ') || 'none'}`,
    );
  });
}

function addList(broadcast: Command, io: Io): void {
  const command = broadcast.command('list').description('broadcasts, newest first');
  addClientOptions(command).action(async (_: object, self: Command) => {
    const options = self.optsWithGlobals<Options>();
    const answer = await connect(io, { ...options }).call('GET', '/v1/broadcasts');
    if (options.json) printJson(io, answer);
    else io.out(listBroadcasts((answer as Page<BroadcastAnswer>).items));
  });
}

function addShow(broadcast: Command, io: Io): void {
  const command = broadcast.command('show').description('how far one is').argument('<id>');
  addClientOptions(command).action(async (id: string, _: object, self: Command) => {
    const options = self.optsWithGlobals<Options>();
    const shown = await connect(io, { ...options }).call('GET', pathOf(id));
    if (options.json) printJson(io, shown);
    else io.out(describeBroadcast(shown as BroadcastAnswer));
  });
}

function addRecipients(broadcast: Command, io: Io): void {
  const command = broadcast
    .command('recipients')
    .description('what became of each recipient')
    .argument('<id>')
    .option('--state <state>', 'only those in this state')
    .option('--limit <n>', 'at most so many', '50')
    .option('--cursor <n>', 'those after this number');
  addClientOptions(command).action(async (id: string, _: object, self: Command) => {
    const options = self.optsWithGlobals<Options & Record<string, string>>();
    const query = new URLSearchParams({ limit: options.limit! });
    for (const name of ['state', 'cursor'] as const) {
      if (options[name] !== undefined) query.set(name, options[name]);
    }
    const answer = await connect(io, { ...options }).call(
      'GET',
      `${pathOf(id)}/recipients?${query}`,
    );
    if (options.json) printJson(io, answer);
    else io.out(listRecipients(answer as Page<ShownRecipient>));
  });
}

function addSteer(
  broadcast: Command,
  io: Io,
  verb: 'pause' | 'resume' | 'cancel',
  description: string,
): void {
  const command = broadcast.command(verb).description(description).argument('<id>');
  addClientOptions(command).action(async (id: string, _: object, self: Command) => {
    const options = self.optsWithGlobals<Options>();
    const shown = await connect(io, { ...options }).call('POST', `${pathOf(id)}/${verb}`);
    if (options.json) printJson(io, shown);
    else io.out(describeBroadcast(shown as BroadcastAnswer));
  });
}

function pathOf(id: string): string {
  return `/v1/broadcasts/${encodeURIComponent(id)}`;
}
