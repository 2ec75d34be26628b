// What several machines stand on: the database they share.

import type { Row } from '../row.ts';
import { postgresAccepts } from './accepts.ts';

export async function* machines(_only: string | null): AsyncIterable<Row> {
  yield* await postgresAccepts();
}
