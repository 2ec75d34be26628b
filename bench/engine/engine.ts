// The engine's figures. Each measurement is a file; this is their order.

import type { Row } from '../row.ts';
import { accepts } from './accepts.ts';
import { endToEnd } from './end-to-end.ts';
import { httpAccepts } from './http.ts';
import { schedulerCost } from './scheduler.ts';
import { startUp } from './startup.ts';

const MEASUREMENTS: Readonly<Record<string, () => Promise<Row[]>>> = {
  accepts,
  http: httpAccepts,
  'end-to-end': endToEnd,
  scheduler: schedulerCost,
  'start-up': startUp,
};

export async function* engine(only: string | null): AsyncIterable<Row> {
  for (const [name, measure] of Object.entries(MEASUREMENTS)) {
    if (only !== null && only !== name) continue;
    yield* await measure();
  }
}
