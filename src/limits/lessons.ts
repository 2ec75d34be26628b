// From an answer to what it teaches: is a refusal or a slow success about the chat or about the account?
// The hard thing is the scope. A refusal that the chat's own window explains is the chat's: so many calls in it, and a
// wait until the oldest of them leaves. One that it does not explain may be the account's doing. But a chat that
// refuses again and again is a chat in trouble, however many there are of them: only refusals of chats that were fine
// until then, with no success of anyone in between, are held against the account.

import { COSMETIC_FAMILIES } from '../domain/call.ts';
import type { Branch } from './branch.ts';
import {
  add,
  countRefusal,
  deafMsAt,
  HELD_SHARE,
  hold,
  isTrying,
  type LearningSettings,
  meanHoldMs,
  newRate,
  newRound,
  newsFrom,
  note,
  prove,
  provenAt,
  refuse,
} from './learning.ts';
import { isShort, type Slot } from './slot.ts';
import type { Booking, Notes, Pressure } from './tree.ts';
import type { FreezeScope, Rule, Signal } from './types.ts';
import { sayRefused } from './wording.ts';

type Limited = Extract<Signal, { kind: 'limited' }>;

// That a budget of the account (broadcast, reply, paid) is used up is our guess, not the platform's word. So at first
// one call at a time may pass, which delays healthy chats by one answer's time only. Probes that are all refused close
// the budget for longer and longer; after these steps the next refusal is proof enough to keep the whole wait.
const GUESSES_MS = [0, 0, 0, 0, 1_000, 2_000, 5_000] as const;
// So many healthy chats refused in a row close their budget; fewer where the account's window explains it.
const SUSPECTS_MIN = 4;
const SUSPECTS_EXPLAINED_MIN = 2;
// Less than this in a window explains no refusal.
const USED_SHARE_MIN = 0.15;
const HALF_USED_SHARE = 0.4;
// Waits are named in whole seconds, and the call was on its way for a while.
const WAIT_MS_ERROR = 2_000;
const WAIT_ROUNDING_MS = 1_100;
const SECOND_MS = 1_000;
const UNCOUNTED_MAX = 2;
// A spacing that is truly so many times the prior is likely; twice that is possible.
const SPACING_TIMES_MAX = 5;
// Answers that a conclusion needs. In a long window one call that goes early shows all; in a short one the line's own
// jitter is as long as what is looked for.
const ANSWERS_LONG = 1;
const ANSWERS_SHORT = 8;
// Where what is too early is refused at once, fewer tell as much.
const ANSWERS_REFUSED = 4;
const ANSWERS_FULL = 10;
const ANSWERS_LONG_FULL = 3;
const TRY_HELD_SHARE = 0.4;
const HELD_CALLS_SHARE = 0.3;
// A shorter wait than this is the line's own jitter.
const HELD_MS_MIN = 60;

// The platform knows nothing of an operator's rules. Debts are not learned; their freezes are enough.
function isLearned({ kind, isOperators }: Rule): boolean {
  return kind !== 'debt' && isOperators !== true;
}

// Of several that explain it: the one of which more was tried than is known to be allowed. A refused try is no news of
// the others, and what would be believed of them without need would stay, for nobody comes near to it.
function triedFirst(blamed: readonly Blamed[]): readonly Blamed[] {
  const tried = blamed.filter(({ isTry }) => isTry);
  return tried.length > 0 ? tried : blamed;
}

interface Answer {
  // The wait that the platform may have hidden in it.
  readonly holdMs: number;
  // The shortest round trip is known, so that calls leave no further apart than they must.
  readonly isLineKnown: boolean;
}

type Fit = 'none' | 'loose' | 'exact';

interface Blamed {
  readonly slot: Slot;
  readonly estimate: number;
  readonly fit: Fit;
  readonly isTry: boolean;
  // The share that was used, and the least that is too much by what the wait says.
  readonly used: number;
  readonly tooMuch: number | null;
}

// Refusals that no chat's own window explains, in a row.
interface Suspicion {
  readonly chats: Set<string>;
  // Those of them that went alone.
  probes: number;
  readonly since: number;
  at: number;
  until: number;
}

export class Lessons {
  readonly #account: Branch;
  readonly #settings: LearningSettings;
  // By budget.
  readonly #suspicions = new Map<string, Suspicion>();

  constructor(account: Branch, settings: LearningSettings) {
    this.#account = account;
    this.#settings = settings;
  }

