// The one loop: asks the scheduler, sends within the in-flight bounds, settles. External events only wake it.

import { ACCOUNT_REMOVED, type NewDelivery, type Queued } from '../domain/delivery.ts';
import type { ReportFault } from '../domain/fault.ts';
import type { AccountId } from '../domain/ids.ts';
import type { AccountLimits, Ticket } from '../limits/limits.ts';
import type { CosmeticAnswer, CosmeticCall, MoveOrder, SentMessage } from '../road/road.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import type { CallerStore } from '../store/ports/callers.ts';
import type { DeliveryStore, Moved } from '../store/ports/delivery.ts';
import { JournalUnavailable, tolerateUnavailable } from '../store/ports/unavailable.ts';
import type { BootTime } from '../system/boot.ts';
import type { Clock, Timer } from '../system/clock.ts';
import type { Periodic } from '../system/periodic.ts';
import type { Random } from '../system/random.ts';
import { drained, type Service } from '../system/service.ts';
import type { BreakerSettings } from './account/availability.ts';
import { Cosmetics } from './account/cosmetics.ts';
import type { LimitSettings } from './account/limits-by-hand.ts';
import type { Profile } from './account/profile.ts';
import type { Known, Records } from './attempt/messages.ts';
import { Attempts } from './attempt/run.ts';
import { CallerNotes } from './caller-notes.ts';
import { type HandOverParts, handOverAccount, takeAccount } from './hand-over.ts';
import { PlatformTime } from './platform-time.ts';
import { recover, type StartStore } from './recover.ts';
import { RoadState } from './state.ts';

export type { BreakerSettings } from './account/availability.ts';
export type { Profile, RetryPolicy } from './account/profile.ts';

// Decisions in one turn of the loop; then requests and answers get the event loop.
const DECISIONS_PER_TURN_MAX = 512;
const HOUSEKEEPING_MS = 10_000;
const FORGET_STEP_MAX = 2_000;
const CANCELLED_STEP_MAX = 500;

export interface DispatchOptions {
  readonly journal: DeliveryStore & StartStore & { readonly callers: CallerStore };
  readonly clock: Clock;
  readonly periodic: Periodic;
  // null: the system does not say. Left out: the clock cannot be set.
  readonly bootTime?: () => BootTime | null;
  readonly random: Random;
  readonly scheduler: Scheduler;
  // Of a platform's host; each account brings its own.
  readonly breaker: BreakerSettings;
  readonly accounts: DispatchAccounts;
  readonly limitSettings?: LimitSettings;
  // What became of the messages a call mentions.
  readonly ledger: Records;
  // Called with exceptions that were contained where they happened.
  readonly report: ReportFault;
  // Set on a node of a fleet: it starts with no account, and has those that it takes.
  readonly fleet?: {
    // How long after it was begun on disk a call may leave: later another node may have taken the account over.
    readonly certainMs: number;
    readonly onLost: (account: AccountId) => void;
  };
  // Called with broken invariants of the road itself; the process must not go on after one.
  readonly fatal: (error: unknown) => void;
}

// What dispatch needs to know of accounts; accounts/ and the settings answer it.
export interface DispatchAccounts {
  profileOf(id: AccountId): Profile;
  stateOf(id: AccountId): { paused: boolean; refused: string | null };
  credentialOf(id: AccountId): string | null;
  setRefused(id: AccountId, reason: string | null): Promise<unknown>;
}

export class Dispatch implements Service {
  readonly state: RoadState;
  readonly clock: Clock;
  readonly journal: DispatchOptions['journal'];
  readonly callers: CallerNotes;
  readonly #o: DispatchOptions;
  readonly #inFlight = new Set<Promise<unknown>>();
  readonly #attempts: Attempts;
  readonly #cosmetics: Cosmetics;
  readonly #platformTime: PlatformTime;
  readonly #waker: LoopWaker;
  readonly #handOver: HandOverParts;
  readonly #housekeeping: Service;
  #started: Promise<void> | null = null;
  #isStopped = false;
  #lastTurnAt = 0;

