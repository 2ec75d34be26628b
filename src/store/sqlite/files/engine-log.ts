// Reads the engine's log (SQLite's write-ahead log; its form is documented at sqlite.org/walformat.html) as the engine
// itself would at its next start: up to the last commit before the first frame that does not fit. Each frame carries a
// check over everything before it, so what is lost or changed in the log shows, and where. One changed bit can be put
// right. The check is a sum: of the upper bits of a word several in one frame make it come out, and then it takes a
// look at what the store would be with each.

import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { PAGE_BYTES } from '../../../system/databases/sqlite.ts';

const HEADER_BYTES = 32;
export const FRAME_HEADER_BYTES = 24;
export const FRAME_BYTES = FRAME_HEADER_BYTES + PAGE_BYTES;
// Of a frame's header, what its check is over.
const SUMMED_BYTES = 8;
const MAGIC = 0x377f0682;
const VERSION = 3_007_000;
const FRAMES_PER_READ = 64;

// How far a log goes: its generation (two salts, new each time the log begins anew), the number of frames, and the
// check over all of them.
export interface Position {
  readonly salt1: number;
  readonly salt2: number;
  readonly frames: number;
  readonly sum1: number;
  readonly sum2: number;
}

export interface ScannedLog {
  // Of the last commit.
  readonly end: Position;
  // The frame that holds the newest form of each page, up to the last commit; frames count from 1.
  readonly pages: ReadonlyMap<number, number>;
  // Of the store after the last commit.
  readonly pageCount: number;
  // The first that does not fit, with the check before it; 0: the header itself.
  readonly badFrame: number;
  readonly sumBefore: readonly [number, number];
}

export function frameOffset(frame: number): number {
  return HEADER_BYTES + (frame - 1) * FRAME_BYTES;
}

// null: there is none, or nothing in it.
export function scanLog(path: string): ScannedLog | null {
  const file = openOrNull(path, 'r');
  if (file === null) return null;
  try {
    return fstatSync(file).size === 0 ? null : scan(file);
  } finally {
    closeSync(file);
  }
}

// Puts one changed bit right where the scan stopped; says whether it could. `isRight`: whether the store is as it must
// be with the bit that was turned over last.
export function mendLog(
  path: string,
  { badFrame, end, sumBefore, pages }: ScannedLog,
  isRight: () => boolean,
): boolean {
  const file = openSync(path, 'r+');
  try {
    const offset = badFrame === 0 ? 0 : frameOffset(badFrame);
    const bytes = readAt(file, badFrame === 0 ? HEADER_BYTES : FRAME_BYTES, offset);
    const isWhole = bytes.length === (badFrame === 0 ? HEADER_BYTES : FRAME_BYTES);
    const fits = () => (badFrame === 0 ? isHeader(bytes) : isFrame(bytes, end, sumBefore));
    const mayFit = badFrame === 0 ? () => true : bitsByTheirSum(bytes, sumBefore);
    const found = isWhole ? bitsThatFit(bytes, mayFit, fits) : [];
    const write = (bit: Bit | null) => {
      if (bit !== null) bytes[bit.byte]! ^= bit.mask;
      writeSync(file, bytes, 0, bytes.length, offset);
      if (bit !== null) bytes[bit.byte]! ^= bit.mask;
    };
    const isRightWith = (bit: Bit) => {
      write(bit);
      return isRight();
    };
    const before = pages.get(bytes.length < FRAME_BYTES ? 0 : bytes.readUInt32BE(0)) ?? null;
    const image = before === null ? null : readAt(file, FRAME_BYTES, frameOffset(before));
    const ranked = Map.groupBy(found, (bit) => likelihoodOf(bit, bytes, image));
    const mended = mostLikely(ranked, found.length > 1 ? isRightWith : () => true);
    write(mended);
    fsyncSync(file);
    return mended !== null;
  } finally {
    closeSync(file);
  }
}

interface Bit {
  readonly byte: number;
  readonly mask: number;
}

