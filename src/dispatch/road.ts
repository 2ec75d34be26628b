// The road's public side: submit, wait for the end, ask where a delivery stands and why, pause and resume.

import {
  bytesOf,
  type Delivery,
  isPlain,
  laneOf,
  type NewDelivery,
  type Queued,
  withoutSlot,
} from '../domain/delivery.ts';
import { type AccountId, platformOf } from '../domain/ids.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Ticket } from '../limits/limits.ts';
import type { AskedRoad, Depths, Ended, QueuePosition } from '../road/road.ts';
import type { AccountLoad } from '../scheduler/scheduler.ts';
import type { AppendBounds, Appended, QueueFull } from '../store/ports/delivery.ts';
import type { Owner } from '../store/ports/ownership.ts';
import { JournalUnavailable } from '../store/ports/unavailable.ts';
import { assert } from '../system/assert.ts';
import type { Clock } from '../system/clock.ts';
import { STRANGERS_SHARE } from '../system/shares.ts';
import { freezeByHand, probeByHand, thawByHand } from './account/by-hand.ts';
import type { Dispatch } from './loop.ts';
import type { RoadState } from './state.ts';
import {
  accountView,
  activeFreezes,
  earliest,
  explanationOf,
  hindrance,
  limitsView,
  waitingHeads,
} from './views.ts';

// A chain of replacements longer than this is cut: the caller gets the last one reached.
const REPLACEMENTS_FOLLOWED_MAX = 1_000;
const LIMIT_VIEWS_MAX = 10_000;

export interface RoadOptions {
  readonly dispatch: Dispatch;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly accounts: {
    list(): readonly { id: AccountId; platform: string; paused: boolean; refused: string | null }[];
    setPaused(id: AccountId, paused: boolean): Promise<boolean>;
  };
  readonly bounds: QueueBounds;
  readonly onFull: BoundParts['onFull'];
}

export function createRoad(options: RoadOptions): AskedRoad {
  const { dispatch, clock, accounts } = options;
  const { state } = dispatch;
  const { scheduler, events } = state;
  const setPaused = async (id: AccountId, paused: boolean) => {
    if (!(await accounts.setPaused(id, paused))) return false;
    state.openAccount(id);
    state.availability.setPaused(id, paused);
    state.wake();
    return true;
  };
  const isKnown = (account: AccountId) => accounts.list().some(({ id }) => id === account);
  const bounds: BoundParts = {
    ...options.bounds,
    loadOf: (account) => state.loadOf(account),
    queueBytesMaxOf: (account) => state.profileOf(account).queueBytesMax,
    onFull: options.onFull,
  };
  return {
    submit: boundSubmit(bounds, append.bind(null, dispatch)),
    fullFor: (account, bytes) => fullFor(bounds, account, bytes),
    unchanged: (delivery) => unchanged(dispatch, delivery),
    pacesUsers: (account) => state.profileOf(account).priors.pacesUsers === true,
    threadOf: (account, chat, message) =>
      state.threads.of(account, state.aliases.canonical(account, chat), message),
    passWait: (account, method) => state.passWaits.until(account, method),
    limitPassed: (account, method, until) => {
      // Of one that gave way meanwhile nothing is kept. Opened, so that it is in the view of its limits.
      if (!isKnown(account)) return;
      state.openAccount(account);
      void state.saveLimits(state.passWaits.note(account, method, until, clock.now()));
    },
    isTokenRefused: (account) => state.tokens.isRefusedNow(account),
    cosmetic: (call) => dispatch.cosmetic(call),
    passed: (account, charge) => state.openAccount(account).limits.passed(charge, clock.now()),
    move: (command) => dispatch.move(command),
    moveTogether: (orders) => Promise.all(orders.map((each) => dispatch.move(each))),
    caller: (account, seq, isThere) => dispatch.callers.note(account, seq, isThere),
    unanswered: (bounds) => dispatch.callers.unanswered(bounds),
    ended: (seq, signal) => ended(options, seq, signal),
    place: (seq): QueuePosition | null => scheduler.place(seq, clock.now()),
    explain: (seq) => explanationOf(state, seq, clock.now()),
    isWaiting: (seq) => scheduler.isWaiting(seq),
    isPreview: () => false,
    changedAt: (delivery) => dispatch.changedAt(delivery),
    touched: (delivery) => dispatch.touched(delivery),
    beganLive: (sent) => dispatch.beganLive(sent),
    release: (seq, finalAt) => release(state, seq, finalAt, clock.now()),
    goBefore: (seq, others) => scheduler.goBefore(seq, others, clock.now()),
    earliest: (call) => earliest(state, call, clock.now()),
    hindrance: (call) => hindrance(state, call, clock.now()),
    accounts: () => accounts.list().map((each) => accountView(state, each, clock.now())),
    freezes: () => activeFreezes(state, clock.now()),
    limits: (account, viewsMax = LIMIT_VIEWS_MAX) =>
      limitsView(state, account, clock.now(), viewsMax),
    pause: (id) => setPaused(id, true),
    resume: (id) => setPaused(id, false),
    probe: async (id) => (isKnown(id) ? probeByHand(state, id) : null),
    freeze: async (what, until, cause) =>
      isKnown(what.account) ? freezeByHand(state, what, until, cause, clock.now()) : null,
    thaw: async (what) => (isKnown(what.account) ? thawByHand(state, what, clock.now()) : 0),
    limitSettings: (id) => (isKnown(id) ? state.byHand.view(id) : null),
    setLimits: async (id, change) =>
      isKnown(id) ? state.byHand.change(id, change) : { kind: 'unknown' },
    depths: (): Depths => ({ ...scheduler.depths(), oldestDueAt: scheduler.oldestDueAt() }),
    waiting: (filter, max) => waitingHeads(state, filter, max),
    listen: (listener, interest) => events.listen(listener, interest),
    counts: () => events.counts,
  };
}

