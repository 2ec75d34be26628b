// The schema against the domain it stores, and every statement of the journal against its query
// plan.

import { rmSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { FAMILIES } from '../../../domain/call.ts';
import { STATES } from '../../../domain/delivery.ts';
import { PRIORITIES } from '../../../domain/priority.ts';
import { AUDIENCE_SQL } from '../broadcasts/audiences.ts';
import { BROADCAST_SQL } from '../broadcasts/statements.ts';
import { CALLERS_SQL } from '../callers.ts';
import { openStore } from '../files/open.ts';
import { INCOMING_SQL } from '../incoming.ts';
import { INGEST_SQL } from '../ingest/statements.ts';
import { KEYS_SQL } from '../keys.ts';
import { OWNERS_SQL } from '../owners.ts';
import { CALLS_NEWEST_FIRST } from '../reads.ts';
import { LIVE_PAGE, SENDING } from '../recovery.ts';
import { makeFolder } from '../sqlite.fixture.ts';
import { SQL } from '../statements.ts';
import { STREAMS_SQL } from '../streams.ts';

const dir = makeFolder();
const store = openStore({ dir, pageCountMax: null });
afterAll(() => {
  store.close();
  rmSync(dir, { recursive: true });
});

const ddl = String(
  store.db.prepare(`SELECT sql FROM sqlite_schema WHERE name = 'deliveries'`).get()?.sql,
);

// The values a column's CHECK admits, in their order.
function admitted(column: string): string[] {
  const check = new RegExp(`${column} TEXT NOT NULL[^(]*CHECK \\(([^)]*)\\)`).exec(ddl)?.[1] ?? '';
  return [...check.matchAll(/= '(\w+)'/g)].map((match) => match[1]!);
}

function plan(sql: string): string {
  const rows = store.db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
  return rows.map((row) => String(row.detail)).join('\n');
}

describe('the schema admits what the domain knows', () => {
  test('states, families, priorities', () => {
    expect(admitted('state')).toEqual([...STATES]);
    expect(admitted('family')).toEqual([...FAMILIES]);
    expect(ddl).toContain(`priority BETWEEN 0 AND ${PRIORITIES.length - 1}`);
  });

  test('whatever word a platform has for a budget', () => {
    expect(ddl).toMatch(/^ {2}budget TEXT NOT NULL,$/m);
  });

  test('and refuses the rest', () => {
    const columns = `seq, account, platform, chat, method, family, budget, priority, cost, live,
      final, enter_at, rank, due_at, expires_at, accepted_at, state`;
    const insert = (state: string) =>
      store.db.exec(`INSERT INTO deliveries (${columns})
        VALUES (1, 'a', 'p', 'c', 'm', 'send', 'open', 1, 1, 0, 0, 0, 1, 0, 0, 0, '${state}')`);
    expect(() => insert('lost')).toThrow(/CHECK/);
    // Ended, yet without the time it ended.
    expect(() => insert('sent')).toThrow(/CHECK/);
  });
});

describe('no statement walks through a big table', () => {
  const { lastAccepted, lastBegun, lastEnded, ...callers } = CALLERS_SQL;
  const statements = [
    ...[callers, SQL, INCOMING_SQL, STREAMS_SQL, AUDIENCE_SQL, BROADCAST_SQL, KEYS_SQL],
    ...[OWNERS_SQL, INGEST_SQL],
  ].flatMap((all) => Object.entries(all));
  test.each(statements)('%s', (_name, sql) => {
    expect(plan(sql)).not.toMatch(/SCAN (?!json_each)/);
  });

  test('the last sign of life is the last entry of a table or an index', () => {
    expect(plan(lastAccepted)).toBe('SCAN deliveries');
    expect(plan(lastBegun)).toBe('SCAN attempts');
    expect(plan(lastEnded)).toMatch(/INDEX deliveries_ended/);
  });

  test('what is pruned is found by its time', () => {
    const search = 'SEARCH deliveries USING INDEX';
    expect(plan(SQL.toPrune)).toBe(`${search} deliveries_ended (settled_at<?)`);
    expect(plan(SQL.deadToPrune)).toBe(`${search} deliveries_stuck_ended (settled_at<?)`);
  });

  test('a page of what is alive is read by its own index', () => {
    expect(plan(LIVE_PAGE)).toBe('SEARCH deliveries USING INDEX deliveries_live (seq>?)');
    expect(plan(SENDING)).toBe('SEARCH deliveries USING INTEGER PRIMARY KEY (rowid=?)');
  });

  test('recent calls are read backwards from the last, and joined by key', () => {
    expect(plan(CALLS_NEWEST_FIRST)).toBe('SCAN a\nSEARCH d USING INTEGER PRIMARY KEY (rowid=?)');
  });
});
