// Who goes next? Pure: `now` is an argument, nothing sleeps, nothing is random.
// Account → chats → lanes. Accounts take turns and share nothing, so none can delay another; within one,
// classes share by weight, chats and lanes take turns, a lane is first in, first out (or the whole account or platform
// is; see Order). The limits say when.

import type { Queued } from '../domain/delivery.ts';
import type { AccountId } from '../domain/ids.ts';
import { PRIORITIES, type Priority } from '../domain/priority.ts';
import type { Ticket } from '../limits/limits.ts';
import { assert } from '../system/assert.ts';
import { Account } from './account.ts';
import { type Chat, Entry, type Order, type Weights } from './chat.ts';
import {
  AccountLoad,
  BySeq,
  Expiries,
  leaveRing,
  noLoad,
  Ring,
  type SharedLoad,
  TimeHeap,
} from './collections.ts';
import { type Explained, explain, held, type PlacedDelivery, place } from './explain.ts';
import type { Pacing } from './pacing.ts';
import { PlatformLine } from './platform-line.ts';
import type { WaitedTime } from './waited.ts';
import { oldestDueAt, type WaitingDelivery, type WaitingQuery, waiting } from './waiting.ts';

export type { Order } from './chat.ts';
export { URGENT_RUN_MAX } from './chat.ts';
export type { AccountLoad } from './collections.ts';
export type { Explained, PlacedDelivery } from './explain.ts';
export { PROBING } from './hindrances.ts';
export type { WaitedTime } from './waited.ts';

export type Decision =
  // `waited`: what for, until now; null: for nothing, or nothing that is known.
  | { kind: 'send'; queued: Queued; ticket: Ticket; waited: readonly WaitedTime[] | null }
  | { kind: 'wait'; until: number }
  | { kind: 'idle' };

// Where a call would queue.
export type CallTarget = Pick<Queued, 'account' | 'chat' | 'family'>;

// Where something is expected.
export interface Expected {
  readonly account: Account;
  readonly chat: Chat;
  readonly bytes: number;
}

export interface AccountSettings {
  readonly platform?: string;
  readonly inFlightMax: number;
  // `lane` when left out.
  readonly order?: Order;
  // Nobody has configured it; false when left out.
  readonly isStranger?: boolean;
}

const WEIGHTS_DEFAULT: Weights = [0, 16, 4, 1];

// At most so many expired ones are handed out at once: the loop must get its turn.
const EXPIRED_STEP_MAX = 256;

export class Scheduler {
  readonly #weights: Weights;
  readonly #accounts = new Map<AccountId, Account>();
  readonly #ready = new Ring<Account>();
  readonly #wakeups = new TimeHeap<Account>();
  readonly #waiting = new BySeq<Entry>();
  readonly #inFlight = new Map<number, Queued>();
  readonly #load = noLoad();
  readonly #platformLoads = new Map<string, SharedLoad>();
  // Of platforms that keep one order over all accounts.
  readonly #lines = new Map<string, PlatformLine>();
  readonly #expiries = new Expiries();

  constructor(options: { weights?: Weights } = {}) {
    this.#weights = options.weights ?? WEIGHTS_DEFAULT;
  }

