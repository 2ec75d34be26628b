// What Slack posts (its Events API): signed with the app's signing secret and the time, which may be five minutes off;
// repeated up to three times under one event_id; and a question by which it makes sure that an address is wanted.

import { ownIdOf } from '../../domain/ids.ts';
import { fieldsOf, scalarText } from '../../domain/scalar.ts';
import type { Clock } from '../../system/clock.ts';
import { orderOfMoment } from '../shared/numbered.ts';
import { signedPosts } from '../shared/signed.ts';
import { POSTED_ONLY, type UpdateReading, type UpdateSummary, type Voice } from '../updates.ts';

const ID = /^[\w.-]{1,256}$/;
// Kinds of messages that somebody wrote; all other subtypes tell of something done.
const WRITTEN: readonly unknown[] = [undefined, 'file_share', 'thread_broadcast', 'me_message'];

export function updatesAt(clock: Clock): UpdateReading {
  const text = (time: string, body: string) => `v0:${time}:${body}`;
  const time = { header: 'x-slack-request-timestamp', clock, offSMax: 300, text };
  return {
    ...POSTED_ONLY,
    ...signedPosts({ header: 'x-slack-signature', prefix: 'v0=', time }),
    answerTo(update) {
      const { type, challenge } = fieldsOf(update);
      const asked = type === 'url_verification' ? { challenge: scalarText(challenge) } : {};
      return { status: 200, body: JSON.stringify(asked) };
    },
    idOf: ownIdOf,
    read,
  };
}

function read(update: unknown): UpdateSummary | null {
  const { type, event, event_id: id, event_time: time, challenge } = fieldsOf(update);
  const key = scalarText(id ?? challenge);
  if ((type !== 'event_callback' && type !== 'url_verification') || !ID.test(key)) return null;
  const { channel, item, ts, user, event_ts: moment } = fieldsOf(event);
  const seconds = Number.isSafeInteger(time) ? Number(time) : 0;
  return {
    ...{ id: key, order: orderOfMoment(scalarText(moment ?? ts), seconds) },
    chat: scalarText(channel ?? fieldsOf(item).channel) || null,
    messageId: scalarText(ts) || null,
    voice: voiceOf(fieldsOf(event)),
    user: scalarText(user) || null,
    saidAt: seconds === 0 ? null : seconds * 1000,
  };
}

function voiceOf(event: Readonly<Record<string, unknown>>): Voice {
  if (event.bot_id !== undefined || !WRITTEN.includes(event.subtype)) return 'none';
  if (event.type === 'app_mention') return 'addressed';
  if (event.type !== 'message') return 'none';
  return event.channel_type === 'im' ? 'addressed' : 'wrote';
}
