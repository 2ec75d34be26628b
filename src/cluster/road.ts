// The road of a fleet, as everything in this process sees it: what is of this node's accounts goes over its own road,
// what is another's is handed to its owner. Nobody who owns it can be reached: it is written down under the epoch of
// the owner that was, which the store takes only while nobody has taken the account over since, and the next owner
// finds it. Requests of callers are forwarded before they come here (http/fleet); this is for what is submitted
// besides: observers of a message, posts that go on to chats, the library.

import type { NewDelivery } from '../domain/delivery.ts';
import { FLEET_PATHS } from '../domain/fleet.ts';
import type { AccountId } from '../domain/ids.ts';
import type { AskedRoad, Ended, MoveOrder } from '../road/road.ts';
import type { Appended, DeliveryStore, Moved } from '../store/ports/delivery.ts';
import type { FleetStore } from '../store/ports/fleet.ts';
import { FIRST_EPOCH, NO_EPOCH, NOT_OWNER, type Owner } from '../store/ports/ownership.ts';
import { JournalUnavailable, OwnerSilent } from '../store/ports/unavailable.ts';
import { type Clock, sleep } from '../system/clock.ts';
import type { FleetAccounts, Where } from './accounts.ts';
import type { FleetPeers } from './peers.ts';
import { type FleetViews, sumOfCounts, sumOfDepths, withOwners } from './views.ts';

export interface FleetRoadParts {
  readonly clock: Clock;
  readonly local: AskedRoad;
  readonly journal: Pick<DeliveryStore, 'append' | 'move'> & FleetStore;
  readonly ledger: { get(seq: number): Promise<EndedRecord | null> };
  readonly accounts: FleetAccounts;
  readonly peers: Pick<FleetPeers, 'ask'>;
  // Waits or is in flight in this process.
  readonly isOnRoad: (seq: number) => boolean;
  readonly queueMaxOf: (account: AccountId) => number;
  readonly views: FleetViews;
  // Notifies all nodes that this was written without its owner; true: the owner has taken it up. Callers are answered
  // only then, so that what they send next comes behind it whichever node they ask.
  readonly takenUp?: (seq: number) => Promise<boolean>;
}

// Moves of one account that were asked for together, answered in their order.
export type MovedTogether =
  | { readonly kind: 'together'; readonly moved: readonly Moved[] }
  | typeof NOT_OWNER;

// Its place in line is by the clock of who takes it up, at that moment: it comes behind what the owner has accepted
// while the owner was looked for, although the clocks of two nodes are never quite the same.
export function acceptedHere(delivery: NewDelivery, clock: Pick<Clock, 'now'>): NewDelivery {
  return { ...delivery, acceptedAt: clock.now() };
}

export function togetherOf(moved: readonly Moved[]): MovedTogether {
  const isAnyDone = moved.some(({ kind }) => kind !== 'not_owner');
  return isAnyDone ? { kind: 'together', moved } : NOT_OWNER;
}

interface EndedRecord {
  readonly state: string;
  readonly supersededBy: number | null;
}

// Something to be done by whoever has the account.
export interface OwnerCommand<T> {
  readonly here: () => Promise<T | typeof NOT_OWNER>;
  readonly path: string;
  readonly question: object;
  readonly isRepeatable: boolean;
  // Nobody has it, as far as is known.
  readonly without: (owner: Owner) => Promise<T | typeof NOT_OWNER>;
}

// How often an owner is looked for before it is written down without one, and how long after each time; and how often
// that is done in all, where somebody takes the account over just then.
const TRIES_MAX = 10;
const ROUNDS_MAX = 3;
const TRY_AGAIN_MS = 50;
// A node that cannot be reached, so often in a row, is not waited for.
const UNSENT_MAX = 3;
// How often the ledger is asked for the end of what another node sends.
const LOOK_MS = 250;
// Between two tries to notify an owner of what was written without it.
const NOTIFY_AGAIN_MS = 1_000;

export class FleetRoad {
  readonly road: AskedRoad;
  readonly #parts: FleetRoadParts;
  // Accounts that something was written for without their owner.
  readonly #unnotified = new Set<AccountId>();
  #left = new AbortController();
  #isNotifying = false;
  #isStopped = false;

