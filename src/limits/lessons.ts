// From an answer to what it teaches: whom does a refusal or a slow success tell about?
// The hard thing is the scope. A chat's refusal that the chat's own use explains is the chat's. One
// that it does not explain may be the account's doing; two of them from different chats within a
// moment are taken for it, and the gate they went through closes.

import { COSMETIC_FAMILIES } from '../domain/call.ts';
import { type Branch, perMsOf, type Slot } from './branch.ts';
import { type LearningSettings, newRate, refuse, slow, warn } from './learning.ts';
import type { Booking, Notes } from './tree.ts';
import type { FreezeScope, Rule, Signal } from './words.ts';

type Limited = Extract<Signal, { kind: 'limited' }>;

// That a gate is shut is our guess, not the platform's word, so the guess is short: one chat's ban of
// half a day must not silence an account. If the probe that follows is refused while the wait that another chat
// was told is not over, the gate's wait is proven, and that wait is kept whole. If that wait is over, the
// refusal may be the probing chat's own: another short guess, and the next chat is the probe.
const GUESS_MS_MAX = 60_000;

interface Hint {
  readonly chat: string;
  readonly at: number;
  readonly until: number;
}

export class Lessons {
  readonly #account: Branch;
  readonly #settings: LearningSettings;
  // By gate: the last refusal, and the last slow success, that its chat did not explain.
  readonly #refusals = new Map<string, Hint>();
  readonly #delays = new Map<string, Hint>();

  constructor(account: Branch, settings: LearningSettings) {
    this.#account = account;
    this.#settings = settings;
  }

  refused(booking: Booking, signal: Limited, now: number, notes: Notes): void {
    const until = now + Math.max(0, signal.retryAfterMs);
    const { chat, charge } = booking;
    const cause = `${charge.family} refused, retry after ${Math.ceil(signal.retryAfterMs / 1000)} s`;
    switch (signal.scope) {
      case 'account':
        this.#freeze(this.#account, 'account', '', until, cause, now, notes);
        this.#lowerAccount(booking, now, notes);
        return;
      case 'family':
        this.#freeze(chat, 'family', charge.family, until, cause, now, notes);
        this.#lowerChat(booking, signal.retryAfterMs, now, notes);
        return;
      case 'chat':
        this.#freeze(chat, 'chat', charge.chat, until, cause, now, notes);
        if (booking.pressedChat !== 0) this.#lowerChat(booking, signal.retryAfterMs, now, notes);
        else if (!this.#widen(booking, until, now, notes)) this.#warnChat(booking, now, notes);
    }
  }

  // A success that took so long waited at the platform's gate: the early warning.
  delayed(booking: Booking, now: number, notes: Notes): void {
    const { chat, charge, plan } = booking;
    if (booking.pressedChat !== 0) {
      this.#eachPressed(plan.chat, booking.pressedChat, (rule) => {
        if (rule.scope === 'chat') this.#slow(chat, rule, booking, now, notes);
      });
      return;
    }
    const hint = this.#delays.get(charge.gate);
    this.#delays.set(charge.gate, { chat: charge.chat, at: now, until: now });
    if (!this.#isSecond(hint, booking, now)) return;
    this.#eachPressed(plan.account, booking.pressedAccount, (rule) => {
      this.#slow(this.#account, rule, booking, now, notes);
    });
  }

  #widen(booking: Booking, until: number, now: number, notes: Notes): boolean {
    const { family, gate, chat } = booking.charge;
    if (COSMETIC_FAMILIES.includes(family)) return false;
    const hint = this.#refusals.get(gate);
    this.#refusals.set(gate, { chat, at: now, until });
    const close = (opensAt: number, cause: string) =>
      this.#freeze(this.#account, 'gate', gate, opensAt, cause, now, notes);
    const guessed = Math.min(Math.max(until, hint?.until ?? 0), now + GUESS_MS_MAX);
    const isProbe = this.#account.freezeOf('gate', gate)?.probe === booking;
    const isProven = isProbe && hint !== undefined && hint.chat !== chat && hint.until > now;
    const isSecond = this.#isSecond(hint, booking, now);
    if (isProven) close(until, 'refused again after a freeze');
    else if (isProbe) close(guessed, 'a chat refused right after a freeze');
    else if (isSecond) close(guessed, 'two chats refused within a moment');
    if (!isProven && !isSecond) return false;
    this.#lowerAccount(booking, now, notes);
    return true;
  }

  #isSecond(hint: Hint | undefined, { charge }: Booking, now: number): boolean {
    if (hint === undefined || hint.chat === charge.chat) return false;
    return now - hint.at <= this.#settings.momentMs;
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

  // A window of a second does not make one wait for a minute: where a pressed rule is long enough to
  // explain the wait, only such rules are to blame.
  #lowerChat(booking: Booking, retryAfterMs: number, now: number, notes: Notes): void {
    const { plan, chat } = booking;
    const all = (1 << plan.chat.length) - 1;
    const pressed = booking.pressedChat === 0 ? all : booking.pressedChat;
    let longEnough = 0;
    for (const [index, rule] of plan.chat.entries()) {
      if (rule.perMs >= retryAfterMs) longEnough |= 1 << index;
    }
    const blamed = (pressed & longEnough) === 0 ? pressed : pressed & longEnough;
    this.#eachPressed(plan.chat, blamed, (rule) => {
      if (rule.scope === 'chat') this.#refuse(chat, rule, booking, now, notes);
    });
  }

  #lowerAccount(booking: Booking, now: number, notes: Notes): void {
    const { plan, pressedAccount } = booking;
    const all = (1 << plan.account.length) - 1;
    this.#eachPressed(plan.account, pressedAccount === 0 ? all : pressedAccount, (rule) => {
      this.#refuse(this.#account, rule, booking, now, notes);
    });
  }

  #warnChat(booking: Booking, now: number, notes: Notes): void {
    for (const rule of booking.plan.chat) {
      if (rule.scope !== 'chat') continue;
      const slot = booking.chat.slotFor(rule);
      slot.rate ??= newRate();
      if (warn(slot.rate, booking.takenAt, now, this.#settings)) notes.learned(booking.chat, slot);
    }
  }

  #refuse(branch: Branch, rule: Rule, booking: Booking, now: number, notes: Notes): void {
    const slot = branch.slotFor(rule);
    slot.rate ??= newRate();
    if (refuse(slot.rate, booking.takenAt, now, this.#settings)) notes.learned(branch, slot);
  }

  #slow(branch: Branch, rule: Rule, booking: Booking, now: number, notes: Notes): void {
    const slot: Slot = branch.slotFor(rule);
    slot.rate ??= newRate();
    const perMs = perMsOf(rule, slot.factor(now, this.#settings));
    if (slow(slot.rate, perMs, booking.takenAt, now, this.#settings)) notes.learned(branch, slot);
  }

  #eachPressed(rules: readonly Rule[], pressed: number, visit: (rule: Rule) => void): void {
    for (const [index, rule] of rules.entries()) if ((pressed & (1 << index)) !== 0) visit(rule);
  }
}
