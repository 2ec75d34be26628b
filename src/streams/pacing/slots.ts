// When the messages of live output go, so that finals always find room. A chat that takes 20 messages a minute has a
// slot every 3 s, of which previews leave some unused: by those a few finals that come together may go ahead of their
// time. Were all to go as fast as they can, a few dozen would fill the minute's window and the next would wait for most
// of it; so the others go one per slot. A preview goes when no slot is owed. Pure: `now` is an argument.

// Also where previews leave nothing: what is left of the slot is for the network.
const AHEAD_SLOTS_MIN = 2 / 3;
// Of what previews leave: all of it, and a window that is full to the last would hold up whoever comes then.
const AHEAD_SHARE = 0.8;

export class Slots {
  readonly #slotMs: number;
  readonly #aheadMs: number;
  // When all slots taken so far are over.
  #owedUntil = Number.NEGATIVE_INFINITY;

  constructor(slotMs: number, slotsSpared = 0) {
    this.#slotMs = slotMs;
    this.#aheadMs = slotMs * Math.max(AHEAD_SLOTS_MIN, AHEAD_SHARE * slotsSpared);
  }

  // When a preview may go.
  get previewAt(): number {
    return this.#owedUntil;
  }

  takePreview(now: number): void {
    this.#owedUntil = Math.max(this.#owedUntil, now) + this.#slotMs;
  }

  // The last one taken is not used: what was taken for a final was none.
  giveBack(): void {
    this.#owedUntil -= this.#slotMs;
  }

  // When the final goes whose slot this is.
  takeFinal(now: number): number {
    const at = Math.max(now, this.#owedUntil - this.#aheadMs);
    this.#owedUntil = Math.max(this.#owedUntil, at) + this.#slotMs;
    return at;
  }
}
