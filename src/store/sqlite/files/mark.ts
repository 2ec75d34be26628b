// How much the store must hold, kept in a small file of its own beside it. It is written after each commit and before
// its answers leave, so it never claims more than was written; a start that finds less has lost something. It is not
// forced to the disk: what it says was written outlives the process with the engine's log, and of what was written
// it says apart how much was forced, which is what must be there after the machine itself went down.
// Two slots take turns, each with a check, so that a write that is cut off leaves the one before.

import {
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { PRIVATE_FILE } from '../../../system/private-files.ts';

export interface Mark {
  // Counts the starts; the store holds the same number. See store-owner.ts.
  readonly epoch: number;
  // Of the machine, 32 hex digits; null: not known.
  readonly boot: string | null;
  // Whose it is while it runs, and the file this was written to: a copy of it is not theirs. Pid 0: nobody's.
  readonly pid: number;
  readonly pidStart: number;
  readonly inode: number;
  // So many commits were written, and so many of them forced to the disk. The store counts them too.
  readonly written: number;
  readonly forced: number;
  // The number of the last message accepted, and how many waited or were being sent.
  readonly seqLast: number;
  readonly live: number;
}

export type ReadMark = { kind: 'none' } | { kind: 'damaged' } | { kind: 'mark'; mark: Mark };

const MAGIC = 0x534c4d4b;
const VERSION = 1;
export const SLOT_BYTES = 128;
// In different blocks of the disk.
const SLOT_EVERY = 4096;
const CHECK_AT = SLOT_BYTES - 4;
const NO_BOOT = '0'.repeat(32);

export function readMark(path: string): ReadMark {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { kind: 'none' };
    throw error;
  }
  const slots = [0, SLOT_EVERY].map((at) => decode(bytes.subarray(at, at + SLOT_BYTES)));
  const newest = slots.reduce((a, b) => (a === null || (b !== null && b.n > a.n) ? b : a));
  return newest === null || newest === undefined
    ? { kind: 'damaged' }
    : { kind: 'mark', mark: newest.mark };
}

export class StoreMark {
  readonly #file: number;
  readonly #slot = Buffer.alloc(SLOT_BYTES);
  #mark: Mark;
  #n = 0;

  // In the place of the one before, whole or not at all.
  constructor(path: string, mark: Omit<Mark, 'inode'>) {
    const partial = `${path}.partial`;
    rmSync(partial, { force: true });
    this.#file = openSync(partial, 'wx', PRIVATE_FILE);
    this.#mark = { ...mark, inode: fstatSync(this.#file).ino };
    this.save();
    fsyncSync(this.#file);
    renameSync(partial, path);
    syncFolder(dirname(path));
  }

  // To be told after each commit; `save` or `forced` follows.
  committed(written: number, seqLast: number, live: number): void {
    this.#mark = { ...this.#mark, written, seqLast, live };
  }

  // All that was written was forced to the disk.
  forced(): void {
    this.#mark = { ...this.#mark, forced: this.#mark.written };
    this.save();
  }

  // A disk that does not take it leaves an older one, which claims less: that is no reason to stop, nor to say that
  // a commit which was made has failed.
  save(): void {
    this.#n += 1;
    encode(this.#slot, this.#n, this.#mark);
    try {
      writeSync(this.#file, this.#slot, 0, SLOT_BYTES, (this.#n % 2) * SLOT_EVERY);
    } catch {}
  }

  // In good order: it is nobody's any more.
  release(): void {
    this.#mark = { ...this.#mark, pid: 0 };
    this.save();
    fsyncSync(this.#file);
    closeSync(this.#file);
  }
}

export function encode(slot: Buffer, n: number, mark: Mark): void {
  slot.writeUInt32BE(MAGIC, 0);
  slot.writeUInt32BE(VERSION, 4);
  slot.writeDoubleBE(n, 8);
  slot.writeDoubleBE(mark.epoch, 16);
  slot.write(mark.boot ?? NO_BOOT, 24, 'latin1');
  slot.writeDoubleBE(mark.pid, 56);
  slot.writeDoubleBE(mark.pidStart, 64);
  slot.writeDoubleBE(mark.inode, 72);
  slot.writeDoubleBE(mark.written, 80);
  slot.writeDoubleBE(mark.forced, 88);
  slot.writeDoubleBE(mark.seqLast, 96);
  slot.writeDoubleBE(mark.live, 104);
  slot.writeUInt32BE(crc32(slot.subarray(0, CHECK_AT)), CHECK_AT);
}

function decode(slot: Buffer): { n: number; mark: Mark } | null {
  if (slot.length < SLOT_BYTES) return null;
  if (slot.readUInt32BE(0) !== MAGIC || slot.readUInt32BE(4) !== VERSION) return null;
  if (crc32(slot.subarray(0, CHECK_AT)) !== slot.readUInt32BE(CHECK_AT)) return null;
  const boot = slot.toString('latin1', 24, 56);
  const mark: Mark = {
    epoch: slot.readDoubleBE(16),
    boot: boot === NO_BOOT ? null : boot,
    pid: slot.readDoubleBE(56),
    pidStart: slot.readDoubleBE(64),
    inode: slot.readDoubleBE(72),
    written: slot.readDoubleBE(80),
    forced: slot.readDoubleBE(88),
    seqLast: slot.readDoubleBE(96),
    live: slot.readDoubleBE(104),
  };
  return { n: slot.readDoubleBE(8), mark };
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
