// The places of one account: itself, its chats and their threads, its users. All but itself are made when first needed
// and forgotten, in bounded steps, when nothing is left to remember of them. What a step changes there is noted, to be
// kept on disk.

import type { AccountId } from '../domain/ids.ts';
import { assert } from '../system/assert.ts';
import { Branch, type Freeze } from './branch.ts';
import { isSpent, type LearningSettings } from './learning.ts';
import type { Meter } from './projection.ts';
import type { Fact } from './records.ts';
import { ChatsSlot, isShort, type Slot } from './slot.ts';
import type { Charge, Learned, LimitRecord, Plan, Rule, Ticket } from './types.ts';

// A freeze that nobody came to test is forgotten so long after its end.
const FREEZE_KEPT_MS = 3_600_000;

export class Tree {
  readonly root = new Branch('account', '');
  // Chats with a freeze or something learned: what an operator wants to see first.
  readonly noted = new Set<Branch>();
  readonly #chats = new Map<string, Branch>();
  readonly #threads = new Map<string, Branch>();
  readonly #users = new Map<string, Branch>();
  // Chats that are another one under an older or a second name.
  readonly #same = new Map<string, string>();
  #sweep: Iterator<Branch> | null = null;
  #leastTrip = 0;
  // When last a call was entered at its departure.
  passedAt = Number.NEGATIVE_INFINITY;

  get size(): number {
    return this.#chats.size + this.#threads.size + this.#users.size;
  }

  // When the round trip becomes known, calls entered at the moment of their answer count from when they were judged. In
  // long windows that makes no difference.
  knowLine(leastTrip: number, now: number): number {
    if (this.#leastTrip === 0 && leastTrip > 0) {
      for (const slot of this.root.slots) {
        const isAnswered = now - this.passedAt > slot.rule.perMs;
        if (isShort(slot.rule) && isAnswered) slot.advance(leastTrip);
      }
    }
    this.#leastTrip = leastTrip;
    return leastTrip;
  }

  chatOf(name: string): Branch | null {
    return this.#chats.get(this.#same.get(name) ?? name) ?? null;
  }

