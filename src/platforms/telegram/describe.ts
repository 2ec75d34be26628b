// Reads a call once, at the wall: what is it, where does it go, what does it count for?
// Refuses only what it cannot route, in Telegram's own words; the rest is for Telegram to judge.
// Parameters come typed (JSON) or as text (query, form): both are read alike.

import type { Family, Gate } from '../../domain/call.ts';
import { scalarText } from '../../domain/scalar.ts';
import { exceeds, jsonOrUndefined } from '../../system/json.ts';
import type { Described } from '../platform.ts';

export type BotApiParams = Readonly<Record<string, unknown>>;

// Telegram takes at most 100 messages in one call; a longer list is refused there.
const COST_MAX = 100;

// Chats that are not chats: an inline message lives in a chat the bot cannot see, and a query's
// answer goes to whoever asked. Each is a place of its own, so that none waits for another.
export const INLINE = 'inline:';
export const QUERY = 'query:';
// A topic of a channel's direct messages, as a thread.
export const DIRECT = 'direct:';

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
    gate: gateOf(method, params),
    cost: costOf(method, params),
    slot: slotOf(method, place.chat, params),
  };
}

// What becomes part of a key (of a chat, a lane, a slot) has a bound; Telegram's own ids are far shorter.
const ID_LENGTH_MAX = 256;

function tooLongOf(chat: string, { message_id: message }: BotApiParams): string | null {
  if (chat.length > ID_LENGTH_MAX) {
    if (chat.startsWith(INLINE)) return 'Bad Request: invalid inline message identifier specified';
    if (chat.startsWith(QUERY)) return `Bad Request: ${QUERY_INVALID}`;
    return 'Bad Request: chat not found';
  }
  const isLong = typeof message === 'string' && message.length > ID_LENGTH_MAX;
  const isNested = typeof message === 'object' && message !== null;
  return isLong || isNested ? 'Bad Request: MESSAGE_ID_INVALID' : null;
}

const QUERY_INVALID = 'query is too old and response timeout expired or query ID is invalid';

export function address(
  params: BotApiParams,
  to: { chat: string; thread: string | null },
): Record<string, unknown> {
  const { chat, thread } = to;
  const addressed: Record<string, unknown> = { ...params };
  if (chat.startsWith(INLINE)) addressed.inline_message_id = chat.slice(INLINE.length);
  else if (!chat.startsWith(QUERY)) addressed.chat_id = chatIdOf(chat);
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
      return chatOf(params.chat_id);
    case 'chat':
      // A gift goes to a user, whose private chat has the same id.
      return chatOf(isGiven(params.chat_id) ? params.chat_id : params.user_id);
  }
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
  const names = ['callback_query_id', 'inline_query_id', 'shipping_query_id'];
  const name = names.find((candidate) => isGiven(params[candidate])) ?? 'pre_checkout_query_id';
  return scalarText(params[name]);
}

function threadOf(params: BotApiParams): string | null {
  const { message_thread_id: thread, direct_messages_topic_id: direct } = params;
  if (isWholeNumber(thread) && Number(thread) !== 0) return String(Number(thread));
  return isWholeNumber(direct) && Number(direct) !== 0 ? `${DIRECT}${Number(direct)}` : null;
}

