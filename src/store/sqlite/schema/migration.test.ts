// A store that an older program left: `version-8.db.gz` was written by the program whose schema was the eighth, with
// its own statements. Opened by this one it is migrated, and nothing of what was in it is lost or changed.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AccountId } from '../../../domain/ids.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { openDatabase, type SqlRow, storeFileOf } from '../../../system/databases/sqlite.ts';
import { aDelivery, aSettlement, ROOM, recovered } from '../../contract/journal.fixture.ts';
import { type OwnedStore, soleOwner } from '../../contract/sole-owner.fixture.ts';
import { salvage } from '../files/salvage.ts';
import { openSqliteLedger } from '../ledger/ledger.ts';
import { makeFolder } from '../sqlite.fixture.ts';
import { openSqliteJournal } from '../sqlite.ts';
import { SCHEMA_VERSION } from './schema.ts';

const OLD = new URL('./version-8.db.gz', import.meta.url);
const ONE = 'telegram:1';
const OTHER = 'telegram:2';
// The largest number that an update could have.
const LARGEST = Number.MAX_SAFE_INTEGER;
const MORE_UPDATES = `INSERT INTO incoming
  (account, update_id, at, chat, message_id, voice, state, attempts, due_at, body) VALUES
  ('${OTHER}', ${LARGEST}, 3.0, NULL, NULL, 'none', 'waiting', 0, 0.0, 'last'),
  ('${OTHER}', 10, 4.0, '5', '6', 'wrote', 'waiting', 2, 7.5, 'ten'),
  ('${ONE}', 9, 4.5, '5', '7', 'addressed', 'done', 1, 1.5, '')`;
const FROZEN = `INSERT INTO limits VALUES ('${ONE}', 'freeze|gate|reply|', '{}', 5)`;
// Changed by every start and every commit.
const OWN = ['meta', 'tallies'];

let dir: string;
let before: Map<string, SqlRow[]>;
let journal: OwnedStore;
let ledger: Ledger;

beforeEach(async () => {
  dir = makeFolder();
  mkdirSync(dir, { recursive: true });
  writeFileSync(storeFileOf(dir), gunzipSync(readFileSync(OLD)));
  expect(read('PRAGMA user_version')).toMatchObject([{ user_version: 8 }]);
  change(FROZEN);
  change(MORE_UPDATES);
  before = new Map(tables().map((name) => [name, read(`SELECT * FROM "${name}"`)]));
  const accounts = read('SELECT seq, account FROM deliveries').map(
    ({ seq, account }) => [Number(seq), account as AccountId] as const,
  );
  journal = soleOwner(await openSqliteJournal({ dir }), new Map(accounts));
  ledger = openSqliteLedger({ dir });
});
afterEach(async () => {
  await ledger.close();
  await journal.close();
  rmSync(dir, { recursive: true });
});

function read(sql: string): SqlRow[] {
  const db = openDatabase(storeFileOf(dir), { readOnly: true, busyMsMax: 1_000 });
  try {
    return db
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    db.close();
  }
}

function change(sql: string): void {
  const db = openDatabase(storeFileOf(dir), { readOnly: false, busyMsMax: 1_000 });
  try {
    db.exec(sql);
  } finally {
    db.close();
  }
}

// By the names of now.
function renamed({ gate, update_id: id, ...row }: SqlRow): SqlRow {
  if (gate !== undefined) return { ...row, budget: gate };
  if (id !== undefined) return { ...row, update_id: String(id), update_order: id };
  return row.key === 'freeze|gate|reply|' ? { ...row, key: 'freeze|budget|reply|' } : row;
}

function tables(): string[] {
  const found = read(`SELECT name FROM sqlite_schema WHERE type = 'table'`);
  return found.map(({ name }) => String(name)).filter((name) => !OWN.includes(name));
}

test('every row of every table is as it was, by the names of now', () => {
  expect(read('PRAGMA user_version')).toMatchObject([{ user_version: SCHEMA_VERSION }]);
  expect(before.get('deliveries')).toHaveLength(8);
  for (const [name, rows] of before) {
    const now = read(`SELECT * FROM "${name}"`);
    expect(now, name).toHaveLength(rows.length);
    for (const [i, row] of rows.entries()) expect(now[i], name).toMatchObject(renamed(row));
  }
  const ofDeliveries = `SELECT account, state, count FROM tallies WHERE account > '' AND count > 0`;
  expect(read(ofDeliveries)).toHaveLength(7);
});

test('streams and audiences are of their accounts', () => {
  expect(read('SELECT id, account FROM streams ORDER BY id')).toEqual([
    { id: 'open', account: ONE },
    { id: 'over', account: OTHER },
    { id: 'unreadable', account: '' },
  ]);
  expect(read('SELECT name, account FROM audiences ORDER BY id')).toEqual([
    { name: 'all', account: null },
    { name: null, account: OTHER },
  ]);
});

