// Keys and the audit log in SQL, in the worker, inside the batch's transaction. Must give the same answers as
// memory/keys.ts, word for word.

import { unreachable } from '../../system/assert.ts';
import type { Database, SqlRow, Statement } from '../../system/databases/sqlite.ts';
import type { KeyCommand } from '../ports/keys.ts';

const COLUMNS = `id, kind, token_hash AS hash, name, role, scope, active, expires_at AS expiresAt,
  created_at AS createdAt, used_at AS usedAt`;
// Every entry is before it.
const AFTER_ALL = Number.MAX_SAFE_INTEGER;

export const KEYS_SQL = {
  save: `INSERT INTO api_keys (id, kind, token_hash, name, role, scope, active, expires_at,
      created_at, used_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, token_hash = excluded.token_hash,
      name = excluded.name, role = excluded.role, scope = excluded.scope,
      active = min(active, excluded.active), expires_at = min(expires_at, excluded.expires_at),
      created_at = excluded.created_at, used_at = excluded.used_at`,
  page: `SELECT ${COLUMNS} FROM api_keys WHERE id > ? ORDER BY id LIMIT ?`,
  used: 'UPDATE api_keys SET used_at = ? WHERE id = ?',
  prune: `DELETE FROM api_keys WHERE id IN (
    SELECT id FROM api_keys INDEXED BY api_keys_expiry
    WHERE expires_at < ? ORDER BY expires_at, id LIMIT ?)`,
  note: `INSERT INTO audit (at, by, key, action, target, result) VALUES (?, ?, ?, ?, ?, ?)`,
  log: `SELECT n, at, by, key, action, target, result FROM audit
    WHERE n < ? ORDER BY n DESC LIMIT ?`,
  pruneLog: `DELETE FROM audit WHERE n IN (
    SELECT n FROM audit INDEXED BY audit_at WHERE at < ? ORDER BY at, n LIMIT ?)`,
  saveSession: `INSERT OR REPLACE INTO sessions (hash, key, proof, expires_at) VALUES (?, ?, ?, ?)`,
  sessions: `SELECT hash, key, proof, expires_at AS expiresAt FROM sessions
    WHERE expires_at > ? ORDER BY expires_at`,
  removeSession: 'DELETE FROM sessions WHERE hash = ?',
  pruneSessions: 'DELETE FROM sessions WHERE expires_at < ?',
} as const;

export class SqliteKeys {
  readonly #sql: Readonly<Record<keyof typeof KEYS_SQL, Statement>>;

  constructor(db: Database) {
    const prepared = Object.entries(KEYS_SQL).map(([name, sql]) => [name, db.prepare(sql)]);
    this.#sql = Object.fromEntries(prepared);
  }

  run(command: KeyCommand): unknown {
    const sql = this.#sql;
    switch (command.kind) {
      case 'save': {
        const { id, kind, hash, name, role, scope, active, expiresAt } = command.key;
        const { createdAt, usedAt } = command.key;
        const isActive = active ? 1 : 0;
        sql.save.run(id, kind, hash, name, role, scope, isActive, expiresAt, createdAt, usedAt);
        return null;
      }
      case 'page':
        return sql.page.all(command.after, command.max).map(keyOf);
      case 'used':
        for (const { id, at } of command.uses) sql.used.run(at, id);
        return null;
      case 'prune':
        return Number(sql.prune.run(command.endedBefore, command.max).changes);
      case 'note': {
        const { at, by, key, action, target, result } = command.entry;
        sql.note.run(at, by, key, action, target, result);
        return null;
      }
      case 'log':
        return sql.log.all(command.before ?? AFTER_ALL, command.max).map((row) => ({ ...row }));
      case 'pruneLog':
        return Number(sql.pruneLog.run(command.endedBefore, command.max).changes);
      case 'saveSession': {
        const { hash, key, proof, expiresAt } = command.session;
        sql.saveSession.run(hash, key, proof, expiresAt);
        return null;
      }
      case 'sessions':
        return sql.sessions.all(command.at).map((row) => ({ ...row }));
      case 'removeSession':
        sql.removeSession.run(command.hash);
        return null;
      case 'pruneSessions':
        return Number(sql.pruneSessions.run(command.endedBefore).changes);
      default:
        return unreachable(command);
    }
  }
}

function keyOf(row: SqlRow): object {
  return { ...row, active: row.active === 1 };
}
