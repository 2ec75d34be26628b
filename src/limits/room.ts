// Room in all windows that a set of rules names: asked for, held while a call is under way, and turned
// into a moment of judgement (or given back) when it settles. Nothing is made by asking.

import { type Branch, countOf, perMsOf } from './branch.ts';
import type { LearningSettings } from './learning.ts';
import type { Meter } from './projection.ts';
import type { Tree } from './tree.ts';
import type { Charge, Plan, Rule, Ticket } from './words.ts';

// A user's call under way may be another chat's, whose settling nobody tells this one.
const ASK_AGAIN_MS = 250;

// The room one call has taken, and what its neighbourhood looked like then. Opaque to everyone outside.
export class Booking implements Ticket {
  readonly charge: Charge;
  readonly plan: Plan;
  readonly chat: Branch;
  readonly takenAt: number;
  departedAt: number;
  // One bit per rule of the plan: whose use would explain a refusal of this call.
  pressedChat = 0;
  pressedAccount = 0;
  isSettled = false;

  constructor(charge: Charge, plan: Plan, chat: Branch, now: number) {
    this.charge = charge;
    this.plan = plan;
    this.chat = chat;
    this.takenAt = now;
    this.departedAt = now;
  }
}

export class Headroom {
  readonly #tree: Tree;
  readonly #settings: LearningSettings;

  constructor(tree: Tree, settings: LearningSettings) {
    this.#tree = tree;
    this.#settings = settings;
  }

  // When every window has room. Infinity: not before a call under way settles.
  earliest(rules: readonly Rule[], charge: Charge, now: number): number {
    let at = now;
    for (const rule of rules) {
      const slot = this.#tree.placeOf(rule, charge)?.slotOf(rule.name) ?? null;
      if (slot === null) continue;
      const factor = slot.factor(now, this.#settings);
      const opens = slot.earliest(charge.cost, countOf(rule, factor), perMsOf(rule, factor), now);
      const isElsewhere = opens === Number.POSITIVE_INFINITY && rule.scope === 'user';
      at = Math.max(at, isElsewhere ? now + ASK_AGAIN_MS : opens);
    }
    return at;
  }

  // Takes room in every window; tells, one bit per rule, whose use would explain a refusal.
  hold(rules: readonly Rule[], charge: Charge, now: number): number {
    let pressed = 0;
    for (const [index, rule] of rules.entries()) {
      const slot = this.#tree.placeFor(rule, charge)?.slotFor(rule);
      if (slot === undefined) continue;
      if (slot.isPressed(rule, slot.factor(now, this.#settings), now)) pressed |= 1 << index;
      slot.hold(charge.cost);
    }
    return pressed;
  }

  // null: it was never judged, or refused room.
  settle(rules: readonly Rule[], charge: Charge, judgedAt: number | null): void {
    for (const rule of rules) {
      this.#tree.placeOf(rule, charge)?.slotOf(rule.name)?.giveBack(charge.cost);
    }
    if (judgedAt !== null) this.enter(rules, charge, judgedAt);
  }

  enter(rules: readonly Rule[], charge: Charge, at: number): void {
    for (const rule of rules) {
      const slot = this.#tree.placeFor(rule, charge)?.slotFor(rule);
      if (slot === undefined) continue;
      slot.enter(charge.cost, at, perMsOf(rule, slot.factor(at, this.#settings)));
    }
  }

  // The rules that bind such a call, for a projection.
  meters(rules: readonly Rule[], charge: Charge, now: number): Meter[] {
    const binding = rules.filter(({ scope }) => scope !== 'user' || charge.user !== null);
    return binding.map((rule) => {
      const slot = this.#tree.placeOf(rule, charge)?.slotOf(rule.name) ?? null;
      return { rule, slot, factor: slot?.factor(now, this.#settings) ?? 1 };
    });
  }
}
