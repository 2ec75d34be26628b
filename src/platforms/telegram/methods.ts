// What each method of the Bot API is to delivery: one row per method that goes through the journal.
// Everything else passes straight through: reads, settings, administration.
// The Bot API grows every few weeks: a method the table does not know is judged by its name, and
// taken for a send when it names a chat. Too careful costs a little time, too bold costs a ban.

import type { Family } from '../../domain/call.ts';

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
