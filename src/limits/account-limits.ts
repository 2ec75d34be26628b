// All limits of one account: the tree of windows and freezes, and the steps of a call's life in it (ask, take, depart,
// settle). All windows are taken together or none. The hard promise: as long as no round trip is shorter than the
// least one seen, no window of the platform is ever exceeded, whatever the network does to the calls under way.

import type { ObservedBucket } from '../domain/outcome.ts';
import { assert, unreachable } from '../system/assert.ts';
import type { Branch } from './branch.ts';
import { Buckets } from './buckets.ts';
import { type Circumstances, causeAhead, causeOfFreeze, causeOfRule, viewOf } from './describe.ts';
import { LEARNING, type LearningSettings } from './learning.ts';
import { Lessons } from './lessons.ts';
import { decisiveRule, type ProjectedMoment, projectCall } from './projection.ts';
import { readRecord } from './records.ts';
import { RoundTrips } from './rolling-window.ts';
import { liveRules, rulesByChat } from './rules-in-force.ts';
import { Booking, bookingOf, Headroom, Notes, Tree } from './tree.ts';
import type * as Model from './types.ts';
import type { Charge, Rule } from './types.ts';

// A chat waits for its own unanswered call as long as it takes: order demands it anyway. The account
// does not: after so long the call counts as judged, so that a few chats that hang cannot stop all.
const HELD_MS_MAX = 10_000;

export class AccountLimits {
  readonly #account: Model.LimitRecord['account'];
  #priors: Model.Priors;
  readonly #settings: LearningSettings;
  readonly #tree = new Tree();
  readonly #headroom: Headroom;
  readonly #trips: RoundTrips;
  readonly #lessons: Lessons;
  readonly #buckets = new Buckets();
  // Calls in flight that count in a window of the account; oldest first.
  readonly #awaited = new Set<Booking>();
  // Records of what was forgotten; deleted from disk with the next settle.
  #unsaved: Model.LimitRecord[] = [];

  constructor(options: {
    account: Model.LimitRecord['account'];
    priors: Model.Priors;
    trips?: RoundTrips;
    learning?: Partial<LearningSettings>;
    // By rule, how many calls have used it to the full; counted on.
    filled?: Map<string, number>;
  }) {
    this.#account = options.account;
    this.#priors = options.priors;
    this.#settings = { ...LEARNING, ...options.learning };
    this.#trips = options.trips ?? new RoundTrips();
    this.#headroom = new Headroom(this.#tree, this.#settings, options.filled ?? new Map());
    this.#lessons = new Lessons(this.#tree.root, this.#settings);
  }

