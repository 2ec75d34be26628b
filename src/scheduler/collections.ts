// A binary heap of things that wait for a time. Intrusive: each waiter knows its place, so moving or removing
// one costs a walk up or down the heap and leaves no stale entries behind.

import type { Queued } from '../domain/delivery.ts';
import { assert } from '../system/assert.ts';

export interface Waiter {
  wakeAt: number;
  // -1: not in a heap.
  heapIndex: number;
}

export class TimeHeap<T extends Waiter> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  items(): readonly T[] {
    return this.#items;
  }

  get first(): T | null {
    return this.#items[0] ?? null;
  }

  // Adds it, or moves it if it already waits here.
  set(item: T, at: number): void {
    const before = item.wakeAt;
    item.wakeAt = at;
    if (item.heapIndex === -1) {
      item.heapIndex = this.#items.length;
      this.#items.push(item);
      this.#up(item);
    } else if (at < before) {
      this.#up(item);
    } else {
      this.#down(item);
    }
  }

  remove(item: T): void {
    const index = item.heapIndex;
    if (index === -1) return;
    item.heapIndex = -1;
    const last = this.#items.pop()!;
    if (last === item) return;
    last.heapIndex = index;
    this.#items[index] = last;
    this.#up(last);
    this.#down(last);
  }

  // Takes out the first one if its time has come.
  popDue(now: number): T | null {
    const first = this.#items[0];
    if (first === undefined || first.wakeAt > now) return null;
    this.remove(first);
    return first;
  }

  #up(item: T): void {
    let index = item.heapIndex;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = this.#items[parentIndex]!;
      if (parent.wakeAt <= item.wakeAt) break;
      this.#items[index] = parent;
      parent.heapIndex = index;
      index = parentIndex;
    }
    this.#items[index] = item;
    item.heapIndex = index;
  }

  #down(item: T): void {
    let index = item.heapIndex;
    for (;;) {
      let childIndex = 2 * index + 1;
      if (childIndex >= this.#items.length) break;
      const right = this.#items[childIndex + 1];
      if (right !== undefined && right.wakeAt < this.#items[childIndex]!.wakeAt) childIndex += 1;
      const child = this.#items[childIndex]!;
      if (child.wakeAt >= item.wakeAt) break;
      this.#items[index] = child;
      child.heapIndex = index;
      index = childIndex;
    }
    this.#items[index] = item;
    item.heapIndex = index;
  }
}

interface Expiry extends Waiter {
  readonly seq: number;
}

// Waiting deliveries with a time to live, the soonest first.
export class Expiries {
  readonly #heap = new TimeHeap<Expiry>();
  readonly #bySeq = new Map<number, Expiry>();

  get nextAt(): number {
    return this.#heap.first?.wakeAt ?? Number.POSITIVE_INFINITY;
  }

  watch({ seq, expiresAt }: Queued): void {
    if (expiresAt === 0) return;
    const expiry: Expiry = { seq, wakeAt: 0, heapIndex: -1 };
    this.#bySeq.set(seq, expiry);
    this.#heap.set(expiry, expiresAt);
  }

  unwatch(seq: number): void {
    const expiry = this.#bySeq.get(seq);
    if (expiry === undefined) return;
    this.#bySeq.delete(seq);
    this.#heap.remove(expiry);
  }

  // The next whose time is over; null: none.
  pop(now: number): number | null {
    return this.#heap.popDue(now)?.seq ?? null;
  }
}

// Round robin: a queue whose members know their neighbours, so that leaving from the middle is free.
// A member is in at most one ring of its kind at a time.

export abstract class RingMember {
  ring: Ring<RingMember> | null = null;
  ringNext: RingMember | null = null;
  ringPrev: RingMember | null = null;
  // What it was served beyond its turn (an album of ten is ten turns); paid off turn by turn.
  debt = 0;
}

export class Ring<T extends RingMember> {
  #head: T | null = null;
  #tail: T | null = null;
  size = 0;

  get head(): T | null {
    return this.#head;
  }

