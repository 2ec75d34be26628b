// Which store the house stands on: SQLite in the data folder, or Postgres where its address is set.

import { hostname } from 'node:os';
import type { Config } from '../config/config.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Store } from '../store/ports/store.ts';
import { openPostgresLedger } from '../store/postgres/ledger/ledger.ts';
import { openPostgresJournal } from '../store/postgres/postgres.ts';
import type { AcceptedLoss } from '../store/sqlite/files/loss.ts';
import { openSqliteLedger } from '../store/sqlite/ledger/ledger.ts';
import { openSqliteJournal, type SqliteJournalOptions } from '../store/sqlite/sqlite.ts';
import type { Random } from '../system/random.ts';

export type { AcceptedLoss } from '../store/sqlite/files/loss.ts';

export interface ChosenStore {
  readonly journal: Store;
  readonly ledger: Ledger;
  readonly losses: readonly AcceptedLoss[];
}

type StoreParts = Required<Pick<SqliteJournalOptions, 'watch' | 'onNote' | 'onOwnerLost'>> & {
  readonly random: Random;
};

// Rejects with JournalOpenError.
export async function openStore(config: Config, parts: StoreParts): Promise<ChosenStore> {
  const { random, watch, onNote, onOwnerLost } = parts;
  if (config.databaseUrl === null) {
    const { data: dir, acceptLoss } = config;
    const journal = await openSqliteJournal({ dir, acceptLoss, watch, onNote, onOwnerLost });
    return { journal, ledger: openSqliteLedger({ dir }), losses: journal.losses };
  }
  const url = config.databaseUrl;
  // Another name at every start: a process that was thought dead finds its accounts taken over.
  const node = `${hostname()} ${process.pid} ${random.next().toString(36).slice(2)}`;
  const journal = await openPostgresJournal({ url, node, watch });
  return { journal, ledger: openPostgresLedger({ url, tag: journal.tag }), losses: [] };
}
