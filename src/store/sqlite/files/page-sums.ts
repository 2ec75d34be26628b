// A check for every page of the store's file, kept in a file beside it. The engine writes the file only when it moves
// its log there, so no commit pays for this: whoever moves the log first writes down the checks of the pages in it,
// forces them to the disk, and then lets the engine move. A page that the log still holds is the log's to vouch for,
// which carries checks of its own; every other page must be as it was written. So no byte of any row or index can
// change unseen. One changed bit in a page is found and put right: only one makes both of its checks come out.

import { hash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { crc32 } from 'node:zlib';
import { PAGE_BYTES } from '../../../system/databases/sqlite.ts';
import { makePrivateFile } from '../../../system/private-files.ts';
import {
  FRAME_BYTES,
  FRAME_HEADER_BYTES,
  flipUntil,
  frameOffset,
  type ScannedLog,
} from './engine-log.ts';

// Two checks of four bytes for each page, at its number: a CRC-32 and a digest. In the place of page 0 stands what this
// is, and which digest it has: files that were made with the first go on with it.
const ENTRY_BYTES = 8;
const MAGIC_SHA1 = 0x534c_5053_554d_3031n;
const MAGIC = 0x534c_5053_554d_3032n;
const PAGES_PER_READ = 256;

export interface Verified {
  // Not as they were written.
  readonly damaged: number[];
  // One bit had changed, and was put right.
  readonly mended: number[];
}

// Whether there are checks that can be used.
export function hasSums(path: string): boolean {
  if (!existsSync(path) || statSync(path).size < ENTRY_BYTES) return false;
  const file = openSync(path, 'r');
  try {
    return digestIn(file) !== null;
  } finally {
    closeSync(file);
  }
}

type Digest = (page: Buffer) => number;

// null: these are no checks.
function digestIn(sums: number): Digest | null {
  const magic = readBytes(sums, ENTRY_BYTES, 0);
  if (magic.length < ENTRY_BYTES) return null;
  if (magic.readBigUInt64BE(0) === MAGIC) return digestOf;
  return magic.readBigUInt64BE(0) === MAGIC_SHA1 ? sha1Of : null;
}

// Takes every page as it is found.
export function makeSums(path: string, store: string): void {
  rmSync(path, { force: true });
  makePrivateFile(path);
  const sums = openSync(path, 'r+');
  const file = openSync(store, 'r');
  try {
    const entries = Buffer.alloc(PAGES_PER_READ * ENTRY_BYTES);
    eachChunk(file, (pages, first) => {
      for (const [i, page] of pages.entries()) writeEntry(entries, i, page, digestOf);
      writeSync(sums, entries, 0, pages.length * ENTRY_BYTES, first * ENTRY_BYTES);
    });
    const magic = Buffer.alloc(ENTRY_BYTES);
    magic.writeBigUInt64BE(MAGIC);
    writeSync(sums, magic, 0, ENTRY_BYTES, 0);
    fsyncSync(sums);
  } finally {
    closeSync(file);
    closeSync(sums);
  }
}

// Before the engine opens the store: to close its file would drop the engine's locks.
export function verifyPages(path: string, store: string, log: ScannedLog | null): Verified {
  const sums = openSync(path, 'r+');
  const file = openSync(store, 'r+');
  const digest = digestIn(sums) ?? digestOf;
  const found: Verified = { damaged: [], mended: [] };
  const isLogged = (page: number) => log?.pages.has(page) ?? false;
  try {
    let last = 0;
    eachChunk(file, (pages, first) => {
      const entries = readBytes(sums, PAGES_PER_READ * ENTRY_BYTES, first * ENTRY_BYTES);
      for (const [i, page] of pages.entries()) {
        last = first + i;
        if (isLogged(last) || matches(entries, i, page)) continue;
        if (!mend(entries, i, page, digest)) found.damaged.push(last);
        else {
          writeSync(file, page, 0, PAGE_BYTES, (last - 1) * PAGE_BYTES);
          writeSync(sums, entries, i * ENTRY_BYTES, ENTRY_BYTES, last * ENTRY_BYTES);
          found.mended.push(last);
        }
      }
    });
    // Those that the file has lost at its end.
    const count = Math.floor(fstatSync(sums).size / ENTRY_BYTES);
    for (let page = last + 1; page < count; page++) {
      if (isLogged(page)) continue;
      if (readBytes(sums, ENTRY_BYTES, page * ENTRY_BYTES).readBigUInt64BE(0) !== 0n) {
        found.damaged.push(page);
      }
    }
    if (found.mended.length > 0) fsyncSync(file);
    return found;
  } finally {
    closeSync(file);
    closeSync(sums);
  }
}

export interface Covered {
  readonly salt1: number;
  readonly salt2: number;
  readonly frames: number;
}

// Writes down the checks of what the log holds, before the engine may move it.
export class PageSums {
  readonly #sums: number;
  readonly #log: number;
  readonly #digest: Digest;
  // Read into again and again: a new megabyte for every few hundred frames cost as much as summing them.
  readonly #frames = Buffer.allocUnsafeSlow(PAGES_PER_READ * FRAME_BYTES);
  #covered: Covered = { salt1: 0, salt2: 0, frames: 0 };

  constructor(path: string, log: string) {
    this.#sums = openSync(path, 'r+');
    this.#log = openSync(log, 'r');
    this.#digest = digestIn(this.#sums) ?? digestOf;
  }

  // What another thread has covered.
  adopt(covered: Covered): void {
    if (isSame(covered, this.#generation())) this.#covered = covered;
  }

  // `frames`: how many the log has at least, all of them committed.
  cover(frames: number): Covered {
    const generation = this.#generation();
    const from = isSame(this.#covered, generation) ? this.#covered.frames : 0;
    const newest = new Map<number, bigint>();
    const see = (page: number, bytes: Buffer) => newest.set(page, entryOf(bytes, this.#digest));
    newestFrames(this.#log, this.#frames, { from: from + 1, to: frames }, see);
    writeEntries(this.#sums, newest);
    if (newest.size > 0) fdatasyncSync(this.#sums);
    this.#covered = { ...generation, frames: Math.max(from, frames) };
    return this.#covered;
  }

  close(): void {
    closeSync(this.#sums);
    closeSync(this.#log);
  }

  #generation(): { salt1: number; salt2: number } {
    const header = readBytes(this.#log, 24, 0);
    if (header.length < 24) return { salt1: 0, salt2: 0 };
    return { salt1: header.readUInt32BE(16), salt2: header.readUInt32BE(20) };
  }
}

function isSame(a: Omit<Covered, 'frames'>, b: Omit<Covered, 'frames'>): boolean {
  return a.salt1 === b.salt1 && a.salt2 === b.salt2;
}

// The newest frame of each page. Read from the end, many at a time: with a call for each, reading would cost more than
// summing.
function newestFrames(
  log: number,
  into: Buffer,
  { from, to }: { from: number; to: number },
  see: (page: number, bytes: Buffer) => void,
): void {
  const seen = new Set<number>();
  for (let end = to + 1; end > from; end -= PAGES_PER_READ) {
    const first = Math.max(from, end - PAGES_PER_READ);
    const some = into.subarray(0, (end - first) * FRAME_BYTES);
    const bytes = readInto(log, some, frameOffset(first));
    for (let at = bytes.length - FRAME_BYTES; at >= 0; at -= FRAME_BYTES) {
      const page = bytes.readUInt32BE(at);
      if (seen.has(page)) continue;
      seen.add(page);
      see(page, bytes.subarray(at + FRAME_HEADER_BYTES, at + FRAME_BYTES));
    }
  }
}

// Pages that lie side by side are written together.
function writeEntries(sums: number, entries: ReadonlyMap<number, bigint>): void {
  const pages = Uint32Array.from(entries.keys()).sort();
  const run = Buffer.alloc(PAGES_PER_READ * ENTRY_BYTES);
  for (let i = 0; i < pages.length; ) {
    const first = pages[i]!;
    let count = 0;
    while (count < PAGES_PER_READ && pages[i] === first + count) {
      run.writeBigUInt64BE(entries.get(pages[i]!)!, count * ENTRY_BYTES);
      count += 1;
      i += 1;
    }
    writeSync(sums, run, 0, count * ENTRY_BYTES, first * ENTRY_BYTES);
  }
}

function entryOf(page: Buffer, digest: Digest): bigint {
  return (BigInt(crc32(page)) << 32n) | BigInt(digest(page));
}

function writeEntry(entries: Buffer, i: number, page: Buffer, digest: Digest): void {
  entries.writeBigUInt64BE(entryOf(page, digest), i * ENTRY_BYTES);
}

// Independent of the CRC, and asked only to confirm a repair; but made for every page that is moved. XXH32 of the
// page (without a seed), which costs a third of what SHA-1 does: nobody is to be kept from forging a page by it.
export function digestOf(page: Buffer): number {
  const words = wordsOf(page);
  let [a, b, c, d] = [(P1 + P2) | 0, P2, 0, -P1 | 0];
  for (let i = 0; i < PAGE_WORDS; i += 4) {
    a = round(a, words[i]!);
    b = round(b, words[i + 1]!);
    c = round(c, words[i + 2]!);
    d = round(d, words[i + 3]!);
  }
  let sum = (rotated(a, 1) + rotated(b, 7) + rotated(c, 12) + rotated(d, 18) + PAGE_BYTES) | 0;
  sum = Math.imul(sum ^ (sum >>> 15), P2);
  sum = Math.imul(sum ^ (sum >>> 13), P3);
  return (sum ^ (sum >>> 16)) >>> 0;
}

const PAGE_WORDS = PAGE_BYTES / 4;
const P1 = 0x9e37_79b1 | 0;
const P2 = 0x85eb_ca77 | 0;
const P3 = 0xc2b2_ae3d | 0;

function round(lane: number, word: number): number {
  return Math.imul(rotated((lane + Math.imul(word, P2)) | 0, 13), P1);
}

function rotated(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

// What is shorter than a page is taken as if zeros followed.
function wordsOf(page: Buffer): Int32Array {
  const isWhole = page.length === PAGE_BYTES && page.byteOffset % 4 === 0;
  const bytes = isWhole ? page : Buffer.concat([page], PAGE_BYTES);
  return new Int32Array(bytes.buffer, bytes.byteOffset, PAGE_WORDS);
}

function sha1Of(page: Buffer): number {
  return hash('sha1', page, 'buffer').readUInt32BE(0);
}

// Pages without a check (the file was longer than its checks) are taken as they are.
function matches(entries: Buffer, i: number, page: Buffer): boolean {
  const at = i * ENTRY_BYTES;
  if (entries.length < at + ENTRY_BYTES || entries.readBigUInt64BE(at) === 0n) return true;
  return page.length === PAGE_BYTES && crc32(page) === entries.readUInt32BE(at);
}

// The bit may have changed in the page, or in its check.
function mend(entries: Buffer, i: number, page: Buffer, digestOfPage: Digest): boolean {
  if (page.length < PAGE_BYTES) return false;
  const at = i * ENTRY_BYTES;
  const [sum, digest] = [entries.readUInt32BE(at), entries.readUInt32BE(at + 4)];
  if (digestOfPage(page) === digest) {
    writeEntry(entries, i, page, digestOfPage);
    return true;
  }
  return flipUntil(page, () => crc32(page) === sum && digestOfPage(page) === digest);
}

// Pages count from 1.
function eachChunk(file: number, see: (pages: Buffer[], first: number) => void): void {
  for (let first = 1; ; first += PAGES_PER_READ) {
    const bytes = readBytes(file, PAGES_PER_READ * PAGE_BYTES, (first - 1) * PAGE_BYTES);
    const pages: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += PAGE_BYTES) {
      pages.push(bytes.subarray(at, at + PAGE_BYTES));
    }
    if (pages.length > 0) see(pages, first);
    if (bytes.length < PAGES_PER_READ * PAGE_BYTES) return;
  }
}

function readBytes(file: number, length: number, offset: number): Buffer {
  return readInto(file, Buffer.alloc(length), offset);
}

// The part of it that there was.
function readInto(file: number, bytes: Buffer, offset: number): Buffer {
  let read = 0;
  while (read < bytes.length) {
    const more = readSync(file, bytes, read, bytes.length - read, offset + read);
    if (more === 0) break;
    read += more;
  }
  return bytes.subarray(0, read);
}
