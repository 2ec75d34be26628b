// Whether the database is the one it was. A node keeps in its data folder which store it wrote to and how far that was;
// a database that was emptied, replaced or restored from an older backup holds less, and going on as if nothing had
// happened would send again what was sent, and give the ids of lost messages to others. It is looked at before a start
// and every few seconds, and a node stops rather than go on, unless it is told to accept the loss.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, isAnswer, type PostgresSql } from '../../system/databases/postgres.ts';
import type { Periodic, PeriodicJob } from '../../system/periodic.ts';
import { PRIVATE_FILE } from '../../system/private-files.ts';
import { JournalOpenError } from '../store-error.ts';
import type { StoreNote } from '../store-note.ts';

const MARK_FILE = 'database.mark';
const LOOK_EVERY_MS = 5_000;
// So old a delivery may have been removed by retention.
const ROW_MS_MAX = 12 * 3_600_000;
// Numbers that other nodes gave out, or keep for their spills, after what this one knows of.
const NUMBERS_SKIPPED = 1_000_000;
const LOSSES_KEPT_MAX = 20;
// Tables that were dropped.
const UNDEFINED_TABLE = '42P01';

const CURE =
  'Nothing was changed. Point the node at the right database, or restore a newer backup; to go on with what is ' +
  'there: npx sluice serve --accept-loss';

