// Accounts get other ids, in one transaction: each table is read once, however many they are. Which tables name
// accounts is asked of the schema, so that a new one cannot be forgotten here.

import type { AccountId } from '../../domain/ids.ts';
import type { PostgresSql } from '../../system/databases/postgres.ts';
import {
  accountsOfScope,
  accountsOfStream,
  newIdsOf,
  renamedScope,
  renamedStream,
} from '../account-renames.ts';
import type { AccountRename } from '../ports/accounts.ts';
import { saveAccount } from './reads.ts';

// Views aside, and what the triggers keep.
const TABLES = `SELECT table_name AS name FROM information_schema.columns
  WHERE table_schema = current_schema AND column_name = 'account' AND table_name <> 'tallies'`;

// Those of the new ids that are named already: then nothing is changed.
export async function renameAccounts(
  sql: PostgresSql,
  renames: readonly AccountRename[],
): Promise<readonly AccountId[]> {
  if (renames.length === 0) return [];
  const tables = (await sql.all(TABLES)).map(({ name }) => String(name));
  const taken = await takenOf(sql, tables, renames);
  if (taken.length === 0) await renameAll(sql, tables, renames);
  return taken;
}

async function takenOf(
  sql: PostgresSql,
  tables: readonly string[],
  renames: readonly AccountRename[],
): Promise<readonly AccountId[]> {
  const wanted = renames.map(({ account }) => account.id);
  // Nobody has ever opened it, and nothing is left of it: it names nobody.
  await sql.run(
    `DELETE FROM owners WHERE account = ANY ($1::text[]) AND node = '' AND epoch = 1`,
    wanted,
  );
  const columns = [['accounts', 'id'], ...tables.map((table) => [table, 'account'])];
  const named = new Set<string>();
  for (const [table, column] of columns) {
    const all = `SELECT DISTINCT ${column} AS id FROM ${table} WHERE ${column} = ANY ($1::text[])`;
    for (const { id } of await sql.all(all, wanted)) named.add(String(id));
  }
  for (const { scope } of await sql.all('SELECT scope FROM api_keys')) {
    for (const id of accountsOfScope(String(scope))) named.add(id);
  }
  for (const { record } of await sql.all('SELECT record FROM streams')) {
    for (const id of accountsOfStream(String(record))) named.add(id);
  }
  return wanted.filter((id) => named.has(id));
}

async function renameAll(
  sql: PostgresSql,
  tables: readonly string[],
  renames: readonly AccountRename[],
): Promise<void> {
  const old = renames.map(({ from }) => from);
  const ids = renames.map(({ account }) => account.id);
  for (const table of tables) {
    const rename = `UPDATE ${table} t SET account = r.id
      FROM unnest($1::text[], $2::text[]) AS r(old, id) WHERE t.account = r.old`;
    await sql.run(rename, old, ids);
  }
  await sql.run('DELETE FROM accounts WHERE id = ANY ($1::text[])', old);
  for (const { account } of renames) await saveAccount(sql, account);
  await renameInTexts(sql, renames);
}

async function renameInTexts(sql: PostgresSql, renames: readonly AccountRename[]): Promise<void> {
  const ids = newIdsOf(renames);
  const rewrite = async (
    table: string,
    column: string,
    renamed: (text: string) => string | null,
  ): Promise<void> => {
    for (const { id, text } of await sql.all(`SELECT id, ${column} AS text FROM ${table}`)) {
      const changed = renamed(String(text));
      if (changed === null) continue;
      await sql.run(`UPDATE ${table} SET ${column} = $1 WHERE id = $2`, changed, String(id));
    }
  };
  await rewrite('api_keys', 'scope', (scope) => renamedScope(scope, ids));
  await rewrite('streams', 'record', (record) => renamedStream(record, ids));
}
