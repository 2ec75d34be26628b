// What can still be read of a store with damaged pages. A copy is made in which those pages cannot be taken for
// anything; then the engine reads what it can, by ranges of numbers that are halved around what it cannot. Counting
// tells how many messages are gone; salvaging writes the rest into a new store, with its indexes and tallies made anew.
// Of the messages that lie in damaged pages, those that can be read as they are become dead letters: see dead-rows.ts.

import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs';
import {
  type Database,
  logFileOf,
  openDatabase,
  PAGE_BYTES,
  sharedFileOf,
} from '../../../system/databases/sqlite.ts';
import { makePrivateFile } from '../../../system/private-files.ts';
import { FREEZES_OF_BUDGETS } from '../schema/budgets.ts';
import { migrate } from '../schema/schema.ts';
import { attempt, columnsOf, halve, toldOf } from './damaged-reads.ts';
import { keepDeadRows } from './dead-rows.ts';

// No text holds this byte, so a payload that reaches into such a page is told from every other.
const SPOILT_BYTE = 0xff;
const SPOILT = `instr(CAST(body AS BLOB), x'ffffffffffffffff') > 0`;
const READ_WHOLE = `count(CASE WHEN ${SPOILT} THEN NULL ELSE 1 END)`;

const BEYOND_MAX = 10_000;

export interface Countable {
  // Messages that cannot be read whole; null: nobody can say.
  readonly missing: number | null;
  // Of those, the first and last number that may be among them.
  readonly first: number;
  readonly last: number;
}

export function countMissing(file: string, damaged: readonly number[], seqLast: number): Countable {
  return withSpoiltCopy(file, damaged, (copy) => {
    const db = openDatabase(copy, { readOnly: true, busyMsMax: 0 });
    try {
      return count(db, seqLast);
    } finally {
      db.close();
    }
  });
}

function count(db: Database, seqLast: number): Countable {
  const unknown = { missing: null, first: 0, last: 0 };
  const one = (sql: string) => attempt(() => Number(db.prepare(sql).get()?.n ?? 0));
  const total = one(`SELECT sum(count) AS n FROM tallies WHERE account > ''`);
  if (total === null) return unknown;
  const last = lastOf(db, 'deliveries', seqLast);
  const read = db.prepare(
    `SELECT ${READ_WHOLE} AS n, count(*) AS rows FROM deliveries WHERE seq BETWEEN ? AND ?`,
  );
  const lost = { first: 0, last: 0 };
  let whole = 0;
  halve(
    1,
    last,
    (from, to) => {
      const row = attempt(() => read.get(from, to));
      if (row === null || (from < to && row!.n !== row!.rows)) return false;
      whole += Number(row!.n);
      return Number(row!.n) === Number(row!.rows);
    },
    (seq) => {
      lost.first ||= seq;
      lost.last = seq;
    },
  );
  return { missing: Math.max(0, total - whole), ...lost };
}

interface Damage {
  readonly damaged: readonly number[];
  readonly seqLast: number;
}

// `target` is new; `file` stays as it is. How many messages of the damaged pages were kept as dead letters.
export function salvage(file: string, damage: Damage, target: string, at: number): number {
  copyWhole(file, damage, target);
  return withSpoiltCopy(file, [], (copy) => {
    const db = openDatabase(target, { readOnly: false, busyMsMax: 0 });
    try {
      db.prepare('ATTACH ? AS old').run(copy);
      const kept = keepDeadRows(db, damage.seqLast, at);
      db.exec(`DETACH old; ${COUNT_ANEW}`);
      return kept;
    } finally {
      db.close();
    }
  });
}

const COUNT_ANEW = `DELETE FROM tallies WHERE account > '';
  INSERT INTO tallies (account, state, count)
    SELECT account, state, count(*) FROM deliveries GROUP BY account, state`;

function copyWhole(file: string, { damaged, seqLast }: Damage, target: string): void {
  withSpoiltCopy(file, damaged, (copy) => {
    makePrivateFile(target);
    const db = openDatabase(target, { readOnly: false, busyMsMax: 0 });
    try {
      db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
      migrate(db);
      db.prepare('ATTACH ? AS old').run(copy);
      for (const { name, sql } of db.prepare(TABLES).all()) {
        if (/WITHOUT ROWID/.test(String(sql))) copyByKey(db, String(name));
        else copyByNumber(db, String(name), seqLast);
      }
      db.exec(`DETACH old; ${FREEZES_OF_BUDGETS}`);
      db.exec(`DELETE FROM deliveries WHERE ${SPOILT}`);
    } finally {
      db.close();
    }
  });
}

const TABLES = `SELECT name, sql FROM main.sqlite_schema WHERE type = 'table'
  AND name IN (SELECT name FROM old.sqlite_schema) AND name NOT LIKE 'sqlite_%'`;

function copyByNumber(db: Database, table: string, seqLast: number): void {
  const last = lastOf(db, `old.${table}`, seqLast);
  const names = columnsOf(db, table);
  const told = toldOf(db, table);
  const insert = db.prepare(`INSERT OR IGNORE INTO main.${table} (${[names, ...Object.keys(told)]})
    SELECT ${[names, ...Object.values(told)]} FROM old.${table} WHERE rowid BETWEEN ? AND ?`);
  const copies = (from: number, to: number) => attempt(() => insert.run(from, to)) !== null;
  halve(1, last, copies, () => {});
}

// If not even the last row can be found: no row is beyond the last number given out, and in the tables that count
// otherwise not far beyond the last that can be read in order.
function lastOf(db: Database, table: string, seqLast: number): number {
  const known = attempt(() => Number(db.prepare(`SELECT max(rowid) AS n FROM ${table}`).get()?.n));
  if (known !== null) return known;
  let last = seqLast;
  attempt(() => {
    for (const { n } of db.prepare(`SELECT rowid AS n FROM ${table} ORDER BY rowid`).iterate()) {
      last = Math.max(last, Number(n) + BEYOND_MAX);
    }
  });
  return last;
}

// From both ends, up to what cannot be read.
function copyByKey(db: Database, table: string): void {
  const names = columnsOf(db, table);
  const marks = names
    .split(',')
    .map(() => '?')
    .join(', ');
  const insert = db.prepare(`INSERT OR REPLACE INTO main.${table} (${names}) VALUES (${marks})`);
  const key = db
    .prepare(`SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk`)
    .all(table);
  for (const order of ['ASC', 'DESC']) {
    const by = key.map(({ name }) => `${name} ${order}`).join(', ');
    const isDone = attempt(() => {
      const rows = db.prepare(`SELECT ${names} FROM old.${table} ORDER BY ${by}`);
      for (const row of rows.iterate()) attempt(() => insert.run(...Object.values(row)));
      return true;
    });
    if (isDone !== null) return;
  }
}

function withSpoiltCopy<T>(file: string, damaged: readonly number[], use: (copy: string) => T): T {
  const copy = `${file}.examined`;
  const files = [copy, logFileOf(copy), sharedFileOf(copy)];
  try {
    for (const path of files) rmSync(path, { force: true });
    copyFileSync(file, copy, constants.COPYFILE_FICLONE);
    if (existsSync(logFileOf(file))) copyFileSync(logFileOf(file), logFileOf(copy));
    const out = openSync(copy, 'r+');
    const spoilt = Buffer.alloc(PAGE_BYTES, SPOILT_BYTE);
    for (const page of damaged) writeSync(out, spoilt, 0, PAGE_BYTES, (page - 1) * PAGE_BYTES);
    closeSync(out);
    return use(copy);
  } finally {
    for (const path of files) rmSync(path, { force: true });
  }
}
