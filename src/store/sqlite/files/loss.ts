// A loss that a start has found: what is missing, how it is told, and how it is kept on record once it was accepted.

import { existsSync, renameSync, rmSync } from 'node:fs';
import { systemClock } from '../../../system/clock.ts';
import { type Database, logFileOf, sharedFileOf } from '../../../system/databases/sqlite.ts';
import { JournalOpenError } from '../../store-error.ts';
import type { StoreNote } from '../../store-note.ts';
import type { Mark } from './mark.ts';
import type { Countable } from './salvage.ts';

// What the store holds, as far as it can be read.
export interface HeldRows {
  readonly epoch: number;
  readonly commits: number;
  readonly seqLast: number;
  readonly live: number;
  // Whoever had it last did not close it, and there is no log.
  readonly isLogMissed: boolean;
}

export interface Loss {
  readonly why: string;
  // Of what was accepted; null: nobody can say.
  readonly missing: number | null;
  // The last number given out, as the mark knows it; 0: not known.
  readonly seqLast: number;
  readonly text: string;
  // Pages that are not as they were written.
  readonly damaged: readonly number[];
  // Whether what is left can be opened; if not, it is set aside and a new store begins.
  readonly isReadable: boolean;
}

// As it is kept in the store.
export interface AcceptedLoss {
  readonly at: number;
  readonly missing: number | null;
  readonly why: string;
}

const LOSSES_KEPT_MAX = 20;
const PAGES_SHOWN_MAX = 8;
const CURE =
  'Nothing was changed. Keep a copy of the folder; then restore the latest snapshot into an empty folder ' +
  '(npx sluice restore <file> --data <folder>), or go on with what is left: npx sluice serve --accept-loss';

// `held`: what is left; null: nothing that can be read.
export function lossOf(mark: Mark | null, held: HeldRows | null, why: string): Loss {
  if (mark === null) {
    const text = `the store holds less than it must: ${why}; how much is missing is not known`;
    return { why, missing: null, seqLast: 0, text, damaged: [], isReadable: held !== null };
  }
  const { seqLast, live } = mark;
  const found = held?.seqLast ?? 0;
  const missing = Math.max(0, seqLast - found);
  const waiting = `${live} waited or were being sent, ${held?.live ?? 0} of those are found`;
  const messages = missing === 1 ? '1 accepted message is' : `${missing} accepted messages are`;
  const numbers = missing === 0 ? '' : ` (numbers ${found + 1} to ${seqLast})`;
  const moves = missing === 0 ? '; what became of some of them is: they would be sent again' : '';
  const text = `the store holds less than it must: ${why}: ${messages} missing${numbers}${moves}; ${waiting}`;
  return { why, missing, seqLast, text, damaged: [], isReadable: held !== null };
}

export function refusal({ text }: Loss): JournalOpenError {
  return new JournalOpenError('loss', `${text}. ${CURE}`);
}

// `count`: what can still be read around the damaged pages.
export function lossOfPages(
  file: string,
  damaged: readonly number[],
  count: Countable,
  seqLast: number,
): Loss {
  const { missing, first, last } = count;
  const shown = damaged.slice(0, PAGES_SHOWN_MAX).join(', ');
  const more = damaged.length > PAGES_SHOWN_MAX ? ', …' : '';
  const what = damaged.length === 1 ? '1 page' : `${damaged.length} pages`;
  const why =
    damaged.length === 0
      ? `the pages of ${file} do not fit together`
      : `${what} of ${file} changed or lost (${shown}${more})`;
  const numbers = last === 0 ? '' : ` (among numbers ${first} to ${last})`;
  const nothingRead =
    seqLast === 0
      ? 'it cannot be read; how many messages are missing is not known'
      : `it cannot be read: all ${seqLast} accepted messages are missing`;
  const messages =
    missing === null
      ? nothingRead
      : `${missing} accepted ${missing === 1 ? 'message is' : 'messages are'} missing${numbers}`;
  const text = `the store is damaged: ${why}: ${messages}`;
  const isReadable = missing !== null;
  return { why, missing: missing ?? (seqLast || null), seqLast, text, damaged, isReadable };
}

// Out of the way of the engine, and kept; null: there was nothing.
export function setAside(file: string, notes: StoreNote[]): string | null {
  const at = new Date(systemClock().now()).toISOString().replaceAll(/[-:]|\..*/g, '');
  const aside = `${file}.lost-${at}`;
  rmSync(sharedFileOf(file), { force: true });
  if (existsSync(logFileOf(file))) renameSync(logFileOf(file), logFileOf(aside));
  if (!existsSync(file)) return null;
  renameSync(file, aside);
  notes.push({ level: 'warn', text: `the store as it was is kept as ${aside}` });
  return aside;
}

// In the transaction that is open. Numbers that were given out are never given to other messages.
export function recordLoss(db: Database, loss: Loss, at: number): void {
  const { missing, why, seqLast } = loss;
  const kept: AcceptedLoss[] = [...lossesOf(db), { at, missing, why }].slice(-LOSSES_KEPT_MAX);
  db.prepare(`INSERT OR REPLACE INTO meta (name, value) VALUES ('losses', ?)`).run(
    JSON.stringify(kept),
  );
  db.prepare(`UPDATE meta SET value = max(value, ?) WHERE name = 'seq_last'`).run(seqLast);
  db.prepare(`INSERT INTO audit (at, by, key, action, target, result)
    VALUES (?, 'sluice', NULL, 'serve --accept-loss', ?, ?)`).run(
    at,
    why,
    missing === null ? 'an unknown number of messages lost' : `${missing} messages lost`,
  );
}

export function lossesOf(db: Database): readonly AcceptedLoss[] {
  const kept = db.prepare(`SELECT value FROM meta WHERE name = 'losses'`).get()?.value;
  return kept === undefined ? [] : (JSON.parse(String(kept)) as AcceptedLoss[]);
}
