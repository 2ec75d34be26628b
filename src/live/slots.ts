// When the messages of live output go, so that finals always find room. A chat that takes 20 messages a minute has a
// slot every 3 s. Were finals to go as fast as they can, a few together would fill the minute's window and the next
// would wait for most of it; so they go one per slot, and two together at most. A preview goes when no slot is owed:
// then, whatever comes, a final with n waiting is sent within n slots and one. Pure: `now` is an argument.

export class Slots {
  readonly #slotMs: number;
  // When all slots taken so far are over.
  #owedUntil = Number.NEGATIVE_INFINITY;

  constructor(slotMs: number) {
    this.#slotMs = slotMs;
  }

  // When a preview may go.
  get previewAt(): number {
    return this.#owedUntil;
  }

  takePreview(now: number): void {
    this.#owedUntil = Math.max(this.#owedUntil, now) + this.#slotMs;
  }

  // When the final goes whose slot this is.
  takeFinal(now: number): number {
    const at = Math.max(now, this.#owedUntil - this.#slotMs);
    this.#owedUntil = Math.max(this.#owedUntil, at) + this.#slotMs;
    return at;
  }
}
