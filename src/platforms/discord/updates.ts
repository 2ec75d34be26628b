// What comes in from Discord: interactions, which it posts, and events of the gateway connection, which an app may post
// here as it got them (`{"t":"MESSAGE_CREATE","d":{…}}`), so that its answers are known as such.

import { ownIdOf } from '../../domain/ids.ts';
import { fieldsOf, scalarText } from '../../domain/scalar.ts';
import {
  type BotIdentity,
  POSTED_ONLY,
  type UpdateReading,
  type UpdateSummary,
} from '../updates.ts';
import { madeAt } from './describe.ts';
import { proofOf, verify } from './signature.ts';

type Params = Readonly<Record<string, unknown>>;

const PING = 1;
const PONG = { status: 200, body: '{"type":1}' };
// The answer comes as a call of its own.
const ANSWERED_LATER = { status: 202, body: null };
// Discord tries wrong signatures when an address is set, and takes it only if they are refused so.
const UNPROVEN = { status: 401, body: '{"message":"invalid request signature"}' };
// Bits of an id below its time that its number here keeps; see orderOf.
const COUNTED_BITS = 13n;
const TIME_SHIFT = 22n;

export const UPDATES: UpdateReading = {
  ...POSTED_ONLY,
  verify,
  proofOf,
  unproven: UNPROVEN,
  answerTo: (update) => (fieldsOf(update).type === PING ? PONG : ANSWERED_LATER),
  idOf: ownIdOf,
  read,
};

function read(update: unknown, bot: BotIdentity): UpdateSummary | null {
  const { t: event, d: data, type, id } = fieldsOf(update);
  if (event === 'MESSAGE_CREATE') return ofMessage(fieldsOf(data), bot);
  const order = orderOf(scalarText(id));
  if (typeof type !== 'number' || order === null) return null;
  const { channel_id: channel, message } = fieldsOf(update);
  return {
    id: String(order),
    order,
    chat: scalarText(channel) || null,
    messageId: scalarText(fieldsOf(message).id) || null,
    voice: type === PING ? 'none' : 'addressed',
    saidAt: madeAt(scalarText(id)),
  };
}

function ofMessage(message: Params, bot: BotIdentity): UpdateSummary | null {
  const id = scalarText(message.id);
  const order = orderOf(id);
  const chat = scalarText(message.channel_id);
  if (order === null || chat === '') return null;
  const isBot = fieldsOf(message.author).bot === true;
  const voice = isBot ? 'none' : isMeant(message, bot) ? 'addressed' : 'wrote';
  return { id: String(order), order, chat, messageId: id, voice, saidAt: madeAt(id) };
}

// Mentioned, answered, or in a channel that is theirs alone.
function isMeant(message: Params, { id }: BotIdentity): boolean {
  const mentions: unknown[] = Array.isArray(message.mentions) ? message.mentions : [];
  const replied = fieldsOf(fieldsOf(message.referenced_message).author).id;
  return mentions.some((each) => fieldsOf(each).id === id) || replied === id;
}

// As a number that keeps their order: the time, and of what counts within a millisecond so many bits.
function orderOf(id: string): number | null {
  if (!/^\d{15,20}$/.test(id)) return null;
  const bits = BigInt(id);
  const counted = bits & ((1n << COUNTED_BITS) - 1n);
  return Number(((bits >> TIME_SHIFT) << COUNTED_BITS) | counted);
}
