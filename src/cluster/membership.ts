// This node in the fleet: it renews, looks who is alive, and says which accounts to open and which to hand over
// (plan.ts). Four things run beside each other, each at most once at a time: renewals, looks, steps and hand-overs,
// because a step takes as long as the store does and a hand-over as long as the calls in flight: nobody may be thought
// dead for the one, and no dead node's accounts may wait for the other.

import type { AccountId } from '../domain/ids.ts';
import type { Clock } from '../system/clock.ts';
import type { Periodic, PeriodicJob } from '../system/periodic.ts';
import { drained, type Service } from '../system/service.ts';
import type { Coordination, FleetNode, NodeState } from './coordination.ts';
import { within } from './deadline.ts';
import {
  CUT_OFF_AFTER_MS,
  HAND_OVER_PAUSE_MS,
  HAND_OVERS_LEAVING_MAX,
  HAND_OVERS_MAX,
  type MembershipPace,
  OPENS_MAX,
  RESYNC_MS,
  RETURN_GRACE_MS,
  ROWS_MS_MAX,
} from './pace.ts';
import { type HandOver, type OwnerRow, planOwnership } from './plan.ts';

export interface MembershipParts {
  readonly periodic: Periodic;
  readonly coordination: Coordination;
  readonly self: Omit<FleetNode, 'state'>;
  // Asked for again and again: it is another when Redis is away.
  readonly pace: () => MembershipPace;
  readonly accounts: OwnedAccounts;
  // Whoever writes has found out already, before the next look at the rows.
  readonly isStoreAway?: () => boolean;
  // Whether its machine says that the process of a node is gone.
  readonly isGone?: (node: FleetNode) => Promise<boolean>;
  // Coordination or the store could not be reached; tried again by itself.
  readonly onFailure: (error: unknown) => void;
  readonly onMembers?: (members: readonly FleetNode[]) => void;
}

// What a node does with accounts. A failure of one account is its own affair: what could not be done is planned again.
export interface OwnedAccounts {
  // Those that are open in this process.
  open(): Iterable<AccountId>;
  // What the store says of all that have an owner or need one, without those that `stableNodes` own. Rejects while the
  // store cannot be reached.
  rows(stableNodes: readonly string[]): Promise<readonly OwnerRow[]>;
  take(accounts: readonly AccountId[]): Promise<void>;
  // Resolves when they are closed in the store.
  handOver(handOvers: readonly HandOver[]): Promise<void>;
  // Taken over by others.
  lose(accounts: readonly AccountId[]): Promise<void>;
}

// Names the incarnations that something was handed over to.
const HANDED_TOPIC = 'handed';

export class Membership implements Service {
  readonly #parts: MembershipParts;
  readonly #clock: Clock;
  #life: 'new' | 'running' | 'leaving' | 'stopped' = 'new';
  #members: readonly FleetNode[] = [];
  // ms of the clock.
  #changedAt = -Infinity;
  // Until when this node is a member for sure.
  #certainUntil = -Infinity;
  #storeFailedAt: number | null = null;
  #hasLookFailed = false;
  // Until then others are what they were before the store or coordination was away.
  #graceUntil = -Infinity;
  #steppedAt = -Infinity;
  #isStepDue = false;
  // Whether rows that name this node are of interest: some may not be open here.
  #isOwnDue = true;
  readonly #renewing: PeriodicJob;
  readonly #looking: PeriodicJob;
  readonly #stepping: PeriodicJob;
  #unsubscribe: () => void = () => {};
  #handingOver: Promise<void> | null = null;
  #left: Promise<void> = Promise.resolve();
  #lookingAgain: Promise<void> | null = null;
  #lookingNext: Promise<void> | null = null;