function bitsThatFit(bytes: Buffer, mayFit: (bit: Bit) => boolean, fits: () => boolean): Bit[] {
  const found: Bit[] = [];
  for (let byte = 0; byte < bytes.length; byte++) {
    for (let mask = 1; mask < 256; mask <<= 1) {
      if (!mayFit({ byte, mask })) continue;
      bytes[byte]! ^= mask;
      if (fits()) found.push({ byte, mask });
      bytes[byte]! ^= mask;
    }
  }
  return found;
}

// Whether the check of a frame can fit with a bit turned over. The check adds words up, so what one more in a word does
// to it depends on the word's place alone; known for each, 33,000 bits are tried without adding up a page for each.
function bitsByTheirSum(bytes: Buffer, before: readonly [number, number]): (bit: Bit) => boolean {
  if (bytes.length < FRAME_BYTES) return () => false;
  const is = sumOf(bytes, FRAME_HEADER_BYTES, FRAME_BYTES, sumOf(bytes, 0, SUMMED_BYTES, before));
  const off1 = (bytes.readUInt32BE(16) - is[0]) | 0;
  const off2 = (bytes.readUInt32BE(20) - is[1]) | 0;
  const effects = effectsOfWords((SUMMED_BYTES + PAGE_BYTES) / 4);
  return ({ byte, mask }) => {
    // The salts and the check itself are not added up.
    if (byte >= SUMMED_BYTES && byte < FRAME_HEADER_BYTES) return true;
    const place = byte < SUMMED_BYTES ? byte : byte - (FRAME_HEADER_BYTES - SUMMED_BYTES);
    const change = ((bytes[byte]! & mask) === 0 ? mask : -mask) << (8 * (place % 4));
    const at = 2 * (place >> 2);
    return Math.imul(change, effects[at]!) === off1 && Math.imul(change, effects[at + 1]!) === off2;
  };
}

// What one more in each word adds to the two sums at the end, from the last word to the first.
function effectsOfWords(words: number): Int32Array {
  const effects = new Int32Array(2 * words);
  // Of one more in the first sum after a pair of words, and in the second.
  let [first1, first2, second1, second2] = [1, 0, 0, 1];
  for (let word = words - 2; word >= 0; word -= 2) {
    const [both1, both2] = [(first1 + second1) | 0, (first2 + second2) | 0];
    effects.set([both1, both2, second1, second2], 2 * word);
    [first1, first2] = [both1, both2];
    [second1, second2] = [(both1 + second1) | 0, (both2 + second2) | 0];
  }
  return effects;
}

// Of those with which the store is as it must be; null: none is, or none is more likely than another.
function mostLikely(
  ranked: ReadonlyMap<number, readonly Bit[]>,
  isRight: (bit: Bit) => boolean,
): Bit | null {
  for (const likelihood of [...ranked.keys()].sort((a, b) => b - a)) {
    const [first, second] = ranked.get(likelihood)!.filter(isRight);
    if (first !== undefined) return second === undefined ? first : null;
  }
  return null;
}

const NEIGHBOURS = 8;

// What the frame before it has of the same page is mostly still so, and nothing stands alone among zeros.
function likelihoodOf({ byte, mask }: Bit, bytes: Buffer, before: Buffer | null): number {
  const mended = bytes[byte]! ^ mask;
  const isHeader = byte < FRAME_HEADER_BYTES;
  if (before !== null && !isHeader && before[byte] === mended) return 2;
  if (before !== null && !isHeader && before[byte] === bytes[byte]) return -2;
  const around = [
    ...bytes.subarray(Math.max(0, byte - NEIGHBOURS), byte),
    ...bytes.subarray(byte + 1, byte + 1 + NEIGHBOURS),
  ];
  if (around.some((each) => each !== 0)) return 0;
  return mended === 0 ? 1 : -1;
}

// Turns over one bit after the other until it fits; leaves the bytes as they were when none does.
export function flipUntil(bytes: Buffer, fits: () => boolean): boolean {
  for (let i = 0; i < bytes.length; i++) {
    for (let bit = 1; bit < 256; bit <<= 1) {
      bytes[i]! ^= bit;
      if (fits()) return true;
      bytes[i]! ^= bit;
    }
  }
  return false;
}

