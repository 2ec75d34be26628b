// What several machines stand on: the database they share, the nodes on it, and the line between them.

import type { Row } from '../row.ts';
import { postgresAccepts } from './accepts.ts';
import { fleetThroughput } from './fleet.ts';

export async function* machines(only: string | null): AsyncIterable<Row> {
  if (only === null || only === 'accepts') yield* await postgresAccepts();
  if (only === null || only === 'fleet') yield* await fleetThroughput();
}
