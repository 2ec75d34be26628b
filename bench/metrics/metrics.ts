// What it costs to be watched: by Prometheus, and by people with the page open.

import type { Row } from '../row.ts';
import { overhead } from './overhead.ts';
import { watched } from './watched.ts';

const MEASUREMENTS: Readonly<Record<string, () => Promise<Row[]>>> = { overhead, watched };

export async function* metrics(only: string | null): AsyncIterable<Row> {
  for (const [name, measure] of Object.entries(MEASUREMENTS)) {
    if (only !== null && only !== name) continue;
    yield* await measure();
  }
}
