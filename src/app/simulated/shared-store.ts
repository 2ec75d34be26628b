// The store that the nodes of a simulated fleet share, as one of them reaches it: every answer comes when its process
// runs, and a node that is cut off is told that the store is away. What is written without an owner is left here for
// it, as the real store keeps it (store/postgres/hand-over.ts).

import { queuedOf } from '../../domain/delivery.ts';
import type { AccountId } from '../../domain/ids.ts';
import type { MemoryDisk, MemoryJournal } from '../../store/memory/memory.ts';
import type { Appended, Moved } from '../../store/ports/delivery.ts';
import type { Stray } from '../../store/ports/hand-over.ts';
import { NO_EPOCH, type Owner } from '../../store/ports/ownership.ts';
import type { Recovered } from '../../store/ports/recovery.ts';
import { JournalUnavailable } from '../../store/ports/unavailable.ts';
import { type Clock, sleep } from '../../system/clock.ts';
import type { Random } from '../../system/random.ts';
import type { SimulatedProcess } from '../../system/simulated-process.ts';
import type { Engine } from '../delivery.ts';

// What a fleet may do wrong, to see that a world finds it.
export type FleetMistake =
  // The store lets anyone begin.
  | 'begin_without_epoch'
  // A take-over starts with fresh budgets.
  | 'take_over_forgets_limits'
  // What is written without the owner is not told to it.
  | 'stray_untold';

export interface SharedContent {
  readonly disk: MemoryDisk;
  // By seq.
  readonly strays: Map<number, LeftStray>;
  strayLast: number;
  // When a node was last seen to begin something for an account that was its own, by both.
  readonly begun: Map<string, number>;
  // What was begun or sent for an account by a node that did not own it, in words.
  readonly strangers: string[];
}

interface LeftStray {
  readonly no: number;
  readonly account: AccountId;
}

type Journal = Engine['dispatch']['journal'];

const TIME_OUT_MS = 1_000;
const WAY_MS_MAX = 20;
const ignore = () => {};

export class SharedStore {
  // Whether this node is cut from it.
  isCut = false;
  // Whether it found the store away when it last asked.
  isAway = false;
  readonly #process: SimulatedProcess;
  readonly #clock: Clock;
  readonly #content: SharedContent;
  readonly #journal: MemoryJournal;
  readonly #node: string;
  readonly #mistake: FleetMistake | null;
  readonly #way: () => number;

  constructor(parts: {
    readonly process: SimulatedProcess;
    // Of the world.
    readonly clock: Clock;
    readonly content: SharedContent;
    readonly journal: MemoryJournal;
    readonly node: string;
    readonly mistake: FleetMistake | null;
    readonly random: Random;
  }) {
    this.#process = parts.process;
    this.#clock = parts.clock;
    this.#content = parts.content;
    this.#journal = parts.journal;
    this.#node = parts.node;
    this.#mistake = parts.mistake;
    this.#way = () => 1 + WAY_MS_MAX * parts.random.next();
  }

  call<T>(work: () => Promise<T>): Promise<T> {
    return this.#process.via(this.#called(work));
  }

