// How rows are read out of a store of which the engine cannot read everything.

import { type Database, sqliteCodeOf } from '../../../system/databases/sqlite.ts';

// Those that both have: an older store has fewer.
export function columnsOf(db: Database, table: string): string {
  const rows = db
    .prepare(`SELECT n.name FROM pragma_table_info(?1, 'main') n
      JOIN pragma_table_info(?1, 'old') o ON o.name = n.name`)
    .all(table);
  return rows.map(({ name }) => String(name)).join(', ');
}

// What a table of now has and that of an older store does not, and what says it there: a budget was called a gate, an
// update's order was its id.
const BEFORE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  deliveries: { budget: 'gate' },
  incoming: { update_order: 'update_id' },
};

export function toldOf(db: Database, table: string): Readonly<Record<string, string>> {
  const has = db.prepare(`SELECT 1 FROM pragma_table_info(?, 'old') WHERE name = ?`);
  const told = Object.entries(BEFORE[table] ?? {});
  return Object.fromEntries(told.filter(([now]) => has.get(table, now) === undefined));
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