async function ended(options: RoadOptions, seq: number, signal: AbortSignal): Promise<Ended> {
  const { dispatch, ledger } = options;
  let current = seq;
  for (let i = 0; i < REPLACEMENTS_FOLLOWED_MAX; i++) {
    if (isOnRoad(dispatch.state, current))
      return dispatch.state.events.waiters.wait(current, signal);
    const record = await ledger.get(current);
    // It may have come back to the road, or moved on, while the ledger was read.
    if (record === null) return missing(current);
    if (record.state === 'superseded' && record.supersededBy !== null)
      current = record.supersededBy;
    else if (record.state !== 'queued' && record.state !== 'sending') return endedOf(record);
  }
  return missing(current);
}

function release(state: RoadState, seq: number, finalAt: number | null, now: number): boolean {
  const { scheduler } = state;
  const queued = scheduler.isWaiting(seq) ? scheduler.remove(seq, now) : null;
  if (queued === null) return false;
  const enterAt = Math.max(now, finalAt ?? now);
  const freed = { ...queued, enterAt, dueAt: enterAt > now ? enterAt : 0 };
  state.add(finalAt === null ? freed : { ...freed, live: false, final: true }, now);
  state.wake();
  return true;
}

function unchanged(dispatch: Dispatch, delivery: NewDelivery): Ended | null {
  const known = dispatch.shows(delivery);
  if (known === null) return null;
  const { messageId, result } = known.sent;
  return { seq: known.seq, state: 'sent', reason: null, detail: null, messageId, result };
}

function endedOf(record: Delivery): Ended {
  const { seq, state, reason, detail, messageId, result } = record;
  return { seq, state, reason, detail, messageId, result };
}

function missing(seq: number): Ended {
  const detail = 'its record is no longer kept';
  return { seq, state: 'cancelled', reason: 'unknown', detail, messageId: null, result: null };
}

function isOnRoad({ scheduler }: RoadState, seq: number): boolean {
  return scheduler.isInFlight(seq) || scheduler.isWaiting(seq);
}

// The bounds of the queue that are kept here, beside the count of deliveries per account that the store keeps: bytes
// per account, bytes in all, deliveries of all accounts of a platform. What is still being written counts too, so that
// a burst cannot slip through while the disk is busy. Accounts that nobody has configured have a part of what is
// shared, and none of them may hold more bytes than are still free for them: one of them cannot shut out the others,
// nor all of them together a configured one.

export type Full = QueueFull & { readonly kind: 'full'; readonly account: AccountId };

export interface QueueBounds {
  readonly platformQueueMax: number;
  readonly queueBytesTotalMax: number;
}

export interface BoundParts extends QueueBounds {
  readonly loadOf: (account: AccountId) => AccountLoad;
  readonly queueBytesMaxOf: (account: AccountId) => number;
  readonly onFull: (full: Full) => void;
}

