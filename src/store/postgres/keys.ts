// Keys and the audit log in Postgres, one statement each. Must give the same answers as memory/keys.ts, word for word.

import { unreachable } from '../../system/assert.ts';
import type { PostgresSql } from '../../system/databases/postgres.ts';
import type { KeyCommand } from '../ports/keys.ts';

const COLUMNS = `id, kind, token_hash AS hash, name, role, scope, active, expires_at AS "expiresAt",
  created_at AS "createdAt", used_at AS "usedAt"`;
// Every entry is before it.
const AFTER_ALL = Number.MAX_SAFE_INTEGER;

export const KEYS_SQL = {
  save: `INSERT INTO api_keys (id, kind, token_hash, name, role, scope, active, expires_at,
      created_at, used_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
    ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, token_hash = excluded.token_hash,
      name = excluded.name, role = excluded.role, scope = excluded.scope,
      active = api_keys.active AND excluded.active,
      expires_at = least(api_keys.expires_at, excluded.expires_at),
      created_at = excluded.created_at, used_at = excluded.used_at`,
  page: `SELECT ${COLUMNS} FROM api_keys WHERE id > $1 ORDER BY id LIMIT $2`,
  used: `UPDATE api_keys k SET used_at = u.at
    FROM (SELECT id, max(at) AS at FROM unnest($1::text[], $2::float8[]) AS g(id, at) GROUP BY id) u
    WHERE k.id = u.id`,
  prune: `DELETE FROM api_keys WHERE id IN (
    SELECT id FROM api_keys
    WHERE expires_at < $1 ORDER BY expires_at, id LIMIT $2)`,
  note: `INSERT INTO audit (at, by, key, action, target, result) VALUES ($1, $2, $3, $4, $5, $6)`,
  log: `SELECT n, at, by, key, action, target, result FROM audit
    WHERE n < $1 ORDER BY n DESC LIMIT $2`,
  pruneLog: `DELETE FROM audit WHERE n IN (
    SELECT n FROM audit WHERE at < $1 ORDER BY at, n LIMIT $2)`,
  saveSession: `INSERT INTO sessions (hash, key, proof, expires_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (hash) DO UPDATE SET key = excluded.key, proof = excluded.proof,
      expires_at = excluded.expires_at`,
  sessions: `SELECT hash, key, proof, expires_at AS "expiresAt" FROM sessions
    WHERE expires_at > $1 ORDER BY expires_at`,
  removeSession: 'DELETE FROM sessions WHERE hash = $1',
  pruneSessions: 'DELETE FROM sessions WHERE expires_at < $1',
} as const;

export async function runKeys(sql: PostgresSql, command: KeyCommand): Promise<unknown> {
  switch (command.kind) {
    case 'save': {
      const { id, kind, hash, name, role, scope, active, expiresAt } = command.key;
      const { createdAt, usedAt } = command.key;
      const given = [id, kind, hash, name, role, scope, active, expiresAt, createdAt, usedAt];
      await sql.run(KEYS_SQL.save, ...given);
      return null;
    }
    case 'page':
      return sql.all(KEYS_SQL.page, command.after, command.max);
    case 'used': {
      const { uses } = command;
      const [ids, times] = [uses.map(({ id }) => id), uses.map(({ at }) => at)];
      await sql.run(KEYS_SQL.used, ids, times);
      return null;
    }
    case 'prune':
      return sql.run(KEYS_SQL.prune, command.endedBefore, command.max);
    case 'note': {
      const { at, by, key, action, target, result } = command.entry;
      await sql.run(KEYS_SQL.note, at, by, key, action, target, result);
      return null;
    }
    case 'log':
      return sql.all(KEYS_SQL.log, command.before ?? AFTER_ALL, command.max);
    case 'pruneLog':
      return sql.run(KEYS_SQL.pruneLog, command.endedBefore, command.max);
    case 'saveSession': {
      const { hash, key, proof, expiresAt } = command.session;
      await sql.run(KEYS_SQL.saveSession, hash, key, proof, expiresAt);
      return null;
    }
    case 'sessions':
      return sql.all(KEYS_SQL.sessions, command.at);
    case 'removeSession':
      await sql.run(KEYS_SQL.removeSession, command.hash);
      return null;
    case 'pruneSessions':
      return sql.run(KEYS_SQL.pruneSessions, command.endedBefore);
    default:
      return unreachable(command);
  }
}
