// Audiences in SQL, in the worker, inside the batch's transaction. Must give the same answers as memory/audiences.ts,
// word for word.

import type { AccountId } from '../../../domain/ids.ts';
import { unreachable } from '../../../system/assert.ts';
import type { Database, SqlRow, Statement } from '../../../system/databases/sqlite.ts';
import { namesIn } from '../../../system/json.ts';
import { ChatSet } from '../../chat-set.ts';
import type { AudienceCommand } from '../../memory/audiences.ts';
import type { FillCommand, StoredAudience } from '../../ports/broadcasts.ts';

const COLUMNS = 'id, account, name, count, fields, created_at AS createdAt';

export const AUDIENCE_SQL = {
  count: `SELECT count(*) AS count FROM audiences WHERE state = 'sealed'`,
  open: `INSERT INTO audiences (name, state, count, fields, created_at)
    VALUES (?, 'open', 0, '[]', ?)`,
  state: 'SELECT state, name, count FROM audiences WHERE id = ?',
  add: 'INSERT INTO members (audience, n, chat, fields) VALUES (?, ?, ?, ?)',
  grow: 'UPDATE audiences SET count = ? WHERE id = ?',
  seal: `UPDATE audiences SET state = 'sealed', account = ?, fields = ? WHERE id = ? AND state = 'open'`,
  drop: `UPDATE audiences SET state = 'dropped' WHERE id = ? AND state = 'open'`,
  dropOpen: `UPDATE audiences SET state = 'dropped' WHERE state = 'open' AND created_at < ?`,
  get: `SELECT ${COLUMNS} FROM audiences WHERE id = ?`,
  named: `SELECT ${COLUMNS} FROM audiences INDEXED BY audiences_name
    WHERE name = ? AND state = 'sealed'`,
  list: `SELECT ${COLUMNS} FROM audiences INDEXED BY audiences_name
    WHERE name > ? AND state = 'sealed' ORDER BY name LIMIT ?`,
  unname: 'UPDATE audiences SET name = NULL WHERE id = ?',
  dropUnneeded: `UPDATE audiences SET state = 'dropped' WHERE id = ? AND name IS NULL
    AND NOT EXISTS (SELECT 1 FROM broadcasts WHERE audience = audiences.id)`,
  dropped: `SELECT id FROM audiences WHERE state = 'dropped' ORDER BY id LIMIT 1`,
  sweep: `DELETE FROM members WHERE audience = ?1 AND n IN
    (SELECT n FROM members WHERE audience = ?1 ORDER BY n DESC LIMIT ?2)`,
  remove: 'DELETE FROM audiences WHERE id = ?',
} as const;

export class SqliteAudiences {
  readonly #sql: Readonly<Record<keyof typeof AUDIENCE_SQL, Statement>>;
  // Of those that this process fills. A batch that failed leaves too many in it; its audience is dropped.
  readonly #chats = new Map<number, ChatSet>();

  constructor(db: Database) {
    const prepared = Object.entries(AUDIENCE_SQL).map(([name, sql]) => [name, db.prepare(sql)]);
    this.#sql = Object.fromEntries(prepared);
  }

  run(command: AudienceCommand): unknown {
    const sql = this.#sql;
    switch (command.kind) {
      case 'open':
        if (Number(sql.count.get()!.count) >= command.audiencesMax) return null;
        return Number(sql.open.run(command.name, command.at).lastInsertRowid);
      case 'fill':
        return this.#fill(command);
      case 'seal':
        return this.#seal(command.audience, command.fields);
      case 'drop':
        this.#chats.delete(command.audience);
        sql.drop.run(command.audience);
        return null;
      case 'dropOpen':
        sql.dropOpen.run(command.before);
        return null;
      case 'named':
        return this.#named(command.name);
      case 'audiences':
        return sql.list.all(command.after, command.max).map(audienceOf);
      case 'forget':
        return this.#unname(command.name);
      default:
        return unreachable(command);
    }
  }

  // Of one that is sealed, or open and without a name; null: it is not so.
  countOf(audience: number, as: 'sealed' | 'unnamed'): number | null {
    const row = this.#sql.state.get(audience);
    if (row === undefined) return null;
    const isSo =
      as === 'sealed' ? row.state === 'sealed' : row.state === 'open' && row.name === null;
    return isSo ? Number(row.count) : null;
  }

  // `account`: whose broadcast it was made for.
  markSealed(audience: number, account: AccountId | null, fields: readonly string[]): void {
    this.#chats.delete(audience);
    this.#sql.seal.run(account, JSON.stringify(fields), audience);
  }

  dropUnneeded(audience: number): void {
    this.#sql.dropUnneeded.run(audience);
  }

  sweep(max: number): number {
    let left = max;
    while (left > 0) {
      const id = this.#sql.dropped.get()?.id;
      if (id === undefined) break;
      left -= Number(this.#sql.sweep.run(id!, left).changes);
      if (left === 0) break;
      this.#sql.remove.run(id!);
      left -= 1;
    }
    return max - left;
  }

  #fill({ audience, members }: FillCommand): { added: number; repeated: number } {
    const row = this.#sql.state.get(audience);
    if (row?.state !== 'open') return { added: 0, repeated: 0 };
    const before = Number(row.count);
    const chats = this.#chats.get(audience) ?? new ChatSet();
    this.#chats.set(audience, chats);
    let count = before;
    for (const { chat, fields } of members) {
      if (chats.add(chat)) this.#sql.add.run(audience, ++count, chat, fields);
    }
    this.#sql.grow.run(count, audience);
    const added = count - before;
    return { added, repeated: members.length - added };
  }

  #seal(audience: number, fields: readonly string[]): StoredAudience | null {
    const row = this.#sql.state.get(audience);
    if (row?.state !== 'open') return null;
    if (row.name !== null) this.#unname(String(row.name));
    this.markSealed(audience, null, fields);
    return audienceOf(this.#sql.get.get(audience)!);
  }

  #named(name: string): StoredAudience | null {
    const row = this.#sql.named.get(name);
    return row === undefined ? null : audienceOf(row);
  }

  #unname(name: string): boolean {
    const old = this.#named(name);
    if (old === null) return false;
    this.#sql.unname.run(old.id);
    this.dropUnneeded(old.id);
    return true;
  }
}

function audienceOf(row: SqlRow): StoredAudience {
  return { ...(row as unknown as StoredAudience), fields: namesIn(String(row.fields)) };
}