// A reply to a message is taken for an answer to someone who wrote.
function gateOf(method: BotApiMethod, params: BotApiParams): Gate {
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
  const id = scalarText(params.message_id);
  return id === '' ? null : `${method.slot}:${chat}:${id}`;
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

// What each method of the Bot API is to delivery: one row per method that goes through the journal.
// Everything else passes straight through: reads, settings, administration.
// The Bot API grows every few weeks: a method the table does not know is judged by its name, and
// taken for a send when it names a chat. Too careful costs a little time, too bold costs a ban.

export interface BotApiMethod {
  readonly name: string;
  readonly family: Family;
  // Doing it twice leaves the chat as doing it once.
  readonly idempotent: boolean;
  // The parameter whose length is the number of messages; null: one message.
  readonly costOf: 'media' | 'message_ids' | null;
  // Waiting calls of one kind on one message replace each other; null: each one counts.
  readonly slot: string | null;
  // Where the call goes: a chat, a message (in a chat or inline), or the asker of a query.
  readonly target: 'chat' | 'message' | 'query';
}

const send = (name: string, costOf: BotApiMethod['costOf'] = null): BotApiMethod => ({
  name,
  family: 'send',
  idempotent: false,
  costOf,
  slot: null,
  target: 'chat',
});

// Text and keyboard are slots of their own: a new keyboard must not swallow a waiting text.
const edit = (name: string, slot: string | null): BotApiMethod => ({
  name,
  family: 'edit',
  idempotent: true,
  costOf: null,
  slot,
  target: 'message',
});

const idempotent = (
  name: string,
  family: Family,
  target: BotApiMethod['target'],
  slot: string | null,
): BotApiMethod => ({ name, family, idempotent: true, costOf: null, slot, target });

const METHODS: readonly BotApiMethod[] = [
  ...[
    'sendMessage',
    'sendRichMessage',
    'sendPhoto',
    'sendAudio',
    'sendDocument',
    'sendVideo',
    'sendAnimation',
    'sendVoice',
    'sendVideoNote',
    'sendPaidMedia',
    'sendLocation',
    'sendVenue',
    'sendContact',
    'sendPoll',
    'sendChecklist',
    'sendDice',
    'sendSticker',
    'sendInvoice',
    'sendGame',
    'sendGift',
    'forwardMessage',
    'copyMessage',
    // Announces itself with a message, and is counted as one.
    'createForumTopic',
  ].map((name) => send(name)),
  send('sendMediaGroup', 'media'),
  send('forwardMessages', 'message_ids'),
  send('copyMessages', 'message_ids'),

  edit('editMessageText', 'edit'),
  edit('editMessageCaption', 'edit_caption'),
  edit('editMessageMedia', 'edit_media'),
  edit('editMessageReplyMarkup', 'edit_markup'),
  edit('editMessageChecklist', 'edit_checklist'),
  edit('editMessageLiveLocation', 'edit_location'),
  edit('stopMessageLiveLocation', 'stop_location'),
  edit('stopPoll', 'stop_poll'),
  edit('setGameScore', 'game_score'),

  idempotent('deleteMessage', 'delete', 'chat', null),
  idempotent('deleteMessages', 'delete', 'chat', null),
  // In a group the platform announces a pin with a message, so it spends like one.
  idempotent('pinChatMessage', 'edit', 'message', null),
  idempotent('unpinChatMessage', 'edit', 'message', null),
  idempotent('setMessageReaction', 'reaction', 'message', 'reaction'),
  idempotent('sendChatAction', 'typing', 'chat', 'typing'),
  idempotent('sendMessageDraft', 'draft', 'chat', 'draft'),
  idempotent('sendRichMessageDraft', 'draft', 'chat', 'draft'),

  idempotent('answerCallbackQuery', 'free', 'query', null),
  idempotent('answerInlineQuery', 'free', 'query', null),
  idempotent('answerShippingQuery', 'free', 'query', null),
  idempotent('answerPreCheckoutQuery', 'free', 'query', null),
];

const BY_LOWER_NAME: ReadonlyMap<string, BotApiMethod> = new Map(
  METHODS.map((method) => [method.name.toLowerCase(), method]),
);

// Methods the table does not know, by the shape of their names; the first that fits.
const INFERRED: readonly { shape: RegExp; make: (name: string) => BotApiMethod | null }[] = [
  { shape: /^edit\w*message/i, make: (name) => edit(name, null) },
  { shape: /^delete\w*messages?$/i, make: (name) => idempotent(name, 'delete', 'chat', null) },
  { shape: /^send\w*draft$/i, make: (name) => idempotent(name, 'draft', 'chat', 'draft') },
  // Administration: names a chat, but sends nothing to it.
  {
    shape: new RegExp(
      `^(${[
        ...['add', 'answer', 'approve', 'ban', 'close', 'convert', 'create', 'decline', 'delete'],
        ...['edit', 'export', 'get', 'hide', 'leave', 'log', 'pin', 'post', 'promote', 'read'],
        ...['refund', 'remove', 'reopen', 'replace', 'repost', 'restrict', 'revoke', 'save', 'set'],
        ...['transfer', 'unban', 'unhide', 'unpin', 'upgrade', 'upload', 'verify'],
      ].join('|')})`,
      'i',
    ),
    make: () => null,
  },
];

// Null: not a delivery. Names are known in any case of letters, as the Bot API knows them.
export function methodOf(name: string, hasChat: boolean): BotApiMethod | null {
  const known = BY_LOWER_NAME.get(name.toLowerCase());
  if (known !== undefined) return known;
  if (!hasChat) return null;
  const inferred = INFERRED.find(({ shape }) => shape.test(name));
  return inferred === undefined ? send(name) : inferred.make(name);
}

// For a call that was accepted as a delivery.
export function deliveryMethod(name: string): BotApiMethod {
  return methodOf(name, true) ?? send(name);
}
