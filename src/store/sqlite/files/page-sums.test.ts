// The digest of a page against XXH32 as its specification words it, which is itself held to the published vectors.

import { expect, test } from 'vitest';
import { PAGE_BYTES } from '../../../system/databases/sqlite.ts';
import { intBelow, seededRandom } from '../../../system/random.ts';
import { digestOf } from './page-sums.ts';

const PRIMES = [
  2_654_435_761n,
  2_246_822_519n,
  3_266_489_917n,
  668_265_263n,
  374_761_393n,
] as const;
const [P1, P2, P3, P4, P5] = PRIMES;

const word = (n: bigint) => BigInt.asUintN(32, n);
const rotated = (n: bigint, by: bigint) => word(n << by) | (n >> (32n - by));

// Step by step, in numbers without a bound: for any length and seed, and nothing else in its favour.
function xxh32(bytes: Buffer, seed: bigint): number {
  let at = 0;
  let sum = word(seed + P5);
  if (bytes.length >= 16) {
    const lanes = [seed + P1 + P2, seed + P2, seed, seed - P1].map(word);
    for (; at + 16 <= bytes.length; at += 16) {
      for (const [i, lane] of lanes.entries()) {
        const input = BigInt(bytes.readUInt32LE(at + 4 * i));
        lanes[i] = word(rotated(word(lane + input * P2), 13n) * P1);
      }
    }
    sum = [1n, 7n, 12n, 18n].reduce((total, by, i) => total + rotated(lanes[i]!, by), 0n);
  }
  sum = word(sum + BigInt(bytes.length));
  for (; at + 4 <= bytes.length; at += 4) {
    sum = word(rotated(word(sum + BigInt(bytes.readUInt32LE(at)) * P3), 17n) * P4);
  }
  for (; at < bytes.length; at++) {
    sum = word(rotated(word(sum + BigInt(bytes[at]!) * P5), 11n) * P1);
  }
  sum = word((sum ^ (sum >> 15n)) * P2);
  sum = word((sum ^ (sum >> 13n)) * P3);
  return Number(sum ^ (sum >> 16n));
}

// The buffer that the vectors of the reference implementation are of (xxHash, cli/xsum_sanity_check.c).
function published(length: number): Buffer {
  let generator: bigint = P1;
  const bytes = Buffer.alloc(length);
  for (let i = 0; i < length; i++) {
    bytes[i] = Number(generator >> 56n);
    generator = BigInt.asUintN(64, generator * 11_400_714_785_074_694_797n);
  }
  return bytes;
}

test.each([
  [0, 0n, 0x02cc5d05],
  [0, P1, 0x36b78ae7],
  [1, 0n, 0xcf65b03e],
  [1, P1, 0xb4545aa4],
  [14, 0n, 0x1208e7e2],
  [14, P1, 0x6af1d1fe],
  [222, 0n, 0x5bd11dbd],
  [222, P1, 0x58803c5f],
])('XXH32 of %d published bytes with the seed %d', (length, seed, sum) => {
  expect(xxh32(published(length), seed)).toBe(sum);
});

test('the digest of a page is its XXH32, whatever is in it', () => {
  const random = seededRandom(20_261_118);
  const pages = [Buffer.alloc(PAGE_BYTES), Buffer.alloc(PAGE_BYTES, 255), published(PAGE_BYTES)];
  for (let i = 0; i < 20; i++) {
    pages.push(Buffer.from(Array.from({ length: PAGE_BYTES }, () => intBelow(random, 256))));
  }
  for (const page of pages) expect(digestOf(page)).toBe(xxh32(page, 0n));
});

// As the reference implementation makes it.
test('the digest of a page does not depend on where it lies in memory', () => {
  const page = Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 31 + (i >> 8)) & 255));
  expect(digestOf(page)).toBe(0xa672fc1b);
  expect(digestOf(Buffer.concat([Buffer.alloc(3), page]).subarray(3))).toBe(0xa672fc1b);
});

test('what is shorter than a page is taken as if zeros followed', () => {
  expect(digestOf(Buffer.alloc(4096))).toBe(0x475546f5);
  expect(digestOf(Buffer.alloc(100))).toBe(0x475546f5);
});