  // When the chat (and the user) let it go. At or before now: at once. Infinity: not before a call
  // of the chat that is under way settles.
  earliestChat(charge: Charge, now: number): number {
    const chat = this.#tree.chatOf(charge.chat);
    const thawsAt = chat === null ? now : chat.thawsAt(charge, now);
    const plan = this.#priors.planOf(charge);
    const at = Math.max(thawsAt, this.#headroom.earliest(plan.chat, charge, now));
    if (plan.route === undefined) return at;
    return Math.max(at, this.#buckets.earliest(charge.chat, plan.route, now));
  }

  // The same for the account.
  earliestAccount(charge: Charge, now: number): number {
    const { account } = this.#priors.planOf(charge);
    const thawsAt = this.#tree.root.thawsAt(charge, now);
    let at = this.#headroom.earliest(account, charge, now);
    if (at === Number.POSITIVE_INFINITY && this.#presume(now)) {
      at = this.#headroom.earliest(account, charge, now);
    }
    return Math.max(thawsAt, at);
  }

  // For typing signs and drafts: may it go now without delaying a message? Not while a freeze awaits its
  // probe, which is for a message. (A freeze of their own family has no other probe.)
  isFreeFor(charge: Charge, now: number): boolean {
    const chat = this.#tree.chatOf(charge.chat);
    for (const { scope } of [...(chat?.freezes ?? []), ...this.#tree.root.freezes]) {
      if (scope !== 'family') return false;
    }
    return this.earliestChat(charge, now) <= now && this.earliestAccount(charge, now) <= now;
  }

  take(charge: Charge, now: number): Model.Ticket {
    assert(this.earliestChat(charge, now) <= now, 'taken while its chat holds it back');
    assert(this.earliestAccount(charge, now) <= now, 'taken while its account holds it back');
    const plan = this.#priors.planOf(charge);
    const chat = this.#tree.chatFor(charge.chat);
    const booking = new Booking(charge, plan, chat, now);
    this.#headroom.hold(plan.chat, charge, booking.ofChat, now);
    this.#headroom.hold(plan.account, charge, booking.ofAccount, now);
    if (plan.account.length > 0) this.#awaited.add(booking);
    if (plan.route !== undefined) this.#buckets.hold(charge.chat, plan.route);
    chat.inFlight += 1;
    chat.probe(booking);
    this.#tree.root.probe(booking);
    return booking;
  }

  // Written to the wire.
  departed(ticket: Model.Ticket, now: number): void {
    bookingOf(ticket).departedAt = now;
  }

  // Exactly once per ticket. The records belong into the transaction that settles the delivery.
  // `observed`: what the answer said of the platform's own bucket.
  settled(
    ticket: Model.Ticket,
    signal: Model.Signal,
    now: number,
    observed?: ObservedBucket,
  ): Model.Learned {
    const booking = bookingOf(ticket);
    assert(!booking.isSettled, 'settled twice');
    booking.isSettled = true;
    const { route } = booking.plan;
    if (route !== undefined) {
      const isLimited = signal.kind === 'limited';
      const answer = { observed, isLimited, takenAt: booking.takenAt };
      this.#buckets.settle(booking.charge.chat, route, answer, now);
    }
    booking.chat.inFlight -= 1;
    const notes = new Notes(this.#account, now, this.#unsaved);
    this.#unsaved = [];
    switch (signal.kind) {
      case 'ok':
      case 'judged':
        this.#judged(booking, signal.kind === 'ok', now, notes);
        break;
      case 'unjudged':
        this.#leave(booking, null);
        break;
      case 'limited':
        // Refused capacity is none used.
        this.#leave(booking, null);
        this.#lessons.refused(booking, signal, now, notes);
        break;
      default:
        unreachable(signal);
    }
    booking.chat.endProbe(booking);
    this.#tree.root.endProbe(booking);
    if (booking.chat.isRemarkable()) this.#tree.noted.add(booking.chat);
    return notes;
  }

  // An estimate of when the call goes that has `ahead` like it before it in its chat; not later than
  // the truth, if nothing is learned meanwhile.
  project(charge: Charge, ahead: number, now: number): number {
    const chat = this.#tree.chatOf(charge.chat);
    return this.#project(this.#priors.planOf(charge).chat, chat, charge, ahead, now);
  }

  projectAccount(charge: Charge, ahead: number, now: number): number {
    return this.#project(this.#priors.planOf(charge).account, this.#tree.root, charge, ahead, now);
  }

  // Everything that now holds it back, longest first; empty when it may go.
  explain(charge: Charge, now: number): Model.Cause[] {
    const plan = this.#priors.planOf(charge);
    const circumstances = this.#circumstances(now);
    const causes: (Model.Cause | null)[] = [];
    for (const branch of [this.#tree.chatOf(charge.chat), this.#tree.root]) {
      for (const freeze of branch?.freezes ?? []) {
        causes.push(causeOfFreeze(freeze, charge, circumstances));
      }
    }
    for (const rule of [...plan.chat, ...plan.account]) {
      const slot = this.#tree.placeOf(rule, charge)?.slotOf(rule.name) ?? null;
      if (slot !== null) causes.push(causeOfRule(rule, slot, charge.cost, circumstances));
    }
    if (plan.route !== undefined) causes.push(this.#buckets.explain(charge.chat, plan.route, now));
    return causes.filter((cause) => cause !== null).sort((a, b) => b.until - a.until);
  }

  // The window that decides when a call goes that has so many like it before it in its chat and in its account: often
  // not the one that is shut at this instant. null: no window makes it wait.
  decisive(charge: Charge, ahead: Model.Ahead, now: number): Model.Cause | null {
    const plan = this.#priors.planOf(charge);
    const sides = [
      [plan.chat, this.#tree.chatOf(charge.chat), ahead.inChat],
      [plan.account, this.#tree.root, ahead.inAccount],
    ] as const;
    const found = sides.flatMap(([rules, branch, count]) => {
      const meters = this.#headroom.meters(rules, charge, now);
      const rule = decisiveRule(meters, charge.cost, count, this.#moment(branch, charge, now));
      return rule === null ? [] : [causeAhead(rule.meter, count, rule.until, now)];
    });
    return found.sort((a, b) => b.until - a.until)[0] ?? null;
  }

  // At most `max`; see the tree for the order.
  view(now: number, max: number): Model.ChatView[] {
    const circumstances = this.#circumstances(now);
    return this.#tree.first(max).map((branch) => viewOf(branch, circumstances));
  }

  // How many freezes are in force, and of how many rules less is believed than the priors say.
  standing(now: number): { frozen: number; lowered: number } {
    return this.#tree.standing(now, this.#settings);
  }

  // Two names of one chat: its budget is one. The records are to be saved.
  unite(from: string, to: string, now: number): Model.LimitRecord[] {
    const notes = new Notes(this.#account, now, []);
    this.#tree.unite(from, to, notes);
    return notes.records;
  }

  // By hand: nothing of the chat (null: of the account) goes before `until`. What is learned is to be saved.
  freeze(chat: string | null, until: number, cause: string, now: number): Model.Learned {
    const notes = new Notes(this.#account, now, []);
    const branch = chat === null ? this.#tree.root : this.#tree.chatFor(chat);
    const freeze = branch.freeze(chat === null ? 'account' : 'chat', chat ?? '', until, cause, now);
    if (chat !== null) this.#tree.noted.add(branch);
    notes.froze(branch, freeze);
    return notes;
  }

  // By hand: the freezes there are over now. One call goes first, as after any freeze; a wrong thaw costs one refusal.
  thaw(chat: string | null, now: number): Model.Learned {
    const notes = new Notes(this.#account, now, []);
    const branch = chat === null ? this.#tree.root : this.#tree.chatOf(chat);
    for (const freeze of branch?.freezes ?? []) {
      if (freeze.until <= now) continue;
      freeze.until = now;
      notes.froze(branch!, freeze);
    }
    return notes;
  }

  // What went out stays counted, what was learned is a share of the new; a longer window begins with what is kept.
  retune(priors: Model.Priors, budgets: readonly string[]): void {
    this.#priors = priors;
    this.#tree.retune(rulesByChat(priors, budgets));
  }

  // A call that goes straight through, without a ticket: it counts for the account all the same.
  passed(charge: Charge, now: number): void {
    this.#tree.passedAt = now;
    this.#headroom.enter(this.#priors.planOf(charge).account, charge, now);
  }

  // Whether it would count in more windows if it were live output.
  hasLiveRules(charge: Charge): boolean {
    const live = this.#priors.planOf({ ...charge, live: true }).chat;
    return live.length > this.#priors.planOf(charge).chat.length;
  }

  // It was live output, as is known only now: it counts as such, too, since it was made.
  wasLive(charge: Charge, at: number): void {
    this.#headroom.enter(liveRules(this.#priors, charge), charge, at);
  }

  // Facts first, then the windows from what went out lately. A call without an end was under way
  // when the process ended: it may have been judged as late as now.
  restore(
    records: readonly Model.LimitRecord[],
    calls: readonly Model.PastCall[],
    now: number,
  ): void {
    for (const record of records) {
      const fact = readRecord(record);
      if (fact !== null) this.#tree.learn(fact);
    }
    for (const call of calls) {
      if (!call.counted) continue;
      const plan = this.#priors.planOf(call);
      const at = Math.min(call.endedAt ?? now, now);
      this.#headroom.restore(plan.chat, call, at, now);
      this.#headroom.restore(plan.account, call, at, now);
    }
  }

  // Of up to `max` chats drops those that hold nothing any more; says how many.
  forgetIdle(now: number, max: number): number {
    const notes = new Notes(this.#account, now, this.#unsaved);
    this.#buckets.forgetIdle(now, max);
    return this.#tree.forgetIdle(now, max, this.#settings, notes);
  }

  // Nothing is frozen, learned or counted: to forget it loses nothing. True only after the rounds of `forgetIdle`.
  isAtRest(now: number): boolean {
    const { root } = this.#tree;
    return (
      this.#buckets.size === 0 && this.#tree.size === 0 && !root.isRemarkable() && root.isIdle(now)
    );
  }

  // What was forgotten, and is still on disk.
  takeUnsaved(): Model.LimitRecord[] {
    const unsaved = this.#unsaved;
    this.#unsaved = [];
    return unsaved;
  }

  // Freezes that began at `before` or earlier end so much sooner than it was thought; `chats` are those they hold,
  // with '' for the account itself.
  advanceFreezes(
    before: number,
    byMs: number,
    now: number,
  ): { records: Model.LimitRecord[]; chats: string[] } {
    const notes = new Notes(this.#account, now, []);
    const branches = this.#tree.advanceFreezes(before, byMs, notes);
    return { records: notes.records, chats: branches.map(({ name }) => name) };
  }

  #judged(booking: Booking, isOk: boolean, now: number, notes: Notes): void {
    const trip = Math.max(0, now - booking.departedAt);
    const least = this.#tree.knowLine(this.#trips.least(now), now);
    // Sooner than any answer can come: the connection broke, and the call may still be on its way.
    const isBroken = !isOk && trip < least;
    const late = isBroken ? least : Math.max(0, trip - least);
    this.#leave(booking, booking.departedAt + late);
    if (isOk) {
      const answer = { holdMs: this.#hiddenMs(booking, trip, now), isLineKnown: least > 0 };
      this.#lessons.answered(booking, answer, now, notes);
      this.#trips.observe(trip, now);
    }
    this.#open(booking.chat, booking, now, notes);
    this.#open(this.#tree.root, booking, now, notes);
  }

  // The probe was taken: the freezes it tested are over.
  #open(branch: Branch, booking: Booking, now: number, notes: Notes): void {
    for (const freeze of branch.freezes) {
      if (freeze.probe !== booking || freeze.until > now) continue;
      branch.thaw(freeze);
      notes.thawed(branch, freeze);
    }
  }

  // The wait that the platform may have hidden in a success.
  #hiddenMs({ charge }: Booking, trip: number, now: number): number {
    if (charge.family !== 'send' && charge.family !== 'edit') return 0;
    return trip > this.#settings.slowMsMax ? 0 : this.#trips.excess(trip, now);
  }

  // Turns held capacity into a moment of judgement, or (null) gives it back.
  #leave(booking: Booking, judgedAt: number | null): void {
    this.#headroom.settle(booking.plan.chat, booking.charge, judgedAt);
    if (booking.plan.account.length === 0) return;
    if (this.#awaited.delete(booking)) {
      this.#headroom.settle(booking.plan.account, booking.charge, judgedAt);
    }
  }

  // Counts the calls as judged that have been out for too long; says whether there was one.
  #presume(now: number): boolean {
    let found = false;
    for (const booking of this.#awaited) {
      const judgedAt = booking.departedAt + HELD_MS_MAX;
      if (judgedAt > now) break;
      this.#awaited.delete(booking);
      this.#headroom.settle(booking.plan.account, booking.charge, judgedAt);
      found = true;
    }
    return found;
  }

  #project(
    rules: readonly Rule[],
    branch: Branch | null,
    charge: Charge,
    ahead: number,
    now: number,
  ): number {
    const meters = this.#headroom.meters(rules, charge, now);
    return projectCall(meters, charge.cost, ahead, this.#moment(branch, charge, now));
  }

  #moment(branch: Branch | null, charge: Charge, now: number): ProjectedMoment {
    const thawsAt = branch?.thawsAt(charge, now) ?? now;
    const from = Number.isFinite(thawsAt) ? thawsAt : now;
    return { now, from, heldAt: now - this.#trips.least(now) };
  }

  // A call without an answer that is judged well counts, at the earliest, from now less the least
  // round trip: that is how far back `late` can reach.
  #circumstances(now: number): Circumstances {
    const heldAt = now - this.#trips.least(now);
    return { now, heldAt, answerAt: now + this.#trips.typical(now), settings: this.#settings };
  }
}
