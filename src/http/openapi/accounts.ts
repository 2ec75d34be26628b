// What /openapi.json says of accounts, limits, updates that platforms post, and the simulator.

import Type from 'typebox';
import { LimitsQuery } from '../../accept/schema.ts';
import { SandboxQuery, SandboxTrouble, SandboxWriting } from '../sandbox/schema.ts';
import { count, type Operations, SAMPLE, text, textOrNull, time, timeOrNull } from './operation.ts';

export const Breaker = Type.Object({
  state: Type.Enum(['closed', 'open', 'half_open']),
  until: timeOrNull,
  cause: text,
});
export const Account = Type.Object({
  id: text,
  platform: text,
  paused: Type.Boolean(),
  refused: Type.Unsafe({ type: ['string', 'null'], description: 'Why the platform refuses it' }),
  breaker: Breaker,
  waiting: count,
  inFlight: count,
});
const Limit = Type.Object({
  account: text,
  chat: Type.String({ description: 'Empty: the account itself' }),
  rules: Type.Array(
    Type.Object({
      name: text,
      scope: text,
      used: count,
      count: Type.Number({ description: 'At most so many in any `perMs`' }),
      perMs: count,
      learned: Type.Number({ description: 'The share of it that is believed; 1: all' }),
      freeAt: timeOrNull,
    }),
  ),
  freezes: Type.Array(
    Type.Object({ scope: text, since: timeOrNull, until: timeOrNull, cause: text }),
  ),
});
const Paused = Type.Object({ id: text, paused: Type.Boolean() });
const Removed = Type.Object({
  id: text,
  removed: Type.Boolean(),
  cancelled: Type.Integer({ description: 'Deliveries that waited; they are cancelled' }),
  inFlight: Type.Integer({ description: 'Calls that are still under way; they end as they do' }),
  tokens: Type.Integer({ description: 'Virtual tokens that were revoked' }),
  streams: count,
  broadcasts: count,
});
const Webhook = Type.Object({
  path: Type.String({ description: 'Where the platform is to post' }),
  secret: Type.String({ description: 'The `secret_token` to give to setWebhook' }),
  signingSecret: Type.String({ description: 'The app verifies with it what is posted to it' }),
  to: Type.String({ description: 'What becomes of an update' }),
  waiting: count,
});
const Said = Type.Object({
  account: text,
  chat: text,
  thread: textOrNull,
  id: count,
  at: time,
  fromBot: Type.Boolean(),
  text,
  isDeleted: Type.Boolean(),
});

const params = { id: SAMPLE.account };

export const ACCOUNT_OPERATIONS: Operations = {
  'GET /v1/accounts': {
    tag: 'accounts',
    summary: 'Accounts, their breakers and queues',
    answers: { 200: Type.Object({ accounts: Type.Array(Account) }) },
    examples: { 'all of them': { status: 200 } },
  },
  'POST /v1/accounts/{id}/pause': {
    tag: 'accounts',
    summary: 'Send nothing more for this account',
    answers: { 200: Paused },
    examples: { 'one of them': { params, status: 200 } },
  },
  'POST /v1/accounts/{id}/resume': {
    tag: 'accounts',
    summary: 'Go on sending for this account',
    answers: { 200: Paused },
    examples: { 'one of them': { params, status: 200 } },
  },
  'DELETE /v1/accounts/{id}': {
    tag: 'accounts',
    summary: 'Forget this account and its token',
    answers: { 200: Removed },
    examples: { 'one that nobody needs': { params: { id: SAMPLE.idleAccount }, status: 200 } },
  },
  'GET /v1/accounts/{id}/webhook': {
    tag: 'accounts',
    summary: 'Where updates are to be posted, and the secret',
    answers: { 200: Webhook },
    examples: { 'one of them': { params, status: 200 } },
  },
  'GET /v1/limits': {
    tag: 'accounts',
    summary: 'Budgets, learned rates and freezes',
    query: LimitsQuery,
    answers: {
      200: Type.Object({
        limits: Type.Array(Limit),
        total: count,
        more: Type.Integer({ description: 'Those after this page' }),
      }),
    },
    examples: {
      'what is frozen': { query: { frozen: 'true' }, status: 200 },
      'of one account': { query: { account: SAMPLE.account, limit: '5' }, status: 200 },
    },
  },
  'POST /webhook/telegram/{account}': {
    tag: 'updates',
    summary: 'One update, as Telegram posts it',
    headers: { 'X-Telegram-Bot-Api-Secret-Token': 'The secret of this account' },
    body: Type.Object({ update_id: count }),
    answers: { 200: Type.Object({ ok: Type.Boolean() }) },
    examples: {
      'a person writes': {
        params: { account: SAMPLE.account },
        headers: { 'X-Telegram-Bot-Api-Secret-Token': SAMPLE.secret },
        body: {
          update_id: 7001,
          message: { message_id: 1, date: 1900000000, chat: { id: 42 }, text: 'hello' },
        },
        status: 200,
      },
    },
  },
  'GET /v1/sandbox': {
    tag: 'sandbox',
    summary: 'Bots and chats of the built-in simulator',
    answers: { 200: Type.Object({ bots: Type.Array(text), chats: Type.Array(Said) }) },
    examples: { 'all of it': { status: 200 } },
  },
  'GET /v1/sandbox/messages': {
    tag: 'sandbox',
    summary: 'What was said in a chat of the simulator',
    query: SandboxQuery,
    answers: { 200: Type.Object({ messages: Type.Array(Said) }) },
    examples: { 'one chat': { query: { account: SAMPLE.token, chat: '42' }, status: 200 } },
  },
  'POST /v1/sandbox/messages': {
    tag: 'sandbox',
    summary: 'Write to a bot of the simulator, as a person would',
    body: SandboxWriting,
    answers: {
      201: Type.Object({
        account: text,
        chat: text,
        messageId: count,
        to: Type.String({ description: 'How the bot learns of it' }),
      }),
    },
    examples: {
      'a person writes': {
        body: { account: SAMPLE.token, chat: '42', text: 'hello bot' },
        status: 201,
      },
    },
  },
  'POST /v1/sandbox/chats': {
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
  },
};