const MARK_SQL = {
  look: `SELECT (SELECT value FROM meta WHERE name = 'tag') AS tag,
    (SELECT last_value FROM delivery_seq) AS "seqLast",
    EXISTS (SELECT 1 FROM deliveries WHERE seq = $1) AS "isThere"`,
  skip: `SELECT setval('delivery_seq', greatest($1::bigint, last_value)) FROM delivery_seq`,
  losses: `SELECT value FROM meta WHERE name = 'losses'`,
  record: `INSERT INTO meta (name, value) VALUES ('losses', $1)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  audit: `INSERT INTO audit (at, by, key, action, target, result)
    VALUES ($1, 'sluice', NULL, 'serve --accept-loss', $2, $3)`,
} as const;

interface Mark {
  readonly tag: string;
  readonly seqLast: number;
  // When that number was given.
  readonly at: number;
}

// As it is kept in the store.
export interface DatabaseLoss {
  readonly at: number;
  readonly missing: number | null;
  readonly why: string;
}

export interface MarkOptions {
  readonly dir: string;
  readonly acceptLoss: boolean;
  readonly periodic: Periodic;
  readonly onNote: (note: StoreNote) => void;
  // Found while at work: nothing more may be accepted.
  readonly onLost: (error: Error) => void;
}

export class DatabaseMark {
  readonly #options: MarkOptions;
  readonly #sql: PostgresSql;
  #mark: Mark;
  #saved: Mark | null = null;
  readonly #looking: PeriodicJob;

  private constructor(sql: PostgresSql, options: MarkOptions, mark: Mark) {
    this.#sql = sql;
    this.#options = options;
    this.#mark = mark;
    this.#looking = options.periodic.job({
      name: 'check_database',
      everyMs: LOOK_EVERY_MS,
      run: (job) => this.#look(job),
    });
  }

  // Rejects with JournalOpenError.
  static async open(sql: PostgresSql, tag: string, options: MarkOptions): Promise<DatabaseMark> {
    const { clock } = options.periodic;
    const { acceptLoss, onNote } = options;
    const known = read(options.dir);
    const now = clock.now();
    const why = known === null ? null : await lossOf(sql, known, now);
    if (why !== null && !acceptLoss) throw new JournalOpenError('loss', `${why}. ${CURE}`);
    if (why === null && acceptLoss)
      onNote({ level: 'warn', text: 'nothing is missing: --accept-loss had no effect' });
    if (why !== null) {
      await accept(sql, known!, why, now);
      onNote({ level: 'warn', text: `the loss was accepted: ${why}` });
    }
    const mark = new DatabaseMark(sql, options, {
      tag,
      seqLast: why === null ? (known?.seqLast ?? 0) : 0,
      at: known?.at ?? 0,
    });
    mark.#save();
    await mark.#looking.start();
    return mark;
  }

  // This number was given to a delivery, which is in the database.
  note(seq: number): void {
    if (seq <= this.#mark.seqLast) return;
    this.#mark = { ...this.#mark, seqLast: seq, at: this.#options.periodic.clock.now() };
  }

  losses(): Promise<readonly DatabaseLoss[]> {
    return lossesOf(this.#sql);
  }

  async close(): Promise<void> {
    await this.#looking.stop(0);
    this.#save();
  }

  // While the database is away it fails, and the next look is soon.
  async #look(job: PeriodicJob): Promise<void> {
    const { periodic, onLost } = this.#options;
    const why = await lossOf(this.#sql, this.#mark, periodic.clock.now());
    if (why === null) this.#save();
    else {
      void job.stop(0);
      onLost(new JournalOpenError('loss', `${why}. ${CURE}`));
    }
  }

  // Not forced to the disk: a mark of a little while ago finds nearly as much.
  #save(): void {
    if (this.#mark === this.#saved) return;
    const path = join(this.#options.dir, MARK_FILE);
    try {
      writeFileSync(`${path}.part`, JSON.stringify(this.#mark), { mode: PRIVATE_FILE });
      renameSync(`${path}.part`, path);
      this.#saved = this.#mark;
    } catch {
      // The disk is full: what was saved before still holds.
    }
  }
}

function read(dir: string): Mark | null {
  try {
    return JSON.parse(readFileSync(join(dir, MARK_FILE), 'utf8')) as Mark;
  } catch {
    return null;
  }
}

// What is wrong with the database; null: it is as it should be.
async function lossOf(sql: PostgresSql, mark: Mark, now: number): Promise<string | null> {
  const found = await look(sql, mark.seqLast);
  if (found === null) return 'the tables of the store are gone from the database';
  if (found.tag !== mark.tag) {
    return (
      `the database is not the one this node wrote to: it holds the store ${found.tag ?? 'of nobody'}, and the node ` +
      `knows the store ${mark.tag}, of which it has seen message number ${mark.seqLast}`
    );
  }
  if (found.seqLast < mark.seqLast) {
    return (
      `the database is older than it was, as a restored backup is: ${mark.seqLast - found.seqLast} or more accepted ` +
      `messages are missing (numbers ${found.seqLast + 1} to ${mark.seqLast})`
    );
  }
  const isFresh = mark.seqLast > 0 && now - mark.at < ROW_MS_MAX;
  if (!found.isThere && isFresh) {
    return `messages are missing from the database: number ${mark.seqLast} was accepted a short while ago and is gone`;
  }
  return null;
}

async function look(sql: PostgresSql, seq: number) {
  try {
    const row = (await sql.get(MARK_SQL.look, seq))!;
    const tag = row.tag === null ? null : String(row.tag);
    return { tag, seqLast: Number(row.seqLast), isThere: row.isThere === true };
  } catch (error) {
    if (isAnswer(error) && codeOf(error) === UNDEFINED_TABLE) return null;
    throw error;
  }
}

async function accept(sql: PostgresSql, mark: Mark, why: string, at: number): Promise<void> {
  await sql.get(MARK_SQL.skip, mark.seqLast + NUMBERS_SKIPPED);
  const kept = [...(await lossesOf(sql)), { at, missing: null, why }].slice(-LOSSES_KEPT_MAX);
  await sql.run(MARK_SQL.record, JSON.stringify(kept));
  await sql.run(MARK_SQL.audit, at, why, 'an unknown number of messages lost');
}

async function lossesOf(sql: PostgresSql): Promise<readonly DatabaseLoss[]> {
  const row = await sql.get(MARK_SQL.losses);
  return row === null ? [] : (JSON.parse(String(row.value)) as DatabaseLoss[]);
}
