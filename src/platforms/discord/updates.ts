// What comes in from Discord: interactions, which it posts, and events of the gateway connection, which an app may post
// here as it got them (`{"t":"MESSAGE_CREATE","d":{…}}`), so that its answers are known as such.

import { scalarText } from '../../domain/scalar.ts';
import { jsonOrUndefined } from '../../system/json.ts';
import type { BotIdentity, UpdateReading, UpdateSummary } from '../updates.ts';
import { idOf } from './credentials.ts';
import { madeAt } from './describe.ts';
import { proofOf, verify } from './signature.ts';

type Params = Readonly<Record<string, unknown>>;

const PING = 1;
const PONG = { status: 200, body: '{"type":1}' };
// The answer comes as a call of its own.
const ANSWERED_LATER = { status: 202, body: null };
// Discord tries wrong signatures when an address is set, and takes it only if they are refused so.
const UNPROVEN = { status: 401, body: '{"message":"invalid request signature"}' };
const POLL_MAX = 100;
// Bits of an id below its time that its number here keeps; see updateIdOf.
const COUNTED_BITS = 13n;
const TIME_SHIFT = 22n;

export const UPDATES: UpdateReading = {
  verify,
  proofOf,
  unproven: UNPROVEN,
  answerTo: (update) => (objectOf(update).type === PING ? PONG : ANSWERED_LATER),
  idOf,
  read,
  namesSomeone: () => false,
  nameCall: { method: 'GET /api/v10/users/@me', body: '{}' },
  nameIn(reply) {
    if (reply.kind !== 'answered' || reply.status !== 200) return null;
    return scalarText(objectOf(jsonOrUndefined(reply.body)).username) || null;
  },
  callIn: () => null,
  readPoll: () => ({ offset: 0, limit: POLL_MAX, timeoutMs: 0, allowed: [] }),
  isAsked: () => true,
};

function read(update: unknown, bot: BotIdentity): UpdateSummary | null {
  const { t: event, d: data, type, id } = objectOf(update);
  if (event === 'MESSAGE_CREATE') return ofMessage(objectOf(data), bot);
  const updateId = updateIdOf(scalarText(id));
  if (typeof type !== 'number' || updateId === null) return null;
  const { channel_id: channel, message } = objectOf(update);
  return {
    updateId,
    chat: scalarText(channel) || null,
    messageId: scalarText(objectOf(message).id) || null,
    voice: type === PING ? 'none' : 'addressed',
    saidAt: madeAt(scalarText(id)),
  };
}

function ofMessage(message: Params, bot: BotIdentity): UpdateSummary | null {
  const id = scalarText(message.id);
  const updateId = updateIdOf(id);
  const chat = scalarText(message.channel_id);
  if (updateId === null || chat === '') return null;
  const isBot = objectOf(message.author).bot === true;
  const voice = isBot ? 'none' : isMeant(message, bot) ? 'addressed' : 'wrote';
  return { updateId, chat, messageId: id, voice, saidAt: madeAt(id) };
}

// Mentioned, answered, or in a channel that is theirs alone.
function isMeant(message: Params, { id }: BotIdentity): boolean {
  const mentions: unknown[] = Array.isArray(message.mentions) ? message.mentions : [];
  const replied = objectOf(objectOf(message.referenced_message).author).id;
  return mentions.some((each) => objectOf(each).id === id) || replied === id;
}

// As a number that keeps their order: the time, and of what counts within a millisecond so many bits.
function updateIdOf(id: string): number | null {
  if (!/^\d{15,20}$/.test(id)) return null;
  const bits = BigInt(id);
  const counted = bits & ((1n << COUNTED_BITS) - 1n);
  return Number(((bits >> TIME_SHIFT) << COUNTED_BITS) | counted);
}

function objectOf(value: unknown): Params {
  return typeof value === 'object' && value !== null ? (value as Params) : {};
}