test('what waits, is in flight, dead or in doubt goes on under the first epoch', async () => {
  const alive = await recovered(journal);
  expect(alive.map(({ kind, queued }) => [kind, queued.seq, queued.account])).toEqual([
    ['queued', 1, ONE],
    ['queued', 2, OTHER],
    ['sending', 3, ONE],
    ['queued', 7, OTHER],
  ]);
  expect(await journal.store.openAccount(ONE)).toEqual({ account: ONE, epoch: 1 });
  expect(await journal.settle(aSettlement({ seq: 3 }))).toMatchObject({ state: 'sent' });
  expect(await journal.begin(2, 9_000)).toMatchObject({ body: '{"text":"with wishes"}' });
  const found = await ledger.getMany([4, 5, 6, 8]);
  expect(found.map(({ state, damaged }) => [state, damaged])).toEqual([
    ['sent', false],
    ['dead', false],
    ['uncertain', false],
    ['cancelled', false],
  ]);
  const retry = { to: 'queued', at: 9_000, reason: 'retried', by: 'me', body: null } as const;
  for (const seq of [5, 6]) {
    expect(await journal.move({ ...retry, seq, queueMax: 99 })).toMatchObject({ kind: 'moved' });
  }
});

test('a word that its platform has since, or had once, is taken', async () => {
  const written = await journal.append(aDelivery({ account: ONE, budget: 'of_later' }), ROOM);
  expect(written).toMatchObject({ kind: 'accepted', queued: { budget: 'of_later' } });
  change(`UPDATE deliveries SET budget = 'of_before' WHERE seq = 1`);
  expect(read('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
});

test('updates are known by the text of their number, and wait in the order of the numbers', async () => {
  const { incoming } = journal;
  const first = { afterAccount: '', after: { order: 0, updateId: '' }, max: 9 };
  const waiting = await incoming.waiting(first);
  expect(waiting.map(({ account, order, updateId }) => [account, order, updateId])).toEqual([
    [OTHER, 9, '9'],
    [OTHER, 10, '10'],
    [OTHER, LARGEST, String(LARGEST)],
  ]);
  const again = waiting.map(({ attempts: _, dueAt: __, ...one }) => {
    return { ...one, messageId: null, voice: 'none', state: 'waiting', body: 'again' } as const;
  });
  expect(await incoming.record(again)).toEqual([false, false, false]);
  expect(await incoming.body({ account: OTHER, updateId: '10' })).toBe('ten');
  expect(await incoming.doneBefore({ account: OTHER, order: LARGEST })).toBe(2);
});

test('of a damaged one as much is salvaged as of one of now', () => {
  const [old, made] = [join(dir, 'old.db'), join(dir, 'made.db')];
  writeFileSync(old, gunzipSync(readFileSync(OLD)));
  const frozen = openDatabase(old, { readOnly: false, busyMsMax: 0 });
  frozen.exec(FROZEN);
  frozen.close();
  salvage(old, { damaged: [], seqLast: 8 }, made, 9_000);
  const db = openDatabase(made, { readOnly: true, busyMsMax: 0 });
  const rows = db.prepare('SELECT seq, budget FROM deliveries ORDER BY seq').all();
  const updates = db.prepare('SELECT * FROM incoming').all();
  const freezes = db.prepare(`SELECT key FROM limits WHERE key LIKE 'freeze%'`).all();
  db.close();
  expect(freezes.map(({ key }) => key)).toEqual(['freeze|budget|reply|']);
  const gates = before.get('deliveries')!.map(({ seq, gate }) => ({ seq, budget: gate }));
  expect(rows.map((row) => ({ ...row }))).toEqual(gates);
  expect(updates.map((row) => ({ ...row }))).toEqual([renamed(before.get('incoming')![0]!)]);
});

test('what lies in its damaged pages keeps its budget, too', () => {
  const [old, made] = [join(dir, 'spoilt.db'), join(dir, 'made-of-it.db')];
  writeFileSync(old, gunzipSync(readFileSync(OLD)));
  const page = `SELECT rootpage AS n FROM sqlite_schema WHERE name = 'deliveries'`;
  const spoilt = openDatabase(old, { readOnly: true, busyMsMax: 0 });
  const damaged = [Number(spoilt.prepare(page).get()!.n)];
  spoilt.close();
  expect(salvage(old, { damaged, seqLast: 8 }, made, 9_000)).toBeGreaterThan(0);
  const db = openDatabase(made, { readOnly: true, busyMsMax: 0 });
  const rows = db.prepare('SELECT seq, budget FROM deliveries ORDER BY seq').all();
  db.close();
  const gates = before.get('deliveries')!.map(({ seq, gate }) => ({ seq, budget: gate }));
  expect(rows.map((row) => ({ ...row }))).toEqual(gates);
});

test('limits, streams, broadcasts, keys and the rest are read as before', async () => {
  const limits = await journal.limits();
  expect(limits.map(({ account, key }) => `${account} ${key}`)).toEqual([
    ' clock',
    `${ONE} chat:5`,
    `${ONE} freeze|budget|reply|`,
    `${OTHER} chat:5`,
  ]);
  expect(await journal.streams.open({ after: '', max: 9 })).toMatchObject([
    { id: 'open', account: ONE, text: 'grows' },
  ]);
  expect(await journal.broadcasts.unfinished({ after: 0, max: 9 })).toMatchObject([
    { account: ONE, total: 2, counts: { queued: 1 } },
    { account: OTHER, total: 2 },
  ]);
  expect(await journal.broadcasts.named({ name: 'all' })).toMatchObject({ count: 2 });
  expect(await journal.keys.page({ after: '', max: 9 })).toMatchObject([{ id: 'key' }]);
  expect(await journal.audit.page({ before: null, max: 9 })).toMatchObject([{ by: 'admin' }]);
  expect(await journal.filesInUse()).toEqual(['f1']);
  expect(await journal.callsSince(0)).toHaveLength(5);
  expect(await journal.accounts()).toMatchObject([{ id: ONE }, { id: OTHER, paused: true }]);
});
