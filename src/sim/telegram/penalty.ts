// A penalty of Telegram's: no call is admitted before `until`, and calling again makes it longer.
// The shape (a minute, minutes, hours; forgotten over a day) is observed in the wild, the factors are guesses.

import type { SimTelegramOptions } from './options.ts';

export class Penalty {
  readonly #options: SimTelegramOptions;
  #until = 0;
  #level = 0;
  #offendedAt = 0;
  // When the bot was first told; null: nobody has met this penalty yet.
  #announcedAt: number | null = null;
  #forced = false;

  constructor(options: SimTelegramOptions) {
    this.#options = options;
  }

  // A call arrives. Seconds to wait, or null when it is admitted.
  admit(now: number): number | null {
    if (now >= this.#until) return null;
    const toldAt = this.#announcedAt ?? now;
    this.#announcedAt = toldAt;
    if (now - toldAt > this.#options.penaltyGraceMs) this.#escalate(now);
    return Math.ceil((this.#until - now) / 1000);
  }

  // Begins because a window was overrun; someone with a record waits longer.
  close(now: number, waitMs: number): number {
    const record = this.#remembered(now);
    const steps = this.#options.penaltySteps;
    const seconds = Math.max(Math.ceil(waitMs / 1000), record === 0 ? 0 : steps[record]!);
    this.#shut(now, now + seconds * 1000, false);
    this.#announcedAt = now;
    return seconds;
  }

  // Begins for no fault of the bot's; it learns of it at its next call.
  force(now: number, seconds: number): void {
    this.#shut(now, now + seconds * 1000, true);
    this.#announcedAt = null;
  }

  // It did not begin with calling too fast.
  get isForced(): boolean {
    return this.#forced;
  }

  #shut(now: number, until: number, forced: boolean): void {
    this.#level = this.#remembered(now);
    this.#until = until;
    this.#forced = forced;
  }

  #escalate(now: number): void {
    const steps = this.#options.penaltySteps;
    this.#level = Math.min(this.#remembered(now) + 1, steps.length - 1);
    this.#offendedAt = now;
    this.#announcedAt = now;
    this.#until = Math.max(this.#until, now + steps[this.#level]! * 1000);
  }

  // The level fades by equal steps and is gone after the memory's length.
  #remembered(now: number): number {
    const { penaltyMemoryMs, penaltySteps } = this.#options;
    const faded = Math.floor((now - this.#offendedAt) / (penaltyMemoryMs / penaltySteps.length));
    return Math.max(0, this.#level - faded);
  }
}
