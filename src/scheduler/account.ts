// One account's queue: its chats, those that could go now (by budget and class), those that wait for a time; in which
// of them a delivery waits by the order the account keeps.
// A chat is in exactly one place: a ready ring, the wake-up heap, or nowhere (nothing waits, or only a settle
// can tell). Every change of what a chat would send ends in #place(), which puts it there.

import { isRetry, type Queued } from '../domain/delivery.ts';
import type { AccountId } from '../domain/ids.ts';
import { PRIORITY_RANK } from '../domain/priority.ts';
import type { Ticket } from '../limits/limits.ts';
import { assert } from '../system/assert.ts';
import {
  Chat,
  chatOf,
  type Entry,
  type Flow,
  isInOneQueue,
  type Lane,
  laneOf,
  type Order,
  QUEUE,
  rankOf,
  type Weights,
} from './chat.ts';
import { type AccountLoad, leaveRing, RingMember, TimeHeap, type Waiter } from './collections.ts';
import { Hindrances } from './hindrances.ts';
import type { Pacing } from './pacing.ts';
import type { LineMember, PlatformLine } from './platform-line.ts';
import { Ready } from './ready.ts';
import { type WaitedTime, waitedFor } from './waited.ts';

// A chat with so many times the mean waiting counts as long; see FairRings.
const LONG_FACTOR = 2;

export interface AccountQueueOptions {
  readonly id: AccountId;
  readonly platform: string;
  readonly load: AccountLoad;
  readonly limits: Pacing;
  // Shared with the platform's other accounts of the order `platform`.
  readonly line: PlatformLine | null;
  readonly weights: Weights;
  readonly inFlightMax: number;
  readonly order: Order;
}

export interface Served {
  readonly entry: Entry;
  readonly ticket: Ticket;
  readonly waited: WaitedTime[] | null;
}

export class Account extends RingMember implements Waiter, LineMember {
  readonly id: AccountId;
  readonly platform: string;
  readonly load: AccountLoad;
  readonly limits: Pacing;
  readonly inFlightMax: number;
  readonly order: Order;
  readonly line: PlatformLine | null;
  readonly chats = new Map<string, Chat>();
  // Waiting, by class.
  readonly waiting: [number, number, number, number] = [0, 0, 0, 0];
  // Of those, to be tried again.
  retrying = 0;
  inFlight = 0;
  // Nothing of the account goes before this time: the breaker is open, or it is paused (Infinity).
  heldUntil = 0;
  heldWhy = '';
  // The same as a code.
  heldName = '';
  wakeAt = 0;
  heapIndex = -1;
  // Made when it is first held.
  hindrances: Hindrances | null = null;

  readonly #inFlightWhy: string;
  readonly #weights: Weights;
  readonly #ready: Ready;
  readonly #wakeups = new TimeHeap<Chat>();
  readonly #retries = new TimeHeap<Flow>();
  readonly #scheduled = new TimeHeap<Entry>();

  constructor(options: AccountQueueOptions) {
    super();
    this.id = options.id;
    this.platform = options.platform;
    this.load = options.load;
    this.limits = options.limits;
    this.inFlightMax = options.inFlightMax;
    this.#inFlightWhy = `calls of the account were in flight, the bound is ${options.inFlightMax}`;
    this.order = options.order;
    this.line = options.line;
    this.#weights = options.weights;
    this.#ready = new Ready(options.weights);
  }

