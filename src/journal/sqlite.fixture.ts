// A SQLite store in a folder of its own, for tests.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteLedger } from '../ledger/sqlite.ts';
import type { Harness } from './journal.contract.ts';
import { openSqliteJournal, type SqliteJournalOptions } from './sqlite.ts';

export function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'sluice-store-'));
}

export interface SqliteHarness extends Harness {
  readonly dir: string;
  reopen(options?: Partial<SqliteJournalOptions>): Promise<void>;
}

export async function openHarness(
  options: Partial<SqliteJournalOptions> = {},
): Promise<SqliteHarness> {
  const root = makeFolder();
  const dir = join(root, 'data');
  const open = async (changes: Partial<SqliteJournalOptions>) => ({
    journal: await openSqliteJournal({ dir, ...changes }),
    ledger: openSqliteLedger({ dir }),
  });
  const close = async () => {
    await harness.ledger.close();
    await harness.journal.close();
  };
  const harness: SqliteHarness = {
    ...(await open(options)),
    dir,
    snapshotPath: join(root, 'copy.db'),
    async reopen(changes = options) {
      await close();
      Object.assign(harness, await open(changes));
    },
    async dispose() {
      await close();
      rmSync(root, { recursive: true });
    },
  };
  return harness;
}
