// A store that goes on accepting while the one behind it is away: into a spill on the node's own disk, which is handed
// over in order when that one is back. Only accepting goes on: nothing is begun, settled or moved, so nothing is sent.
//
//   direct ──(a batch was not taken)──► away ──(it can be reached)──► draining ──(nothing left)──► direct
//                                         ▲                              │
//                                         └───────(away again)───────────┘
//
// Order within an account: what comes while some of it is in the spill goes behind it into the spill, or waits for the
// last part of it to be handed over; only then it goes the direct way. Exactly once: each spill has an id, each record
// a number in it, and the store keeps how far it has taken them in the transaction that takes them.

import type { NewDelivery, Queued } from '../../domain/delivery.ts';
import type { AccountId } from '../../domain/ids.ts';
import { type Clock, sleep } from '../../system/clock.ts';
import type { AppendBounds, Appended, MoveCommand, Moved } from '../ports/delivery.ts';
import type { HandedOver, HandOverStore, SpilledRecord } from '../ports/hand-over.ts';
import type { Owner } from '../ports/ownership.ts';
import { CommandRefused, type Doubt, JournalUnavailable } from '../ports/unavailable.ts';
import type { StoreNote } from '../store-note.ts';
import { SpillNumbers } from './numbers.ts';
import { type PassOn, SpillPassing } from './passing.ts';
import { countsOf, filesOf, PendingSpill, placed } from './pending.ts';
import { readSpill, SpillLog } from './spill-log.ts';

// Between two tries to reach a store that is away.
const REACH_EVERY_MS = 250;
// Until the next part of it is looked for.
const CHUNK_PAUSE_MS = 5;
// Of one transaction.
const CHUNK_RECORDS_MAX = 500;
const CHUNK_BYTES_MAX = 4 * 1024 * 1024;

export interface SpillBounds {
  readonly deliveriesMax: number;
  readonly bytesMax: number;
}

export interface SpillOptions extends SpillBounds {
  // Made already.
  readonly dir: string;
  readonly store: HandOverStore;
  readonly clock: Clock;
  readonly onNote: (note: StoreNote) => void;
}

// What the store made of deliveries otherwise than their callers were answered.
export interface SpillListener {
  // Another one took the place of `seq`, or was there before it.
  superseded(seq: number, by: number): void;
  dead(seq: number, reason: string): void;
  // It waits in the store, and this node owns its account, and does not know of it yet.
  arrived(queued: Queued): void;
  // Whether all that waits in the account has been read; left out: always.
  isOpen?(account: AccountId): boolean;
  // Whether it waits or is in flight here; left out: always.
  isOnRoad?(seq: number): boolean;
  // Some that were handed over are left for the owners of their accounts, which may be this node.
  left?(): void;
}

export interface SpillStanding {
  readonly mode: 'direct' | 'away' | 'draining';
  // When the store was last left, or null: it is there and has everything.
  readonly since: number | null;
  readonly deliveries: number;
  readonly bytes: number;
  readonly oldestAt: number | null;
  // Since the start of the process.
  readonly spilledTotal: number;
  readonly handedOverTotal: number;
  readonly refusedTotal: number;
  readonly deliveriesMax: number;
  readonly bytesMax: number;
}

export class Spill {
  readonly #o: SpillOptions;
  readonly #pending = new PendingSpill();
  readonly #log: SpillLog;
  readonly #numbers = new SpillNumbers();
  readonly #totals = { spilled: 0, handedOver: 0, refused: 0 };
  #mode: SpillStanding['mode'] = 'direct';
  #since: number | null = null;
  // The part that is being handed over.
  #chunk: Promise<void> = Promise.resolve();
  #chunkOf = new Map<string, number>();
  #returning: Promise<void> = Promise.resolve();
  // One part of it at a time is handed over, by whichever way.
  #turn: Promise<unknown> = Promise.resolve();
  readonly #passing: SpillPassing;
  #isClosed = false;
  #ensureFiles: (files: readonly string[]) => Promise<void> = async () => {};
  #passOn: PassOn | null = null;
  #listener: SpillListener = { superseded() {}, dead() {}, arrived() {} };

