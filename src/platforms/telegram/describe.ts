// Reads a call once, at the wall: what is it, where does it go, what does it count for, which messages does it mention?
// Refuses only what it cannot route, in Telegram's own words; the rest is for Telegram to judge.
// Parameters come typed (JSON) or as text (query, form): both are read alike.

import { seqOfProvisional } from '../../domain/ids.ts';
import { scalarText } from '../../domain/scalar.ts';
import { exceeds, jsonOrUndefined } from '../../system/json.ts';
import type { Described } from '../platform.ts';
import type { TelegramBudget } from './budgets.ts';
import { type BotApiMethod, methodOf } from './methods.ts';

export type BotApiParams = Readonly<Record<string, unknown>>;

// Telegram takes at most 100 messages in one call; a longer list is refused there.
const COST_MAX = 100;

// Chats that are not chats: an inline message lives in a chat the bot cannot see, and a query's
// answer goes to whoever asked. Each is a place of its own, so that none waits for another.
export const INLINE = 'inline:';
export const QUERY = 'query:';
// A chat of the person whose business account the bot manages: it has the same id as the bot's own chat with that
// person, and other messages. `business:<connection>:<chat id>`.
const BUSINESS = 'business:';
// A topic of a channel's direct messages, as a thread.
const DIRECT = 'direct:';

// Parameters that are read as they are written; the text of any other may be JSON, and is read as such somewhere.
const PROSE = new Set([
  ...['text', 'caption', 'question', 'explanation', 'title', 'description', 'short_description'],
  ...[
    'first_name',
    'last_name',
    'vcard',
    'address',
    'performer',
    'name',
    'payload',
    'custom_title',
  ],
]);

export function describe(name: string, params: BotApiParams): Described {
  const wild = wildParam(params);
  if (wild !== null) {
    return { kind: 'invalid', detail: `Bad Request: can't parse ${wild} JSON object` };
  }
  const method = methodOf(name, isGiven(params.chat_id));
  if (method === null) return { kind: 'pass', method: name };
  const place = placeOf(method, params);
  if ('detail' in place) return { kind: 'invalid', detail: place.detail };
  const tooLong = tooLongOf(place.chat, params);
  if (tooLong !== null) return { kind: 'invalid', detail: tooLong };
  return {
    kind: 'call',
    method: method.name,
    chat: place.chat,
    thread: threadOf(params),
    family: method.family,
    budget: budgetOf(method, params),
    cost: costOf(method, params),
    slot: slotOf(method, place.chat, params),
    about: aboutOf(method, params),
  };
}

// What becomes part of a key (of a chat, a lane, a slot) has a bound; Telegram's own ids are far shorter.
const ID_LENGTH_MAX = 256;

function tooLongOf(chat: string, params: BotApiParams): string | null {
  if (chat.length > ID_LENGTH_MAX) {
    if (chat.startsWith(INLINE)) return 'Bad Request: invalid inline message identifier specified';
    if (chat.startsWith(QUERY)) return `Bad Request: ${QUERY_INVALID}`;
    if (chat.startsWith(BUSINESS)) return 'Bad Request: business connection not found';
    return 'Bad Request: chat not found';
  }
  return MESSAGE_IDS.every((name) => isId(params[name])) ? null : 'Bad Request: MESSAGE_ID_INVALID';
}

// Which message of its chat a call is about. An ephemeral one is numbered for each who sees it.
const MESSAGE_IDS = ['message_id', 'receiver_user_id', 'ephemeral_message_id'];

function isId(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= ID_LENGTH_MAX;
  return typeof value !== 'object' || value === null;
}

const QUERY_INVALID = 'query is too old and response timeout expired or query ID is invalid';

