// Accounts get other ids, in the worker, inside the batch's transaction: each table is read once, however many they
// are. Which tables name accounts is asked of the schema, so that a new one cannot be forgotten here.

import type { Database } from '../../system/databases/sqlite.ts';
import {
  accountsOfScope,
  accountsOfStream,
  newIdsOf,
  renamedScope,
  renamedStream,
} from '../account-renames.ts';
import type { AccountRename } from '../ports/accounts.ts';

const TABLES = `SELECT m.name FROM sqlite_schema m, pragma_table_info(m.name) c
  WHERE m.type = 'table' AND c.name = 'account'`;

// Those of the new ids that are named already: then nothing is changed.
export function renameAccounts(db: Database, renames: readonly AccountRename[]): readonly string[] {
  if (renames.length === 0) return [];
  db.exec('CREATE TEMP TABLE renames (old TEXT PRIMARY KEY, new TEXT NOT NULL) WITHOUT ROWID');
  const note = db.prepare('INSERT INTO renames VALUES (?, ?)');
  for (const { from, account } of renames) note.run(from, account.id);
  const tables = db
    .prepare(TABLES)
    .all()
    .map(({ name }) => String(name));
  const taken = takenOf(db, tables, renames);
  if (taken.length === 0) renameAll(db, tables, renames);
  db.exec('DROP TABLE temp.renames');
  return taken;
}

function takenOf(
  db: Database,
  tables: readonly string[],
  renames: readonly AccountRename[],
): readonly string[] {
  const columns = [['accounts', 'id'], ...tables.map((table) => [table, 'account'])];
  const named = new Set<string>();
  // Counts that went back to nothing name nobody.
  db.exec('DELETE FROM tallies WHERE count = 0');
  for (const [table, column] of columns) {
    const all = `SELECT DISTINCT "${column}" AS id FROM "${table}"
      WHERE "${column}" IN (SELECT new FROM renames)`;
    for (const { id } of db.prepare(all).all()) named.add(String(id));
  }
  const texts = (all: string, accountsOf: (text: string) => readonly string[]) => {
    for (const { text } of db.prepare(all).iterate()) {
      for (const id of accountsOf(String(text))) named.add(id);
    }
  };
  texts('SELECT scope AS text FROM api_keys', accountsOfScope);
  texts('SELECT record AS text FROM streams', accountsOfStream);
  return renames.map(({ account }) => account.id).filter((id) => named.has(id));
}

function renameAll(
  db: Database,
  tables: readonly string[],
  renames: readonly AccountRename[],
): void {
  for (const table of tables) {
    db.exec(`UPDATE "${table}" SET account = (SELECT new FROM renames WHERE old = account)
      WHERE account IN (SELECT old FROM renames)`);
  }
  db.exec('DELETE FROM accounts WHERE id IN (SELECT old FROM renames)');
  const insert = db.prepare('INSERT INTO accounts VALUES (?, ?, ?, ?, ?, ?)');
  for (const { account } of renames) {
    const { id, platform, sealed, paused, refused, createdAt } = account;
    insert.run(id, platform, sealed, paused ? 1 : 0, refused, createdAt);
  }
  renameInTexts(db, renames);
}

function renameInTexts(db: Database, renames: readonly AccountRename[]): void {
  const ids = newIdsOf(renames);
  const rewrite = (
    table: string,
    column: string,
    renamed: (text: string) => string | null,
  ): void => {
    const save = db.prepare(`UPDATE ${table} SET ${column} = ? WHERE id = ?`);
    const rows = db.prepare(`SELECT id, ${column} AS text FROM ${table}`).all();
    for (const { id, text } of rows) {
      const changed = renamed(String(text));
      if (changed !== null) save.run(changed, id!);
    }
  };
  rewrite('api_keys', 'scope', (scope) => renamedScope(scope, ids));
  rewrite('streams', 'record', (record) => renamedStream(record, ids));
}
