// sluice stream: what is piped in, shown in a chat as it comes. And the streams that are open.

import type { Command } from 'commander';
import { FORMATS, TRANSPORTS } from '../../domain/live.ts';
import { PRIORITIES } from '../../domain/priority.ts';
import { PLATFORM_DEFAULT } from '../../platforms/registry.ts';
import { systemClock } from '../../system/clock.ts';
import { intBelow, systemRandom } from '../../system/random.ts';
import { addClientOptions, type Client, commandFor, connect } from '../client.ts';
import { Failed, type Io, printJson, WrongUsage } from '../io.ts';
import { onlyAccount, secondsOf } from '../target.ts';
import { follow } from './progress.ts';
import { describeStream, listStreams, type StreamAnswer } from './view.ts';

interface Options {
  readonly account?: string;
  readonly platform: string;
  readonly chat?: string;
  readonly thread?: string;
  readonly as: keyof typeof CONTENT_TYPES;
  readonly format?: string;
  readonly transport?: string;
  readonly session?: string;
  readonly priority?: string;
  readonly correlation?: string;
  readonly idempotencyKey?: string;
  readonly idle?: string;
  readonly wait?: string | true;
  readonly json?: true;
}

// What the piped text may be; `auto`: what it looks like.
const CONTENT_TYPES = {
  auto: null,
  text: 'text/plain',
  ndjson: 'application/x-ndjson',
  sse: 'text/event-stream',
} as const;

export function addStream(program: Command, io: Io): void {
  const stream = program
    .command('stream')
    .description('show in a chat what is piped in, as it comes; final when it ends')
    .usage('[options] < text')
    .option('--chat <id>', 'chat id or @name')
    .option('--account <id>', 'account id or token (default: the platform’s only one)')
    .option('--platform <name>', 'the account’s platform', PLATFORM_DEFAULT.name)
    .option('--thread <id>', 'thread or topic')
    .addOption(
      choice('--as <form>', 'what is piped in', Object.keys(CONTENT_TYPES)).default('auto'),
    )
    .addOption(choice('--format <format>', 'what the text is written in', FORMATS))
    .addOption(choice('--transport <way>', 'how it is shown while it grows', TRANSPORTS))
    .addOption(choice('--priority <class>', 'class', PRIORITIES))
    .option('--session <name>', 'texts of one session keep their order')
    .option('--correlation <id>', 'your own id of it')
    .option('--idempotency-key <key>', 'the same key again shows nothing again')
    .option('--idle <seconds>', 'finish it after so long a silence')
    .option('--wait [seconds]', 'wait until the text has arrived');
  function choice(flags: string, meaning: string, choices: readonly string[]) {
    return program.createOption(flags, meaning).choices(choices);
  }
  addClientOptions(stream).action((options: Options) => run(io, options));
  addList(stream, io);
  addShow(stream, io);
}

async function run(io: Io, options: Options): Promise<void> {
  const query = queryOf(options);
  const { input } = io;
  if (input === undefined) throw new WrongUsage('nothing is piped in');
  const client = connect(io, { ...options });
  query.set('account', options.account ?? (await onlyAccount(client, options.platform)));
  const type = CONTENT_TYPES[options.as];
  const ended = await watched(io, client, query, () =>
    client.pour(`/v1/streams?${query}`, input, type),
  ).finally(() => input.destroy());
  const stream = ended as StreamAnswer;
  if (options.json) printJson(io, stream);
  else io.out(describeStream(stream));
  if (stream.error) {
    throw new Failed(`the producer failed (${stream.error}); what it had said was kept`);
  }
  if (stream.state === 'failed') {
    const words = `explain ${stream.finals[0] ?? stream.id}`;
    throw new Failed(`not sent; see ${commandFor(io, words, { ...options })}`);
  }
}

// On a terminal, with a line that says how far it is; the stream is found by its correlation id.
async function watched<T>(
  io: Io,
  client: Client,
  query: URLSearchParams,
  pour: () => Promise<T>,
): Promise<T> {
  const { progress } = io;
  if (progress === undefined) return pour();
  const correlation = query.get('correlation') ?? ownId();
  query.set('correlation', correlation);
  const following = follow({ client, clock: systemClock(), correlation, progress });
  return pour().finally(() => following.stop());
}

function ownId(): string {
  return `cli-${intBelow(systemRandom(), Number.MAX_SAFE_INTEGER).toString(36)}`;
}

function queryOf(options: Options): URLSearchParams {
  const { chat, platform, thread, format, transport, session, priority } = options;
  const { correlation, idempotencyKey } = options;
  if (chat === undefined) throw new WrongUsage('which chat? Name it with --chat');
  const idle = options.idle === undefined ? undefined : secondsOf('--idle', options.idle);
  const wait = typeof options.wait === 'string' ? secondsOf('--wait', options.wait) : options.wait;
  const texts = { chat, platform, thread, format, transport, session, priority };
  const given = { ...texts, correlation, idempotencyKey };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...given, idle, wait })) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query;
}

function addList(stream: Command, io: Io): void {
  const command = stream.command('list').description('the streams that are open');
  addClientOptions(command).action(async (options: { json?: true }) => {
    const answer = (await connect(io, { ...options }).call('GET', '/v1/streams')) as {
      streams: StreamAnswer[];
    };
    if (options.json) printJson(io, answer);
    else io.out(listStreams(answer.streams));
  });
}

function addShow(stream: Command, io: Io): void {
  const command = stream.command('show').description('the state of one stream').argument('<id>');
  addClientOptions(command).action(async (id: string, options: { json?: true }) => {
    const path = `/v1/streams/${encodeURIComponent(id)}`;
    const found = (await connect(io, { ...options }).call('GET', path)) as StreamAnswer;
    if (options.json) printJson(io, found);
    else io.out(describeStream(found));
  });
}
