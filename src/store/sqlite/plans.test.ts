// The plans of what is looked up, taken from the statements that the program prepares while it is asked, not from texts
// that resemble them: none of them walks through a table that grows.

import { rmSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { formatId } from '../../domain/ids.ts';
import type { Filter } from '../../ledger/ledger.ts';
import type { Database } from '../../system/databases/sqlite.ts';
import { openStore } from './files/open.ts';
import { INCOMING_SQL, SqliteIncoming } from './incoming.ts';
import { SqliteKeys } from './keys.ts';
import { SqliteReader } from './ledger/reader.ts';
import { SqliteMinutes } from './minutes.ts';
import { SqliteReads } from './reads.ts';
import { makeFolder } from './sqlite.fixture.ts';

const dir = makeFolder();
const store = openStore({ dir, pageCountMax: null });
afterAll(() => {
  store.close();
  rmSync(dir, { recursive: true });
});

// What is prepared meanwhile.
function prepared(work: (db: Database) => unknown): string[] {
  const texts: string[] = [];
  const db = new Proxy(store.db, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (name === 'prepare') texts.push(String(args[0]));
        return Reflect.apply(value, target, args);
      };
    },
  });
  work(db);
  return texts;
}

function planOf(sql: string): string {
  const rows = store.db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
  return rows.map(({ detail }) => String(detail)).join('\n');
}

// The plans of a search, but for those of its page and of what is read of the deliveries that it found.
function searched(filter: Filter): string {
  const texts = prepared((db) => new SqliteReader(db).search(filter, { limit: 9, before: null }));
  return texts
    .filter((sql) => sql.startsWith('SELECT seq FROM deliveries'))
    .map(planOf)
    .join('\n');
}

describe('a search is led by an index', () => {
  const tag = String(store.db.prepare(`SELECT value FROM meta WHERE name = 'tag'`).get()?.value);

  test.each<[string, Filter, RegExp]>([
    ['by platform message id', { messageId: '7' }, /deliveries_message \(message_id=\?/],
    ['of one chat too', { messageId: '7', chat: '1' }, /deliveries_message \(message_id=\?/],
    ['by chat, newest first', { chat: '1' }, /deliveries_ended_chat \(chat=\?/],
    ['by session', { session: 's' }, /deliveries_session \(session=\?/],
    ['by correlation id', { correlation: 'c' }, /deliveries_correlation \(correlation=\?/],
    ['by its own id', { correlation: formatId(tag, 7) }, /PRIMARY KEY \(rowid=\?\)/],
  ])('%s', (_what, filter, index) => {
    const plans = searched(filter);
    expect(plans).toMatch(index);
    // Newest first without sorting, however many there are.
    expect(plans).not.toMatch(/SCAN|TEMP B-TREE/);
  });
});

// Tables that are read whole, at a start or because they are small: one row per account, or a few in all.
const READ_WHOLE = /^SCAN (limits|accounts|meta)\b/;

test('nothing that a reader asks walks through a table that grows', () => {
  const filters: Filter[] = [{}, { account: 'a' }, { state: 'dead' }, { since: 1, until: 2 }];
  const texts = prepared((db) => {
    const reader = new SqliteReader(db);
    reader.getMany([1]);
    reader.attempts(1);
    reader.history(1);
    reader.countByState();
    reader.deadByCause({});
    for (const filter of filters) reader.search(filter, { limit: 9, before: null });
    new SqliteReads(db);
    new SqliteKeys(db);
    new SqliteMinutes(db);
    new SqliteIncoming(db);
  });
  expect(texts.length).toBeGreaterThan(25);
  for (const sql of new Set(texts)) {
    const scans = planOf(sql)
      .split('\n')
      .filter((step) => step.startsWith('SCAN') && !/^SCAN (json_each|a$)/.test(step))
      .filter((step) => !READ_WHOLE.test(step));
    // The last of a table is found at its end.
    const isLast = /SELECT max\(seq\)/.test(sql) || sql.startsWith('INSERT');
    expect(isLast ? [] : scans, sql).toEqual([]);
  }
});

test('updates by account and time, and a repeated one', () => {
  expect(planOf(INCOMING_SQL.since)).toContain('incoming_time (account=? AND at>?)');
  for (const sql of [INCOMING_SQL.find, INCOMING_SQL.body, INCOMING_SQL.done, INCOMING_SQL.retry]) {
    expect(planOf(sql)).toContain('incoming_update (account=? AND update_id=?)');
  }
});

test('what waits, in its order without sorting', () => {
  const { waiting, read, doneBefore } = INCOMING_SQL;
  for (const sql of [waiting, read]) expect(planOf(sql)).not.toContain('TEMP B-TREE');
  expect(planOf(read)).toContain('incoming_waiting (account=? AND (update_order,update_id)>(?,?))');
  expect(planOf(doneBefore)).toContain('incoming_waiting (account=? AND update_order<?)');
});
