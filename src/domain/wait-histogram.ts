// Waits as counts in fixed classes: they can be added up over minutes, accounts and nodes, and tell percentiles well
// enough for a chart. What was counted is kept in stores, so the edges are never changed.

// At most so long, in each class; the last class has no end.
export const WAIT_EDGES_MS: readonly number[] = [
  ...[50, 100, 200, 500],
  ...[1000, 2000, 5000, 10_000, 30_000],
  ...[60_000, 300_000, 900_000, 3_600_000],
];
export const WAIT_CLASSES = WAIT_EDGES_MS.length + 1;

export function waitClassOf(ms: number): number {
  const found = WAIT_EDGES_MS.findIndex((edge) => ms <= edge);
  return found === -1 ? WAIT_EDGES_MS.length : found;
}

// `share` of them waited at most so long, evenly spread within a class; null: there were none. Of the last class only
// its beginning is known.
export function waitQuantileMs(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const wanted = total * share;
  let before = 0;
  for (const [index, count] of counts.entries()) {
    if (count > 0 && before + count >= wanted) {
      const from = WAIT_EDGES_MS[index - 1] ?? 0;
      const to = WAIT_EDGES_MS[index] ?? from;
      return from + ((to - from) * (wanted - before)) / count;
    }
    before += count;
  }
  return WAIT_EDGES_MS.at(-1)!;
}
