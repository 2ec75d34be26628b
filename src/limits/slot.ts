// A rule's use in one place, with what was learned about it: how much may go, and when the next call may.

import { DistinctChats } from './distinct.ts';
import {
  earlyMs,
  type LearnedRate,
  type LearningSettings,
  provenAt,
  type Round,
  shareAt,
} from './learning.ts';
import { RollingWindow } from './rolling-window.ts';
import type { Rule } from './types.ts';

// From this share of the budget on a window is used to the full: what it held back shows.
const FULL_SHARE = 0.9;
// A spacing is empty whenever a call may go; it is used to the full when calls follow each other so closely.
const CLOSE_SHARE = 1.25;
const TELLING_SHARE = 0.05;
const TELLING_MS_MAX = 400;

// A window together with what it is for: one object, because there are so many.
export class Slot extends RollingWindow {
  // The widest rule of this name seen; for display.
  rule: Rule;
  rate: LearnedRate | null = null;
  // Answers since the last conclusion; null: nothing is noticed.
  round: Round | null = null;

  constructor(rule: Rule) {
    super();
    this.rule = rule;
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

  // A try that is early by less proves nothing: the platform may take it without its limit having changed.
  evidentMs(rule: Rule): number {
    return Math.min(TELLING_MS_MAX, TELLING_SHARE * rule.perMs);
  }
}

// What a debt has used comes back evenly; so its past is one moment, at which all of it is back. A call moves that
// moment by its share of the whole. What is in flight may be judged at any time, so it keeps its share until then.
export class DebtSlot extends Slot {
  #backAt = Number.NEGATIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  get #everyMs(): number {
    return this.rule.perMs / this.rule.count;
  }

  override get last(): number {
    return this.#last;
  }

  // Whole calls that are not back yet.
  override used(_perMs: number, now: number): number {
    return Math.ceil(Math.max(0, this.#backAt - now) / this.#everyMs - ROUNDING) + this.held;
  }

  override freeAt(
    cost: number,
    count: number,
    _perMs: number,
    now: number,
    heldAt: number,
  ): number {
    return this.freeAfter(0, Math.min(cost, count), now, heldAt);
  }

  // The same for a call that has others of so much cost before it.
  freeAfter(ahead: number, cost: number, now: number, heldAt: number): number {
    const left = this.rule.count - cost;
    const isGuess = heldAt !== Number.POSITIVE_INFINITY;
    if (this.held > left && !isGuess) return Number.POSITIVE_INFINITY;
    const from = this.held > 0 && isGuess ? Math.max(this.#backAt, heldAt) : this.#backAt;
    // What is asked for later finds back what came back meanwhile, but never more than all.
    const since = ahead > 0 ? Math.max(from, now) : from;
    return Math.max(now, since + (this.held + ahead - left) * this.#everyMs);
  }

  override enter(cost: number, at: number, _perMs: number): void {
    this.#backAt = Math.max(this.#backAt, at) + cost * this.#everyMs;
    this.#last = Math.max(this.#last, at);
  }

  override absorb(other: RollingWindow): void {
    this.hold(other.held);
    if (!(other instanceof DebtSlot)) return;
    const last = Math.max(this.#last, other.#last);
    const alsoOwed = Math.min(this.#backAt, other.#backAt) - last;
    this.#backAt = Math.max(this.#backAt, other.#backAt) + Math.max(0, alsoOwed);
    this.#last = last;
  }
}

// Counts the chats that are called, however often each of them is; see distinct.ts.
export class ChatsSlot extends Slot {
  readonly chats = new DistinctChats();

  override used(perMs: number, now: number): number {
    return this.chats.used(perMs, now);
  }

  // Of a call to a chat that was not called yet.
  override freeAt(
    _cost: number,
    count: number,
    perMs: number,
    now: number,
    heldAt: number,
  ): number {
    return this.chats.freeAt(null, { count, perMs }, now, heldAt);
  }

  override moment(n: number, _perMs: number, _now: number, heldAt: number): number {
    return this.chats.moment(n) ?? heldAt;
  }
}

export function slotFor(rule: Rule): Slot {
  switch (rule.kind) {
    case 'debt':
      return new DebtSlot(rule);
    case 'chats':
      return new ChatsSlot(rule);
    default:
      return new Slot(rule);
  }
}

// Whole calls only: what rounding takes from the count it gives back in time, or the other way round.
// In a short window all calls may be in flight at once, as a burst: fewer of them in a shorter time are as much on
// average, and up to twice as much in a window of the platform's. So there the count is rounded up and the time
// stretched. In a long one calls lie apart anyway, and what is tried shows sooner where the time is cut.
export function countOf(rule: Rule, share: number): number {
  if (share === 1) return rule.count;
  const calls = rule.count * share;
  return Math.max(
    1,
    isShort(rule) ? Math.ceil(calls - PART_OF_CALL) : Math.floor(calls + ROUNDING),
  );
}

export function perMsOf(rule: Rule, share: number): number {
  if (share === 1) return rule.perMs;
  const perMs = (rule.perMs * countOf(rule, share)) / (rule.count * share);
  return isShort(rule) ? Math.max(rule.perMs, perMs) : perMs;
}

export function isShort({ perMs }: Rule): boolean {
  return perMs < LONG_MS_MIN;
}

const LONG_MS_MIN = 10_000;
// So little of a call is an estimate's error.
const PART_OF_CALL = 0.15;

const ROUNDING = 1e-9;
