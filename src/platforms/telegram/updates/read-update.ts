// Reads an update of Telegram as far as delivery needs it: which chat it belongs to, whether a person wrote, and
// whether the bot was meant. Nothing is believed before it is checked; what an update does not say is null.
// Pure. Updates of kinds that do not exist yet are read by their shape.

import { scalarNumber } from '../../../domain/scalar.ts';
import type { BotIdentity, UpdateSummary, Voice } from '../../updates.ts';
import { businessChat } from '../describe.ts';
import { nameOf } from '../names.ts';

type Fields = Readonly<Record<string, unknown>>;

// Someone said something to the bot, or in its presence.
const MESSAGES = ['message', 'edited_message', 'business_message', 'edited_business_message'];
// Someone asked the bot something and waits for its answer.
const QUESTIONS = ['callback_query', 'inline_query', 'shipping_query', 'pre_checkout_query'];
// Someone turned to the bot without a word.
const DEEDS = ['chosen_inline_result', 'chat_join_request', 'purchased_paid_media', 'poll_answer'];

// null: not an update.
export function readUpdate(update: unknown, bot: BotIdentity): UpdateSummary | null {
  const fields = objectOf(update);
  const order = fields?.update_id;
  if (fields === null || !Number.isSafeInteger(order)) return null;
  const kind = kindOf(fields);
  const content = kind === null ? null : objectOf(fields[kind]);
  const about = { id: String(order), order: order as number };
  if (kind === null || content === null) {
    return { ...about, chat: null, messageId: null, voice: 'none', saidAt: null };
  }
  const message = objectOf(content.message) ?? content;
  const chat = chatOf(message) ?? idOf(personOf(content));
  const chatName = nameOf(objectOf(message.chat) ?? personOf(content));
  return {
    ...about,
    ...(chat === null || chatName === null ? {} : { chatName }),
    chat,
    messageId: textOf(message.message_id),
    voice: chat === null ? 'none' : voiceOf(kind, content, bot),
    user: idOf(personOf(content)),
    saidAt: MESSAGES.includes(kind) ? saidAt(content) : null,
  };
}

// The name under which an update carries its content: `message`, `callback_query`, …
export function kindOf(update: Fields): string | null {
  return Object.keys(update).find((name) => name !== 'update_id') ?? null;
}

// Whether the update could tell whose name a mention is, if the bot's own were known.
export function namesSomeone(update: unknown): boolean {
  const fields = objectOf(update);
  const kind = fields === null ? null : kindOf(fields);
  const content = fields === null || kind === null ? null : objectOf(fields[kind]);
  return content !== null && entitiesOf(content).some(({ text }) => text.includes('@'));
}

function voiceOf(kind: string, content: Fields, bot: BotIdentity): Voice {
  if (QUESTIONS.includes(kind)) return 'addressed';
  if (DEEDS.includes(kind)) return 'wrote';
  if (!MESSAGES.includes(kind)) return 'none';
  return isForBot(content, bot) ? 'addressed' : 'wrote';
}

function isForBot(message: Fields, bot: BotIdentity): boolean {
  const repliedTo = objectOf(objectOf(message.reply_to_message)?.from ?? null);
  if (idOf(repliedTo) === bot.id) return true;
  return entitiesOf(message).some(({ type, text, user }) => {
    if (type === 'text_mention') return user === bot.id;
    const at = text.indexOf('@');
    const name = at < 0 ? null : text.slice(at + 1).toLowerCase();
    if (type === 'mention') return name !== null && name === bot.username?.toLowerCase();
    if (type !== 'bot_command') return false;
    // `/start@other_bot` is for the other one.
    return name === null || bot.username === null || name === bot.username.toLowerCase();
  });
}

interface Entity {
  readonly type: unknown;
  readonly text: string;
  readonly user: string | null;
}

// Offsets count UTF-16 units, as JavaScript does.
function entitiesOf(message: Fields): Entity[] {
  const isText = typeof message.text === 'string';
  const text = isText ? message.text : message.caption;
  const entities = isText ? message.entities : message.caption_entities;
  if (typeof text !== 'string' || !Array.isArray(entities)) return [];
  return entities.flatMap((each: unknown) => {
    const entity = objectOf(each);
    if (entity === null) return [];
    const [offset, length] = [scalarNumber(entity.offset), scalarNumber(entity.length)];
    const user = idOf(objectOf(entity.user));
    return [{ type: entity.type, text: text.slice(offset, offset + length), user }];
  });
}

function saidAt({ date, edit_date: edited }: Fields): number | null {
  const seconds = edited ?? date;
  return typeof seconds === 'number' ? seconds * 1000 : null;
}

function personOf(content: Fields): Fields | null {
  return objectOf(content.from) ?? objectOf(content.user);
}

function chatOf(message: Fields): string | null {
  const id = idOf(objectOf(message.chat));
  const { business_connection_id: connection } = message;
  return id === null || typeof connection !== 'string' ? id : businessChat(connection, id);
}

function idOf(fields: Fields | null): string | null {
  return textOf(fields?.id);
}

function textOf(value: unknown): string | null {
  return Number.isSafeInteger(value) ? String(value) : null;
}

function objectOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : null;
}
