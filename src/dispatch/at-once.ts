// The short way for a message that could go at once: nothing of its account waits, its chat is quiet, its limits are
// open. Its room is taken before it is on disk, and it is accepted and begun in one commit instead of two. The
// promises stay the same: no request leaves before the journal knows that it may.

import { isPlain, laneOf, type NewDelivery, type Queued } from '../domain/delivery.ts';
import type { Appended, Journal } from '../journal/journal.ts';
import type { AccountLimits, Ticket } from '../limits/limits.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import { assert } from '../system/assert.ts';

export interface AtOncePorts {
  readonly journal: Journal;
  readonly scheduler: Scheduler;
  limitsOf(account: string): AccountLimits;
  // Makes the attempt that the journal has begun.
  send(queued: Queued, ticket: Ticket, delivery: NewDelivery, startedAt: number): Promise<void>;
  // Work that a stop waits for.
  track(work: Promise<void>): void;
}

export interface Reserved {
  readonly ticket: Ticket;
  // The delivery before it has a number.
  readonly place: Queued;
  readonly at: number;
}

// null: it takes the ordinary way.
export function reserve(ports: AtOncePorts, delivery: NewDelivery, now: number): Reserved | null {
  if (!isPlain(delivery)) return null;
  const lane = laneOf(delivery);
  const place: Queued = { ...delivery, seq: 0, lane, enterAt: now, rank: 0, dueAt: 0 };
  const ticket = ports.scheduler.reserve(place, now);
  return ticket === null ? null : { ticket, place, at: now };
}

export async function appendAtOnce(
  ports: AtOncePorts,
  delivery: NewDelivery,
  { ticket, place, at }: Reserved,
  queueMax: number,
): Promise<Appended> {
  const landed = Promise.withResolvers<void>();
  ports.track(landed.promise);
  const giveBack = () => {
    ports.limitsOf(delivery.account).settled(ticket, { kind: 'unjudged' }, at);
    ports.scheduler.release(place, at);
    landed.resolve();
  };
  try {
    const appended = await ports.journal.append(delivery, { queueMax, beginAt: at });
    if (appended.kind !== 'accepted') {
      giveBack();
      return appended;
    }
    assert(appended.begun === true, 'a plain message that is to begin has begun');
    ports.scheduler.launched(appended.queued);
    ports.send(appended.queued, ticket, delivery, at).then(landed.resolve, landed.reject);
    return appended;
  } catch (error) {
    giveBack();
    throw error;
  }
}