  constructor(options: DispatchOptions) {
    const { clock, fatal } = options;
    this.#o = options;
    this.clock = clock;
    this.journal = options.journal;
    this.#waker = new LoopWaker(clock, (now) => this.#turn(now), fatal);
    const wake = () => this.#waker.wake();
    const fleet =
      options.fleet === undefined ? null : ({ opens: 'taken', ...options.fleet } as const);
    this.state = new RoadState({ ...options, ...fleet, wake, track: (work) => this.track(work) });
    const { state } = this;
    const ports = { ...options, owners: state.owners };
    this.callers = new CallerNotes(ports);
    this.#platformTime = new PlatformTime(state, options, (work) => this.track(work));
    this.#attempts = new Attempts(state, { ...ports, platformTime: this.#platformTime });
    this.#cosmetics = new Cosmetics(state, options);
    const closeLeaving = () => this.#closeLeaving(clock.now());
    this.#handOver = { state, clock, ports, closeLeaving, isIdle: (id) => this.#isIdle(id) };
    const run = () => this.#keepHouse();
    this.#housekeeping = options.periodic.job({ name: 'keep_road', everyMs: HOUSEKEEPING_MS, run });
  }

  // Whether what can go at once may go.
  get isRunning(): boolean {
    return this.#waker.isRunning;
  }

  // When the loop last had its turn; health reports its age.
  get lastTurnAt(): number {
    return this.#lastTurnAt;
  }

  // Rebuilds queue, limits and doubts from the journal, then begins to send.
  start(): Promise<void> {
    this.#started ??= this.#isStopped ? Promise.resolve() : this.#start();
    return this.#started;
  }

  async #start(): Promise<void> {
    // The clocks of a fleet are kept together by their machines.
    const clockRecord =
      this.#o.fleet === undefined ? await recover(this.state, this.#handOver.ports) : null;
    if (this.#isStopped) return;
    if (clockRecord !== null) this.#platformTime.start(clockRecord);
    void this.#housekeeping.start();
    this.state.scheduled.start();
    this.#waker.start();
  }

