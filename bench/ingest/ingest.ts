// Reading channels: how late posts are seen for a number of calls, how fast they are stored, and what it costs when
// every source is due at once.

import type { Row } from '../row.ts';
import { delay } from './delay.ts';
import { due } from './due.ts';
import { storing } from './storing.ts';

const MEASUREMENTS: Readonly<Record<string, () => Promise<Row[]>>> = { delay, storing, due };

export async function* ingest(only: string | null): AsyncIterable<Row> {
  for (const [name, measure] of Object.entries(MEASUREMENTS)) {
    if (only !== null && only !== name) continue;
    yield* await measure();
  }
}
