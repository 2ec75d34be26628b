// So many at once, each finished one replaced by the next, until the time is over.

export interface Pace {
  readonly count: number;
  readonly ms: number;
}

export async function closedLoop(
  inFlight: number,
  total: number,
  one: (i: number) => Promise<unknown>,
): Promise<Pace> {
  let started = 0;
  const worker = async () => {
    while (started < total) {
      started += 1;
      await one(started);
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: inFlight }, worker));
  return { count: total, ms: performance.now() - began };
}
