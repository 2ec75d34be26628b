// A broadcast checked before it is made: is it a call that sends, is there such an audience, does someone in it have
// the fields it names? Nothing is written here.

import { createHash } from 'node:crypto';
import type { Platform } from '../platforms/platform.ts';
import type { BroadcastStore, NewBroadcast } from '../store/ports/broadcasts.ts';
import { describeFor } from './running.ts';
import { Template } from './template.ts';
import type { BroadcastRequest, Made } from './types.ts';

export type PreparedBroadcast =
  | { kind: 'prepared'; broadcast: Omit<NewBroadcast, 'at' | 'liveMax'> }
  | Extract<Made, { kind: 'invalid' | 'no_audience' | 'unknown_fields' }>;

export async function prepare(
  broadcasts: Pick<BroadcastStore, 'named'>,
  platform: Platform,
  request: BroadcastRequest,
): Promise<PreparedBroadcast> {
  const { body, method, audience, ...rest } = request;
  const { call } = describeFor(platform, method, body);
  if (call.kind === 'invalid') return { kind: 'invalid', detail: call.detail };
  if (call.kind === 'pass') {
    return { kind: 'invalid', detail: `a method that sends; ${call.method} does not` };
  }
  const who = await audienceOf(broadcasts, audience);
  if (who === null) return { kind: 'no_audience' };
  const unknown = [...new Template(body).required].filter((each) => !who.known.includes(each));
  if (unknown.length > 0) return { kind: 'unknown_fields', fields: unknown, known: who.known };
  const text = JSON.stringify(body);
  const digest = createHash('sha256')
    .update(JSON.stringify([call.method, text, who.digest]))
    .digest('base64');
  const content = { method: call.method, body: text, digest };
  return {
    kind: 'prepared',
    broadcast: { ...rest, ...content, audience: who.id, fields: who.own },
  };
}

async function audienceOf(
  broadcasts: Pick<BroadcastStore, 'named'>,
  audience: BroadcastRequest['audience'],
) {
  if (audience.kind === 'own') {
    const { draft } = audience;
    await draft.filled();
    const { id, fields, digest } = draft;
    return { id, known: fields, own: fields, digest };
  }
  const named = await broadcasts.named({ name: audience.name });
  if (named === null) return null;
  return { id: named.id, known: named.fields, own: null, digest: `named ${audience.name}` };
}