  addAccount(id: AccountId, limits: Pacing, options: AccountSettings): void {
    assert(!this.#accounts.has(id), 'an account is added once');
    const { platform = '', inFlightMax, order = 'lane', isStranger = false } = options;
    const platformLoad = this.#platformLoads.get(platform) ?? noLoad();
    this.#platformLoads.set(platform, platformLoad);
    const load = new AccountLoad(platformLoad, this.#load, isStranger);
    const line = order === 'platform' ? this.#lineOf(platform) : null;
    const own = { id, platform, limits, inFlightMax, order, load, line, weights: this.#weights };
    this.#accounts.set(id, new Account(own));
  }

  // Nothing of it waits, is in flight or is being written down.
  isIdle(id: AccountId): boolean {
    return this.#accounts.get(id)?.isIdle ?? true;
  }

  removeAccount(id: AccountId): void {
    const account = this.#accounts.get(id);
    if (account === undefined) return;
    assert(account.isIdle, 'only an idle account is removed');
    this.#wakeups.remove(account);
    leaveRing(account);
    this.#accounts.delete(id);
  }

  // All that wait in an account, those for a later time too.
  waitingOf(id: AccountId): Queued[] {
    return this.#accounts.get(id)?.allWaiting() ?? [];
  }

  add(queued: Queued, now: number): void {
    const entry = new Entry(queued);
    this.#waiting.set(queued.seq, entry);
    this.#expiries.watch(queued);
    const account = this.#accountOf(queued);
    account.line?.entered(queued);
    account.add(entry, now);
    account.load.enter(queued.bytes);
    this.#markReady(account);
  }

  // Takes a waiting delivery out; null when it is not waiting (in flight, or never here).
  remove(seq: number, now: number): Queued | null {
    const entry = this.#waiting.get(seq);
    if (entry === undefined) return null;
    this.#waiting.delete(seq);
    this.#expiries.unwatch(seq);
    const account = this.#accountOf(entry.queued);
    account.remove(entry, now);
    account.line?.left(entry.queued);
    account.load.leave(entry.queued.bytes);
    this.#markReady(account);
    return entry.queued;
  }

  // Before those of `others` that stand right before it in its lane.
  goBefore(seq: number, others: ReadonlySet<number>, now: number): void {
    const entry = this.#waiting.get(seq);
    const place = entry?.flow?.placeBefore(entry, others) ?? null;
    if (place !== null) this.add({ ...this.remove(seq, now)!, ...place }, now);
  }

  next(now: number): Decision {
    for (let a = this.#wakeups.popDue(now); a !== null; a = this.#wakeups.popDue(now))
      this.#markReady(a);
    for (let account = this.#ready.head; account !== null; account = this.#ready.head) {
      this.#ready.remove(account);
      const found = account.next(now);
      if (typeof found === 'object') {
        this.#ready.push(account);
        const { queued } = found.entry;
        this.#waiting.delete(queued.seq);
        this.#expiries.unwatch(queued.seq);
        this.#inFlight.set(queued.seq, queued);
        return { kind: 'send', queued, ticket: found.ticket, waited: found.waited };
      }
      if (found !== Number.POSITIVE_INFINITY) this.#wakeups.set(account, found);
    }
    const until = Math.min(this.#wakeups.first?.wakeAt ?? Infinity, this.#expiries.nextAt);
    return until === Infinity ? { kind: 'idle' } : { kind: 'wait', until };
  }

  // Whether `reserve` is worth a try: nothing waits in the account, and the chat is quiet.
  hasRoomFor(call: CallTarget, now: number): boolean {
    return this.#accounts.get(call.account)?.hasRoomFor(call, now) === true;
  }

  // A delivery is being written that may queue here: until it has `arrived`, nothing may overtake it.
  expect(call: CallTarget, bytes: number): Expected {
    const account = this.#accountOf(call);
    account.load.enter(bytes);
    return { account, chat: account.expect(call), bytes };
  }

  arrived({ account, chat, bytes }: Expected): void {
    account.arrived(chat);
    account.load.leave(bytes);
  }

  // A call that could go at once, before it has a number; then `launched` or `release`.
  reserve(queued: Queued, now: number): Ticket | null {
    const account = this.#accounts.get(queued.account);
    const ticket = account?.reserve(queued, now) ?? null;
    if (ticket !== null) account!.load.enter(queued.bytes);
    return ticket;
  }

  launched(queued: Queued): void {
    this.#inFlight.set(queued.seq, queued);
    this.#accountOf(queued).line?.entered(queued);
  }

  release(queued: Queued, now: number): void {
    const account = this.#accountOf(queued);
    account.finished(queued, now);
    account.load.leave(queued.bytes);
    this.#markReady(account);
  }

  // What is in flight came to rest. `again`: it waits once more (a retry; perhaps in another chat).
  finished(seq: number, again: Queued | null, now: number): void {
    const queued = this.#inFlight.get(seq);
    assert(queued !== undefined, 'only what is in flight finishes');
    this.#inFlight.delete(seq);
    const account = this.#accountOf(queued);
    // Before the lane is free, so that nothing of the lane overtakes it.
    if (again !== null) this.add(again, now);
    else account.line?.left(queued);
    account.finished(queued, now);
    account.load.leave(queued.bytes);
    this.#markReady(account);
  }

  // Those whose time to live has run out while they waited; they have left the queue.
  expired(now: number): Queued[] {
    const gone: Queued[] = [];
    while (gone.length < EXPIRED_STEP_MAX) {
      const seq = this.#expiries.pop(now);
      if (seq === null) break;
      const queued = this.remove(seq, now);
      if (queued !== null) gone.push(queued);
    }
    return gone;
  }

  // Nothing of the account goes before `until` (Infinity: until held anew with 0). `name`: what programs call it.
  hold(id: AccountId, until: number, why: string, name = 'account'): void {
    const account = this.#accounts.get(id);
    assert(account !== undefined, 'only a known account is held');
    account.heldUntil = until;
    account.heldWhy = why;
    account.heldName = name;
    this.#markReady(account);
  }

  // The chat goes on under another id: whoever waits in it waits there, in the order they had.
  moveChat(id: AccountId, from: string, to: string, now: number): void {
    for (const { queued } of this.#accounts.get(id)?.waitingIn(from) ?? []) {
      this.remove(queued.seq, now);
      this.add({ ...queued, chat: to }, now);
    }
  }

  // A call outside the queue has changed what the chat's limits say.
  reconsider(id: AccountId, chat: string, now: number): void {
    const account = this.#accounts.get(id);
    if (account === undefined) return;
    account.reconsider(chat, now);
    this.#markReady(account);
  }

  // Nothing of the chat waits for its turn or is in flight.
  isQuiet(id: AccountId, chat: string): boolean {
    return this.#accounts.get(id)?.isQuiet(chat) ?? true;
  }

  isInFlight(seq: number): boolean {
    return this.#inFlight.has(seq);
  }

  // null: it is not in flight.
  accountInFlight(seq: number): AccountId | null {
    return this.#inFlight.get(seq)?.account ?? null;
  }

  // Waiting or in flight: while an account is recovered a delivery may also arrive by itself.
  has(seq: number): boolean {
    return this.#waiting.has(seq) || this.#inFlight.has(seq);
  }

  isWaiting(seq: number): boolean {
    return this.#waiting.has(seq);
  }

  // Nothing of the account goes before; 0: it is not held.
  heldUntil(id: AccountId): number {
    return this.#accounts.get(id)?.heldUntil ?? 0;
  }

  // What `explain` would say of that; null: it is not held.
  holdOf(id: AccountId, now: number): Explained['causes'][number] | null {
    const account = this.#accounts.get(id);
    return account === undefined || account.heldUntil <= now ? null : held(account);
  }

  place(seq: number, now: number): PlacedDelivery | null {
    const entry = this.#waiting.get(seq);
    return entry === undefined ? null : place(this.#accountOf(entry.queued), entry, now);
  }

  explain(seq: number, now: number): Explained | null {
    const entry = this.#waiting.get(seq);
    return entry === undefined ? null : explain(this.#accountOf(entry.queued), entry, now);
  }

  depths(): Record<Priority | 'retry' | 'inFlight', number> {
    const depths = {
      critical: 0,
      high: 0,
      normal: 0,
      low: 0,
      retry: 0,
      inFlight: this.#inFlight.size,
    };
    for (const account of this.#accounts.values()) {
      for (const [rank, priority] of PRIORITIES.entries())
        depths[priority] += account.waiting[rank]!;
      depths.retry += account.retrying;
    }
    return depths;
  }

  depthOf(id: AccountId): { waiting: number; inFlight: number } {
    const account = this.#accounts.get(id);
    if (account === undefined) return { waiting: 0, inFlight: 0 };
    return { waiting: account.waiting.reduce((a, b) => a + b), inFlight: account.inFlight };
  }

  // Of every platform with an open account.
  platformDepths(): Map<string, { waiting: number; inFlight: number }> {
    const depths = new Map<string, { waiting: number; inFlight: number }>();
    for (const { id, platform } of this.#accounts.values()) {
      const sum = depths.get(platform) ?? { waiting: 0, inFlight: 0 };
      const { waiting, inFlight } = this.depthOf(id);
      sum.waiting += waiting;
      sum.inFlight += inFlight;
      depths.set(platform, sum);
    }
    return depths;
  }

  // What of the bounded queue is taken by the account, and by those it shares the queue with.
  loadOf(id: AccountId): AccountLoad {
    return this.#accountOf({ account: id }).load;
  }

  // Waiting, in flight or being written down, of every platform that has any.
  livePlatforms(): Record<string, number> {
    const loads = [...this.#platformLoads].filter(([, { deliveries }]) => deliveries > 0);
    return Object.fromEntries(loads.map(([platform, { deliveries }]) => [platform, deliveries]));
  }

  // Bytes of payload, by platform: in all accounts, and in the one that holds most.
  queueBytes(): { platform: string; all: number; largest: number }[] {
    const largest = new Map<SharedLoad, number>();
    for (const { load } of this.#accounts.values()) {
      largest.set(load.platform, Math.max(load.bytes, largest.get(load.platform) ?? 0));
    }
    return Array.from(this.#platformLoads, ([platform, load]) => {
      return { platform, all: load.bytes, largest: largest.get(load) ?? 0 };
    });
  }

  // The first of each lane (of one chat: all), those that wait longest first. Walks all lanes.
  waiting(filter: WaitingQuery, max: number): WaitingDelivery[] {
    return waiting(this.#accounts, filter, max);
  }

  // When the longest-waiting head of a lane became due; null when nothing waits. Walks all lanes.
  oldestDueAt(): number | null {
    return oldestDueAt(this.#accounts.values());
  }

  // What changes in one account of a line may make it another's turn.
  #markReady(account: Account): void {
    this.#markOneReady(account);
    const first = account.line?.first ?? null;
    if (first !== null) this.#markOneReady(this.#accounts.get(first.id)!);
  }

  #markOneReady(account: Account): void {
    this.#wakeups.remove(account);
    if (account.ring === null) this.#ready.push(account);
  }

  #lineOf(platform: string): PlatformLine {
    const line = this.#lines.get(platform) ?? new PlatformLine();
    this.#lines.set(platform, line);
    return line;
  }

  #accountOf({ account: id }: Pick<Queued, 'account'>): Account {
    const account = this.#accounts.get(id);
    assert(account !== undefined, 'a delivery belongs to a known account');
    return account;
  }
}
