// Stores on Postgres for tests. Those of one file share a database, which is emptied before each: making one takes
// longer than most tests.

import { PostgresConnection } from '../../system/databases/postgres.ts';
import type { Harness } from '../contract/journal.fixture.ts';
import { type AccountsBySeq, soleOwner } from '../contract/sole-owner.fixture.ts';
import { openPostgresLedger } from './ledger/ledger.ts';
import { openPostgresJournal } from './postgres.ts';
import { DAY_TABLES } from './schema/days.ts';
import { SCHEMA } from './schema/schema.ts';

export interface PostgresHarness extends Harness {
  readonly url: string;
}

// Row by row: there are few, and TRUNCATE makes every file of every table and index anew. Without a look at what refers
// to what, as all of it goes.
const EMPTY = `DO $$
DECLARE
  name text;
BEGIN
  SET LOCAL session_replication_role = replica;
  FOR name IN SELECT tablename FROM pg_tables
    WHERE schemaname = '${SCHEMA}' AND tablename <> 'meta'
  LOOP
    EXECUTE format('DELETE FROM ${SCHEMA}.%I', name);
  END LOOP;
  FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = '${SCHEMA}' LOOP
    PERFORM setval(format('${SCHEMA}.%I', name)::regclass, 1, false);
  END LOOP;
END $$`;

// The day that tests live in lies in partitions, as days do outside of them.
const FIRST_DAY = DAY_TABLES.map(
  (table) =>
    `CREATE TABLE IF NOT EXISTS ${table}_d0_1 PARTITION OF ${table} FOR VALUES FROM (0) TO (1);`,
).join('');

async function behindItsBack(url: string, work: (sql: PostgresConnection) => Promise<unknown>) {
  const sql = new PostgresConnection({ url, name: 'test', schema: SCHEMA });
  try {
    await work(sql);
  } finally {
    await sql.close();
  }
}

export async function openHarness(url: string): Promise<PostgresHarness> {
  await behindItsBack(url, (sql) => sql.script(EMPTY));
  const accounts: AccountsBySeq = new Map();
  const open = async () => {
    const journal = await openPostgresJournal({ url });
    return {
      journal: soleOwner(journal, accounts),
      ledger: openPostgresLedger({ url, tag: journal.tag }),
      second: () => journal.beside('second'),
    };
  };
  const close = async () => {
    await harness.ledger.close();
    await harness.journal.close();
  };
  const harness: PostgresHarness = {
    ...(await open()),
    url,
    async reopen() {
      await close();
      Object.assign(harness, await open());
    },
    damage: (seq, change) =>
      behindItsBack(url, async (sql) => {
        for (const [column, value] of Object.entries(change)) {
          await sql.run(`UPDATE deliveries SET ${column} = $1 WHERE seq = $2`, value, seq);
        }
      }),
    dispose: close,
  };
  await behindItsBack(url, (sql) => sql.script(FIRST_DAY));
  return harness;
}
