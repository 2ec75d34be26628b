// Who owns which account, in the worker. The epochs are kept in memory and read back at a start and after a rollback,
// so that a write is checked by comparing two numbers. The table is written when an account changes hands; of one that
// only the embedded process ever owned it holds nothing.

import type { Database, Statement } from '../../system/databases/sqlite.ts';
import { EMBEDDED, FIRST_EPOCH, type Owner } from '../ports/ownership.ts';

export const OWNERS_SQL = {
  get: 'SELECT node, epoch FROM owners WHERE account = ?',
  save: `INSERT INTO owners (account, node, epoch) VALUES (?, ?, ?)
    ON CONFLICT (account) DO UPDATE SET node = excluded.node, epoch = excluded.epoch`,
  release: 'UPDATE owners SET node = NULL WHERE account = ? AND node = ? AND epoch = ?',
} as const;

export class Owners {
  readonly #sql: Readonly<Record<keyof typeof OWNERS_SQL, Statement>>;
  readonly #load: Statement;
  readonly #epochs = new Map<string, number>();

  constructor(db: Database) {
    const prepared = Object.entries(OWNERS_SQL).map(([name, sql]) => [name, db.prepare(sql)]);
    this.#sql = Object.fromEntries(prepared);
    this.#load = db.prepare('SELECT account, epoch FROM owners');
    this.reload();
  }

  // Whether a write made with this epoch comes too late.
  isOlder(account: string, epoch: number): boolean {
    return epoch < (this.#epochs.get(account) ?? FIRST_EPOCH);
  }

  open(account: string, node: string): number {
    const row = this.#sql.get.get(account) ?? { node: EMBEDDED, epoch: FIRST_EPOCH };
    if (row.node === node) return Number(row.epoch);
    const epoch = Number(row.epoch) + 1;
    this.#sql.save.run(account, node, epoch);
    this.#epochs.set(account, epoch);
    return epoch;
  }

  close({ account, epoch }: Owner, node: string): void {
    this.#sql.release.run(account, node, epoch);
  }

  all(): [account: string, epoch: number][] {
    return [...this.#epochs];
  }

  reload(): void {
    this.#epochs.clear();
    for (const { account, epoch } of this.#load.all()) {
      this.#epochs.set(String(account), Number(epoch));
    }
  }
}