  constructor(parts: MembershipParts) {
    this.#parts = parts;
    const { periodic, pace } = parts;
    this.#clock = periodic.clock;
    this.#renewing = periodic.job({
      name: 'renew_membership',
      everyMs: () => pace().renewMs,
      run: () => this.#renew(),
    });
    this.#looking = periodic.job({
      name: 'look_at_members',
      everyMs: () => pace().lookMs,
      firstMs: 0,
      run: () => this.#look(),
    });
    const run = () => this.#step();
    this.#stepping = periodic.job({ name: 'move_accounts', everyMs: Infinity, run });
  }

  // As they were last seen, by name.
  get members(): readonly FleetNode[] {
    return this.#members;
  }

  get state(): NodeState {
    if (this.#life === 'leaving' || this.#life === 'stopped') return 'leaving';
    const failedAt = this.#storeFailedAt;
    return failedAt !== null && this.#clock.now() - failedAt >= CUT_OFF_AFTER_MS
      ? 'cut_off'
      : 'ready';
  }

  // Whether no other node can have thought this one dead. False: what it owns may be another's by now, which the store
  // would say; it need not ask.
  isCertain(now: number): boolean {
    return now < this.#certainUntil;
  }

  // The last look at who is alive failed, or the last step.
  get isOutOfTouch(): boolean {
    return this.#hasLookFailed || this.#storeFailedAt !== null;
  }

  // Something has changed in the store: a new account, one that was found to be another's.
  wake(): void {
    if (this.#life !== 'running') return;
    this.#isStepDue = true;
    this.#looking.within(0);
  }

  // Resolves when it has been read who is alive, from now on: a look that is under way may not have seen who has just
  // joined, so whoever asks meanwhile shares the next one.
  lookAgain(): Promise<void> {
    if (this.#lookingAgain !== null) {
      this.#lookingNext ??= this.#lookingAgain.then(() => this.lookAgain());
      return this.#lookingNext;
    }
    this.#lookingNext = null;
    const read = this.#readMembers().catch(this.#parts.onFailure);
    const looking = read.then(() => {
      this.#lookingAgain = null;
      if (this.#isStepDue && this.#life === 'running') this.#stepping.within(0);
    });
    this.#lookingAgain = looking;
    return looking;
  }

  // Resolves when this node is a member, or could not become one yet.
  async start(): Promise<void> {
    if (this.#life !== 'new') return;
    this.#life = 'running';
    const { coordination, self } = this.#parts;
    this.#unsubscribe = coordination.subscribe(HANDED_TOPIC, (message) => {
      if (message.includes(self.incarnation)) this.wake();
    });
    await this.#renewing.start();
    await this.#stepping.start();
    await this.#renewing.now();
    await this.#looking.start();
  }

  // Hands over what it owns and leaves, at the latest at the deadline: what is left then is taken over from it.
  async stop(deadlineMs: number): Promise<void> {
    if (this.#life === 'leaving' || this.#life === 'stopped') {
      return drained(this.#clock, [this.#left], deadlineMs);
    }
    const isStarted = this.#life === 'running';
    this.#life = 'leaving';
    this.#left = isStarted ? this.#leave() : Promise.resolve();
    await drained(this.#clock, [this.#left], deadlineMs);
    this.#life = 'stopped';
    for (const job of [this.#renewing, this.#looking, this.#stepping]) void job.stop(0);
    this.#unsubscribe();
  }

  async #leave(): Promise<void> {
    const { coordination } = this.#parts;
    void this.#looking.stop(0);
    await this.#stepping.stop(Infinity);
    await this.#renewing.now();
    await this.#readMembers().catch(this.#parts.onFailure);
    for (let isMore = true; isMore && !this.#isStopped(); ) {
      await this.#planned().catch(this.#parts.onFailure);
      isMore = this.#handingOver !== null;
      await this.#handingOver;
    }
    await this.#renewing.stop(Infinity);
    await coordination.leave().catch(this.#parts.onFailure);
  }

  async #renew(): Promise<void> {
    const { coordination, self, pace } = this.#parts;
    const { ttlMs } = pace();
    const askedAt = this.#clock.now();
    if (this.#parts.isStoreAway?.() === true) this.#storeFailedAt ??= askedAt;
    await coordination.join({ ...self, state: this.state }, ttlMs);
    this.#certainUntil = Math.max(this.#certainUntil, askedAt + ttlMs);
  }

  async #look(): Promise<void> {
    const { self, pace } = this.#parts;
    const { settleMs } = pace();
    const wasSettled = this.#isSettled(this.#steppedAt, settleMs);
    await this.#readMembers();
    // It was forgotten: an emptied Redis, or a process that stood still.
    const isMember = this.#members.some(({ incarnation }) => incarnation === self.incarnation);
    if (!isMember) this.#renewing.within(0);
    const now = this.#clock.now();
    const isResync = now - this.#steppedAt >= RESYNC_MS;
    const isRetry = this.#storeFailedAt !== null;
    const isSettled = this.#isSettled(now, settleMs);
    if (isResync || isRetry || (isSettled && !wasSettled)) this.#isStepDue = true;
    if (this.#isStepDue) this.#stepping.within(0);
  }

  async #readMembers(): Promise<void> {
    const { coordination, onMembers } = this.#parts;
    try {
      const seen = await coordination.members();
      if (this.#hasLookFailed) this.#beginGrace();
      this.#hasLookFailed = false;
      const members = await this.#present(
        this.#isGrace() ? withMissing(seen, this.#members) : seen,
      );
      if (!areSame(members, this.#members)) {
        this.#changedAt = this.#clock.now();
        this.#isStepDue = true;
        this.#members = members;
        onMembers?.(members);
      }
    } catch (error) {
      this.#hasLookFailed = true;
      throw error;
    }
  }

  // Without those that have not renewed and are known to be gone: nobody waits for the end of their time.
  async #present(members: readonly FleetNode[]): Promise<readonly FleetNode[]> {
    const { isGone, self } = this.#parts;
    if (isGone === undefined) return members;
    const areGone = await Promise.all(
      members.map((node) => {
        if (node.incarnation === self.incarnation || node.isOverdue !== true) return false;
        return hasSuccessor(node, members) || isGone(node);
      }),
    );
    return members.filter((_, i) => !areGone[i]);
  }

  #beginGrace(): void {
    this.#graceUntil = this.#clock.now() + RETURN_GRACE_MS;
    this.#stepping.within(RETURN_GRACE_MS);
  }

  #isGrace(): boolean {
    return this.#clock.now() < this.#graceUntil;
  }

  async #step(): Promise<void> {
    this.#isStepDue = false;
    await this.#planned();
  }

  async #planned(): Promise<void> {
    const { self, accounts, pace } = this.#parts;
    const members = this.#members;
    this.#steppedAt = this.#clock.now();
    try {
      const open = [...accounts.open()];
      const stableNodes = this.#stableNodes(members);
      const rows = await within(this.#clock, 'the store', ROWS_MS_MAX, () =>
        accounts.rows(stableNodes),
      );
      this.#storeWorks();
      if (this.#isStopped()) return;
      const plan = planOwnership({
        ...{ self: self.incarnation, members: this.#asItIs(members), rows, open },
        isSettled: this.#isSettled(this.#clock.now(), pace().settleMs),
        handOversMax: this.#handOversMax(),
      });
      if (plan.lost.length > 0) await accounts.lose(plan.lost);
      if (plan.handOver.length > 0 && this.#mayMove()) {
        this.#handingOver = this.#handOver(plan.handOver);
      }
      await this.#take(plan.open, members);
    } catch (error) {
      this.#storeFailedAt ??= this.#clock.now();
      // What was taken without an answer is this node's, and not open.
      this.#isOwnDue = true;
      throw error;
    }
  }

  // In batches, for as long as the plan holds.
  async #take(planned: readonly AccountId[], members: readonly FleetNode[]): Promise<void> {
    const { accounts } = this.#parts;
    for (let from = 0; from < planned.length; from += OPENS_MAX) {
      if (this.#life !== 'running' || !this.#mayMove() || this.#members !== members) {
        this.#isStepDue = true;
        return;
      }
      await accounts.take(planned.slice(from, from + OPENS_MAX));
    }
    const open = new Set(accounts.open());
    // Some may be this node's by now, and not open. Not at once: the store may be away.
    if (planned.some((account) => !open.has(account))) this.#isStepDue = this.#isOwnDue = true;
  }

  async #handOver(handOvers: readonly HandOver[]): Promise<void> {
    const { accounts, coordination, onFailure } = this.#parts;
    const heirs = [...new Set(handOvers.map(({ to }) => to))];
    try {
      await accounts.handOver(handOvers);
      // Who misses it finds out at its next resync.
      await coordination.publish(HANDED_TOPIC, heirs.join(' '));
    } catch (error) {
      onFailure(error);
    }
    this.#handingOver = null;
    // There may be more, and some may not be closed.
    this.#isStepDue = this.#isOwnDue = true;
    this.#stepping.within(HAND_OVER_PAUSE_MS);
  }

  #handOversMax(): number {
    if (this.#handingOver !== null) return 0;
    if (this.#life !== 'running') return HAND_OVERS_LEAVING_MAX;
    return Math.max(1, Math.floor(HAND_OVERS_MAX / this.#members.length));
  }

  // A process that stood still, or is thought to, looks again before it moves anything.
  #mayMove(): boolean {
    return this.#life === 'leaving' || this.isCertain(this.#clock.now());
  }

  // Those whose accounts nobody else takes; this node itself but for when its own rows are asked for.
  #stableNodes(members: readonly FleetNode[]): string[] {
    const { self } = this.#parts;
    const isOwnDue = this.#isOwnDue;
    this.#isOwnDue = false;
    return members
      .filter(({ incarnation, state }) =>
        incarnation === self.incarnation ? !isOwnDue : state !== 'cut_off' || this.#isGrace(),
      )
      .map(({ incarnation }) => incarnation);
  }

  #isStopped(): boolean {
    return this.#life === 'stopped';
  }

  #storeWorks(): void {
    const was = this.state;
    if (was === 'cut_off') this.#beginGrace();
    this.#storeFailedAt = null;
    if (was !== this.state) this.#renewing.within(0);
  }

  // What others know of this node may be older than what it knows itself.
  #asItIs(members: readonly FleetNode[]): readonly FleetNode[] {
    const { self } = this.#parts;
    const isGrace = this.#isGrace();
    return members.map((member) => {
      if (member.incarnation === self.incarnation) return { ...member, state: this.state };
      return isGrace && member.state === 'cut_off' ? { ...member, state: 'ready' } : member;
    });
  }

  #isSettled(now: number, settleMs: number): boolean {
    return now - this.#changedAt >= settleMs;
  }
}

function withMissing(
  seen: readonly FleetNode[],
  before: readonly FleetNode[],
): readonly FleetNode[] {
  const known = new Set(seen.map(({ incarnation }) => incarnation));
  const missing = before
    .filter(({ incarnation }) => !known.has(incarnation))
    .map((node) => ({ ...node, isOverdue: true }) as const);
  return [...seen, ...missing].sort((a, b) => (a.name < b.name ? -1 : 1));
}

// Another process listens where it did.
function hasSuccessor({ url, startedAt }: FleetNode, members: readonly FleetNode[]): boolean {
  return members.some((other) => other.url === url && other.startedAt > startedAt);
}

function areSame(one: readonly FleetNode[], other: readonly FleetNode[]): boolean {
  if (one.length !== other.length) return false;
  return one.every((node, i) => {
    const { incarnation, url, state } = other[i]!;
    return node.incarnation === incarnation && node.url === url && node.state === state;
  });
}