  refused(booking: Booking, signal: Limited, now: number, notes: Notes): void {
    const until = now + Math.max(0, signal.retryAfterMs);
    const { chat, charge, plan } = booking;
    const cause = sayRefused(charge.family, signal.retryAfterMs);
    switch (signal.scope) {
      case 'account':
        this.#freeze(this.#account, 'account', '', until, cause, now, notes);
        this.#lower(this.#account, plan.account, booking, signal, 'loose', now, notes);
        return;
      case 'family':
        this.#freeze(chat, 'family', charge.family, until, cause, now, notes);
        this.#lower(chat, plan.chat, booking, signal, 'loose', now, notes);
        return;
      case 'chat': {
        const wasHealthy = chat.refusals === 0;
        chat.refusals += 1;
        this.#freeze(chat, 'chat', charge.chat, until, cause, now, notes);
        const isSettled =
          this.#lower(chat, plan.chat, booking, signal, 'exact', now, notes) ||
          (wasHealthy && this.#suspect(booking, signal, until, now, notes));
        if (!isSettled) this.#lower(chat, plan.chat, booking, signal, 'loose', now, notes);
        chat.penalize(until);
        // Whichever rule it was, the chat was refused.
        for (const { rate } of chat.slots) if (rate !== null) countRefusal(rate, now);
      }
    }
  }

  // A success.
  answered(booking: Booking, answer: Answer, now: number, notes: Notes): void {
    const { chat, charge, plan } = booking;
    chat.refusals = 0;
    const suspicion = this.#suspicions.get(charge.budget);
    if (suspicion !== undefined && booking.departedAt > suspicion.since) {
      this.#suspicions.delete(charge.budget);
    }
    this.#weigh(chat, plan.chat, booking.ofChat, booking, answer, now, notes);
    this.#weigh(this.#account, plan.account, booking.ofAccount, booking, answer, now, notes);
  }

  // Returns whether the budget is taken to be used up.
  #suspect(booking: Booking, signal: Limited, until: number, now: number, notes: Notes): boolean {
    const { family, budget, chat } = booking.charge;
    if (COSMETIC_FAMILIES.includes(family)) return false;
    const before = this.#suspicions.get(budget);
    const isProbe = this.#account.freezeOf('budget', budget)?.probe === booking;
    const isOver = !isProbe && now - (before?.at ?? 0) > this.#settings.momentMs;
    const suspicion: Suspicion =
      before === undefined || isOver
        ? { chats: new Set(), probes: 0, since: now, at: now, until }
        : before;
    this.#suspicions.set(budget, suspicion);
    suspicion.chats.add(chat);
    suspicion.at = now;
    suspicion.until = Math.max(suspicion.until, until);
    const { plan } = booking;
    const blamed = this.#blame(this.#account, plan.account, booking, signal, now);
    const isExplained = blamed.some(({ fit }) => fit === 'exact');
    const isEnough = suspicion.chats.size >= (isExplained ? SUSPECTS_EXPLAINED_MIN : SUSPECTS_MIN);
    if (!isProbe && !isEnough) return false;
    if (isProbe) suspicion.probes += 1;
    const guessMs = isExplained ? signal.retryAfterMs : this.#guessMs(suspicion);
    const cause = `the platform refused messages to ${suspicion.chats.size} chats in a row`;
    const opensAt = Math.min(suspicion.until, now + guessMs);
    this.#freeze(this.#account, 'budget', budget, opensAt, cause, now, notes);
    this.#lower(this.#account, plan.account, booking, signal, 'exact', now, notes);
    return true;
  }

