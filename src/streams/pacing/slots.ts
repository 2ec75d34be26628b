// When the messages of live output go, so that finals always find room. A chat that takes 20 messages a minute has a
// slot every 3 s. Were finals to go as fast as they can, a few together would fill the minute's window and the next
// would wait for most of it; so they go one per slot, and only one of them a part of a slot ahead of its time. A
// preview goes when no slot is owed: then, whatever comes, a final with n waiting is sent within n slots and that part
// of one. What is left of the slot is for the network. Pure: `now` is an argument.

const AHEAD = 2 / 3;

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
    const at = Math.max(now, this.#owedUntil - AHEAD * this.#slotMs);
    this.#owedUntil = Math.max(this.#owedUntil, at) + this.#slotMs;
    return at;
  }
}
