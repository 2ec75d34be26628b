// /v1/sandbox: the built-in simulator, seen by the people in its chats. One reads what a bot wrote there, writes to it,
// blocks it, or has the platform refuse a chat for a while, to see what Sluice does about it.

import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { identityProblem, invalid } from '../../accept/problems.ts';
import { showTime } from '../../accept/time.ts';
import { troublesOf } from '../../accept/trouble.ts';
import { type Problem, problem } from '../../domain/errors.ts';
import {
  type AccountId,
  accountId,
  isSandboxAccount,
  parseAccountId,
  platformOf,
  SANDBOX,
} from '../../domain/ids.ts';
import { operator, sender, viewer } from '../auth/access.ts';
import type { HttpParts } from '../context.ts';
import { SAMPLE, text, textOrNull, time } from '../openapi/common.ts';
import { refuse, sendProblem } from '../problem.ts';
import { group, type Route } from '../route.ts';
import type { Sandbox, Sandboxes, SandboxMessage } from './port.ts';
import {
  checkSandboxQuery,
  checkSandboxTrouble,
  checkSandboxWriting,
  SandboxQuery,
  SandboxTrouble,
  SandboxWriting,
} from './schema.ts';

const CHATS_SHOWN_MAX = 200;
const MESSAGES_SHOWN_MAX = 200;

type Options = HttpParts & { readonly sandboxes: Sandboxes };
type Handle = (options: Options, request: FastifyRequest, reply: FastifyReply) => unknown;

// null: the simulator is switched off; its routes are there and say so.
interface SandboxPorts {
  readonly on: Options | null;
}

const served =
  (handle: Handle): Route<SandboxPorts>['handler'] =>
  ({ on }, request, reply) =>
    on === null ? refuse(reply, 'sandbox_off') : handle(on, request, reply);

const Said = Type.Object({
  account: text,
  chat: text,
  thread: textOrNull,
  id: text,
  at: time,
  fromBot: Type.Boolean(),
  text,
  isDeleted: Type.Boolean(),
});

const SHOW: Route<SandboxPorts> = {
  method: 'GET',
  url: '/v1/sandbox',
  access: viewer('closed'),
  tag: 'sandbox',
  summary: 'Bots and chats of the built-in simulator',
  answers: { 200: Type.Object({ bots: Type.Array(text), chats: Type.Array(Said) }) },
  examples: { 'all of it': { status: 200 } },
  handler: served(show),
};

const READ: Route<SandboxPorts> = {
  method: 'GET',
  url: '/v1/sandbox/messages',
  access: viewer('closed'),
  tag: 'sandbox',
  summary: 'What was said in a chat of the simulator',
  query: SandboxQuery,
  answers: {
    200: Type.Object({
      isBlocked: Type.Boolean({ description: 'The person there has blocked the bot' }),
      messages: Type.Array(Said),
    }),
  },
  examples: { 'one chat': { query: { account: SAMPLE.token, chat: '42' }, status: 200 } },
  handler: served(read),
};

const WRITE: Route<SandboxPorts> = {
  method: 'POST',
  url: '/v1/sandbox/messages',
  access: sender('closed'),
  tag: 'sandbox',
  summary: 'Write to a bot of the simulator, as a person would',
  body: SandboxWriting,
  answers: {
    201: Type.Object({
      account: text,
      chat: text,
      messageId: text,
      to: Type.String({ description: 'How the bot learns of it' }),
    }),
  },
  examples: {
    'a person writes': {
      body: { account: SAMPLE.token, chat: '42', text: 'hello bot' },
      status: 201,
    },
  },
  handler: served(write),
};

const TROUBLE: Route<SandboxPorts> = {
  method: 'POST',
  url: '/v1/sandbox/chats',
  access: operator('closed', 'body'),
  tag: 'sandbox',
  summary: 'Block the bot in a chat of the simulator, or have it refuse the chat for a while',
  body: SandboxTrouble,
  answers: { 200: Type.Object({ account: text, chat: text }) },
  examples: {
    'a chat is refused for a minute': {
      body: { account: SAMPLE.token, chat: '7777', freezeSeconds: 60 },
      status: 200,
    },
    'the bot is blocked': {
      body: { account: SAMPLE.token, chat: '7778', state: 'blocked' },
      status: 200,
    },
  },
  handler: served(trouble),
};

export const SANDBOX_ROUTES = group<SandboxPorts>([SHOW, READ, WRITE, TROUBLE], ({ options }) => ({
  on: options.sandboxes.size === 0 ? null : options,
}));

async function show({ accounts, sandboxes }: Options) {
  const bots = accounts.list().map(({ id }) => id);
  const newest = [...sandboxes.values()].flatMap((sandbox) =>
    sandbox.newestByChat(CHATS_SHOWN_MAX).map((each) => showMessage(sandbox, each)),
  );
  newest.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
  return { bots: bots.filter(isSandboxAccount), chats: newest.slice(0, CHATS_SHOWN_MAX) };
}