  chatFor(name: string): Branch {
    return made(this.#chats, 'chat', this.#same.get(name) ?? name);
  }

  // The account first, then the chats with something to tell, then the others.
  first(max: number): Branch[] {
    const found: Branch[] = [];
    for (const branch of this.#inOrder()) {
      if (found.length >= max) break;
      found.push(branch);
    }
    return found;
  }

  // Answers where there were such.
  advanceFreezes(before: number, byMs: number, notes: Notes): Branch[] {
    const found: Branch[] = [];
    for (const branch of [this.root, ...this.noted]) {
      const freezes = branch.freezes.filter(({ since }) => since <= before);
      for (const freeze of freezes) {
        freeze.since -= byMs;
        freeze.until -= byMs;
        notes.froze(branch, freeze);
      }
      if (freezes.length > 0) found.push(branch);
    }
    return found;
  }

  // Cheap also with very many chats: most have nothing to tell.
  standing(now: number, settings: LearningSettings): { frozen: number; lowered: number } {
    let [frozen, lowered] = [0, 0];
    for (const branch of [this.root, ...this.noted]) {
      for (const { until } of branch.freezes) if (until > now) frozen += 1;
      for (const slot of branch.slots) if (slot.share(now, settings) < 1) lowered += 1;
    }
    return { frozen, lowered };
  }

  *#inOrder(): Generator<Branch> {
    yield this.root;
    yield* this.noted;
    for (const branch of this.#chats.values()) if (!this.noted.has(branch)) yield branch;
  }

  // From now on both names are one chat, and what was used, learned or frozen under either counts for it.
  unite(from: string, to: string, notes: Notes): void {
    for (const [name, same] of this.#same) if (same === from) this.#same.set(name, to);
    this.#same.set(from, to);
    const old = this.#chats.get(from);
    if (old === undefined) return;
    this.#chats.delete(from);
    this.noted.delete(old);
    const branch = this.chatFor(to);
    for (const { scope, name, until, cause, since } of old.freezes) {
      notes.froze(branch, branch.freeze(scope, scope === 'chat' ? to : name, until, cause, since));
    }
    for (const freeze of old.freezes) notes.thawed(old, freeze);
    for (const slot of old.slots) {
      const own = branch.slotFor(slot.rule);
      own.absorb(slot);
      if (slot.rate === null) continue;
      notes.forgot(old, slot);
      if (own.rate !== null && own.rate.share <= slot.rate.share) continue;
      own.rate = slot.rate;
      notes.learned(branch, own);
    }
    if (branch.isRemarkable()) this.noted.add(branch);
  }

  userFor(name: string): Branch {
    return made(this.#users, 'user', name);
  }

  // Where the rule is kept for such a call; null when nothing is known there yet, or it has no user.
  placeOf(rule: Rule, charge: Charge): Branch | null {
    if (rule.scope === 'account') return this.root;
    if (isOfChat(rule, charge)) return this.chatOf(charge.chat);
    if (rule.scope === 'thread') return this.#threads.get(threadName(charge)) ?? null;
    return charge.user === null ? null : (this.#users.get(charge.user) ?? null);
  }

  placeFor(rule: Rule, charge: Charge): Branch | null {
    if (rule.scope === 'account') return this.root;
    if (isOfChat(rule, charge)) return this.chatFor(charge.chat);
    if (rule.scope === 'thread') return made(this.#threads, 'thread', threadName(charge));
    return charge.user === null ? null : this.userFor(charge.user);
  }

  // A fact read back from disk.
  learn(fact: Fact): void {
    const isOfChat = fact.scope === 'chat' || fact.scope === 'family';
    const branch = isOfChat ? this.chatFor(fact.chat) : this.root;
    if (fact.kind === 'freeze') {
      branch.freeze(fact.scope, fact.name, fact.until, fact.cause, fact.since);
      if (fact.scope === 'chat') branch.penalize(fact.until);
    } else {
      branch.slotFor(fact.rule).rate = fact.rate;
    }
    if (isOfChat) this.noted.add(branch);
  }

  // Looks at up to `max` places, going round; says how many it dropped. What is thereby gone from
  // disk too is noted.
  forgetIdle(now: number, max: number, settings: LearningSettings, notes: Notes): number {
    const sizeBefore = this.size;
    for (let looked = 0; looked < max; looked++) {
      this.#sweep ??= this.#branches();
      const step = this.#sweep.next();
      if (step.done === true) {
        this.#sweep = null;
        break;
      }
      this.#forget(step.value, now, settings, notes);
    }
    return sizeBefore - this.size;
  }

  retune(rulesIn: (branch: Branch) => ReadonlyMap<string, Rule>): void {
    for (const branch of this.#branches()) branch.retune(rulesIn(branch));
  }

  *#branches(): Generator<Branch> {
    yield this.root;
    yield* this.#chats.values();
    yield* this.#threads.values();
    yield* this.#users.values();
  }

  #forget(branch: Branch, now: number, settings: LearningSettings, notes: Notes): void {
    for (const freeze of branch.freezes) {
      if (freeze.probe !== null || freeze.until + FREEZE_KEPT_MS > now) continue;
      branch.thaw(freeze);
      notes.thawed(branch, freeze);
    }
    for (const slot of branch.slots) {
      if (slot.rate === null || !isSpent(slot.rate, now, settings)) continue;
      slot.rate = null;
      notes.forgot(branch, slot);
    }
    if (!branch.isRemarkable()) this.noted.delete(branch);
    if (branch === this.root || !branch.isIdle(now)) return;
    if (branch.scope === 'chat') this.#chats.delete(branch.name);
    else (branch.scope === 'thread' ? this.#threads : this.#users).delete(branch.name);
  }
}

function isOfChat({ scope }: Rule, { thread }: Charge): boolean {
  return scope === 'chat' || (scope === 'thread' && (thread ?? null) === null);
}

function threadName({ chat, thread }: Charge): string {
  return `${chat} ${thread}`;
}

function made(branches: Map<string, Branch>, scope: Rule['scope'], name: string): Branch {
  let branch = branches.get(name);
  if (branch === undefined) {
    branch = new Branch(scope, name);
    branches.set(name, branch);
  }
  return branch;
}

// Capacity in all windows that a set of rules names: asked for, held while a call is under way, and turned
// into a moment of judgement (or given back) when it settles. Nothing is made by asking.

// A call of the same user may be in flight in another chat, whose settling does not wake this one.
const ASK_AGAIN_MS = 250;

// One bit per rule: whose windows it uses to the full, and of which it tries more than is known to be allowed; so much
// more that a success tells.
export interface Pressure {
  full: number;
  tries: number;
  evident: number;
}

// The capacity one call has taken, and how full its windows were then. Opaque to everyone outside.
export class Booking implements Ticket {
  readonly charge: Charge;
  readonly plan: Plan;
  readonly chat: Branch;
  readonly takenAt: number;
  departedAt: number;
  readonly ofChat: Pressure = { full: 0, tries: 0, evident: 0 };
  readonly ofAccount: Pressure = { full: 0, tries: 0, evident: 0 };
  isSettled = false;

  constructor(charge: Charge, plan: Plan, chat: Branch, now: number) {
    this.charge = charge;
    this.plan = plan;
    this.chat = chat;
    this.takenAt = now;
    this.departedAt = now;
  }
}

export function bookingOf(ticket: Ticket): Booking {
  assert(ticket instanceof Booking, 'a ticket of someone else');
  return ticket;
}

export class Headroom {
  readonly #tree: Tree;
  readonly #settings: LearningSettings;
  readonly #filled: Map<string, number>;

  // `filled`: by rule, how many calls have used it to the full; counted on.
  constructor(tree: Tree, settings: LearningSettings, filled: Map<string, number>) {
    this.#tree = tree;
    this.#settings = settings;
    this.#filled = filled;
  }

  // When every window has capacity. Infinity: not before a call under way settles.
  earliest(rules: readonly Rule[], charge: Charge, now: number): number {
    let at = now;
    for (const rule of rules) {
      const slot = this.#tree.placeOf(rule, charge)?.slotOf(rule.name) ?? null;
      if (slot === null) continue;
      const opens = this.#opensAt(slot, rule, charge, now);
      const isElsewhere = opens === Number.POSITIVE_INFINITY && rule.scope === 'user';
      at = Math.max(at, isElsewhere ? now + ASK_AGAIN_MS : opens);
    }
    return at;
  }

  #opensAt(slot: Slot, rule: Rule, { chat, cost }: Charge, now: number): number {
    if (!(slot instanceof ChatsSlot)) return slot.opensAt(rule, cost, now, this.#settings);
    const count = slot.count(rule, now, this.#settings);
    return slot.chats.freeAt(chat, { count, perMs: rule.perMs }, now, Number.POSITIVE_INFINITY);
  }

  // Takes capacity in every window, and notes of which the call uses the last.
  hold(rules: readonly Rule[], charge: Charge, pressure: Pressure, now: number): void {
    for (const [index, rule] of rules.entries()) {
      const slot = this.#tree.placeFor(rule, charge)?.slotFor(rule);
      if (slot === undefined) continue;
      if (slot.isFull(rule, charge.cost, now, this.#settings)) {
        pressure.full |= 1 << index;
        this.#filled.set(rule.name, (this.#filled.get(rule.name) ?? 0) + 1);
      }
      const aheadMs = slot.aheadMs(rule, charge.cost, now, this.#settings);
      if (aheadMs > 0) pressure.tries |= 1 << index;
      if (aheadMs > slot.evidentMs(rule)) pressure.evident |= 1 << index;
      if (slot instanceof ChatsSlot) slot.chats.hold(charge.chat);
      else slot.hold(charge.cost);
    }
  }

  // null: it was never judged, or refused capacity.
  settle(rules: readonly Rule[], charge: Charge, judgedAt: number | null): void {
    for (const rule of rules) {
      const slot = this.#tree.placeOf(rule, charge)?.slotOf(rule.name);
      if (slot instanceof ChatsSlot) slot.chats.giveBack(charge.chat);
      else slot?.giveBack(charge.cost);
    }
    if (judgedAt !== null) this.enter(rules, charge, judgedAt);
  }

  enter(rules: readonly Rule[], charge: Charge, at: number): void {
    for (const rule of rules) {
      const slot = this.#tree.placeFor(rule, charge)?.slotFor(rule);
      if (slot === undefined) continue;
      if (slot instanceof ChatsSlot) slot.chats.enter(charge.chat, at);
      else slot.enter(charge.cost, at, slot.keptMs(rule, at, this.#settings));
    }
  }

  // A debt may be older than all that is read back: whatever could still be owed counts from now on.
  restore(rules: readonly Rule[], charge: Charge, at: number, now: number): void {
    for (const rule of rules) {
      if (rule.kind !== 'debt') this.enter([rule], charge, at);
      else if (at > now - rule.perMs) this.enter([rule], charge, now);
    }
  }

  // The rules that bind such a call, for a projection.
  meters(rules: readonly Rule[], charge: Charge, now: number): Meter[] {
    const binding = rules.filter(({ scope }) => scope !== 'user' || charge.user !== null);
    return binding.map((rule) => {
      const slot = this.#tree.placeOf(rule, charge)?.slotOf(rule.name) ?? null;
      const count = slot?.count(rule, now, this.#settings) ?? rule.count;
      const perMs = slot?.perMs(rule, now, this.#settings) ?? rule.perMs;
      const share = slot?.share(now, this.#settings) ?? 1;
      return { rule, slot, share, count, perMs };
    });
  }
}

// Collects what one step changed.
export class Notes implements Learned {
  readonly records: LimitRecord[];
  readonly freezes: Learned['freezes'] = [];
  readonly #account: AccountId;
  readonly #now: number;

  // Adds to `records`.
  constructor(account: AccountId, now: number, records: LimitRecord[]) {
    this.records = records;
    this.#account = account;
    this.#now = now;
  }

  froze(branch: Branch, freeze: Freeze): void {
    const { scope, name, since, until, cause } = freeze;
    this.freezes.push({ scope, name, until, cause });
    this.#write(freezeKey(branch, freeze), JSON.stringify({ since, until, cause }));
  }

  thawed(branch: Branch, freeze: Freeze): void {
    this.#write(freezeKey(branch, freeze), '');
  }

  learned(branch: Branch, { rule, rate }: Slot): void {
    const { count, perMs } = rule;
    const { share, ceiling, fellAt, changedAt, failures } = rate!;
    const learned = { share, ceiling, fellAt, changedAt, failures };
    this.#write(rateKey(branch, rule), JSON.stringify({ ...learned, count, perMs }));
  }

  forgot(branch: Branch, { rule }: Slot): void {
    this.#write(rateKey(branch, rule), '');
  }

  #write(key: string, value: string): void {
    this.records.push({ account: this.#account, key, value, updatedAt: this.#now });
  }
}

// The chat comes last: its name may hold anything.
function freezeKey(branch: Branch, { scope, name }: Freeze): string {
  return `freeze|${scope}|${scope === 'chat' ? '' : name}|${branch.name}`;
}

function rateKey(branch: Branch, rule: Rule): string {
  return `rate|${branch.scope}|${rule.name}|${branch.name}`;
}
