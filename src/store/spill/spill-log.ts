// The spill on disk: a file of lines, each a record with its checksum, written at the end and forced to the disk before
// anyone is told. While one write is under way the next collects. There is a file only while something is in it; each
// has a random id, under which the store remembers how far it was handed over. SQLite would hold the main thread while
// it syncs, or cost a thread that has nothing to do as long as the database is there; a file that is only ever appended
// to needs neither.

import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { PRIVATE_FILE } from '../../system/private-files.ts';
import type { SpilledRecord } from '../ports/hand-over.ts';
import { JournalUnavailable } from '../ports/unavailable.ts';
import { JournalOpenError } from '../store-error.ts';

export const SPILL_FILE = 'spill.log';
const REFUSED_FILE = 'spill-refused.log';

export interface SpillFile {
  readonly id: string;
  readonly records: readonly SpilledRecord[];
}

interface Waiting {
  readonly n: number;
  readonly line: string;
  readonly resolve: () => void;
  readonly reject: (error: JournalUnavailable) => void;
}

interface Opened {
  readonly file: FileHandle;
  size: number;
}

const FULL_CODES = ['ENOSPC', 'EDQUOT', 'EFBIG'];

export class SpillLog {
  readonly #dir: string;
  readonly #path: string;
  #opened: Opened | null = null;
  // What is being done to the file; never rejects.
  #turn: Promise<void> = Promise.resolve();
  #waiting: Waiting[] = [];
  #id: string | null;
  #durableTo: number;
  // Otherwise a file that is there is one that was handed over, and could not be removed.
  #isInUse: boolean;

  constructor(dir: string, left: SpillFile | null) {
    this.#dir = dir;
    this.#path = join(dir, SPILL_FILE);
    this.#id = left?.id ?? null;
    this.#durableTo = left?.records.at(-1)?.n ?? 0;
    this.#isInUse = left !== null;
  }

  // Records up to this one are on the disk.
  get durableTo(): number {
    return this.#durableTo;
  }

  // Of what is in it, or will be.
  get id(): string {
    this.#id ??= randomUUID();
    return this.#id;
  }