  private constructor(options: SpillOptions) {
    this.#o = options;
    const left = readSpill(options.dir);
    this.#log = new SpillLog(options.dir, left);
    this.#pending.restore(left?.records ?? []);
    this.#passing = new SpillPassing(options.clock, {
      mode: () => (this.#isClosed ? 'closed' : this.#mode),
      has: (seq) => this.#pending.has(seq),
      id: () => this.#log.id,
      first: () => this.#first(),
      handedOver: (some, answers) => this.#handedOver(some, answers),
      inTurn: (work) => this.#inTurn(work),
      passOn: () => this.#passOn,
    });
  }

  // What a process before this one left is handed over first. Rejects with JournalUnavailable.
  static async open(options: SpillOptions): Promise<Spill> {
    const spill = new Spill(options);
    const { size } = spill.#pending;
    if (size > 0) {
      spill.#note('warn', `${size} records of an earlier spill are handed over to the database`);
      spill.#mode = 'draining';
      while (spill.#pending.size > 0) await spill.#inTurn(() => spill.#handOverSome());
      await spill.#finish();
    }
    await spill.#drawNumbers();
    return spill;
  }

  listen(listener: SpillListener): void {
    this.#listener = listener;
  }

  bringFilesBy(ensure: (files: readonly string[]) => Promise<void>): void {
    this.#ensureFiles = ensure;
  }

  passBy(passOn: PassOn): void {
    this.#passOn = passOn;
  }

  standing(): SpillStanding {
    const [oldest] = this.#pending.first(Number.MAX_SAFE_INTEGER, 1, 0);
    const { spilled, handedOver, refused } = this.#totals;
    const { deliveriesMax, bytesMax } = this.#o;
    return {
      ...{ mode: this.#mode, since: this.#since, deliveriesMax, bytesMax },
      deliveries: this.#pending.size,
      bytes: this.#pending.bytes,
      oldestAt: oldest?.kind === 'append' ? oldest.delivery.acceptedAt : null,
      ...{ spilledTotal: spilled, handedOverTotal: handedOver, refusedTotal: refused },
    };
  }

  // Those that what is in here needs.
  files(): readonly string[] {
    return this.#pending.files();
  }

  get isAway(): boolean {
    return this.#mode === 'away';
  }

  // Whether what comes for the account goes into the spill. That may depend on what becomes of the last part of it.
  async takes(account: AccountId): Promise<boolean> {
    for (;;) {
      if (this.#mode === 'away') return true;
      const waiting = this.#pending.countOf(account);
      if (waiting === 0) return false;
      if (waiting > (this.#chunkOf.get(account) ?? 0)) return true;
      await this.#chunk;
    }
  }

  isTaken(account: AccountId): boolean {
    return this.#mode === 'away' || this.#pending.countOf(account) > 0;
  }

  // Resolves when the delivery is not in the spill; rejects while the store is away.
  async left(seq: number): Promise<void> {
    for (;;) {
      if (this.#mode === 'away') throw away();
      if (!this.#pending.has(seq)) return;
      if (this.#isClosed) throw away();
      const chunk = this.#chunk;
      await chunk;
      // Nothing is under way: whoever waits must not keep it from beginning.
      if (chunk === this.#chunk) await sleep(this.#o.clock, CHUNK_PAUSE_MS);
    }
  }

  // The store did not take a command.
  leave(error: JournalUnavailable): void {
    if (this.#mode === 'away' || this.#isClosed) return;
    const wasDirect = this.#mode === 'direct';
    this.#mode = 'away';
    if (!wasDirect) return;
    this.#since = this.#o.clock.now();
    this.#note('warn', `the database is away, accepting into the spill: ${error.message}`);
    // The way back waits for nobody else: the store may go away again before the last part was passed on.
    this.#returning = this.#returning.then(() => this.#return());
    this.#passing.run();
  }

  // `doubt`: the store may have taken it.
  async accept(
    delivery: NewDelivery,
    bounds: AppendBounds,
    rank: number,
    doubt?: Doubt,
  ): Promise<Appended> {
    const repeat = this.#pending.repeatOf(delivery);
    if (repeat !== null) return repeat;
    const { deliveriesMax, bytesMax } = this.#o;
    const waiting = this.#pending.countOf(delivery.account);
    if (waiting >= bounds.queueMax) return { kind: 'full', waiting, queueMax: bounds.queueMax };
    const isFull = this.#pending.size >= deliveriesMax || this.#pending.bytes >= bytesMax;
    const seq = isFull || this.#isClosed ? null : this.#numbers.take();
    if (seq === null) throw full();
    const [record, appended] = this.#pending.accept(
      { seq, delivery, ...(doubt === undefined ? null : { doubt }) },
      rank,
    );
    await this.#write(record);
    this.#totals.spilled += 1;
    await this.#passing.passed(seq);
    return appended;
  }

  // Of a delivery that is in the spill; null: it is not.
  async withdraw({ account }: Owner, command: MoveCommand): Promise<Moved | null> {
    if (!this.#pending.has(command.seq)) return null;
    if (this.#pending.isWithdrawn(command.seq)) return { kind: 'illegal', state: 'cancelled' };
    if (command.to === 'queued') return { kind: 'illegal', state: 'queued' };
    await this.#write(this.#pending.withdraw(account, command));
    return { kind: 'moved', from: 'queued', queued: null };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#returning;
    await this.#passing.ended();
    await this.#log.close();
  }

  async #write(record: SpilledRecord): Promise<void> {
    try {
      await this.#log.append(record);
    } catch (error) {
      this.#pending.drop(record);
      throw error;
    }
  }

  async #return(): Promise<void> {
    while (this.#mode !== 'direct' && !this.#isClosed) {
      await sleep(this.#o.clock, REACH_EVERY_MS);
      try {
        await this.#o.store.reach();
        this.#mode = 'draining';
        await this.#drain();
      } catch (error) {
        if (!(error instanceof JournalUnavailable)) throw error;
        this.#mode = 'away';
      }
    }
  }

  async #drain(): Promise<void> {
    while (this.#pending.size > 0 && !this.#isClosed) {
      await this.#inTurn(() => this.#handOverSome());
      // Somebody else found it away again.
      if (this.isAway) return;
    }
    if (!this.#isClosed) await this.#finish();
  }

  #first(): readonly SpilledRecord[] {
    return this.#pending.first(this.#log.durableTo, CHUNK_RECORDS_MAX, CHUNK_BYTES_MAX);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }

  async #handOverSome(): Promise<void> {
    const some = this.#first();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#chunk = promise;
    this.#chunkOf = countsOf(some);
    try {
      // What there is is on its way to the disk. Whoever waits for it waits for this, and not in circles.
      if (some.length === 0) await this.#log.settled();
      else await this.#handOver(some);
    } finally {
      this.#chunkOf = new Map();
      resolve();
    }
  }

  async #handOver(some: readonly SpilledRecord[]): Promise<void> {
    await this.#bringFiles(some);
    this.#handedOver(some, await this.#askStore(some));
  }

  #handedOver(some: readonly SpilledRecord[], answers: readonly HandedOver[]): void {
    this.#pending.removeFirst(some.length);
    this.#totals.handedOver += some.length;
    if (answers.some((one) => one.kind === 'accepted' && one.isStray)) this.#listener.left?.();
    for (const [i, record] of some.entries()) {
      if (record.kind === 'append') this.#follow(record.seq, answers[i]!);
    }
  }

  async #bringFiles(some: readonly SpilledRecord[]): Promise<void> {
    const files = filesOf(some);
    try {
      if (files.length > 0) await this.#ensureFiles(files);
    } catch (error) {
      const { message } = error as Error;
      throw new JournalUnavailable('journal_failed', `a file could not be handed over: ${message}`);
    }
  }

  // One that the store never takes is kept aside, so that it does not hold up the others.
  async #askStore(some: readonly SpilledRecord[]): Promise<HandedOver[]> {
    const { store } = this.#o;
    try {
      return await store.handOver(this.#log.id, placed(some, this.#listener));
    } catch (error) {
      if (!(error instanceof CommandRefused)) throw error;
      if (some.length === 1) return [this.#refused(some[0]!, error)];
      const answers: HandedOver[] = [];
      for (const each of some) answers.push(...(await this.#askStore([each])));
      return answers;
    }
  }

  #refused(record: SpilledRecord, error: CommandRefused): HandedOver {
    this.#totals.refused += 1;
    this.#log.setAside(record);
    const what = record.kind === 'append' ? `delivery number ${record.seq}` : 'a withdrawal';
    this.#note(
      'error',
      `the database refuses ${what} of the spill, which is kept aside: ${error.message}`,
    );
    return { kind: 'dead', reason: 'refused_by_store' };
  }

  #follow(seq: number, answer: HandedOver): void {
    switch (answer.kind) {
      case 'accepted':
        if (answer.replaced !== null) this.#listener.superseded(answer.replaced, seq);
        return;
      case 'superseded':
        if (answer.found !== null) this.#listener.arrived(answer.found);
        this.#listener.superseded(seq, answer.by);
        return;
      case 'dead':
        this.#listener.dead(seq, answer.reason);
        return;
      case 'known':
      case 'moved':
    }
  }

  async #finish(): Promise<void> {
    const { clock, store } = this.#o;
    const { id } = this.#log;
    const cleared = this.#log.clear();
    this.#pending.numberAnew();
    this.#mode = 'direct';
    const tookS = this.#since === null ? null : Math.round((clock.now() - this.#since) / 1000);
    this.#since = null;
    const after = tookS === null ? '' : ` after ${tookS} s`;
    this.#note('info', `the database is back${after}, and the spill is handed over`);
    await cleared;
    // Both are for next time, and can wait.
    await store.forgetSpill(id).catch(() => {});
    await this.#drawNumbers().catch(() => {});
  }

  async #drawNumbers(): Promise<void> {
    const missing = this.#o.deliveriesMax - this.#numbers.left;
    if (missing <= 0) return;
    this.#numbers.add(await this.#o.store.drawNumbers(missing));
  }

  #note(level: StoreNote['level'], text: string): void {
    this.#o.onNote({ level, text });
  }
}

export function away(): JournalUnavailable {
  return new JournalUnavailable('journal_failed', 'the database is away');
}

function full(): JournalUnavailable {
  return new JournalUnavailable('journal_failed', 'the database is away, and the spill is full');
}
