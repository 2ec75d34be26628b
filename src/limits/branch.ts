// One place of the tree (the account, a chat, a user): its windows by rule name and its freezes.
// There may be half a million of these, so they are made when first needed and hold little:
// most chats have one or two slots, no freeze and nothing learned.

import type { Family } from '../domain/call.ts';
import { Debt } from './debt.ts';
import { DistinctChats } from './distinct.ts';
import {
  earlyMs,
  type LearnedRate,
  type LearningSettings,
  provenAt,
  type Round,
  shareAt,
} from './learning.ts';
import type { Charge, FreezeScope, Rule, Ticket } from './words.ts';

// At most so many in ANY span of time: the moments at which the platform may have judged our calls.
// The one hard thing is the network. A call that left at d is judged some time later, and two calls
// that leave a second apart may be judged less than a second apart. Hence two rules, and no padding:
//   - a call without an answer may be judged at any time, so it keeps its room (`held`);
//   - an answered call is entered at the latest moment at which it can have been judged
//     (see learning.ts), relative to the fastest call that could follow it.
// Count and span come from the caller, because they are learned; the window only knows times.

// An array that grows by push starts with room for seventeen and then half as many again. Chats are
// many and their windows short, so short arrays are copied to measure instead.
const COPIED_MAX = 24;
// Shared by the windows that have seen nothing; never written to.
const NONE: number[] = [];

export class RollingWindow {
  // Sorted, one entry per unit of cost; the entries before #head are gone.
  #times: number[] = NONE;
  #head = 0;
  #held = 0;

  get held(): number {
    return this.#held;
  }

  // The newest known moment of judgement; kept until a newer one comes, however old.
  get last(): number {
    return this.#times.at(-1) ?? Number.NEGATIVE_INFINITY;
  }

  used(perMs: number, now: number): number {
    return this.#times.length - this.#firstLive(perMs, now) + this.#held;
  }

  // When a call of this cost may go. Infinity: not before an unanswered call settles.
  earliest(cost: number, count: number, perMs: number, now: number): number {
    return this.freeAt(cost, count, perMs, now, Number.POSITIVE_INFINITY);
  }