function scan(file: number): ScannedLog {
  const header = readAt(file, HEADER_BYTES, 0);
  const nothing = { salt1: 0, salt2: 0, frames: 0, sum1: 0, sum2: 0 };
  if (header.length < HEADER_BYTES || !isHeader(header)) {
    return { end: nothing, pages: new Map(), pageCount: 0, badFrame: 0, sumBefore: [0, 0] };
  }
  const salts = { salt1: header.readUInt32BE(16), salt2: header.readUInt32BE(20) };
  let sum: readonly [number, number] = [header.readUInt32BE(24), header.readUInt32BE(28)];
  let end: Position = { ...salts, frames: 0, sum1: sum[0], sum2: sum[1] };
  let pageCount = 0;
  const pageOf: number[] = [];
  for (;;) {
    const chunk = readAt(file, FRAMES_PER_READ * FRAME_BYTES, frameOffset(pageOf.length + 1));
    for (let at = 0; at < FRAMES_PER_READ * FRAME_BYTES; at += FRAME_BYTES) {
      const frame = chunk.subarray(at, at + FRAME_BYTES);
      if (frame.length < FRAME_BYTES || !isFrame(frame, salts, sum)) {
        const pages = newest(pageOf, end.frames);
        return { end, pages, pageCount, badFrame: pageOf.length + 1, sumBefore: sum };
      }
      sum = [frame.readUInt32BE(16), frame.readUInt32BE(20)];
      pageOf.push(frame.readUInt32BE(0));
      const sizeAfter = frame.readUInt32BE(4);
      if (sizeAfter === 0) continue;
      end = { ...salts, frames: pageOf.length, sum1: sum[0], sum2: sum[1] };
      pageCount = sizeAfter;
    }
  }
}

function newest(pageOf: readonly number[], frames: number): Map<number, number> {
  const pages = new Map<number, number>();
  for (let i = 0; i < frames; i++) pages.set(pageOf[i]!, i + 1);
  return pages;
}

function isHeader(bytes: Buffer): boolean {
  if (bytes.readUInt32BE(0) !== MAGIC || bytes.readUInt32BE(4) !== VERSION) return false;
  if (bytes.readUInt32BE(8) !== PAGE_BYTES) return false;
  const [sum1, sum2] = sumOf(bytes, 0, FRAME_HEADER_BYTES, [0, 0]);
  return sum1 === bytes.readUInt32BE(24) && sum2 === bytes.readUInt32BE(28);
}

function isFrame(
  bytes: Buffer,
  { salt1, salt2 }: Pick<Position, 'salt1' | 'salt2'>,
  before: readonly [number, number],
): boolean {
  if (bytes.readUInt32BE(0) === 0) return false;
  if (bytes.readUInt32BE(8) !== salt1 || bytes.readUInt32BE(12) !== salt2) return false;
  const sum = sumOf(bytes, FRAME_HEADER_BYTES, FRAME_BYTES, sumOf(bytes, 0, SUMMED_BYTES, before));
  return sum[0] === bytes.readUInt32BE(16) && sum[1] === bytes.readUInt32BE(20);
}

// The engine's own check over whole pairs of words.
function sumOf(
  bytes: Buffer,
  from: number,
  to: number,
  before: readonly [number, number],
): [number, number] {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + from, (to - from) / 4);
  let [sum1, sum2] = before;
  for (let i = 0; i < words.length; i += 2) {
    sum1 = (sum1 + words[i]! + sum2) >>> 0;
    sum2 = (sum2 + words[i + 1]! + sum1) >>> 0;
  }
  return [sum1, sum2];
}

// As much as there is. In memory of its own, so that words in it lie where words may.
function readAt(file: number, length: number, offset: number): Buffer {
  const bytes = Buffer.from(new ArrayBuffer(length));
  let read = 0;
  while (read < length) {
    const more = readSync(file, bytes, read, length - read, offset + read);
    if (more === 0) break;
    read += more;
  }
  return bytes.subarray(0, read);
}

function openOrNull(path: string, flags: string): number | null {
  try {
    return openSync(path, flags);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
