// What Slack posts (its Events API): signed with the app's signing secret and the time, which may be five minutes off;
// repeated up to three times under one event_id; and a question by which it makes sure that an address is wanted.

import { createHmac, hash } from 'node:crypto';
import { scalarText } from '../../domain/scalar.ts';
import type { Clock } from '../../system/clock.ts';
import { isSameSecret } from '../../system/same-secret.ts';
import type { UpdateReading, UpdateSummary, Voice } from '../updates.ts';
import { idOf } from './credentials.ts';
import { nameIn } from './wire.ts';

type Params = Readonly<Record<string, unknown>>;

const SIGNATURE = 'x-slack-signature';
const TIMESTAMP = 'x-slack-request-timestamp';
const AGE_S_MAX = 300;
// Of an event's id within its second: so many bits of its digest, as a number keeps 53.
const ID_BITS = 22;
// Kinds of messages that somebody wrote; all other subtypes tell of something done.
const WRITTEN = [undefined, 'file_share', 'thread_broadcast', 'me_message'];
const fieldsOf = (value: unknown) => Object(value) as Params;

export function updatesAt(clock: Clock): UpdateReading {
  const nowS = () => Math.floor(clock.now() / 1000);
  return {
    verify(headers, rawBody, secret) {
      const { [SIGNATURE]: signature, [TIMESTAMP]: time } = headers;
      if (typeof signature !== 'string' || typeof time !== 'string') return false;
      if (!/^\d{1,12}$/.test(time) || Math.abs(nowS() - Number(time)) > AGE_S_MAX) return false;
      return rawBody === null || isSameSecret(signature, signatureOf(time, rawBody, secret));
    },
    proofOf(rawBody, secret) {
      const time = String(nowS());
      return { [TIMESTAMP]: time, [SIGNATURE]: signatureOf(time, rawBody, secret) };
    },
    answerTo(update) {
      const { type, challenge } = fieldsOf(update);
      const asked = type === 'url_verification' ? { challenge: scalarText(challenge) } : {};
      return { status: 200, body: JSON.stringify(asked) };
    },
    idOf,
    read,
    namesSomeone: () => false,
    nameCall: { method: 'auth.test', body: '{}' },
    nameIn: (reply) => (reply.kind === 'answered' ? nameIn(reply.body) : null),
    callIn: () => null,
    readPoll: () => ({ offset: 0, limit: 100, timeoutMs: 0, allowed: [] }),
    isAsked: () => true,
  };
}

function signatureOf(time: string, body: string, secret: string): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex')}`;
}

function read(update: unknown): UpdateSummary | null {
  const { type, event, event_id: id, event_time: time, challenge } = fieldsOf(update);
  const key = scalarText(id ?? challenge);
  if ((type !== 'event_callback' && type !== 'url_verification') || key === '') return null;
  const { channel, item, ts, user } = fieldsOf(event);
  const seconds = Number.isSafeInteger(time) ? Number(time) : 0;
  const digest = Number.parseInt(hash('sha256', key).slice(0, 8), 16) % 2 ** ID_BITS;
  return {
    updateId: seconds * 2 ** ID_BITS + digest,
    chat: scalarText(channel ?? fieldsOf(item).channel) || null,
    messageId: scalarText(ts) || null,
    voice: voiceOf(fieldsOf(event)),
    user: scalarText(user) || null,
    saidAt: seconds === 0 ? null : seconds * 1000,
  };
}

function voiceOf({ type, subtype, bot_id: bot, channel_type: kind }: Params): Voice {
  if (bot !== undefined || !WRITTEN.some((each) => each === subtype)) return 'none';
  if (type === 'app_mention') return 'addressed';
  if (type !== 'message') return 'none';
  return kind === 'im' ? 'addressed' : 'wrote';
}
