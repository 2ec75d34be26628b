// sluice ingest …: channels that are followed, and what was read of them.

import type { Command } from 'commander';
import { addClientOptions, type Client, commandLine, connect } from '../client.ts';
import { type Io, printJson, WrongUsage } from '../io.ts';
import { addLogin } from './login.ts';
import { addExport, addPosts } from './posts.ts';
import { described, listed, type ShownSource } from './view.ts';

interface AddOptions {
  readonly kind: string;
  readonly sandbox?: true;
  readonly account?: string;
  readonly priority?: string;
  readonly forwardUrl?: string;
  readonly forwardAccount?: string;
  readonly forwardChat?: string;
  readonly json?: true;
}

const PAGE = 1000;
const SOURCES = '/v1/ingest/sources';

export function addIngest(program: Command, io: Io): void {
  const ingest = program
    .command('ingest')
    .description(
      'follow channels: login, add, list, show, run, pause, resume, dead, posts, export',
    );
  addLogin(ingest, io);
  addAdd(ingest, io);
  addList(ingest, io);
  addShow(ingest, io);
  addVerb(ingest, io, 'run', 'look at a channel now');
  addVerb(ingest, io, 'pause', 'look at a channel no more, until it is resumed');
  addVerb(ingest, io, 'resume', 'look at a channel again; also at one that is dead');
  addRemove(ingest, io);
  addDead(ingest, io);
  addPosts(ingest, io);
  addExport(ingest, io);
}

function addAdd(ingest: Command, io: Io): void {
  const command = ingest
    .command('add')
    .description('follow a channel')
    .argument('<channel>', '@name, id or address')
    .option('--kind <kind>', 'by which it is read: page, mtproto, updates …', 'page')
    .option('--sandbox', 'a channel of the built-in simulator, which posts by itself')
    .option(
      '--account <id>',
      'the account to read with (default: any, where it is one that only reads)',
    )
    .option('--priority <n>', 'how much a wait for it counts beside others (default: 1)')
    .option('--forward-url <url>', 'post new posts to this webhook, signed')
    .option('--forward-account <account>', 'send new posts as this account …')
    .option('--forward-chat <chat>', '… into this chat');
  addClientOptions(command).action(async (channel: string, options: AddOptions) => {
    const client = connect(io, { ...options });
    const source = (await client.call('POST', SOURCES, orderOf(channel, options))) as ShownSource;
    if (options.json) return printJson(io, source);
    io.out(`${source.source} is followed as ${source.id}, read by ${source.kind}`);
    const typed = (words: string) => commandLine(io, words, { ...options });
    io.out(`its posts: ${typed(`ingest posts ${source.id}`)}`);
    io.out(`see its state: ${typed('ingest list')}`);
  });
}

function orderOf(channel: string, options: AddOptions): object {
  const { kind, sandbox, account, priority, forwardUrl, forwardAccount, forwardChat } = options;
  if ((forwardAccount === undefined) !== (forwardChat === undefined)) {
    throw new WrongUsage('give --forward-account and --forward-chat together');
  }
  if (forwardUrl !== undefined && forwardChat !== undefined) {
    throw new WrongUsage('posts go to a webhook or into a chat, not both');
  }
  const chat = { account: forwardAccount, chat: forwardChat };
  const forwardTo = forwardUrl === undefined ? chat : { url: forwardUrl };
  const isForwarded = forwardUrl !== undefined || forwardChat !== undefined;
  return {
    source: channel,
    kind: sandbox === true ? 'sandbox' : kind,
    ...(account === undefined ? {} : { account }),
    ...(priority === undefined ? {} : { priority: weightOf(priority) }),
    ...(isForwarded ? { forwardTo } : {}),
  };
}

function weightOf(text: string): number {
  const weight = Number(text);
  if (weight > 0) return weight;
  throw new WrongUsage(`--priority = ${text}: expected a number above 0`);
}

function addList(ingest: Command, io: Io): void {
  const command = ingest.command('list').description('channels that are followed');
  addClientOptions(command).action(async (options: { json?: true }) => {
    const sources = await allOf(connect(io, { ...options }), SOURCES);
    if (options.json) printJson(io, sources);
    else io.out(sources.length === 0 ? 'no channel is followed' : listed(sources));
  });
}

async function allOf(client: Client, path: string): Promise<ShownSource[]> {
  const found: ShownSource[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const page = (await client.call('GET', `${path}?limit=${PAGE}${after}`)) as {
      sources: ShownSource[];
      next: string | null;
    };
    found.push(...page.sources);
    cursor = page.next;
  }
  return found;
}

function addShow(ingest: Command, io: Io): void {
  const command = ingest.command('show').description('one channel whole').argument('<id>');
  addClientOptions(command).action(async (id: string, options: { json?: true }) => {
    const source = await connect(io, { ...options }).call('GET', pathOf(id));
    if (options.json) printJson(io, source);
    else io.out(described(source as ShownSource));
  });
}

function addVerb(ingest: Command, io: Io, verb: string, description: string): void {
  const command = ingest.command(verb).description(description).argument('<id>');
  addClientOptions(command).action(async (id: string, options: { json?: true }) => {
    const source = await connect(io, { ...options }).call('POST', `${pathOf(id)}/${verb}`);
    if (options.json) printJson(io, source);
    else io.out(described(source as ShownSource));
  });
}

function addRemove(ingest: Command, io: Io): void {
  const command = ingest
    .command('remove')
    .description('follow a channel no more, and delete its posts')
    .argument('<id>');
  addClientOptions(command).action(async (id: string, options: { json?: true }) => {
    const answer = await connect(io, { ...options }).call('DELETE', pathOf(id));
    if (options.json) printJson(io, answer);
    else io.out(`${id} is removed`);
  });
}

function addDead(ingest: Command, io: Io): void {
  const command = ingest
    .command('dead')
    .description('channels that fail for good, and why')
    .option('--retry [id...]', 'look at these again; without an id: at all of them');
  addClientOptions(command).action(
    async (options: { retry?: true | readonly string[]; json?: true }) => {
      const client = connect(io, { ...options });
      if (options.retry !== undefined) {
        const asked = options.retry === true ? {} : { ids: options.retry };
        const answer = await client.call('POST', '/v1/ingest/dead/retry', asked);
        const { retried } = answer as { retried: number };
        if (options.json) return printJson(io, answer);
        return io.out(`${retried} are looked at again`);
      }
      const sources = await allOf(client, '/v1/ingest/dead');
      if (options.json) return printJson(io, sources);
      io.out(sources.length === 0 ? 'no channel fails for good' : listed(sources));
    },
  );
}

function pathOf(id: string): string {
  return `${SOURCES}/${encodeURIComponent(id)}`;
}