  get #waitingInAll(): number {
    const { waiting } = this;
    return waiting[0] + waiting[1] + waiting[2] + waiting[3];
  }

  add(entry: Entry, now: number): void {
    const { queued } = entry;
    this.#count(queued, 1);
    if (queued.enterAt > now) this.#scheduled.set(entry, queued.enterAt);
    else this.#enter(entry, now);
  }

  // Takes a waiting entry out (cancelled, expired, replaced).
  remove(entry: Entry, now: number): void {
    this.#count(entry.queued, -1);
    this.#scheduled.remove(entry);
    const { flow } = entry;
    if (flow === null) return;
    const chat = this.#chatOf(entry.queued);
    chat.waiting -= 1;
    flow.remove(entry);
    this.#refresh(chat, flow, now);
    this.#place(chat, now);
  }

  get queue(): Lane | null {
    return this.chats.get(QUEUE)?.lanes.get('') ?? null;
  }

  // The next call that may go now, taken from the queue and from the limits; or when to ask again.
  next(now: number): Served | number {
    this.#wake(now);
    if (this.heldUntil > now) {
      this.noted().blocked('held', this.heldName, this.heldWhy, now);
      return this.heldUntil;
    }
    if (this.inFlight >= this.inFlightMax) {
      this.noted().blocked('in_flight', 'account', this.#inFlightWhy, now);
      return Number.POSITIVE_INFINITY;
    }
    this.hindrances?.unblocked(now);
    if (this.#waitingInAll === 0) return Number.POSITIVE_INFINITY;
    // Another account may be first by now, or no longer be.
    if (this.line !== null) this.reconsider(QUEUE, now);
    for (;;) {
      const found = this.#ready.choose(this, now);
      if (typeof found === 'number') return Math.min(found, this.#nextWake());
      const queued = found.offer!.head!.queued;
      if (this.limits.earliestChat(queued, now) <= now) return this.#serve(found, now);
      // Something was learned since it became ready, and it must wait.
      this.#place(found, now);
    }
  }

  // Where it is noted what holds it.
  noted(): Hindrances {
    this.hindrances ??= new Hindrances();
    return this.hindrances;
  }

  // Capacity for a call of a quiet chat while nothing waits: it is in flight without having queued. null: it must
  // queue.
  reserve(queued: Queued, now: number): Ticket | null {
    if (!this.hasRoomFor(queued, now)) return null;
    if (this.limits.earliestChat(queued, now) > now) return null;
    if (this.limits.earliestAccount(queued, now) > now) return null;
    const chat = this.#chatOf(queued);
    this.#laneOf(chat, queued).busy = true;
    chat.inFlight += 1;
    this.inFlight += 1;
    return this.limits.take(queued, now);
  }

  expect(call: Pick<Queued, 'chat' | 'family'>): Chat {
    const chat = this.#chatOf(call);
    chat.expected += 1;
    return chat;
  }

  arrived(chat: Chat): void {
    chat.expected -= 1;
    this.#forget(chat);
  }

  hasRoomFor(call: Pick<Queued, 'chat' | 'family'>, now: number): boolean {
    if (this.heldUntil > now || this.inFlight >= this.inFlightMax) return false;
    if (this.line !== null && isInOneQueue(call, this.order) && this.line.members.size > 0) {
      return false;
    }
    return this.#waitingInAll === 0 && !this.chats.has(chatOf(call, this.order));
  }

  // The call in flight came to rest (or never left); its lane is free again.
  finished(queued: Queued, now: number): void {
    this.inFlight -= 1;
    const chat = this.#chatOf(queued);
    chat.inFlight -= 1;
    const lane = this.#laneOf(chat, queued);
    assert(lane.busy, 'only a lane in flight finishes');
    lane.busy = false;
    this.#refreshLane(chat, lane, now);
    this.#place(chat, now);
  }

  get isIdle(): boolean {
    return this.inFlight === 0 && this.chats.size === 0 && this.#waitingInAll === 0;
  }

  allWaiting(): Queued[] {
    const entered = [...this.chats.values()].flatMap((chat) => chat.entries());
    return [...this.#scheduled.items(), ...entered].map(({ queued }) => queued);
  }

  // All that wait in a chat, those for a later time too.
  waitingIn(id: string): Entry[] {
    const places = [this.chats.get(id), this.chats.get(QUEUE)];
    const entered = places.flatMap((chat) => chat?.entries() ?? []);
    const found = [...this.#scheduled.items(), ...entered];
    return found.filter(({ queued }) => queued.chat === id);
  }

  reconsider(id: string, now: number): void {
    for (const chat of [this.chats.get(id), this.chats.get(QUEUE)]) {
      if (chat !== undefined) this.#place(chat, now);
    }
  }

  // Nothing that could change what the chat shows waits for its turn or is in flight.
  isQuiet(id: string): boolean {
    return !this.chats.has(id) && !this.chats.has(QUEUE);
  }

  #enter(entry: Entry, now: number): void {
    const chat = this.#chatOf(entry.queued);
    const flow = this.#laneOf(chat, entry.queued).flowOf(rankOf(entry.queued, this.order));
    const { head } = flow;
    chat.waiting += 1;
    // Those in flight go before it; a retry is still one of them.
    entry.servedBefore = chat.served - chat.inFlight + (isRetry(entry.queued) ? 1 : 0);
    flow.insert(entry);
    if (flow.head !== head || entry.queued.final) {
      this.#refresh(chat, flow, now);
      this.#place(chat, now);
    } else if (chat.offer !== null) {
      // Behind others and no more urgent than they are, it changes nothing but the chat's length.
      this.#ready.place(chat, this.#isLong(chat));
    }
  }

  #isLong(chat: Chat): boolean {
    return chat.waiting * this.chats.size > LONG_FACTOR * this.#waitingInAll;
  }

  #wake(now: number): void {
    for (let e = this.#scheduled.popDue(now); e !== null; e = this.#scheduled.popDue(now)) {
      this.#enter(e, now);
    }
    for (let flow = this.#retries.popDue(now); flow !== null; flow = this.#retries.popDue(now)) {
      const chat = this.#chatOf(flow.head!.queued);
      this.#refresh(chat, flow, now);
      this.#place(chat, now);
    }
    for (let chat = this.#wakeups.popDue(now); chat !== null; chat = this.#wakeups.popDue(now)) {
      this.#place(chat, now);
    }
  }

  #nextWake(): number {
    return Math.min(
      this.#wakeups.first?.wakeAt ?? Number.POSITIVE_INFINITY,
      this.#retries.first?.wakeAt ?? Number.POSITIVE_INFINITY,
      this.#scheduled.first?.wakeAt ?? Number.POSITIVE_INFINITY,
    );
  }

  #serve(chat: Chat, now: number): Served {
    const flow = chat.offer!;
    const entry = flow.head!;
    const { cost } = entry.queued;
    const where = { account: this.hindrances, chat, isStrict: chat.id === QUEUE };
    const waited = waitedFor(where, entry, now);
    this.#ready.served(chat, cost);
    const ticket = this.limits.take(entry.queued, now);
    chat.charge(flow, cost);
    chat.debt += cost - 1;
    chat.waiting -= 1;
    flow.remove(entry);
    flow.lane.busy = true;
    this.#refreshLane(chat, flow.lane, now);
    // It had its turn: whatever else it has ready goes behind the others.
    leaveRing(chat);
    chat.inFlight += 1;
    chat.served += 1;
    this.inFlight += 1;
    this.#count(entry.queued, -1);
    this.#place(chat, now);
    return { entry, ticket, waited };
  }

  #count(queued: Queued, by: 1 | -1): void {
    this.waiting[PRIORITY_RANK[queued.priority]]! += by;
    if (isRetry(queued)) this.retrying += by;
  }

  #refreshLane(chat: Chat, lane: Lane, now: number): void {
    for (const flow of lane.flows) if (flow !== undefined) this.#refresh(chat, flow, now);
    chat.forgetLane(lane);
  }

  // Puts a flow where it belongs: in its class's ring, waiting for its head's retry, or nowhere.
  #refresh(chat: Chat, flow: Flow, now: number): void {
    const head = flow.head;
    if (head === null || flow.lane.busy) {
      leaveRing(flow);
      this.#retries.remove(flow);
      chat.forgetLane(flow.lane);
    } else if (head.queued.dueAt > now) {
      leaveRing(flow);
      this.#retries.set(flow, head.queued.dueAt);
      chat.hindrances ??= new Hindrances();
      chat.hindrances.retrying(this.limits, head.queued, flow.lane.key, now);
    } else {
      this.#retries.remove(flow);
      chat.hindrances?.retried(head.queued, flow.lane.key, now);
      chat.join(flow);
    }
  }

  #place(chat: Chat, now: number): void {
    const isItsTurn = chat.id !== QUEUE || this.line === null || this.line.first === this;
    const at = isItsTurn ? chat.consider(this.limits, now) : chat.pass();
    if (chat.offer !== null) {
      this.#wakeups.remove(chat);
      this.#ready.place(chat, this.#isLong(chat));
      return;
    }
    leaveRing(chat);
    if (at === Number.POSITIVE_INFINITY) this.#wakeups.remove(chat);
    else this.#wakeups.set(chat, at);
    this.#forget(chat);
  }

  #forget(chat: Chat): void {
    if (chat.lanes.size > 0 || chat.expected > 0) return;
    this.chats.delete(chat.id);
    if (chat.id === QUEUE) this.line?.members.delete(this);
  }

  #chatOf(call: Pick<Queued, 'chat' | 'family'>): Chat {
    const id = chatOf(call, this.order);
    let chat = this.chats.get(id);
    if (chat === undefined) {
      chat = new Chat(id, this.#weights);
      this.chats.set(id, chat);
      if (id === QUEUE) this.line?.members.add(this);
    }
    return chat;
  }

  #laneOf(chat: Chat, queued: Queued): Lane {
    return chat.laneOf(laneOf(queued, this.order));
  }
}