  // Durable when it resolves; rejects with JournalUnavailable.
  append(record: SpilledRecord): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ n: record.n, line: lineOf(record), resolve, reject });
    if (this.#waiting.length === 1) this.#next(() => this.#write(this.id));
    return promise;
  }

  // All of it has been handed over; what is appended from now on begins a new one.
  clear(): Promise<void> {
    this.#id = null;
    this.#durableTo = 0;
    return this.#next(async () => {
      this.#isInUse = false;
      await this.#closeFile();
      await this.#remove();
    });
  }

  // What the store never takes, for a person to look at. Durable when it returns.
  setAside(record: SpilledRecord): void {
    const options = { mode: PRIVATE_FILE, flush: true };
    appendFileSync(join(this.#dir, REFUSED_FILE), lineOf(record), options);
  }

  // What was appended so far is on the disk, or refused.
  settled(): Promise<void> {
    return this.#turn;
  }

  async close(): Promise<void> {
    await this.#turn;
    await this.#closeFile();
  }

  // What fails here is found again when the file is next written to.
  #next(work: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(work).catch(() => {});
    return this.#turn;
  }

  async #closeFile(): Promise<void> {
    const opened = this.#opened;
    this.#opened = null;
    await opened?.file.close();
  }

  async #remove(): Promise<void> {
    rmSync(this.#path, { force: true });
    await syncFolder(this.#dir);
  }

  async #write(id: string): Promise<void> {
    const some = this.#waiting;
    this.#waiting = [];
    try {
      const opened = await this.#open(id);
      const bytes = Buffer.from(some.map(({ line }) => line).join(''));
      try {
        await opened.file.write(bytes, 0, bytes.length, opened.size);
        await opened.file.datasync();
      } catch (error) {
        // Half a line must not stand before a whole one.
        await opened.file.truncate(opened.size);
        throw error;
      }
      opened.size += bytes.length;
      this.#durableTo = some.at(-1)!.n;
      for (const { resolve } of some) resolve();
    } catch (error) {
      for (const { reject } of some) reject(unavailable(error));
    }
  }

  async #open(id: string): Promise<Opened> {
    if (this.#opened !== null) return this.#opened;
    if (!this.#isInUse) await this.#remove();
    const file = await open(this.#path, this.#isInUse ? 'r+' : 'wx+', PRIVATE_FILE);
    const { size } = await file.stat();
    const header = Buffer.from(size === 0 ? headerOf(id) : '');
    await file.write(header, 0, header.length, size);
    await syncFolder(this.#dir);
    this.#isInUse = true;
    this.#opened = { file, size: size + header.length };
    return this.#opened;
  }
}

// What a process before this one left; null: nothing. Rejects what is damaged other than at its end, where a crash may
// have left half of what nobody was told of: that is cut off.
export function readSpill(dir: string): SpillFile | null {
  const path = join(dir, SPILL_FILE);
  const text = textOf(path);
  if (text === null) return null;
  const lines = text.split('\n');
  const torn = lines.pop()!;
  const good = lines.map(parsed);
  while (good.length > 0 && good.at(-1) === null) good.pop();
  const damaged = good.indexOf(null);
  if (damaged >= 0) throw corrupt(path, damaged + 1);
  const whole = lines.slice(0, good.length);
  if (torn !== '' || whole.length < lines.length) {
    truncateSync(path, Buffer.byteLength(whole.map((line) => `${line}\n`).join('')));
  }
  const [header, ...records] = good as [{ spill: string } | undefined, ...SpilledRecord[]];
  if (header === undefined || records.length === 0) {
    rmSync(path);
    return null;
  }
  return { id: header.spill, records: records.map(withBudget) };
}

// For a store that would never look at it: what is in it was accepted, and is nowhere else.
export function refuseLeftSpill(dir: string): void {
  const left = readSpill(dir);
  if (left === null) return;
  throw new JournalOpenError(
    'spill_left',
    `${join(dir, SPILL_FILE)} holds ${left.records.length} records that this node accepted while its database was ` +
      'away, and has not handed over. Start it as a node (SLUICE_DATABASE_URL) until /health/details shows no spill, ' +
      'then move the store with sluice migrate; or move that file elsewhere, and what is in it is given up',
  );
}

// A program before the word `budget` wrote `gate`.
function withBudget(record: SpilledRecord): SpilledRecord {
  if (record.kind !== 'append' || !('gate' in record.delivery)) return record;
  const { gate, ...rest } = record.delivery as typeof record.delivery & { readonly gate: string };
  return { ...record, delivery: { ...rest, budget: gate } };
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // What is no folder is named by who opens the store in it.
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

function corrupt(path: string, line: number): JournalOpenError {
  return new JournalOpenError(
    'corrupt',
    `${path} holds accepted messages that the database does not have yet, and its line ${line} is not as it was ` +
      'written. Nothing was changed. Keep a copy; take the line out to go on without it',
  );
}

function headerOf(spill: string): string {
  return lineOf({ spill });
}

function lineOf(value: object): string {
  const text = JSON.stringify(value);
  return `${crc32(text).toString(16).padStart(8, '0')} ${text}\n`;
}

function parsed(line: string): object | null {
  const text = line.slice(9);
  return crc32(text) === Number.parseInt(line.slice(0, 8), 16) ? JSON.parse(text) : null;
}

function unavailable(error: unknown): JournalUnavailable {
  const { code, message } = error as NodeJS.ErrnoException;
  const isFull = FULL_CODES.includes(String(code));
  return new JournalUnavailable(
    isFull ? 'disk_full' : 'journal_failed',
    `the database is away, and the spill cannot be written: ${message}`,
  );
}

async function syncFolder(dir: string): Promise<void> {
  const folder = await open(dir, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
