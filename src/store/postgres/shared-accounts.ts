// Accounts of a fleet, which several nodes change: each writes only the part that it changes, and an account is
// forgotten by nobody but its owner.

import { unreachable } from '../../system/assert.ts';
import type { PostgresConnection, PostgresSql } from '../../system/databases/postgres.ts';
import type { StoredAccount } from '../ports/accounts.ts';
import type { SharedAccounts } from '../ports/fleet.ts';
import { unavailable } from './group-commit.ts';

export const SHARED_ACCOUNTS_SQL = {
  token: `INSERT INTO accounts (id, platform, sealed, paused, refused, created_at)
    VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed,
    refused = excluded.refused`,
  paused: 'UPDATE accounts SET paused = $2 WHERE id = $1',
  refused: 'UPDATE accounts SET refused = $2 WHERE id = $1 AND sealed = $3',
  // While it is locked nothing is accepted for it, and nobody takes it over.
  lockOwn: 'SELECT 1 FROM owners WHERE account = $1 AND node = $2 FOR UPDATE',
  letGo: `DELETE FROM accounts WHERE id = $1
    AND NOT EXISTS (SELECT 1 FROM deliveries WHERE settled_at IS NULL AND account = $1)
    AND NOT EXISTS (SELECT 1 FROM streams WHERE ended_at IS NULL AND account = $1)
    AND NOT EXISTS (SELECT 1 FROM broadcasts WHERE ended_at IS NULL AND account = $1)`,
} as const;

// Of one of these statements.
const STATEMENT_MS_MAX = 4_000;

export function sharedAccountsOver(side: PostgresConnection, node: string): SharedAccounts {
  const told = (error: unknown) => Promise.reject(unavailable(error));
  return {
    async change(account, part) {
      await changed(side.bounded(STATEMENT_MS_MAX), account, part).catch(told);
    },
    letGo(account) {
      const { lockOwn, letGo } = SHARED_ACCOUNTS_SQL;
      const letting = side.transaction('', async (sql) => {
        if ((await sql.get(lockOwn, account, node)) === null) return false;
        return (await sql.run(letGo, account)) > 0;
      });
      return letting.catch(told);
    },
  };
}

function changed(
  sql: PostgresSql,
  { id, platform, sealed, paused, refused, createdAt }: StoredAccount,
  part: Parameters<SharedAccounts['change']>[1],
): Promise<number> {
  const statement = SHARED_ACCOUNTS_SQL[part];
  switch (part) {
    case 'token':
      return sql.run(statement, id, platform, sealed, paused, refused, createdAt);
    case 'paused':
      return sql.run(statement, id, paused);
    case 'refused':
      return sql.run(statement, id, refused, sealed);
    default:
      return unreachable(part);
  }
}