export function address(
  params: BotApiParams,
  to: { chat: string; thread: string | null },
): Record<string, unknown> {
  const { chat, thread } = to;
  const addressed: Record<string, unknown> = { ...params };
  if (chat.startsWith(INLINE)) addressed.inline_message_id = chat.slice(INLINE.length);
  else if (chat.startsWith(BUSINESS)) {
    const [, connection = '', id = ''] = chat.split(':');
    addressed.business_connection_id = connection.replaceAll('%3A', ':').replaceAll('%25', '%');
    addressed.chat_id = chatIdOf(id);
  } else if (!chat.startsWith(QUERY)) addressed.chat_id = chatIdOf(chat);
  if (thread === null) return addressed;
  if (thread.startsWith(DIRECT)) {
    addressed.direct_messages_topic_id = Number(thread.slice(DIRECT.length));
  } else {
    addressed.message_thread_id = Number(thread);
  }
  return addressed;
}

// As JSON carries it: ids as numbers (they have at most 52 bits), names as they are.
export function chatIdOf(chat: string): number | string {
  return isWholeNumber(chat) ? Number(chat) : chat;
}

// A parameter whose JSON text exceeds the bounds of what is read.
function wildParam(params: BotApiParams): string | null {
  for (const name in params) {
    const value = params[name];
    if (typeof value === 'string' && !PROSE.has(name) && exceeds(value)) return name;
  }
  return null;
}

function placeOf(
  method: BotApiMethod,
  params: BotApiParams,
): { chat: string } | { detail: string } {
  switch (method.target) {
    case 'query':
      return { chat: `${QUERY}${queryIdOf(params)}` };
    case 'message':
      if (isGiven(params.inline_message_id)) {
        const id = scalarText(params.inline_message_id);
        if (id === '')
          return { detail: 'Bad Request: invalid inline message identifier specified' };
        return { chat: `${INLINE}${id}` };
      }
      return chatWith(params, params.chat_id);
    case 'chat':
      // A gift goes to a user, whose private chat has the same id.
      return chatWith(params, isGiven(params.chat_id) ? params.chat_id : params.user_id);
  }
}

function chatWith(params: BotApiParams, id: unknown): { chat: string } | { detail: string } {
  const place = chatOf(id);
  if ('detail' in place || !isGiven(params.business_connection_id)) return place;
  return { chat: businessChat(scalarText(params.business_connection_id), place.chat) };
}

// A colon ends the connection's id, so it cannot stand in it.
export function businessChat(connection: string, chat: string): string {
  return `${BUSINESS}${connection.replaceAll('%', '%25').replaceAll(':', '%3A')}:${chat}`;
}

function chatOf(value: unknown): { chat: string } | { detail: string } {
  const text = typeof value === 'string' ? value.trim() : value;
  if (!isGiven(text)) return { detail: 'Bad Request: chat_id is empty' };
  // Usernames do not tell cases apart: one chat, one budget.
  if (typeof text === 'string' && /^@\w+$/.test(text)) return { chat: text.toLowerCase() };
  if (!isWholeNumber(text) || Number(text) === 0) return { detail: 'Bad Request: chat not found' };
  return { chat: String(Number(text)) };
}

function queryIdOf(params: BotApiParams): string {
  const name = QUERY_IDS.find((candidate) => isGiven(params[candidate]));
  return name === undefined ? '' : scalarText(params[name]);
}

const QUERY_IDS = [
  ...['callback_query_id', 'inline_query_id', 'shipping_query_id', 'pre_checkout_query_id'],
  ...['web_app_query_id', 'guest_query_id', 'chat_join_request_query_id'],
];

function threadOf(params: BotApiParams): string | null {
  const { message_thread_id: thread, direct_messages_topic_id: direct } = params;
  if (isWholeNumber(thread) && Number(thread) !== 0) return String(Number(thread));
  return isWholeNumber(direct) && Number(direct) !== 0 ? `${DIRECT}${Number(direct)}` : null;
}

