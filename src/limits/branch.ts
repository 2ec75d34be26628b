// One place of the tree (the account, a chat, a user): its windows by rule name and its freezes.
// There may be half a million of these, so they are made when first needed and hold little:
// most chats have one or two slots, no freeze and nothing learned.

import type { Family } from '../domain/call.ts';
import { type Slot, slotFor } from './slot.ts';
import type { Charge, FreezeScope, Rule, Ticket } from './types.ts';

// Closed until a time, with its cause. When the time has come one call goes first, as a probe;
// the freeze ends when the platform takes that call.
export interface Freeze {
  readonly scope: FreezeScope;
  // The chat, family or budget that is frozen; '' for the account.
  readonly name: string;
  since: number;
  until: number;
  cause: string;
  probe: Ticket | null;
}

// Shared, because most places have none; and copied to be changed, because an array that grows by push
// starts with capacity for seventeen.
const NO_SLOTS: readonly Slot[] = [];
const NO_FREEZES: readonly Freeze[] = [];
const PENALTY_AGAIN_MS = 2 * 60_000;

export class Branch {
  readonly scope: Rule['scope'];
  // The chat or user; '' for the account.
  readonly name: string;
  slots: readonly Slot[] = NO_SLOTS;
  freezes: readonly Freeze[] = NO_FREEZES;
  inFlight = 0;
  // Refusals since its last success.
  refusals = 0;
  // Until then another penalty counts as the same one.
  penalizedUntil = 0;

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
      slot = slotFor(rule);
      this.slots = this.slots.concat(slot);
    } else if (slot.rule.count < rule.count) slot.rule = rule;
    return slot;
  }

  // By name; one that is not among them stays as it is.
  retune(rules: ReadonlyMap<string, Rule>): void {
    for (const slot of this.slots) slot.rule = rules.get(slot.rule.name) ?? slot.rule;
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

  penalize(until: number): void {
    this.penalizedUntil = until + PENALTY_AGAIN_MS;
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
export function isFrozenBy(freeze: Freeze, charge: { family: Family; budget: string }): boolean {
  switch (freeze.scope) {
    case 'account':
      return true;
    case 'chat':
      return charge.family !== 'free';
    case 'family':
      return freeze.name === charge.family;
    case 'budget':
      return freeze.name === charge.budget && charge.family !== 'free';
  }
}
