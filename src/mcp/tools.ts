// What an agent can do with the gateway: five tools, each of them one or two calls of REST, made with the agent's own
// key. So its role and its bounds hold here by the same guard as everywhere, and nothing is allowed twice.

import Type, { type Static, type TSchema } from 'typebox';
import { checkOf } from '../system/check.ts';

// A call of REST as whoever uses the tools may make it.
export type CallRest = (
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: unknown,
) => Promise<RestAnswer>;

export interface RestAnswer {
  readonly status: number;
  readonly value: unknown;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly schema: TSchema;
  readonly isReadOnly: boolean;
  // Arguments that do not fit the schema are refused before this.
  call(given: unknown, rest: CallRest): Promise<RestAnswer>;
}

const TEXT_CHARS_MAX = 100_000;
const NAME_CHARS_MAX = 256;
const WAIT_S_MAX = 60;
const LETTERS_MAX = 100;

const name = (description: string) => Type.String({ maxLength: NAME_CHARS_MAX, description });
const id = name('The id of the delivery, as `send` answered it');
const strict = { additionalProperties: false } as const;

const Target = {
  account: name('The account that sends; `status` lists them'),
  chat: name('The chat it goes to'),
  thread: Type.Optional(name('A topic or thread of the chat')),
};

const Send = Type.Object(
  {
    ...Target,
    text: Type.Optional(
      Type.String({ maxLength: TEXT_CHARS_MAX, description: 'Plain text; `body` may add to it' }),
    ),
    method: Type.Optional(name('Another method of the platform, with `body`')),
    body: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Its parameters, as JSON' }),
    ),
    priority: Type.Optional(Type.Enum(['critical', 'high', 'normal', 'low'])),
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: WAIT_S_MAX,
        description:
          'Wait so many seconds for it to arrive; 0 or left out: answer when it is on disk',
      }),
    ),
  },
  strict,
);

const Stream = Type.Object(
  {
    ...Type.Partial(Type.Object(Target)).properties,
    id: Type.Optional(name('Of a stream that is open; left out: a new one begins')),
    append: Type.Optional(Type.String({ maxLength: TEXT_CHARS_MAX, description: 'More text' })),
    replace: Type.Optional(
      Type.String({ maxLength: TEXT_CHARS_MAX, description: 'All of it anew' }),
    ),
    format: Type.Optional(
      Type.Enum(['plain', 'markdown'], {
        description:
          'Of a new stream: `markdown` is shown as the platform shows bold, lists, code; left out: plain',
      }),
    ),
    final: Type.Optional(Type.Boolean({ description: 'The text is complete' })),
  },
  strict,
);

const Status = Type.Object({ id: Type.Optional(id) }, strict);
const Explain = Type.Object({ id }, strict);

const DeadLetters = Type.Object(
  {
    account: Type.Optional(name('Of this account')),
    chat: Type.Optional(name('Of this chat')),
    reason: Type.Optional(name('That died of this')),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LETTERS_MAX })),
    retry: Type.Optional(
      Type.Array(id, {
        maxItems: LETTERS_MAX,
        description: 'Queue these again instead of listing',
      }),
    ),
  },
  strict,
);

function tool<Schema extends TSchema>(
  about: Pick<Tool, 'name' | 'description' | 'isReadOnly'>,
  schema: Schema,
  run: (args: Static<Schema>, rest: CallRest) => Promise<RestAnswer>,
): Tool {
  const check = checkOf(schema);
  return {
    ...about,
    schema,
    async call(given, rest) {
      if (check.Check(given)) return run(given as Static<Schema>, rest);
      const errors = check.Errors(given) as SchemaError[];
      return { status: 422, value: { code: 'invalid_arguments', detail: inWords(errors, schema) } };
    },
  };
}

interface SchemaError {
  readonly keyword?: string;
  readonly instancePath?: string;
  readonly message?: string;
}

function inWords([first]: readonly SchemaError[], schema: TSchema): string {
  const where = first?.instancePath === '' ? 'the arguments' : first?.instancePath;
  // Of one that the tool does not have.
  if (first?.keyword !== 'boolean') return `${where}: ${first?.message}`;
  const { properties = {} } = schema as { properties?: object };
  return `${where}: no such argument; there are ${Object.keys(properties).join(', ')}`;
}

