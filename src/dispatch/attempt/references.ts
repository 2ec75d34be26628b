// A call may mention a message that was not sent yet when the call was made. Before it goes, the real id is put in;
// if the other still waits, so does this one; if the other never will be sent, this one is refused.

import type { Delivery, Queued } from '../../domain/delivery.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { Platform, References } from '../../platforms/platform.ts';
import type { QueuePosition } from '../../road/road.ts';

// Between two looks at a message that is not sent yet; its own expected time says when.
const LOOK_MS_MIN = 250;
const LOOK_MS_MAX = 60_000;
// How far a chain of replacements is followed.
const REPLACED_MAX = 100;

export const REFERENCE_LOST = 'reference_lost';
// How the record names it that real ids took the place of provisional ones.
export const NAMED = 'named';

export type ResolvedReferences =
  | { kind: 'ready'; body: string }
  | { kind: 'wait'; until: number }
  | { kind: 'lost'; outcome: Outcome };

export interface Records {
  get(seq: number): Promise<Delivery | null>;
}

export interface Places {
  place(seq: number, now: number): QueuePosition | null;
}

// Null: the call mentions no such message (almost always).
export function resolve(
  platform: Platform,
  ports: { records: Records; places: Places; now: () => number },
  queued: Queued,
  body: string,
): Promise<ResolvedReferences> | null {
  const { references } = platform;
  if (references === undefined) return null;
  const seqs = references.mentions(body);
  return seqs.length === 0 ? null : resolveAll(references, ports, queued, body, seqs);
}

async function resolveAll(
  references: References,
  ports: { records: Records; places: Places; now: () => number },
  queued: Queued,
  body: string,
  seqs: readonly number[],
): Promise<ResolvedReferences> {
  const ids = new Map<number, string>();
  for (const seq of seqs) {
    const record = seq < queued.seq ? await latest(ports.records, seq) : null;
    // Another account's messages are none of its business.
    if (record === null || record.account !== queued.account) return lost(seq);
    if (record.state === 'queued' || record.state === 'sending') {
      return { kind: 'wait', until: lookAt(ports.places, record.seq, ports.now()) };
    }
    if (record.state !== 'sent' || record.messageId === null) return lost(seq);
    ids.set(seq, record.messageId);
  }
  return { kind: 'ready', body: references.named(body, ids) };
}

async function latest(records: Records, seq: number): Promise<Delivery | null> {
  let record = await records.get(seq);
  for (let i = 0; i < REPLACED_MAX && record?.state === 'superseded'; i++) {
    record = record.supersededBy === null ? null : await records.get(record.supersededBy);
  }
  return record;
}

function lookAt(places: Places, seq: number, now: number): number {
  const eta = places.place(seq, now)?.eta ?? now;
  return Math.min(Math.max(eta, now + LOOK_MS_MIN), now + LOOK_MS_MAX);
}

function lost(seq: number): ResolvedReferences {
  const detail = `the message ${-seq} it mentions was never sent, so it has no id`;
  const description = `Bad Request: message ${-seq} was not sent`;
  const result = JSON.stringify({ ok: false, error_code: 400, description });
  // An answer to it can still be said; a change of it cannot be made.
  const cure = { kind: 'drop_reply' } as const;
  return {
    kind: 'lost',
    outcome: { kind: 'refused', reason: REFERENCE_LOST, detail, result, cure },
  };
}
