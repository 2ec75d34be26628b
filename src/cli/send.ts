// sluice send: one message through a running gateway.

import type { Command } from 'commander';
import { PRIORITIES } from '../domain/priority.ts';
import { PLATFORM_DEFAULT } from '../platforms/registry.ts';
import { parseJson } from '../system/json.ts';
import { addClientOptions, type Client, commandFor, connect } from './client.ts';
import { Failed, type Io, printJson, WrongUsage } from './io.ts';
import { onlyAccount, secondsOf } from './target.ts';
import { fields } from './terminal/table.ts';

interface Options {
  readonly account?: string;
  readonly platform: string;
  readonly chat: string;
  readonly thread?: string;
  readonly method?: string;
  readonly body?: string;
  readonly priority?: string;
  readonly session?: string;
  readonly ttl?: string;
  readonly wait?: string | true;
  readonly idempotencyKey?: string;
  readonly json?: true;
}

interface Receipt {
  readonly id: string;
  readonly state: string;
  readonly position?: number | null;
  readonly eta?: string | null;
  readonly reason?: string | null;
  readonly detail?: string | null;
  readonly messageId?: string | null;
}

export function addSend(program: Command, io: Io): void {
  const command = program
    .command('send')
    .description('send one message')
    .argument('[text...]', 'the text; or give --body')
    .requiredOption('--chat <id>', 'chat id or @name')
    .option('--account <id>', 'account id or token (default: the platform’s only one)')
    .option('--platform <name>', 'the account’s platform', PLATFORM_DEFAULT.name)
    .option('--thread <id>', 'thread or topic')
    .option('--method <name>', 'the platform’s name of the call (default: its message of text)')
    .option('--body <json>', 'the call’s parameters, without the target')
    .addOption(program.createOption('--priority <class>', 'class').choices([...PRIORITIES]))
    .option('--session <name>', 'messages of one session keep their order')
    .option('--ttl <seconds>', 'give up after this long')
    .option('--idempotency-key <key>', 'the same key again sends nothing')
    .option('--wait [seconds]', 'wait for the result');
  addClientOptions(command).action(async (words: string[], options: Options) => {
    const text = words.length === 0 ? undefined : words.join(' ');
    const client = connect(io, { ...options });
    const message = await messageOf(client, text, options);
    const receipt = (await client.call('POST', '/v1/messages', message)) as Receipt;
    if (options.json) printJson(io, receipt);
    else io.out(describe(receipt));
    if (['dead', 'expired', 'uncertain'].includes(receipt.state)) {
      throw new Failed(`not sent; see ${commandFor(io, `explain ${receipt.id}`, { ...options })}`);
    }
  });
}

async function messageOf(client: Client, text: string | undefined, options: Options) {
  const content = contentOf(text, options);
  const account = options.account ?? (await onlyAccount(client, options.platform));
  const thread = options.thread === undefined ? {} : { thread: options.thread };
  const { platform, chat } = options;
  return { to: { platform, account, chat, ...thread }, ...content };
}

function contentOf(text: string | undefined, options: Options): Record<string, unknown> {
  const { method, priority, session, idempotencyKey, ttl, wait } = options;
  const content = {
    method,
    text,
    body: bodyOf(text, options.body),
    priority,
    session,
    idempotencyKey,
    ttl: ttl === undefined ? undefined : secondsOf('--ttl', ttl),
    wait: typeof wait === 'string' ? secondsOf('--wait', wait) : wait,
  };
  return Object.fromEntries(Object.entries(content).filter(([, value]) => value !== undefined));
}

function bodyOf(
  text: string | undefined,
  json: string | undefined,
): Record<string, unknown> | undefined {
  if (json === undefined && text === undefined) throw new WrongUsage('give a text, or --body');
  if (json === undefined) return undefined;
  const parsed = parseJson(json);
  if (parsed.kind === 'failure') {
    throw new WrongUsage(`--body: expected JSON, such as {"text":"hello"}; it is ${parsed.detail}`);
  }
  return parsed.value as Record<string, unknown>;
}

function describe(receipt: Receipt): string {
  return fields([
    ['id', receipt.id],
    ['state', receipt.state],
    ['position', receipt.position ?? null],
    ['eta', receipt.eta ?? null],
    ['message id', receipt.messageId ?? null],
    ['reason', receipt.reason ?? null],
    ['detail', receipt.detail ?? null],
  ]);
}