  #guessMs({ probes }: Suspicion): number {
    return probes === 0 ? 0 : (GUESSES_MS[probes - 1] ?? Number.POSITIVE_INFINITY);
  }

  #freeze(
    branch: Branch,
    scope: FreezeScope,
    name: string,
    until: number,
    cause: string,
    now: number,
    notes: Notes,
  ): void {
    const before = branch.freezeOf(scope, name)?.until ?? 0;
    const freeze = branch.freeze(scope, name, until, cause, now);
    if (freeze.until > before) notes.froze(branch, freeze);
  }

  // Lowers what explains the refusal at least so well; says whether anything does.
  #lower(
    branch: Branch,
    rules: readonly Rule[],
    booking: Booking,
    signal: Limited,
    least: 'loose' | 'exact',
    now: number,
    notes: Notes,
  ): boolean {
    const blamed = this.#blame(branch, rules, booking, signal, now);
    const exact = triedFirst(blamed.filter(({ fit }) => fit === 'exact'));
    const chosen = exact.length > 0 || least === 'exact' ? exact : triedFirst(blamed);
    for (const { slot, estimate, fit, isTry, used, tooMuch } of chosen) {
      slot.rate ??= newRate();
      // What was in flight when the rate fell has nothing new to say.
      if (booking.takenAt < slot.rate.fellAt) continue;
      const evidence = { estimate, fits: fit === 'exact', isTry, used, tooMuch };
      refuse(slot.rate, evidence, now, this.#settings);
      slot.round = null;
      notes.learned(branch, slot);
    }
    return chosen.length > 0;
  }

  // The rules whose windows explain the refusal, and the share of the prior that they would have let pass.
  #blame(
    branch: Branch,
    rules: readonly Rule[],
    booking: Booking,
    signal: Limited,
    now: number,
  ): Blamed[] {
    const { tries, full } = branch === booking.chat ? booking.ofChat : booking.ofAccount;
    return rules.flatMap((rule, index) => {
      if (rule.scope !== branch.scope || !isLearned(rule)) return [];
      const slot = branch.slotFor(rule);
      const isFull = (full & (1 << index)) !== 0;
      const evidence =
        rule.count === 1
          ? this.#ofSpacing(rule, slot, booking, isFull, signal, now)
          : this.#ofWindow(branch, rule, slot, booking, signal, now);
      return evidence.fit === 'none'
        ? []
        : [
            {
              slot,
              ...evidence,
              isTry: (tries & (1 << index)) !== 0,
              used: Math.max(this.#usedShare(slot, rule, now), evidence.inWindow),
            },
          ];
    });
  }

  // One at a time: the platform would have let it in when the wait it names is over. That is surely about the spacing
  // only where the chat used it to the full: others are more often refused for their account.
  #ofSpacing(
    rule: Rule,
    slot: Slot,
    booking: Booking,
    isFull: boolean,
    { retryAfterMs }: Limited,
    now: number,
  ) {
    const sinceLastMs = booking.departedAt - slot.last;
    // Named in whole seconds: the truth is up to a second shorter. And until it was judged it was on its way.
    const isRounded = retryAfterMs % SECOND_MS === 0;
    const leastMs = sinceLastMs + retryAfterMs - (isRounded ? SECOND_MS : 0);
    const perMs = sinceLastMs + retryAfterMs + (isRounded ? now - booking.departedAt : 0);
    const tooMuch = isRounded ? rule.perMs / Math.max(1, leastMs) : null;
    const believedMs = slot.perMs(rule, now, this.#settings);
    if (sinceLastMs > 2 * believedMs || perMs > 2 * SPACING_TIMES_MAX * rule.perMs) {
      return { estimate: 1, fit: 'none' as Fit, tooMuch, inWindow: 0 };
    }
    const isLikely = leastMs <= SPACING_TIMES_MAX * rule.perMs + HELD_MS_MIN;
    const fit: Fit = isFull && isLikely ? 'exact' : 'loose';
    return { estimate: rule.perMs / perMs, fit, tooMuch, inWindow: 0 };
  }

  // Many: those in the window when it was refused are what the platform allows; the wait ends when the oldest leaves.
  #ofWindow(
    { penalizedUntil }: Branch,
    rule: Rule,
    slot: Slot,
    booking: Booking,
    { retryAfterMs }: Limited,
    now: number,
  ) {
    const spanMs = rule.perMs + now - booking.departedAt;
    const counted = slot.used(spanMs, now) - slot.held;
    const lateMs = (n: number) =>
      now + retryAfterMs - slot.moment(n, spanMs, now, now) - rule.perMs;
    // We count also what the platform refused for other reasons: its window may begin a little later than ours. Much
    // later if its limit has fallen: then those from there on are as many as it allows by now. But where calls lie
    // close any wait ends with one of them, so that alone proves little.
    let first = 0;
    while (first < counted - 1 && lateMs(first) > WAIT_ROUNDING_MS) first += 1;
    if (Math.abs(lateMs(first)) > WAIT_ROUNDING_MS) first = 0;
    const estimate = (counted - first) / rule.count;
    const used = counted / rule.count;
    // Calls of a short window may come as a burst, more of them at once than on average.
    const inWindow = isShort(rule) ? Math.min(1, (counted + 1) / rule.count) : 0;
    const rest = { tooMuch: null, inWindow };
    if (used < USED_SHARE_MIN) return { estimate, fit: 'none' as Fit, ...rest };
    const isHalfUsed = used >= HALF_USED_SHARE * slot.share(now, this.#settings);
    // A wait longer than the window is a penalty, whatever it was for. If the next calls end in the same way, it was
    // for these: under a penalty the platform names no other wait.
    if (retryAfterMs > rule.perMs + WAIT_MS_ERROR) {
      const isAgain = isHalfUsed && now < penalizedUntil;
      return { estimate: counted / rule.count, fit: isAgain ? 'exact' : ('none' as Fit), ...rest };
    }
    const isExact = first <= UNCOUNTED_MAX && Math.abs(lateMs(first)) <= WAIT_MS_ERROR;
    return { estimate, fit: isExact ? 'exact' : isHalfUsed ? 'loose' : ('none' as Fit), ...rest };
  }

  #weigh(
    branch: Branch,
    rules: readonly Rule[],
    pressure: Pressure,
    { charge, takenAt }: Booking,
    { holdMs, isLineKnown }: Answer,
    now: number,
    notes: Notes,
  ): void {
    for (const [index, rule] of rules.entries()) {
      if (rule.scope !== branch.scope || !isLearned(rule)) continue;
      const slot = branch.slotFor(rule);
      if (this.#wasInFlight(slot, rule, takenAt)) {
        add(slot.rate!, charge.cost / rule.count);
        notes.learned(branch, slot);
        continue;
      }
      const heldMs = holdMs > Math.max(HELD_MS_MIN, deafMsAt(slot.rate, now)) ? holdMs : 0;
      const isTry = (pressure.evident & (1 << index)) !== 0;
      const isNews = slot.rate === null || takenAt >= newsFrom(slot.rate);
      if (!isNews || (!isTry && (pressure.full & (1 << index)) === 0)) continue;
      // While more is tried only the tries tell.
      if (!isTry && slot.rate !== null && isTrying(slot.rate, now, this.#settings)) continue;
      // Nothing is kept of windows that nothing is wrong with.
      if (slot.round === null && heldMs === 0 && !isTry) continue;
      // Until then calls lie further apart than is tried.
      if (isTry && rule.count === 1 && !isLineKnown) continue;
      if (branch.scope === 'account' && slot.round?.chat === charge.chat) continue;
      if (slot.round?.isTry !== isTry) slot.round = newRound(isTry);
      note(slot.round, charge.chat, heldMs);
      if (this.#conclude(slot, rule, isTry, now)) notes.learned(branch, slot);
    }
  }

  #wasInFlight({ rate }: Slot, { count, perMs }: Rule, takenAt: number): boolean {
    if (rate === null || !rate.isCounting || count === 1) return false;
    return takenAt < rate.fellAt && takenAt > rate.fellAt - perMs;
  }

  // Says whether something was learned.
  #conclude(slot: Slot, rule: Rule, isTry: boolean, now: number): boolean {
    const { round } = slot;
    const isLong = !isShort(rule);
    const windows = 2 * rule.count * slot.share(now, this.#settings);
    const short = slot.rate?.isRounded === true ? ANSWERS_REFUSED : ANSWERS_SHORT;
    const tries = isLong ? ANSWERS_LONG : Math.max(short, windows);
    const answers = isLong ? ANSWERS_LONG_FULL : ANSWERS_FULL;
    if (round === null || round.calls < (isTry ? tries : answers)) return false;
    slot.round = null;
    // In a long window only the first call of a burst is held; a short one holds all alike.
    const holdMs = isLong && !isTry ? round.secondMs : meanHoldMs(round);
    const perMs = slot.perMs(rule, now, this.#settings);
    const tried = { share: this.#usedShare(slot, rule, now), perMs, isTry };
    // By chance a few are slow. A try that fails is held for as long as it was early.
    const isHeld = isTry
      ? holdMs > (slot.keptMs(rule, now, this.#settings) - perMs) * TRY_HELD_SHARE
      : round.held >= HELD_CALLS_SHARE * round.calls && perMs / (perMs + holdMs) < HELD_SHARE;
    if (!isTry && !isHeld) return false;
    slot.rate ??= newRate();
    if (isHeld) hold(slot.rate, tried, holdMs, now, this.#settings);
    else prove(slot.rate, this.#provenBy(slot, rule, tried.share, now), now, this.#settings);
    return true;
  }

  // In a long window one call proves no more than that the window took it with those that were in it.
  #provenBy(slot: Slot, rule: Rule, tried: number, now: number): number {
    if (isShort(rule)) return tried;
    const inWindow = slot.used(rule.perMs, now) / rule.count;
    return Math.min(tried, Math.max(inWindow, provenAt(slot.rate!, now, this.#settings)));
  }

  // With what a try adds to it.
  #usedShare(slot: Slot, rule: Rule, now: number): number {
    const perMs = slot.perMs(rule, now, this.#settings);
    return (slot.share(now, this.#settings) * slot.spanMs(rule, now, this.#settings)) / perMs;
  }
}
