// Stores on Postgres for tests, each in a database of its own.

import { PostgresConnection } from '../../system/postgres.ts';
import type { Harness } from '../contract/journal.fixture.ts';
import { type AccountsBySeq, soleOwner } from '../contract/sole-owner.fixture.ts';
import { openPostgresLedger } from './ledger/ledger.ts';
import { openPostgresJournal } from './postgres.ts';
import { SCHEMA } from './schema/schema.ts';

export interface PostgresHarness extends Harness {
  readonly url: string;
}

export async function openHarness(url: string): Promise<PostgresHarness> {
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
    async damage(seq, change) {
      const sql = new PostgresConnection({ url, name: 'test', schema: SCHEMA });
      for (const [column, value] of Object.entries(change)) {
        await sql.run(`UPDATE deliveries SET ${column} = $1 WHERE seq = $2`, value, seq);
      }
      await sql.close();
    },
    dispose: close,
  };
  return harness;
}