// Passes the store's answer on, and reports it if the account's own bound is reached.
type Judge = (appended: Appended, account: AccountId) => Appended;

export function boundSubmit(
  parts: BoundParts,
  submit: (delivery: NewDelivery, bytes: number, judge: Judge) => Promise<Appended>,
): (delivery: NewDelivery) => Promise<Appended> {
  const judge: Judge = (appended, account) => {
    if (appended.kind !== 'full') return appended;
    parts.onFull({ ...appended, account });
    return { ...appended, account };
  };
  return (delivery) => {
    const { account } = delivery;
    const bytes = bytesOf(delivery.body);
    const full = fullFor(parts, account, bytes);
    if (full !== null) return Promise.resolve(judge({ kind: 'full', ...full }, account));
    return submit(delivery, bytes, judge);
  };
}

// Why so much more of the account cannot be taken; null: it can.
export function fullFor(parts: BoundParts, account: AccountId, bytes: number): QueueFull | null {
  const load = parts.loadOf(account);
  const bytesMax = parts.queueBytesMaxOf(account);
  if (load.bytes + bytes > bytesMax) {
    return { unit: 'bytes', waiting: load.bytes, queueMax: bytesMax };
  }
  const { platformQueueMax, queueBytesTotalMax } = parts;
  const { deliveries } = load.platform;
  if (deliveries >= platformQueueMax) {
    return { waiting: deliveries, queueMax: platformQueueMax, platform: platformOf(account) };
  }
  if (load.all.bytes + bytes > queueBytesTotalMax) {
    return { unit: 'bytes', waiting: load.all.bytes, queueMax: queueBytesTotalMax, whose: 'all' };
  }
  return load.isStranger ? fullForStranger(parts, load, account, bytes) : null;
}

function fullForStranger(
  { platformQueueMax, queueBytesTotalMax }: BoundParts,
  load: AccountLoad,
  account: AccountId,
  bytes: number,
): QueueFull | null {
  const whose = 'unconfigured';
  const { deliveries } = load.platform.strangers;
  const queueMax = Math.ceil(platformQueueMax * STRANGERS_SHARE);
  if (deliveries >= queueMax) {
    return { waiting: deliveries, queueMax, platform: platformOf(account), whose };
  }
  const bytesMax = Math.ceil(queueBytesTotalMax * STRANGERS_SHARE);
  const waiting = load.all.strangers.bytes;
  if (load.bytes + bytes > bytesMax - waiting) {
    return { unit: 'bytes', waiting, queueMax: bytesMax, whose };
  }
  return null;
}

// Writing a message down, and the short way for one that could go at once: nothing of its account waits, its chat is
// quiet, its limits are open. Its capacity is taken before it is on disk, and it is accepted and begun in one commit
// instead of two. Its call leaves when that commit is written, while fsync runs; the caller gets no acceptance before
// it is durable. The promises stay the same: no request leaves before its begin is in the store, and none overtakes
// what was handed over before it and is still being written.

interface Reserved {
  readonly ticket: Ticket;
  // The delivery, which has no number yet.
  readonly place: Queued;
  readonly at: number;
}

// A time that the caller gave is of the wall clock. `bytes`: of its body.
export function append(
  dispatch: Dispatch,
  given: NewDelivery,
  bytes: number,
  judge: Judge,
): Promise<Appended> {
  const { owners, scheduled } = dispatch.state;
  const stepMs = given.notBefore === 0 ? 0 : scheduled.stepMs();
  const notBefore = Math.max(1, given.notBefore + stepMs);
  const delivery = stepMs === 0 ? given : { ...given, notBefore };
  const owner = owners.known(delivery.account);
  if (owner !== null) return appendAs(dispatch, owner, delivery, bytes, judge);
  const opening = opened(dispatch, delivery.account);
  return opening.then((first) => appendAs(dispatch, first, delivery, bytes, judge));
}

// The account's first delivery opens it in the store.
async function opened(dispatch: Dispatch, account: AccountId): Promise<Owner> {
  try {
    return await dispatch.state.owners.open(account);
  } catch (error) {
    throw noted(dispatch, error);
  }
}