  constructor(parts: FleetRoadParts) {
    this.#parts = parts;
    const { local, accounts, views } = parts;
    accounts.onLeft(() => {
      this.#left.abort();
      this.#left = new AbortController();
    });
    this.road = {
      ...local,
      submit: (delivery) =>
        accounts.isHere(delivery.account) ? this.#submitHere(delivery) : this.#submit(delivery),
      move: (order) => this.#move(order),
      moveTogether: (orders) => this.#moveTogether(orders),
      ended: (seq, signal) => this.#ended(seq, signal),
      // Nothing that is worth as little is sent over two nodes.
      cosmetic: async (call) =>
        accounts.isHere(call.account) ? local.cosmetic(call) : { end: 'dropped', result: null },
      passed: (account, charge) => {
        if (accounts.isHere(account)) local.passed(account, charge);
      },
      limitPassed: (account, method, until) => {
        if (accounts.isHere(account)) local.limitPassed(account, method, until);
      },
      caller: (account, seq, isThere) => {
        if (accounts.isHere(account)) local.caller(account, seq, isThere);
      },
      // Of the whole fleet, as far as the others were asked lately.
      depths: () =>
        sumOfDepths([local.depths(), ...Array.from(views.views.values(), ({ depths }) => depths)]),
      accounts: () => {
        void views.refresh();
        return withOwners(local.accounts(), views.views);
      },
      freezes: () => {
        void views.refresh();
        const others = Array.from(views.views.values(), ({ freezes }) => freezes ?? []);
        return [local.freezes(), ...others].flat().sort((a, b) => b.until - a.until);
      },
      counts: () => sumOfCounts(local.counts(), views.counts),
      fullFor: (account, bytes) =>
        accounts.isHere(account) ? local.fullFor(account, bytes) : null,
    };
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #submitHere(delivery: NewDelivery): Promise<Appended> {
    const appended = await this.#parts.local.submit(delivery);
    return appended.kind === 'not_owner' ? this.#submit(delivery) : appended;
  }

