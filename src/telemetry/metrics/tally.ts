// What is counted, as plain numbers: an event costs an addition. Names and labels are put to the numbers when somebody
// asks for them, because a library that looks its labels up at every event costs more than the event.

export class Count {
  value = 0;
}

export class Spread {
  // Upper bounds, rising.
  readonly bounds: readonly number[];
  // How many fell under each bound and above the one before it; the last is what is above them all.
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  add(value: number): void {
    const { bounds, counts } = this;
    let i = 0;
    while (i < bounds.length && value > bounds[i]!) i += 1;
    counts[i]! += 1;
    this.sum += value;
  }
}