  // Finishes what is in flight, at the latest at the deadline; the rest is on disk already.
  async stop(deadlineMs: number): Promise<void> {
    this.#isStopped = true;
    this.#waker.stop();
    this.state.tokens.stop();
    const starting = this.#started ?? Promise.resolve();
    const { scheduled } = this.state;
    const jobs = [this.#housekeeping, scheduled, this.#platformTime];
    const stopping = jobs.map((job) => job.stop(deadlineMs));
    await drained(this.#o.clock, [starting, ...stopping, ...this.#inFlight], deadlineMs);
  }

  // Makes the attempt that was begun in the commit that accepted it.
  send(queued: Queued, ticket: Ticket, delivery: NewDelivery): Promise<void> {
    return this.#attempts.makeBegun(queued, ticket, delivery);
  }

  cosmetic(call: CosmeticCall): Promise<CosmeticAnswer> {
    if (this.#isStopped) return Promise.resolve({ end: 'dropped', result: null });
    // Settings that the platform cannot read fail this call, not the process.
    this.state.openAccount(call.account);
    const chat = this.state.aliases.canonical(call.account, call.chat);
    const made = this.#cosmetics.make({ ...call, chat });
    this.track(made);
    return made;
  }

  beganLive({ account, chat: given, message }: SentMessage): void {
    const chat = this.state.aliases.canonical(account, given);
    const { limits } = this.state.openAccount(account);
    this.state.plainSends.beganLive(limits, { account, chat, message });
  }

  touched({ account, method, body }: NewDelivery): readonly string[] {
    try {
      const { content } = this.state.profileOf(account).platform;
      return content?.touch(method, body)?.messages ?? [];
    } catch (error) {
      this.#o.report('stream', error, { account });
      return [];
    }
  }

  changedAt({ account, chat: given, method, family, body }: NewDelivery): number | null {
    const place = { account, chat: this.state.aliases.canonical(account, given), method, family };
    try {
      return this.state.content.changedAt(this.state.profileOf(account).platform, place, body);
    } catch (error) {
      // The attempt will throw it again, and end that delivery.
      this.#o.report('stream', error, { account });
      return null;
    }
  }

  // What its message shows already, if nothing of the chat is on its way that could change it.
  shows({ account, chat: given, method, family, body }: NewDelivery): Known | null {
    const chat = this.state.aliases.canonical(account, given);
    if (family !== 'edit' || !this.state.scheduler.isQuiet(account, chat)) return null;
    const place = { account, chat, method, family };
    return this.state.content.same(this.state.profileOf(account).platform, place, body);
  }

  async move({ account, ...command }: MoveOrder): Promise<Moved> {
    const { scheduler, owners, events } = this.state;
    const owner = owners.known(account) ?? (await owners.open(account));
    const moved = await this.#o.journal.move(owner, command);
    const now = this.#o.clock.now();
    if (moved.kind === 'not_owner') this.state.lose(account, now);
    if (moved.kind !== 'moved') return moved;
    const removed = scheduler.remove(command.seq, now);
    if (moved.queued !== null) this.state.add(moved.queued, now);
    const about = moved.queued ?? removed;
    if (about !== null) events.moved(about, moved.from, command.to, command.reason, now);
    if (command.to !== 'queued') events.ended(command.seq, command.to, command.reason);
    this.#waker.wake();
    return moved;
  }

  // In a fleet. `take`: the account becomes this node's, with all that the store knows of it; false: another took it
  // meanwhile. `handOver`: nothing more of it is begun, and what is in flight ends, at the latest at the deadline.
  take(account: AccountId): Promise<boolean> {
    return takeAccount(this.#handOver, account);
  }

  handOver(account: AccountId, deadlineMs: number): Promise<void> {
    return handOverAccount(this.#handOver, account, deadlineMs);
  }

  #isIdle(account: AccountId): boolean {
    return this.state.scheduler.isIdle(account) && !this.#cosmetics.isBusy(account);
  }

  // The account was removed: what waits for it ends, and when nothing is left that would be lost (calls in flight,
  // freezes, what was learned, what its windows count) it is closed. `evicted`: nothing waited, nothing ends.
  leave(account: AccountId, why: 'removed' | 'evicted' = 'removed'): void {
    this.state.leave(account, why);
    this.#closeLeaving(this.#o.clock.now());
  }

  // Ends what waits in an account; says how many.
  async cancelAll(account: AccountId, reason: string, by: string): Promise<number> {
    const at = this.#o.clock.now();
    let cancelled = 0;
    const waiting = this.state.scheduler.waitingOf(account);
    // Many share a commit.
    for (let from = 0; from < waiting.length; from += CANCELLED_STEP_MAX) {
      const step = waiting
        .slice(from, from + CANCELLED_STEP_MAX)
        .map(({ seq }) =>
          this.move({ account, seq, to: 'cancelled', at, reason, by, body: null, queueMax: 0 }),
        );
      for (const { kind } of await Promise.all(step)) if (kind === 'moved') cancelled += 1;
    }
    return cancelled;
  }

  #closeLeaving(now: number): void {
    for (const [account, why] of this.state.leaving) {
      if (why === 'handed') continue;
      if (why === 'removed') this.track(this.#cancelLeft(account));
      const { limits } = this.state.openAccount(account);
      const isForgotten = why !== 'lost';
      if (!this.#isIdle(account) || (isForgotten && !limits.isAtRest(now))) continue;
      this.state.closeAccount(account);
      if (isForgotten) this.track(this.#release(account, limits));
    }
  }

  async #release(account: AccountId, limits: AccountLimits): Promise<void> {
    await this.state.saveLimits(limits.takeUnsaved());
    // Unless it has come back meanwhile.
    if (this.state.accounts.has(account)) return;
    await this.state.owners.close(account);
    this.#o.fleet?.onLost(account);
  }

  // What came back to the queue after its account was removed.
  async #cancelLeft(account: AccountId): Promise<void> {
    await this.cancelAll(account, ACCOUNT_REMOVED, 'sluice').catch(tolerateUnavailable);
  }

  // Starts what may go now; answers when to ask again.
  #turn(now: number): number {
    const { scheduler, store } = this.state;
    this.#lastTurnAt = now;
    if (now < store.pausedUntil) return store.pausedUntil;
    for (const queued of scheduler.expired(now)) this.track(this.#expire(queued, now));
    const { beginLatencyMs } = this.#attempts;
    let at = now;
    for (let i = 0; i < DECISIONS_PER_TURN_MAX; i++) {
      const decision = scheduler.next(at);
      if (decision.kind === 'idle') return Number.POSITIVE_INFINITY;
      if (decision.kind === 'send') {
        this.track(this.#attempts.make(decision, at));
      } else if (decision.until - beginLatencyMs > now) return decision.until - beginLatencyMs;
      else if (decision.until <= at) return decision.until;
      // What may go in a moment is begun on disk now, and leaves on time.
      else at = decision.until;
    }
    return now;
  }

  // Work that a stop waits for; when it fails the process ends.
  track(work: Promise<unknown>): void {
    this.#inFlight.add(work);
    work.then(
      () => this.#inFlight.delete(work),
      (error: unknown) => this.#o.fatal(error),
    );
  }

  async #expire(queued: Queued, at: number): Promise<void> {
    const { account, seq } = queued;
    const expiry = { seq, at, reason: 'expired', by: 'sluice', body: null, queueMax: 0 };
    try {
      const owner = this.state.owners.of(account);
      const moved = await this.#o.journal.move(owner, { to: 'expired', ...expiry });
      if (moved.kind === 'not_owner') this.state.lose(account, at);
      if (moved.kind !== 'moved') return;
    } catch (error) {
      if (!(error instanceof JournalUnavailable)) throw error;
      // Back into the queue, to expire when the store returns.
      this.state.store.failedLoop(error, at);
      this.state.add(queued, at);
      return;
    }
    this.state.events.moved(queued, 'queued', 'expired', 'expired', at);
    this.state.events.ended(queued.seq, 'expired', 'expired');
  }

  #keepHouse(): void {
    try {
      const now = this.#o.clock.now();
      this.#waker.wake();
      this.state.scheduled.forget();
      for (const { limits } of this.state.accounts.values())
        limits.forgetIdle(now, FORGET_STEP_MAX);
      this.#closeLeaving(now);
    } catch (error) {
      this.#o.fatal(error);
    }
  }
}

// When the loop has its turn: many wakings make one turn, on the next microtask; a time to wake at is one timer.

class LoopWaker {
  readonly #clock: Clock;
  // Does a turn; answers when to ask again (Infinity: when woken).
  readonly #turn: (now: number) => number;
  readonly #fatal: (error: unknown) => void;
  #isRunning = false;
  #isWoken = false;
  #timer: Timer | null = null;
  #timerAt = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, turn: (now: number) => number, fatal: (error: unknown) => void) {
    this.#clock = clock;
    this.#turn = turn;
    this.#fatal = fatal;
  }

  start(): void {
    this.#isRunning = true;
    this.wake();
  }

  stop(): void {
    this.#isRunning = false;
    this.#timer?.cancel();
    this.#timer = null;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  wake(): void {
    if (!this.#isRunning || this.#isWoken) return;
    this.#isWoken = true;
    queueMicrotask(() => {
      this.#isWoken = false;
      if (!this.#isRunning) return;
      try {
        this.#wakeAt(this.#turn(this.#clock.now()));
      } catch (error) {
        this.#fatal(error);
      }
    });
  }

  #wakeAt(at: number): void {
    if (at === Number.POSITIVE_INFINITY) return;
    // A timer that fires too early costs one idle turn; moving it at every turn would cost more.
    if (this.#timer !== null && this.#timerAt <= at) return;
    this.#timer?.cancel();
    this.#timerAt = at;
    this.#timer = this.#clock.schedule(at, () => {
      this.#timer = null;
      this.wake();
    });
  }
}
