// Which class goes next at one point of contention (a chat, or an account).
// Urgent (critical, and lanes with a final) goes first, but takes at most URGENT_RUN_MAX of each
// URGENT_RUN_MAX + 1 turns while others wait: "critical first" must not mean "low never".
// The others share by weight (stride scheduling: each turn moves a class on by cost ÷ weight, the class
// that is furthest behind goes next). A class that was away rejoins at the current point: it neither
// hoards turns nor is punished.

export const URGENT = 0;
export const CLASS_COUNT = 4;
export const URGENT_RUN_MAX = 3;

// Of high, normal and low, at their index.
export type Weights = readonly [urgent: number, high: number, normal: number, low: number];

export class ClassPicker {
  readonly #weights: Weights;
  readonly #pass: [number, number, number, number] = [0, 0, 0, 0];
  #point = 0;
  #present = 0;
  #urgentRun = 0;

  constructor(weights: Weights) {
    this.#weights = weights;
  }

  // `present` has bit c set for each class c that could go now; not 0.
  choose(present: number): number {
    this.#rejoin(present);
    const urgentWaits = (present & (1 << URGENT)) !== 0;
    const othersWait = present !== 1 << URGENT;
    if (urgentWaits && (!othersWait || this.#urgentRun < URGENT_RUN_MAX)) return URGENT;
    let best = -1;
    for (let c = 1; c < CLASS_COUNT; c++) {
      if ((present & (1 << c)) === 0) continue;
      if (best === -1 || this.#pass[c]! < this.#pass[best]!) best = c;
    }
    return best;
  }

  charge(chosen: number, cost: number, present: number): void {
    if (chosen === URGENT) {
      this.#urgentRun = present === 1 << URGENT ? 0 : this.#urgentRun + cost;
      return;
    }
    this.#urgentRun = Math.max(0, this.#urgentRun - URGENT_RUN_MAX * cost);
    this.#point = this.#pass[chosen]!;
    this.#pass[chosen]! += cost / this.#weights[chosen]!;
  }

  #rejoin(present: number): void {
    const joined = present & ~this.#present;
    this.#present = present;
    if (joined === 0) return;
    for (let c = 1; c < CLASS_COUNT; c++) {
      if ((joined & (1 << c)) !== 0) this.#pass[c] = Math.max(this.#pass[c]!, this.#point);
    }
  }
}
