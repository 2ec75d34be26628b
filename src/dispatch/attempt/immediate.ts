// Writing a message down, and the short way for one that could go at once: nothing of its account waits, its chat is
// quiet, its limits are open. Its room is taken before it is on disk, and it is accepted and begun in one commit
// instead of two; its call leaves when that is written, while the disk takes it, and nobody is told that it is accepted
// before the disk has. The promises stay the same: no request leaves before the journal knows that it may, and none
// goes past what was handed over before it and is still being written.

import { bytesOf, isPlain, laneOf, type NewDelivery, type Queued } from '../../domain/delivery.ts';
import type { AccountLimits, Ticket } from '../../limits/limits.ts';
import type { Scheduler } from '../../scheduler/scheduler.ts';
import type { Appended, DeliveryStore } from '../../store/ports/delivery.ts';
import type { Owner } from '../../store/ports/ownership.ts';
import { JournalUnavailable } from '../../store/ports/unavailable.ts';
import { assert } from '../../system/assert.ts';
import type { Clock } from '../../system/clock.ts';
import type { Aliases } from '../account/aliases.ts';
import type { AccountAvailability } from '../account/availability.ts';
import type { AccountOwners } from '../account/queue-bounds.ts';
import type { RoadEvents } from '../events.ts';
import type { Profile } from './conclude.ts';

// What it needs of the loop.
export interface AtOnceRoad {
  readonly scheduler: Scheduler;
  readonly holds: AccountAvailability;
  readonly aliases: Aliases;
  readonly teller: Pick<RoadEvents, 'accepted'>;
  readonly storePausedUntil: number;
  storeTrouble: JournalUnavailable['code'] | null;
  limitsOf(account: string): AccountLimits;
  profileOf(account: string): Pick<Profile, 'queueMax'>;
}

export interface AtOncePorts {
  readonly journal: Pick<DeliveryStore, 'append'>;
  readonly owners: Pick<AccountOwners, 'known' | 'open'>;
  readonly clock: Clock;
  readonly road: AtOnceRoad;
  readonly turns: { readonly isRunning: boolean };
  // It is on disk: memory follows.
  admit(queued: Queued, replaced: number | null): void;
  // Makes the attempt that the journal has begun.
  send(queued: Queued, ticket: Ticket, delivery: NewDelivery): Promise<void>;
  // Work that a stop waits for.
  track(work: Promise<void>): void;
}

interface Reserved {
  readonly ticket: Ticket;
  // The delivery before it has a number.
  readonly place: Queued;
  readonly at: number;
}

export function append(ports: AtOncePorts, delivery: NewDelivery): Promise<Appended> {
  const owner = ports.owners.known(delivery.account);
  return owner === null ? appendFirst(ports, delivery) : appendAs(ports, owner, delivery);
}

// The first of its account.
async function appendFirst(ports: AtOncePorts, delivery: NewDelivery): Promise<Appended> {
  let owner: Owner;
  try {
    owner = await ports.owners.open(delivery.account);
  } catch (error) {
    throw noted(ports, error);
  }
  return appendAs(ports, owner, delivery);
}

function appendAs(ports: AtOncePorts, owner: Owner, delivery: NewDelivery): Promise<Appended> {
  const { queueMax } = ports.road.profileOf(delivery.account);
  const reserved = reserve(ports, delivery);
  return reserved === null
    ? appendToQueue(ports, owner, delivery, queueMax)
    : appendAtOnce(ports, owner, delivery, reserved, queueMax);
}

function appendToQueue(
  ports: AtOncePorts,
  owner: Owner,
  delivery: NewDelivery,
  queueMax: number,
): Promise<Appended> {
  const { scheduler, aliases } = ports.road;
  const { account, family } = delivery;
  const chat = aliases.canonical(account, delivery.chat);
  const place = chat === delivery.chat ? delivery : { account, chat, family };
  const expected = scheduler.expect(place, bytesOf(delivery.body));
  return ports.journal.append(owner, delivery, { queueMax }).then(
    (appended) => {
      ports.road.storeTrouble = null;
      if (appended.kind === 'accepted') ports.admit(appended.queued, appended.replaced);
      scheduler.met(expected);
      return appended;
    },
    (error) => {
      scheduler.met(expected);
      throw noted(ports, error);
    },
  );
}

// null: it takes the ordinary way, as do the probe of a breaker and a chat that goes by two ids.
function reserve(ports: AtOncePorts, delivery: NewDelivery): Reserved | null {
  const { account, chat } = delivery;
  const { scheduler, holds, aliases, storePausedUntil } = ports.road;
  const now = ports.clock.now();
  ports.road.limitsOf(account);
  if (!scheduler.hasRoomFor(delivery, now)) return null;
  if (!isPlain(delivery) || !ports.turns.isRunning || now < storePausedUntil) return null;
  if (!holds.hasClosedBreakers(account) || aliases.canonical(account, chat) !== chat) return null;
  const lane = laneOf(delivery);
  const bytes = bytesOf(delivery.body);
  const place: Queued = { ...delivery, seq: 0, lane, enterAt: now, rank: 0, dueAt: 0, bytes };
  const ticket = scheduler.reserve(place, now);
  return ticket === null ? null : { ticket, place, at: now };
}

async function appendAtOnce(
  ports: AtOncePorts,
  owner: Owner,
  delivery: NewDelivery,
  { ticket, place, at }: Reserved,
  queueMax: number,
): Promise<Appended> {
  const landed = Promise.withResolvers<void>();
  ports.track(landed.promise);
  const giveBack = () => {
    ports.road.limitsOf(delivery.account).settled(ticket, { kind: 'unjudged' }, at);
    ports.road.scheduler.release(place, at);
    landed.resolve();
  };
  let hasLeft = false;
  const written = (queued: Queued) => {
    hasLeft = true;
    ports.road.scheduler.launched(queued);
    ports.send(queued, ticket, delivery).then(landed.resolve, landed.reject);
  };
  try {
    const bounds = { queueMax, begin: { at, written } };
    const appended = await ports.journal.append(owner, delivery, bounds);
    ports.road.storeTrouble = null;
    if (appended.kind !== 'accepted') {
      giveBack();
      return appended;
    }
    assert(hasLeft, 'a plain message that is to begin has begun');
    ports.road.teller.accepted(appended.queued, ports.clock.now());
    return appended;
  } catch (error) {
    if (!hasLeft) giveBack();
    throw noted(ports, error);
  }
}

function noted({ road }: AtOncePorts, error: unknown): unknown {
  if (error instanceof JournalUnavailable) road.storeTrouble = error.code;
  return error;
}