  // As the road of this node sees it.
  journal(): Journal & Pick<MemoryJournal, 'ownersBut' | 'ownerOf' | 'accounts' | 'saveAccount'> {
    const journal = this.#journal;
    const call = <T>(work: () => Promise<T>) => this.call(work);
    const forgets = this.#mistake === 'take_over_forgets_limits';
    return {
      tag: journal.tag,
      append: (owner, delivery, bounds) => {
        const durable = call(async () => {
          const appended = await journal.append(owner, delivery, bounds).durable;
          if (bounds.isStray) this.#leaveStray(appended);
          return appended;
        });
        if (bounds.beginAt !== undefined) void durable.then(() => this.#noteBegun(owner), ignore);
        return { written: durable, durable };
      },
      begin: (owner, seq, at, waitedFor) =>
        call(async () => {
          // Epochs only grow: what is another's by now must be refused.
          const isTaken = (this.#content.disk.owners.get(owner.account)?.epoch ?? 0) > owner.epoch;
          const begun = await journal.begin(this.#beginner(owner), seq, at, waitedFor);
          if (isTaken && begun.kind === 'begun') this.#noteStranger(owner);
          this.#noteBegun(owner);
          return begun;
        }),
      settle: (owner, settlement) => call(() => journal.settle(owner, settlement)),
      move: (owner, command) =>
        call(async () => {
          const moved = await journal.move(owner, command);
          if (command.isStray) this.#leaveStray(moved);
          return moved;
        }),
      receipt: (owner, command) => call(() => journal.receipt(owner, command)),
      recover: (owners) => this.#recover(owners),
      callsSince: (accounts, since) =>
        call(() => (forgets ? Promise.resolve([]) : journal.callsSince(accounts, since))),
      limits: (accounts) => call(() => (forgets ? Promise.resolve([]) : journal.limits(accounts))),
      saveLimits: (owner, records) => call(() => journal.saveLimits(owner, records)),
      openAccount: (account) => call(() => journal.openAccount(account)),
      closeAccount: (owner) => call(() => journal.closeAccount(owner)),
      knownAccounts: () => call(() => journal.knownAccounts()),
      lastCallAt: () => call(() => journal.lastCallAt()),
      shiftTimes: (shift) => call(() => journal.shiftTimes(shift)),
      callers: {
        caller: (owner, seq, isThere) => call(() => journal.callers.caller(owner, seq, isThere)),
        unanswered: (bounds) => call(() => journal.callers.unanswered(bounds)),
      },
      ownersBut: (nodes) => call(() => journal.ownersBut(nodes)),
      ownerOf: (account) => call(() => journal.ownerOf(account)),
      accounts: () => call(() => journal.accounts()),
      saveAccount: (account) => call(() => journal.saveAccount(account)),
    };
  }

  // The time by its own clock; there and back takes as long as it takes.
  async time(): Promise<number> {
    await sleep(this.#clock, this.#way());
    const now = await this.call(async () => this.#clock.now());
    await this.#process.via(sleep(this.#clock, this.#way()));
    return now;
  }

  isStray(seq: number): Promise<boolean> {
    return this.call(async () => this.#content.strays.has(seq));
  }

  // Of the accounts that this node owns.
  strays(): Promise<Stray[]> {
    return this.call(async () => {
      const { strays, disk } = this.#content;
      const own = [...strays].filter(
        ([, { account }]) => disk.owners.get(account)?.node === this.#node,
      );
      const found = own.map(([seq, { no }]) => {
        const row = disk.deliveries.get(seq)!;
        return { no, queued: row.state === 'queued' ? queuedOf(row) : null };
      });
      return found.sort((one, other) => (one.queued?.rank ?? 0) - (other.queued?.rank ?? 0));
    });
  }

  forgetStrays(taken: readonly Stray[]): Promise<void> {
    return this.call(async () => {
      const numbers = new Set(taken.map(({ no }) => no));
      for (const [seq, { no }] of this.#content.strays) {
        if (numbers.has(no)) this.#content.strays.delete(seq);
      }
    });
  }

  #leaveStray(done: Appended | Moved): void {
    if (this.#mistake === 'stray_untold' || !('queued' in done) || done.queued === null) return;
    const { seq, account } = done.queued;
    this.#content.strayLast += 1;
    this.#content.strays.set(seq, { no: this.#content.strayLast, account });
  }

  async *#recover(owners: readonly Owner[]): AsyncIterable<readonly Recovered[]> {
    yield await this.call(async () => {
      const pages: Recovered[] = [];
      for await (const page of this.#journal.recover(owners)) pages.push(...page);
      return pages;
    });
  }

  #noteStranger({ account, epoch }: Owner): void {
    const { disk, strangers } = this.#content;
    const { node, epoch: now } = disk.owners.get(account)!;
    const what = `${this.#node} began for ${account} under epoch ${epoch}`;
    strangers.push(`${what}, which was ${node}'s under ${now}`);
  }

  #noteBegun({ account }: Owner): void {
    const { disk, begun } = this.#content;
    if (disk.owners.get(account)?.node !== this.#node) return;
    begun.set(`${this.#node} ${account}`, this.#clock.now());
  }

  #beginner(owner: Owner): Owner {
    const isWrong = this.#mistake === 'begin_without_epoch' && owner.epoch !== NO_EPOCH;
    return isWrong ? { ...owner, epoch: Number.MAX_SAFE_INTEGER } : owner;
  }

  async #called<T>(work: () => Promise<T>): Promise<T> {
    if (this.isCut) {
      await sleep(this.#clock, TIME_OUT_MS);
      this.isAway = true;
      throw new JournalUnavailable('journal_failed', 'the store is away');
    }
    const answer = await work();
    this.isAway = false;
    return answer;
  }
}
