// Which store the gateway stands on: SQLite in the data folder, or Postgres where its address is set.

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Store } from '../store/ports/store.ts';
import { openPostgresLedger } from '../store/postgres/ledger/ledger.ts';
import { openPostgresJournal, type PostgresJournal } from '../store/postgres/postgres.ts';
import { refuseLeftSpill } from '../store/spill/spill-log.ts';
import { openSpilling, type SpillingStore } from '../store/spill/store.ts';
import type { AcceptedLoss } from '../store/sqlite/files/loss.ts';
import { openSqliteLedger } from '../store/sqlite/ledger/ledger.ts';
import { openSqliteJournal, type SqliteJournalOptions } from '../store/sqlite/sqlite.ts';
import { JournalOpenError } from '../store/store-error.ts';
import { type Clock, sleep } from '../system/clock.ts';
import type { Periodic } from '../system/periodic.ts';
import { makePrivateFolder } from '../system/private-files.ts';

export type { AcceptedLoss } from '../store/sqlite/files/loss.ts';

export interface ChosenStore {
  readonly journal: Store;
  readonly ledger: Ledger;
  readonly losses: readonly AcceptedLoss[];
  // Of a node of a fleet; null: the store is this process's own.
  readonly spill: SpillingStore | null;
  readonly shared: SharedStore | null;
}

interface SharedStore {
  readonly journal: PostgresJournal;
  readonly spilling: SpillingStore;
  readonly incarnation: string;
}

// In the data folder: what was accepted while the database was away.
const SPILL_FOLDER = 'spill';
// Of a database that cannot be reached when the node starts.
const TRY_AGAIN_MS = 1_000;
const SAY_AGAIN_MS = 30_000;

type StoreParts = Required<Pick<SqliteJournalOptions, 'watch' | 'onNote' | 'onOwnerLost'>> & {
  readonly clock: Clock;
  readonly periodic: Periodic;
  // By the database's, before anything there is read. Rejects while it is away.
  readonly setClock: () => Promise<void>;
};

// Rejects with JournalOpenError.
export async function openStore(config: Config, parts: StoreParts): Promise<ChosenStore> {
  const { clock, periodic, watch, onNote, onOwnerLost, setClock } = parts;
  const { data, acceptLoss, databaseUrl: url } = config;
  if (url === null) {
    refuseLeftSpill(join(data, SPILL_FOLDER));
    const own = { dir: data, acceptLoss, watch, onNote, onOwnerLost };
    const journal = await openSqliteJournal(own);
    const ledger = openSqliteLedger({ dir: data });
    return { journal, ledger, losses: journal.losses, spill: null, shared: null };
  }
  // Another name at every start: a process that was thought dead finds its accounts taken over.
  const incarnation = randomUUID();
  const mark = { dir: data, acceptLoss, periodic, onNote, onLost: onOwnerLost };
  makePrivateFolder(data);
  const open = async () => {
    // What is wrong with the database is for the store to say.
    await setClock().catch(() => {});
    return openPostgresJournal({ url, node: incarnation, watch, mark });
  };
  const behind = await reached(clock, onNote, open);
  const dir = join(data, SPILL_FOLDER);
  makePrivateFolder(dir);
  const { spillMax: deliveriesMax, spillBytesMax: bytesMax } = config;
  const bounds = { dir, deliveriesMax, bytesMax, periodic, onNote };
  const journal = await openSpilling(behind, bounds).catch(closing(behind));
  const ledger = openPostgresLedger({ url, tag: journal.tag });
  const shared = { journal: behind, spilling: journal, incarnation };
  return { journal, ledger, losses: behind.losses, spill: journal, shared };
}

// A node that is started while the database is away waits for it: whoever starts it need not know, nor try again.
async function reached<T>(
  clock: Clock,
  onNote: StoreParts['onNote'],
  open: () => Promise<T>,
): Promise<T> {
  for (let saidAt = -Infinity; ; ) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof JournalOpenError) || error.code !== 'unreachable') throw error;
      if (clock.now() - saidAt >= SAY_AGAIN_MS) {
        saidAt = clock.now();
        onNote({ level: 'warn', text: `${error.message}; starting as soon as it can be` });
      }
      await sleep(clock, TRY_AGAIN_MS);
    }
  }
}

function closing(store: Store) {
  return async (error: unknown): Promise<never> => {
    await store.close();
    throw error;
  };
}