// A reply to a message is taken for an answer to someone who wrote.
function budgetOf(method: BotApiMethod, params: BotApiParams): TelegramBudget {
  if (method.family !== 'send') return 'open';
  const { allow_paid_broadcast: paid } = params;
  if (paid === true || paid === 'true' || paid === 'True' || paid === '1') return 'paid';
  const isReply = isGiven(params.reply_parameters) || isGiven(params.reply_to_message_id);
  return isReply ? 'reply' : 'broadcast';
}

function costOf(method: BotApiMethod, params: BotApiParams): number {
  if (method.costOf === null) return 1;
  const list = listOf(params[method.costOf]);
  return Math.min(Math.max(1, list.length), COST_MAX);
}

function slotOf(method: BotApiMethod, chat: string, params: BotApiParams): string | null {
  if (method.slot === null) return null;
  if (method.target !== 'message') {
    const of = threadOf(params);
    return of === null ? `${method.slot}:${chat}` : `${method.slot}:${chat}:${of}`;
  }
  if (chat.startsWith(INLINE)) return `${method.slot}:${chat}`;
  const id = messageOf(params);
  return id === null ? null : `${method.slot}:${chat}:${id}`;
}

// Of several the first stands for all.
function aboutOf({ family }: BotApiMethod, params: BotApiParams): string | null {
  if (family !== 'edit' && family !== 'delete' && family !== 'reaction') return null;
  return scalarText(params.message_id ?? listOf(params.message_ids)[0]) || null;
}

// Null: it names none.
function messageOf(params: BotApiParams): string | null {
  const { ephemeral_message_id: ephemeral, receiver_user_id: receiver, message_id: id } = params;
  if (!isGiven(ephemeral)) return scalarText(id) || null;
  return JSON.stringify([scalarText(receiver), scalarText(ephemeral)]);
}

// Nested values are JSON text in anything but a JSON body.
function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string') return [];
  const parsed = jsonOrUndefined(value);
  return Array.isArray(parsed) ? parsed : [];
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function isWholeNumber(value: unknown): boolean {
  if (typeof value === 'string') return /^-?\d+$/.test(value) && isWholeNumber(Number(value));
  return Number.isSafeInteger(value);
}

// Messages and topics a call mentions that had no id yet when it was made: found by their provisional ids, and named by
// the real ones when those are known.

type Params = Record<string, unknown>;

// Most messages mention none, which is told without reading them.
const MENTION = 'message_id';
const TOPIC_MENTION = '"message_thread_id"';
const NAMES = ['message_id', 'reply_to_message_id', 'message_thread_id'];
const NESTED = ['reply_parameters', 'message_ids'];

// The deliveries it waits for.
export function mentions(body: string): number[] {
  if (!body.includes(MENTION) && !body.includes(TOPIC_MENTION)) return [];
  const found: number[] = [];
  rewrite(JSON.parse(body) as Params, (seq) => {
    found.push(seq);
    return null;
  });
  return found;
}

export function named(body: string, ids: ReadonlyMap<number, string>): string {
  const params = JSON.parse(body) as Params;
  rewrite(params, (seq) => {
    const id = ids.get(seq);
    return id === undefined ? null : Number(id);
  });
  return JSON.stringify(params);
}

function rewrite(params: Params, idOf: (seq: number) => number | null): void {
  const renamed = (value: unknown) => {
    const seq = seqOfProvisional(value);
    return seq === null ? value : (idOf(seq) ?? value);
  };
  for (const name of NAMES) {
    if (name in params) params[name] = renamed(params[name]);
  }
  for (const name of NESTED) {
    const given = params[name];
    const value: unknown = typeof given === 'string' ? (jsonOrUndefined(given) ?? null) : given;
    if (typeof value !== 'object' || value === null) continue;
    const changed = Array.isArray(value)
      ? value.map(renamed)
      : { ...value, message_id: renamed((value as Params).message_id) };
    params[name] = typeof given === 'string' ? JSON.stringify(changed) : changed;
  }
}