export const TOOLS: readonly Tool[] = [
  tool(
    {
      name: 'send',
      description:
        'Send a message. It is on disk when this answers, goes out as fast as the platform allows, in order, and ' +
        'is never dropped silently; `status` tells what became of it.',
      isReadOnly: false,
    },
    Send,
    send,
  ),
  tool(
    {
      name: 'stream',
      description:
        'Show a text in a chat while it grows: begin with a target, append or replace by its id, end with final. ' +
        'The newest text is shown at the pace that the chat affords; the final always arrives.',
      isReadOnly: false,
    },
    Stream,
    stream,
  ),
  tool(
    {
      name: 'status',
      description:
        'What became of a delivery; without an id how the gateway stands: what is wrong, what waits, its accounts.',
      isReadOnly: true,
    },
    Status,
    status,
  ),
  tool(
    {
      name: 'explain',
      description: 'Why a delivery has not gone out yet, or what a sent one waited for.',
      isReadOnly: true,
    },
    Explain,
    ({ id: of }, rest) => rest('GET', `/v1/messages/${encodeURIComponent(of)}/explain`),
  ),
  tool(
    {
      name: 'dead_letters',
      description:
        'Deliveries that will not be tried again unless someone says so: list them, or retry some.',
      isReadOnly: false,
    },
    DeadLetters,
    deadLetters,
  ),
];

function send(args: Static<typeof Send>, rest: CallRest): Promise<RestAnswer> {
  const { account, chat, thread, text, method, body, priority, wait } = args;
  return rest('POST', '/v1/messages', {
    to: { account, chat, ...(thread === undefined ? {} : { thread }) },
    ...(method === undefined ? {} : { method }),
    ...(text === undefined ? {} : { text }),
    ...(body === undefined ? {} : { body }),
    ...(priority === undefined ? {} : { priority }),
    ...(wait === undefined || wait === 0 ? {} : { wait }),
  });
}

async function stream(args: Static<typeof Stream>, rest: CallRest): Promise<RestAnswer> {
  const { id: of, account, chat, thread, append, replace, format, final } = args;
  const words = {
    ...(append === undefined ? {} : { append }),
    ...(replace === undefined ? {} : { replace }),
  };
  if (of === undefined) {
    const to = { account, chat, ...(thread === undefined ? {} : { thread }) };
    const text = replace ?? append ?? '';
    const look = format === undefined ? {} : { format };
    const opened = await rest('POST', '/v1/streams', { to, text, ...look });
    if (opened.status >= 400 || final !== true) return opened;
    const { id: made } = opened.value as { id: string };
    return rest('POST', `/v1/streams/${encodeURIComponent(made)}/final`, {});
  }
  const path = `/v1/streams/${encodeURIComponent(of)}`;
  return final === true ? rest('POST', `${path}/final`, words) : rest('PATCH', path, words);
}

async function status({ id: of }: Static<typeof Status>, rest: CallRest): Promise<RestAnswer> {
  if (of !== undefined) return rest('GET', `/v1/messages/${encodeURIComponent(of)}`);
  const overview = await rest('GET', '/v1/overview');
  if (overview.status >= 400) return overview;
  const { at, depths, dead, uncertain, incidents } = overview.value as Record<string, unknown>;
  const listed = await rest('GET', '/v1/accounts');
  const { accounts } = listed.value as Record<string, unknown>;
  return { status: 200, value: { at, incidents, depths, dead, uncertain, accounts } };
}

function deadLetters(args: Static<typeof DeadLetters>, rest: CallRest): Promise<RestAnswer> {
  const { retry, limit = 20, ...filter } = args;
  if (retry !== undefined) return rest('POST', '/v1/dead/retry', { ids: retry });
  const query = new URLSearchParams({ limit: String(limit), preview: 'true' });
  for (const [key, value] of Object.entries(filter)) query.set(key, value);
  return rest('GET', `/v1/dead?${query}`);
}