  push(member: T): void {
    assert(member.ring === null, 'a member joins one ring at a time');
    member.ring = this as unknown as Ring<RingMember>;
    member.ringPrev = this.#tail;
    member.ringNext = null;
    if (this.#tail === null) this.#head = member;
    else this.#tail.ringNext = member;
    this.#tail = member;
    this.size += 1;
  }

  remove(member: T): void {
    assert(member.ring === (this as unknown), 'a member leaves the ring it is in');
    const { ringPrev, ringNext } = member;
    if (ringPrev === null) this.#head = ringNext as T | null;
    else ringPrev.ringNext = ringNext;
    if (ringNext === null) this.#tail = ringPrev as T | null;
    else ringNext.ringPrev = ringPrev;
    member.ring = null;
    member.ringNext = null;
    member.ringPrev = null;
    this.size -= 1;
  }

  // The next member whose turn it is. Members in debt pay one turn and go to the end.
  turn(): T | null {
    let member = this.#head;
    while (member !== null && member.debt > 0 && this.size > 1) {
      member.debt -= 1;
      this.remove(member);
      this.push(member);
      member = this.#head;
    }
    return member;
  }
}

export function leaveRing(member: RingMember): void {
  member.ring?.remove(member);
}

// Deliveries by their numbers. A number is drawn soon after the one before it, so neighbours share a page: finding the
// newest ones touches memory that is warm, where one large Map touches cold memory for each, and grows by leaps.

const PAGE_SEQS = 16;

class Page<T> {
  count = 0;
  readonly items: (T | undefined)[] = Array<T | undefined>(PAGE_SEQS).fill(undefined);
}

export class BySeq<T extends object> {
  readonly #pages = new Map<number, Page<T>>();
  // The page that was asked for last.
  #no = 0;
  #page: Page<T> | undefined = undefined;

  get(seq: number): T | undefined {
    const no = Math.floor(seq / PAGE_SEQS);
    return this.#pageOf(no)?.items[seq - no * PAGE_SEQS];
  }

  has(seq: number): boolean {
    return this.get(seq) !== undefined;
  }

  set(seq: number, item: T): void {
    const no = Math.floor(seq / PAGE_SEQS);
    let page = this.#pageOf(no);
    if (page === undefined) {
      page = new Page<T>();
      this.#page = page;
      this.#pages.set(no, page);
    }
    const at = seq - no * PAGE_SEQS;
    if (page.items[at] === undefined) page.count += 1;
    page.items[at] = item;
  }

  delete(seq: number): void {
    const no = Math.floor(seq / PAGE_SEQS);
    const page = this.#pageOf(no);
    const at = seq - no * PAGE_SEQS;
    if (page?.items[at] === undefined) return;
    page.items[at] = undefined;
    page.count -= 1;
    if (page.count > 0) return;
    this.#pages.delete(no);
    this.#page = undefined;
  }

  #pageOf(no: number): Page<T> | undefined {
    if (no === this.#no && this.#page !== undefined) return this.#page;
    this.#no = no;
    this.#page = this.#pages.get(no);
    return this.#page;
  }
}

// How much of the bounded queue is taken: what waits, is in flight or is being written down. Counted for each account,
// for all accounts of a platform and for all there are; of the last two also what accounts that nobody has configured
// hold, because those may have only a part of it.

export interface Load {
  deliveries: number;
  // Of their payloads, as they are on disk.
  bytes: number;
}

export interface SharedLoad extends Load {
  readonly strangers: Load;
}

export class AccountLoad implements Load {
  readonly platform: SharedLoad;
  readonly all: SharedLoad;
  readonly isStranger: boolean;
  deliveries = 0;
  bytes = 0;

  constructor(platform: SharedLoad, all: SharedLoad, isStranger: boolean) {
    this.platform = platform;
    this.all = all;
    this.isStranger = isStranger;
  }

  enter(bytes: number): void {
    this.#add(1, bytes);
  }

  leave(bytes: number): void {
    this.#add(-1, -bytes);
  }

  #add(deliveries: number, bytes: number): void {
    add(this, deliveries, bytes);
    add(this.platform, deliveries, bytes);
    add(this.all, deliveries, bytes);
    if (!this.isStranger) return;
    add(this.platform.strangers, deliveries, bytes);
    add(this.all.strangers, deliveries, bytes);
  }
}

export function noLoad(): SharedLoad {
  return { deliveries: 0, bytes: 0, strangers: { deliveries: 0, bytes: 0 } };
}

function add(load: Load, deliveries: number, bytes: number): void {
  load.deliveries += deliveries;
  load.bytes += bytes;
}
