// sluice keys …: API keys and virtual tokens, made, listed, replaced, revoked; and what was done with them.

import { type Command, InvalidArgumentError, Option } from 'commander';
import { PRIORITIES } from '../../domain/priority.ts';
import { ROLES } from '../../domain/role.ts';
import { addClientOptions, type Client, connect } from '../client.ts';
import { type Io, printJson, WrongUsage } from '../io.ts';
import { secondsOf } from '../seconds.ts';
import { listed, type Noted, newKey, noted, type ShownKey } from './view.ts';

interface Options {
  readonly role?: string;
  readonly virtual?: true;
  readonly account?: readonly string[];
  readonly chat?: readonly string[];
  readonly method?: readonly string[];
  readonly rate?: number;
  readonly priority?: string;
  readonly expires?: number;
  readonly grace?: number;
  readonly limit?: string;
  readonly json?: true;
}

const PAGE = 1000;

export function addKeys(program: Command, io: Io): void {
  const keys = program
    .command('keys')
    .description('API keys and virtual tokens: list, create, revoke, rotate; audit');
  addList(keys, io);
  addCreate(keys, io);
  addRotate(keys, io);
  addRevoke(keys, io);
  addAudit(keys, io);
}

function addList(keys: Command, io: Io): void {
  const command = keys.command('list').description('all of them, those that are over included');
  addClientOptions(command).action(async (options: Options) => {
    const found = await allKeys(connect(io, { ...options }));
    if (options.json) printJson(io, found);
    else io.out(found.length === 0 ? 'no keys but the admin key' : listed(found));
  });
}

async function allKeys(client: Client): Promise<ShownKey[]> {
  const found: ShownKey[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = (await client.call('GET', `/v1/keys?limit=${PAGE}${after}`)) as {
      keys: ShownKey[];
      next: string | null;
    };
    found.push(...page.keys);
    cursor = page.next;
  }
  return found;
}

function addCreate(keys: Command, io: Io): void {
  const command = keys
    .command('create')
    .description('make a key, or with --virtual a token that speaks for a bot')
    .argument('<name>', 'who it is for')
    .addOption(new Option('--role <role>', 'what it may do').choices(ROLES))
    .option('--virtual', 'a virtual token: looks like the bot’s own, works in its dialect only')
    .option('--account <id...>', 'only these accounts; of a virtual token, the one it speaks for')
    .option('--chat <id...>', 'only these chats')
    .option('--method <name...>', 'only these methods')
    .option('--rate <n>', 'so many calls in any minute', wholeNumber)
    .addOption(
      new Option('--priority <class>', 'nothing more urgent than this').choices(PRIORITIES),
    )
    .option('--expires <time>', 'when it ends, such as 12h, 30d; never when left out', secondsOf);
  addClientOptions(command).action(async (name: string, options: Options) => {
    const answer = await connect(io, { ...options }).call(
      'POST',
      '/v1/keys',
      wanted(name, options),
    );
    show(io, answer, options);
  });
}

function addRotate(keys: Command, io: Io): void {
  const command = keys
    .command('rotate')
    .description('the same key with another secret')
    .argument('<id>')
    .option('--grace <time>', 'how long the old one stays good, such as 10m', secondsOf, 0);
  addClientOptions(command).action(async (id: string, options: Options) => {
    const path = `/v1/keys/${encodeURIComponent(id)}/rotate`;
    const { grace = 0 } = options;
    const answer = await connect(io, { ...options }).call('POST', path, { grace });
    show(io, answer, options);
  });
}

function addRevoke(keys: Command, io: Io): void {
  const command = keys.command('revoke').description('end a key, at once').argument('<id>');
  addClientOptions(command).action(async (id: string, options: Options) => {
    const path = `/v1/keys/${encodeURIComponent(id)}`;
    const answer = await connect(io, { ...options }).call('DELETE', path);
    if (options.json) printJson(io, answer);
    else io.out(`${id} is revoked`);
  });
}

function addAudit(keys: Command, io: Io): void {
  const command = keys
    .command('audit')
    .description('what operators did, newest first')
    .option('--limit <n>', 'at most so many', '50');
  addClientOptions(command).action(async (options: Options) => {
    const path = `/v1/audit?limit=${encodeURIComponent(options.limit ?? '50')}`;
    const answer = (await connect(io, { ...options }).call('GET', path)) as { entries: Noted[] };
    if (options.json) printJson(io, answer);
    else io.out(answer.entries.length === 0 ? 'nothing was done' : noted(answer.entries));
  });
}

function wanted(name: string, options: Options): object {
  const { role, virtual, account, chat, method, rate, priority, expires } = options;
  const bounds = {
    ...(chat === undefined ? {} : { chats: chat }),
    ...(method === undefined ? {} : { methods: method }),
    ...(rate === undefined ? {} : { perMinute: rate }),
    ...(priority === undefined ? {} : { priority }),
    ...(expires === undefined ? {} : { ttl: expires }),
  };
  if (virtual === true) {
    if (account?.length !== 1) throw new WrongUsage('a virtual token is of one --account');
    if (role !== undefined) throw new WrongUsage('a virtual token has no --role: it sends');
    return { name, virtual: true, account: account[0], ...bounds };
  }
  if (role === undefined) throw new WrongUsage(`give --role: one of ${ROLES.join(', ')}`);
  return { name, role, ...(account === undefined ? {} : { accounts: account }), ...bounds };
}

function show(io: Io, answer: unknown, options: Options): void {
  if (options.json) printJson(io, answer);
  else io.out(newKey(answer as ShownKey & { secret: string }));
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('expected a number of calls, such as 60');
}