function appendAs(
  dispatch: Dispatch,
  owner: Owner,
  delivery: NewDelivery,
  bytes: number,
  judge: Judge,
): Promise<Appended> {
  const { queueMax } = dispatch.state.profileOf(delivery.account);
  const reserved = reserve(dispatch, delivery, bytes);
  if (reserved === null)
    return appendToQueue(dispatch, owner, delivery, { queueMax, bytes }, judge);
  const bounds = { queueMax, bytes, beginAt: reserved.at };
  const { account } = delivery;
  return appendAtOnce(dispatch, owner, delivery, reserved, bounds).then((a) => judge(a, account));
}

function appendToQueue(
  dispatch: Dispatch,
  owner: Owner,
  delivery: NewDelivery,
  bounds: AppendBounds & { readonly bytes: number },
  judge: Judge,
): Promise<Appended> {
  const { scheduler, aliases } = dispatch.state;
  const { account, family, slotAt } = delivery;
  const kept = slotAt === undefined ? delivery : withoutSlot(delivery);
  const chat = aliases.canonical(account, delivery.chat);
  const place = chat === delivery.chat ? delivery : { account, chat, family };
  const expected = scheduler.expect(place, bounds.bytes);
  return dispatch.journal.append(owner, kept, bounds).durable.then(
    (appended) => {
      if (!isSpilled(appended)) dispatch.state.store.worked();
      if (appended.kind === 'accepted')
        dispatch.state.admit(appended.queued, appended.replaced, slotAt);
      scheduler.arrived(expected);
      if (appended.kind === 'not_owner') dispatch.state.lose(account, dispatch.clock.now());
      return judge(appended, account);
    },
    (error) => {
      scheduler.arrived(expected);
      throw noted(dispatch, error);
    },
  );
}

// null: it must queue, as the probe of a breaker and a chat with two ids always do.
function reserve(dispatch: Dispatch, delivery: NewDelivery, bytes: number): Reserved | null {
  const { account, chat } = delivery;
  const { scheduler, availability, aliases, store } = dispatch.state;
  const now = dispatch.clock.now();
  dispatch.state.openAccount(account);
  if (!scheduler.hasRoomFor(delivery, now) || dispatch.state.isGone(account)) return null;
  if (!isPlain(delivery) || !dispatch.isRunning || now < store.pausedUntil) return null;
  if (!availability.hasClosedBreakers(account) || aliases.canonical(account, chat) !== chat)
    return null;
  const lane = laneOf(delivery);
  const place: Queued = { ...delivery, seq: 0, lane, enterAt: now, rank: 0, dueAt: 0, bytes };
  const ticket = scheduler.reserve(place, now);
  return ticket === null ? null : { ticket, place, at: now };
}

async function appendAtOnce(
  dispatch: Dispatch,
  owner: Owner,
  delivery: NewDelivery,
  { ticket, place, at }: Reserved,
  bounds: AppendBounds,
): Promise<Appended> {
  const giveBack = () => {
    dispatch.state.openAccount(delivery.account).limits.settled(ticket, { kind: 'unjudged' }, at);
    dispatch.state.scheduler.release(place, at);
  };
  let hasLeft = false;
  const leave = (appended: Appended): Promise<void> | undefined => {
    if (appended.kind !== 'accepted' || isSpilled(appended)) return undefined;
    hasLeft = true;
    dispatch.state.scheduler.launched(appended.queued);
    return dispatch.send(appended.queued, ticket, delivery);
  };
  const { written, durable } = dispatch.journal.append(owner, delivery, bounds);
  // If it is not written it is not durable either; `durable` rejects below.
  dispatch.track(written.then(leave, () => {}));
  try {
    const appended = await durable;
    if (isSpilled(appended)) {
      giveBack();
      if (appended.kind === 'accepted') dispatch.state.admit(appended.queued, appended.replaced);
      return appended;
    }
    dispatch.state.store.worked();
    if (appended.kind !== 'accepted') {
      giveBack();
      if (appended.kind === 'not_owner') dispatch.state.lose(delivery.account, at);
      return appended;
    }
    assert(hasLeft, 'a plain message that is to begin has begun');
    dispatch.state.events.accepted(appended.queued, dispatch.clock.now());
    return appended;
  } catch (error) {
    if (!hasLeft) giveBack();
    throw noted(dispatch, error);
  }
}

// The store is away: the delivery waits in the spill, and begins when the store is back.
function isSpilled(appended: Appended): boolean {
  return appended.kind === 'accepted' && appended.spilled === true;
}

function noted({ state }: Dispatch, error: unknown): unknown {
  if (error instanceof JournalUnavailable) state.store.failed(error);
  return error;
}
