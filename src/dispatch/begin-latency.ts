// How long before a call may leave it must be begun, so that it is on disk when its time comes: a smoothed mean of
// what beginning took. Without it every window would last longer by a commit.

const SMOOTHING = 1 / 8;
// A store that stalls must not make the loop decide long before it knows.
const LEAD_MS_MAX = 50;

export class BeginLatency {
  #ms = 0;

  get ms(): number {
    return this.#ms;
  }

  observe(tookMs: number): void {
    this.#ms += (Math.min(tookMs, LEAD_MS_MAX) - this.#ms) * SMOOTHING;
  }
}