  #submit(delivery: NewDelivery): Promise<Appended> {
    return this.atOwner<Appended>(delivery.account, {
      here: () => this.#parts.local.submit(delivery),
      path: FLEET_PATHS.submit,
      question: { delivery },
      // The same key again is the same delivery.
      isRepeatable: delivery.idempotencyKey !== null,
      without: (owner) => {
        const { clock, journal } = this.#parts;
        const queueMax = this.#parts.queueMaxOf(delivery.account);
        return journal.append(owner, acceptedHere(delivery, clock), { queueMax, isStray: true })
          .durable;
      },
    });
  }

  #move(order: MoveOrder): Promise<Moved> {
    const { account, ...command } = order;
    return this.atOwner<Moved>(account, {
      here: () => this.#parts.local.move(order),
      path: FLEET_PATHS.move,
      question: { order },
      isRepeatable: true,
      without: (owner) => this.#parts.journal.move(owner, { ...command, isStray: true }),
    });
  }

  // Those that found the account gone on the way are asked again where it is, behind those that were done.
  async #moveTogether(orders: readonly MoveOrder[]): Promise<Moved[]> {
    const { local, journal } = this.#parts;
    const answers = new Map<number, Moved>(orders.map(({ seq }) => [seq, NOT_OWNER]));
    let left = orders;
    for (let round = 1; left.length > 0 && round <= ROUNDS_MAX; round++) {
      const asked = left;
      const done = await this.atOwner<MovedTogether>(asked[0]!.account, {
        here: async () => togetherOf(await local.moveTogether(asked)),
        path: FLEET_PATHS.moveTogether,
        question: { orders: asked },
        isRepeatable: true,
        without: async (owner) => {
          const moves = asked.map(({ account: _, ...command }) =>
            journal.move(owner, { ...command, isStray: true }),
          );
          return togetherOf(await Promise.all(moves));
        },
      });
      if (done.kind === 'not_owner') break;
      for (const [i, { seq }] of asked.entries()) answers.set(seq, done.moved[i]!);
      left = asked.filter(({ seq }) => answers.get(seq)!.kind === 'not_owner');
    }
    return orders.map(({ seq }) => answers.get(seq)!);
  }

  async atOwner<T extends { readonly kind: string }>(
    account: AccountId,
    command: OwnerCommand<T>,
  ): Promise<T | typeof NOT_OWNER> {
    for (let round = 1; ; round++) {
      const asked = new Set<string>();
      const done =
        (await this.#lookForOwner(account, command, asked)) ??
        (await this.#withoutOwner(account, command.without, asked));
      if (done.kind !== 'not_owner' || round === ROUNDS_MAX) return done;
    }
  }

  // null: nobody who has it was found; `all`: those that were asked.
  async #lookForOwner<T extends { readonly kind: string }>(
    account: AccountId,
    command: OwnerCommand<T>,
    all: Set<string>,
  ): Promise<T | null> {
    const { accounts, peers, clock } = this.#parts;
    let where: Where = await accounts.whereIs(account);
    let unsent = 0;
    for (let n = 1; n <= TRIES_MAX && unsent < UNSENT_MAX; n++) {
      if (where.kind === 'here') {
        const done = await command.here();
        if (done.kind !== 'not_owner') return done as T;
      }
      const asked = new Set<string>();
      let node = where.kind === 'there' ? where.node : accounts.next(account, null, asked);
      while (node !== null) {
        asked.add(node.incarnation);
        all.add(node.incarnation);
        const answer = await peers.ask(node, command.path, command.question);
        if (answer.kind === 'answered') return answer.value as T;
        // It may have been done.
        if (answer.kind === 'lost' && !command.isRepeatable) throw new OwnerSilent();
        unsent = answer.kind === 'unsent' ? unsent + 1 : 0;
        node = accounts.next(account, answer.kind === 'moved' ? answer.to : null, asked);
      }
      await sleep(clock, TRY_AGAIN_MS * n);
      where = await accounts.whereIs(account);
    }
    return null;
  }

  // Not behind the back of one who has just taken it and was not asked: what comes next would go past this.
  async #withoutOwner<T extends { readonly kind: string }>(
    account: AccountId,
    write: OwnerCommand<T>['without'],
    asked: ReadonlySet<string>,
  ): Promise<T | typeof NOT_OWNER> {
    const { node, epoch } = await this.#lastOwner(account);
    if (this.#parts.accounts.hasTaken(node, asked)) return NOT_OWNER;
    const done = await write({ account, epoch });
    if (done.kind !== 'not_owner' && !(await this.#isTakenUp(done))) this.notifyOwner(account);
    return done;
  }

  async #isTakenUp(done: object): Promise<boolean> {
    const { takenUp } = this.#parts;
    if (takenUp === undefined || !('queued' in done) || 'spilled' in done) return false;
    const { queued } = done as { queued: { seq: number } | null };
    return queued !== null && takenUp(queued.seq);
  }

  // While the store is away nobody knows: then it is accepted into this node's spill, for whoever has the account
  // when the store is back.
  async #lastOwner(account: AccountId): Promise<{ node: string | null; epoch: number }> {
    try {
      const row = await this.#parts.journal.ownerOf(account);
      return row ?? { node: null, epoch: FIRST_EPOCH };
    } catch (error) {
      if (!(error instanceof JournalUnavailable)) throw error;
      return { node: null, epoch: NO_EPOCH };
    }
  }

  // Something was written for an account that its owner does not know of: it may live, and only have been out of reach.
  notifyOwner(account: AccountId): void {
    this.#unnotified.add(account);
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    void this.#notifyAll().finally(() => {
      this.#isNotifying = false;
    });
  }

  async #notifyAll(): Promise<void> {
    const { accounts, peers, clock } = this.#parts;
    while (this.#unnotified.size > 0 && !this.#isStopped) {
      await sleep(clock, NOTIFY_AGAIN_MS);
      for (const account of this.#unnotified) {
        const where = await accounts.whereIs(account).catch(() => null);
        if (where?.kind === 'here') await accounts.refresh(account);
        const isNotified =
          where?.kind === 'here' ||
          (where?.kind === 'there' &&
            (await peers.ask(where.node, FLEET_PATHS.look, { account })).kind === 'answered');
        if (isNotified) this.#unnotified.delete(account);
      }
    }
  }

  // Here as long as it is here; elsewhere the ledger knows.
  async #ended(asked: number, signal: AbortSignal): Promise<Ended> {
    const { local, ledger, isOnRoad } = this.#parts;
    let seq = asked;
    for (;;) {
      if (isOnRoad(seq)) {
        const ended = await this.#endedHere(seq, signal);
        if (ended !== null) return ended;
      }
      const record = await ledger.get(seq);
      if (record?.state === 'superseded' && record.supersededBy !== null) seq = record.supersededBy;
      else if (record?.state !== 'queued' && record?.state !== 'sending') {
        return local.ended(seq, signal);
      } else if (!isOnRoad(seq)) await pause(this.#parts.clock, LOOK_MS, signal);
    }
  }

  // null: its account has left meanwhile.
  async #endedHere(seq: number, signal: AbortSignal): Promise<Ended | null> {
    const left = this.#left.signal;
    try {
      return await this.#parts.local.ended(seq, AbortSignal.any([signal, left]));
    } catch (error) {
      if (signal.aborted || !left.aborted) throw error;
      return null;
    }
  }
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      timer.cancel();
      reject(signal.reason);
    };
    const timer = clock.schedule(clock.now() + ms, () => {
      signal.removeEventListener('abort', end);
      resolve();
    });
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
