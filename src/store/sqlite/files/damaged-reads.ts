// How rows are read out of a store of which the engine cannot read everything.

import { type Database, sqliteCodeOf } from '../../../system/databases/sqlite.ts';

// What an older store calls otherwise is called as it is now; `old` is a copy.
export function renameColumns(db: Database): void {
  attempt(() => {
    const before = `SELECT 1 FROM pragma_table_info('deliveries', 'old') WHERE name = 'gate'`;
    if (db.prepare(before).get() === undefined) return;
    db.exec('ALTER TABLE old.deliveries RENAME COLUMN gate TO budget');
  });
}

// Those that both have: an older store has fewer.
export function columnsOf(db: Database, table: string): string {
  const rows = db
    .prepare(`SELECT n.name FROM pragma_table_info(?1, 'main') n
      JOIN pragma_table_info(?1, 'old') o ON o.name = n.name`)
    .all(table);
  return rows.map(({ name }) => String(name)).join(', ');
}

// In the table of an older store, what one of now has besides, and what it says there: an update's order was its id.
export function toldOf(db: Database, table: string): Readonly<Record<string, string>> {
  const has = db.prepare(`SELECT 1 FROM pragma_table_info('incoming', 'old') WHERE name = ?`);
  const isOlder = table === 'incoming' && has.get('update_order') === undefined;
  return isOlder ? { update_order: 'update_id' } : {};
}

// Ranges that can be taken whole are; the others in halves, down to single numbers, which are told.
export function halve(
  from: number,
  to: number,
  takes: (from: number, to: number) => boolean,
  lost: (one: number) => void,
): void {
  if (from > to || takes(from, to)) return;
  if (from === to) {
    lost(from);
    return;
  }
  const middle = Math.floor((from + to) / 2);
  halve(from, middle, takes, lost);
  halve(middle + 1, to, takes, lost);
}

// null: the engine could not.
export function attempt<T>(run: () => T): T | null {
  try {
    return run();
  } catch (error) {
    if (sqliteCodeOf(error) === null) throw error;
    return null;
  }
}