  // The same with a guess: unanswered calls are taken to be judged at `heldAt`.
  freeAt(cost: number, count: number, perMs: number, now: number, heldAt: number): number {
    const live = this.#firstLive(perMs, now);
    const answered = this.#times.length - live;
    const used = answered + this.#held;
    // So many of the oldest must leave first. What is dearer than the whole window goes when it is empty.
    const leaving = Math.min(used + cost - count, used);
    if (leaving <= 0) return now;
    return (leaving > answered ? heldAt : this.#times[live + leaving - 1]!) + perMs;
  }

  // The moment of the n-th unit that still counts, oldest first; the unanswered ones come last.
  moment(n: number, perMs: number, now: number, heldAt: number): number {
    return this.#times[this.#firstLive(perMs, now) + n] ?? heldAt;
  }

  hold(cost: number): void {
    this.#held += cost;
  }

  giveBack(cost: number): void {
    this.#held -= cost;
  }

  // Enters a call at the moment of its judgement, and forgets those that it proves old.
  enter(cost: number, at: number, perMs: number): void {
    this.#forget(at - perMs);
    if (this.#head === this.#times.length) {
      this.#times = NONE;
      this.#head = 0;
    }
    for (let unit = 0; unit < cost; unit++) this.#insert(at);
  }

  // Takes over what another window has seen and holds.
  absorb(other: RollingWindow): void {
    for (const at of other.#times.slice(other.#head)) this.#insert(at);
    this.#held += other.#held;
  }

  #insert(at: number): void {
    if (this.#times.length < COPIED_MAX) this.#times = this.#times.concat(at);
    else this.#times.push(at);
    const times = this.#times;
    let place = times.length - 1;
    while (place > this.#head && times[place - 1]! > at) {
      times[place] = times[place - 1]!;
      place -= 1;
    }
    times[place] = at;
  }

  #firstLive(perMs: number, now: number): number {
    const times = this.#times;
    const edge = now - perMs;
    let low = this.#head;
    let high = times.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (times[middle]! > edge) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  // Moving the head is cheap; the array is cut when half of it is dead, so that a busy account's
  // window costs O(1) per call and an idle chat's stays small.
  #forget(edge: number): void {
    const times = this.#times;
    while (this.#head < times.length && times[this.#head]! <= edge) this.#head += 1;
    if (this.#head === times.length || this.#head * 2 < times.length) return;
    times.copyWithin(0, this.#head);
    times.length -= this.#head;
    this.#head = 0;
  }
}

// From this share of the budget on a window is used to the full: what it held back shows.
const FULL_SHARE = 0.9;
// A spacing is empty whenever a call may go; it is used to the full when calls follow each other so closely.
const CLOSE_SHARE = 1.25;
const TELLING_SHARE = 0.05;
const TELLING_MS_MAX = 400;

// A window together with what it is for: one object, because there are so many.
export class Slot extends RollingWindow {
  // The widest rule of this name seen, for the eye.
  rule: Rule;
  rate: LearnedRate | null = null;
  // Answers since the last conclusion; null: nothing is noticed.
  round: Round | null = null;

  // In place of the window, by the kind of rule.
  readonly debt: Debt | null;
  readonly chats: DistinctChats | null;

  constructor(rule: Rule) {
    super();
    this.rule = rule;
    this.debt = rule.kind === 'debt' ? new Debt(rule.perMs / rule.count) : null;
    this.chats = rule.kind === 'chats' ? new DistinctChats() : null;
  }

  override used(perMs: number, now: number): number {
    if (this.chats !== null) return this.chats.used(perMs, now);
    return this.debt === null ? super.used(perMs, now) : this.debt.owed(now) + this.held;
  }

  override freeAt(cost: number, count: number, perMs: number, now: number, heldAt: number): number {
    if (this.chats !== null) return this.chats.freeAt(null, { count, perMs }, now, heldAt);
    if (this.debt === null) return super.freeAt(cost, count, perMs, now, heldAt);
    return this.debt.freeAt({ cost, held: this.held }, { count, perMs }, now, heldAt);
  }

  override moment(n: number, perMs: number, now: number, heldAt: number): number {
    if (this.chats !== null) return this.chats.moment(n) ?? heldAt;
    if (this.debt === null) return super.moment(n, perMs, now, heldAt);
    const paidAt = this.debt.paidAt(n, now);
    return paidAt === null ? heldAt : paidAt - perMs;
  }

  override enter(cost: number, at: number, perMs: number): void {
    if (this.debt === null) super.enter(cost, at, perMs);
    else this.debt.add(cost, at);
  }

  override absorb(other: RollingWindow): void {
    super.absorb(other);
    if (other instanceof Slot && other.debt !== null) this.debt?.absorb(other.debt);
  }

  // The share of the prior that may be used now.
  share(now: number, settings: LearningSettings): number {
    return this.rate === null ? 1 : shareAt(this.rate, now, settings);
  }

  // At most so many …
  count(rule: Rule, now: number, settings: LearningSettings): number {
    return this.rate === null ? rule.count : countOf(rule, shareAt(this.rate, now, settings));
  }

  // … in so long.
  perMs(rule: Rule, now: number, settings: LearningSettings): number {
    if (this.rate === null) return rule.perMs;
    const perMs = perMsOf(rule, shareAt(this.rate, now, settings));
    return perMs - earlyMs(this.rate, perMs, now, settings);
  }

  // When a call of this cost may go. However learned windows are cut, the prior's own holds too.
  opensAt(rule: Rule, cost: number, now: number, settings: LearningSettings): number {
    const byPrior = this.earliest(cost, rule.count, rule.perMs, now);
    if (this.rate === null) return byPrior;
    const count = this.count(rule, now, settings);
    return Math.max(byPrior, this.earliest(cost, count, this.perMs(rule, now, settings), now));
  }

  // The window's length without a try that lets a call go early.
  spanMs(rule: Rule, now: number, settings: LearningSettings): number {
    return this.rate === null ? rule.perMs : perMsOf(rule, shareAt(this.rate, now, settings));
  }

  // So long a call matters, whatever is tried now.
  keptMs(rule: Rule, now: number, settings: LearningSettings): number {
    if (this.rate === null) return rule.perMs;
    return Math.max(rule.perMs, perMsOf(rule, provenAt(this.rate, now, settings)));
  }

  // The next call goes as soon as the window lets it.
  isFull(rule: Rule, cost: number, now: number, settings: LearningSettings): boolean {
    const count = this.count(rule, now, settings);
    const perMs = this.perMs(rule, now, settings);
    if (count > 1) return this.used(perMs, now) + cost >= FULL_SHARE * count;
    return this.held > 0 || now - this.last < perMs * CLOSE_SHARE;
  }

  // How much sooner the next call goes than is known to be allowed.
  aheadMs(rule: Rule, cost: number, now: number, settings: LearningSettings): number {
    if (this.rate === null) return 0;
    const proven = provenAt(this.rate, now, settings);
    return this.earliest(cost, countOf(rule, proven), perMsOf(rule, proven), now) - now;
  }

  // What is ahead by less may be taken at once although nothing has changed.
  tellingMs(rule: Rule): number {
    return Math.min(TELLING_MS_MAX, TELLING_SHARE * rule.perMs);
  }
}

// Whole calls only: what rounding takes from the count it gives back in time.
export function countOf(rule: Rule, share: number): number {
  return share === 1 ? rule.count : Math.max(1, Math.floor(rule.count * share + ROUNDING));
}

export function perMsOf(rule: Rule, share: number): number {
  return share === 1 ? rule.perMs : (rule.perMs * countOf(rule, share)) / (rule.count * share);
}

const ROUNDING = 1e-9;

// Closed until a time, with its cause. When the time has come one call goes first, as a probe;
// the freeze ends when the platform takes that call.
export interface Freeze {
  readonly scope: FreezeScope;
  // The chat, family or gate that is frozen; '' for the account.
  readonly name: string;
  since: number;
  until: number;
  cause: string;
  probe: Ticket | null;
}

// Shared, for most places have none; and copied to be changed, for an array that grows by push
// starts with room for seventeen.
const NO_SLOTS: readonly Slot[] = [];
const NO_FREEZES: readonly Freeze[] = [];

export class Branch {
  readonly scope: Rule['scope'];
  // The chat or user; '' for the account.
  readonly name: string;
  slots: readonly Slot[] = NO_SLOTS;
  freezes: readonly Freeze[] = NO_FREEZES;
  inFlight = 0;
  // Refusals since its last success.
  refusals = 0;

  constructor(scope: Rule['scope'], name: string) {
    this.scope = scope;
    this.name = name;
  }

  slotOf(name: string): Slot | null {
    for (const slot of this.slots) if (slot.rule.name === name) return slot;
    return null;
  }

  slotFor(rule: Rule): Slot {
    let slot = this.slotOf(rule.name);
    if (slot === null) {
      slot = new Slot(rule);
      this.slots = this.slots.concat(slot);
    } else if (slot.rule.count < rule.count) slot.rule = rule;
    return slot;
  }

  freezeOf(scope: FreezeScope, name: string): Freeze | null {
    return this.freezes.find((freeze) => freeze.scope === scope && freeze.name === name) ?? null;
  }

  // A longer freeze stays as it is.
  freeze(scope: FreezeScope, name: string, until: number, cause: string, now: number): Freeze {
    let freeze = this.freezeOf(scope, name);
    if (freeze === null) {
      freeze = { scope, name, since: now, until, cause, probe: null };
      this.freezes = [...this.freezes, freeze];
    } else if (until > freeze.until) {
      freeze.until = until;
      freeze.cause = cause;
    }
    return freeze;
  }

  thaw(freeze: Freeze): void {
    const left = this.freezes.filter((other) => other !== freeze);
    this.freezes = left.length === 0 ? NO_FREEZES : left;
  }

  // When the freezes let a call of this kind go; Infinity: when the probe settles.
  thawsAt(charge: Charge, now: number): number {
    let at = now;
    for (const freeze of this.freezes) {
      if (!isFrozenBy(freeze, charge)) continue;
      if (freeze.until > now) at = Math.max(at, freeze.until);
      else if (freeze.probe !== null) return Number.POSITIVE_INFINITY;
    }
    return at;
  }

  // The call is the first after every freeze that has run out and would have held it.
  probe(ticket: Ticket): void {
    for (const freeze of this.freezes) {
      if (isFrozenBy(freeze, ticket.charge)) freeze.probe = ticket;
    }
  }

  endProbe(ticket: Ticket): void {
    for (const freeze of this.freezes) if (freeze.probe === ticket) freeze.probe = null;
  }

  // Something was learned here that the priors do not say.
  isRemarkable(): boolean {
    return this.freezes.length > 0 || this.slots.some(({ rate }) => rate !== null);
  }

  // Nothing is left to remember.
  isIdle(now: number): boolean {
    if (this.inFlight > 0 || this.isRemarkable()) return false;
    return this.slots.every((slot) => slot.used(slot.rule.perMs, now) === 0);
  }
}

// Answers to button presses cost the platform nothing: only the account's own freeze stops them.
export function isFrozenBy(freeze: Freeze, charge: { family: Family; gate: string }): boolean {
  switch (freeze.scope) {
    case 'account':
      return true;
    case 'chat':
      return charge.family !== 'free';
    case 'family':
      return freeze.name === charge.family;
    case 'gate':
      return freeze.name === charge.gate && charge.family !== 'free';
  }
}
