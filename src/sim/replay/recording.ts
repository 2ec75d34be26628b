// Reads a recording: a line that says what it is, then one delivery a line. What cannot be read is said with its line.

import Type from 'typebox';
import { FAMILIES } from '../../domain/call.ts';
import { STATES } from '../../domain/delivery.ts';
import { PRIORITIES } from '../../domain/priority.ts';
import {
  RECORDING_VERSION,
  type RecordedDelivery,
  type RecordingHead,
} from '../../domain/recording.ts';
import { checkOf } from '../../system/check.ts';

export interface Recording extends RecordingHead {
  readonly deliveries: readonly RecordedDelivery[];
}

export type ReadRecording =
  | { readonly kind: 'read'; readonly recording: Recording }
  | { readonly kind: 'wrong'; readonly line: number; readonly expected: string };

// They are held in memory, some hundred bytes each.
const DELIVERIES_MAX = 2_000_000;
const NAME_MAX = 64;

const time = Type.Integer();
const name = Type.String({ minLength: 1, maxLength: NAME_MAX });
const word = Type.String({ maxLength: NAME_MAX });
const OUTCOMES = ['sent', 'limited', 'refused', 'failed', 'uncertain'];

const HEAD = checkOf(
  Type.Object({
    recording: Type.Integer({ minimum: 1, maximum: RECORDING_VERSION }),
    since: Type.Number(),
    until: Type.Number(),
  }),
);
const DELIVERY = checkOf(
  Type.Object({
    ...{ at: time, platform: name, account: name, chat: name, lane: word },
    slot: Type.Union([word, Type.Null()]),
    method: name,
    family: Type.Enum([...FAMILIES]),
    budget: name,
    priority: Type.Enum([...PRIORITIES]),
    cost: Type.Number({ minimum: 0, maximum: 1000 }),
    bytes: Type.Integer({ minimum: 0 }),
    ...{ live: Type.Boolean(), final: Type.Boolean(), notBefore: time, expiresAt: time },
    state: Type.Enum([...STATES]),
    endedAt: Type.Union([time, Type.Null()]),
    attempts: Type.Array(
      Type.Object({
        at: time,
        tookMs: Type.Union([time, Type.Null()]),
        outcome: Type.Union([Type.Enum(OUTCOMES), Type.Null()]),
      }),
    ),
  }),
);

export async function readRecording(lines: AsyncIterable<string>): Promise<ReadRecording> {
  let head: RecordingHead | null = null;
  const deliveries: RecordedDelivery[] = [];
  let line = 0;
  for await (const text of lines) {
    line += 1;
    if (text.trim() === '') continue;
    const value = parsed(text);
    if (head === null) {
      if (!HEAD.Check(value)) return { kind: 'wrong', line, expected: 'the head of a recording' };
      head = { ...(value as RecordingHead), recording: RECORDING_VERSION };
      continue;
    }
    const delivery = fromFirstVersion(value);
    if (!DELIVERY.Check(delivery)) return { kind: 'wrong', line, expected: 'a recorded delivery' };
    if (deliveries.length >= DELIVERIES_MAX) {
      return { kind: 'wrong', line, expected: `at most ${DELIVERIES_MAX} deliveries` };
    }
    deliveries.push(delivery as RecordedDelivery);
  }
  if (head === null) return { kind: 'wrong', line, expected: 'the head of a recording' };
  deliveries.sort((a, b) => a.at - b.at);
  return { kind: 'read', recording: { ...head, deliveries } };
}

// What has the word of now already stays as it is.
function fromFirstVersion(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('gate' in value)) return value;
  const { gate, ...rest } = value;
  return { ...rest, budget: gate };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