function showMessage({ platform }: Sandbox, message: SandboxMessage) {
  const { bot, chat, thread, id, date, fromBot, text, isDeleted } = message;
  const at = showTime(date * 1000);
  return {
    account: accountId(platform, SANDBOX, bot),
    chat,
    thread,
    id: String(id),
    at,
    fromBot,
    text,
    isDeleted,
  };
}

async function read(options: Options, request: FastifyRequest, reply: FastifyReply) {
  const { query } = request;
  if (!checkSandboxQuery.Check(query)) {
    return sendProblem(reply, invalid('invalid_query', troublesOf(checkSandboxQuery, query)));
  }
  const bot = await botOf(options, query.account);
  if ('code' in bot) return sendProblem(reply, bot);
  const { sandbox } = bot;
  const said = sandbox.messagesOf(query.chat).map((each) => showMessage(sandbox, each));
  const ofBot = said.filter(({ account }) => account === bot.account);
  const isBlocked = sandbox.isBlocked(query.chat);
  return { isBlocked, messages: ofBot.slice(-MESSAGES_SHOWN_MAX) };
}

async function write(options: Options, request: FastifyRequest, reply: FastifyReply) {
  const { body } = request;
  if (!checkSandboxWriting.Check(body)) {
    return sendProblem(reply, invalid('invalid_message', troublesOf(checkSandboxWriting, body)));
  }
  const bot = await botOf(options, body.account);
  if ('code' in bot) return sendProblem(reply, bot);
  const { account, token, sandbox } = bot;
  const now = options.clock.now();
  const { posted, messageId } = sandbox.inject(token, body.chat, body.text, now);
  const to = await deliver(options, bot, posted);
  return reply.code(201).send({ account, chat: body.chat, messageId: String(messageId), to });
}

// As the platform would: posted where updates are to be posted, else kept by the simulator until it is asked for.
async function deliver(
  options: Options,
  { account, sandbox }: SandboxBot,
  update: object,
): Promise<string> {
  const webhook = options.updates?.webhookOf(account) ?? null;
  if (webhook === null || webhook.to === 'seen only') return sandbox.pulledBy;
  const rawBody = JSON.stringify(update);
  const reading = options.platforms.get(platformOf(account))?.updates;
  const headers = reading?.proofOf(rawBody, webhook.secret) ?? {};
  await options.updates!.receive(account, { headers, rawBody }, update);
  return webhook.to;
}

async function trouble(options: Options, request: FastifyRequest, reply: FastifyReply) {
  const { body } = request;
  if (!checkSandboxTrouble.Check(body)) {
    return sendProblem(reply, invalid('invalid_message', troublesOf(checkSandboxTrouble, body)));
  }
  const bot = await botOf(options, body.account);
  if ('code' in bot) return sendProblem(reply, bot);
  const { clock } = options;
  const { sandbox } = bot;
  const { chat, state, freezeSeconds } = body;
  if (state !== undefined) sandbox.setChat(chat, { kind: state });
  if (freezeSeconds !== undefined) sandbox.freeze(bot.token, chat, freezeSeconds, clock.now());
  return { account: bot.account, chat };
}

interface SandboxBot {
  readonly account: AccountId;
  readonly token: string;
  readonly sandbox: Sandbox;
}

// Only what a simulator answers to: a real account's chats are not to be played with.
async function botOf(options: Options, name: string): Promise<SandboxBot | Problem> {
  const { accounts, sandboxes } = options;
  const id = parseAccountId(name);
  const named = id === null ? undefined : sandboxes.get(platformOf(id));
  const sandbox = named ?? sandboxOfToken(options, name);
  if (sandbox === null) return problem('unknown_account', NOT_SIMULATED);
  const { platform } = sandbox;
  const identity =
    named === undefined
      ? await accounts.identify(platform, name)
      : { kind: 'known' as const, id: accounts.claimed(platform, name) };
  if (identity.kind !== 'known') return identityProblem(identity);
  const { id: account } = identity;
  const token = accounts.credentialOf(account);
  if (token !== null && isSandboxAccount(account)) return { account, token, sandbox };
  return problem('unknown_account', NOT_SIMULATED);
}

const NOT_SIMULATED = 'Only accounts of the simulator can be played with.';

// The simulator that a token is for, by its look alone; null: none.
function sandboxOfToken({ platforms, sandboxes }: Options, token: string): Sandbox | null {
  for (const [platform, sandbox] of sandboxes) {
    if (platforms.get(platform)?.wire.hostOf?.(token).name === SANDBOX) return sandbox;
  }
  return null;
}
