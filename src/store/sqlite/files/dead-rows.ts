// Messages that lie in damaged pages and can be read all the same. What had ended, and fits its check, is kept as it
// is. Everything else is kept as a dead letter (`damaged`): its content may have changed, or its page may be an older
// one, from before it was sent. A dead letter that fits its check can be retried by hand; the others cannot.

import { DAMAGED } from '../../../domain/fault.ts';
import { rowCheck } from '../../../system/databases/row-check.ts';
import type { Database, SqlInput } from '../../../system/databases/sqlite.ts';
import { attempt, columnsOf, halve, toldOf } from './damaged-reads.ts';

// No row has it, so it never fits.
const NO_CHECK = -1;
const RANGE = 'WHERE seq BETWEEN ?1 AND ?2';

// From the schema `old` into `main`, where it is not there yet. How many became dead letters.
export function keepDeadRows(db: Database, seqLastKnown: number, at: number): number {
  const { n } = db.prepare('SELECT max(seq) AS n FROM main.deliveries').get()!;
  const seqLast = Math.max(seqLastKnown, Number(n));
  db.function('check_of', { varargs: true }, checkOf);
  const told = toldOf(db, 'deliveries');
  const names = [...columnsOf(db, 'deliveries').split(', '), ...Object.keys(told)];
  const insert = `INSERT OR IGNORE INTO main.deliveries (${names})`;
  const as = (others: Readonly<Record<string, string>>) =>
    names.map((name) => others[name] ?? told[name] ?? name);
  if (names.includes('row_check')) {
    const ended = db.prepare(`${insert} SELECT ${as({})} FROM old.deliveries ${RANGE}
      AND settled_at IS NOT NULL AND row_check = check_of(seq, chat, thread, method, body)`);
    take(seqLast, (from, to) => ended.run(from, to));
  }
  const asDead: Record<string, string> = {
    state: `'dead'`,
    settled_at: '?3',
    reason: `'${DAMAGED}'`,
    detail: `'it lay in a damaged page of the store, as ' || state`,
    superseded_by: 'NULL',
    row_check: `coalesce(row_check, ${NO_CHECK})`,
  };
  const dead = db.prepare(`${insert} SELECT ${as(asDead)}
    FROM old.deliveries ${RANGE}`);
  let kept = 0;
  take(seqLast, (from, to) => {
    kept += Number(dead.run(from, to, at).changes);
  });
  return kept;
}

// Whether every message fits its check.
export function hasOnlyWholeRows(db: Database): boolean {
  const column = `SELECT 1 FROM pragma_table_info('deliveries') WHERE name = 'row_check'`;
  if (db.prepare(column).get() === undefined) return true;
  db.function('check_of', { varargs: true }, checkOf);
  const broken = `SELECT 1 FROM deliveries WHERE body IS NOT NULL AND row_check IS NOT NULL
    AND row_check <> check_of(seq, chat, thread, method, body) LIMIT 1`;
  return db.prepare(broken).get() === undefined;
}

function take(seqLast: number, run: (from: number, to: number) => unknown): void {
  const takes = (from: number, to: number) => attempt(() => run(from, to) ?? true) !== null;
  halve(1, seqLast, takes, () => {});
}

function checkOf(...row: SqlInput[]): number {
  const [seq, chat, thread, method, body] = row;
  if (body === null) return NO_CHECK;
  return rowCheck(
    Number(seq),
    String(chat),
    thread === null ? null : String(thread),
    String(method),
    String(body),
  );
}
