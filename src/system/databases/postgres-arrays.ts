// Arrays as Postgres reads them without parsing: a parameter made of bytes goes over the wire as it is. A thousand
// texts cost a copy each, where the written form is escaped here and read character by character there.

import { storableText } from './postgres.ts';

// Types of elements, by the numbers that Postgres has given them.
const TEXT = 25;
const INT8 = 20;
const FLOAT8 = 701;
// Dimensions, whether there are nulls, type; then of the one dimension its length and its first index.
const HEAD_BYTES = 20;
const NUMBER_BYTES = 8;
const NULL_LENGTH = -1;

export function textArray(values: readonly (string | null)[]): Uint8Array {
  const texts = values.map((each) => (each === null ? null : storableText(each)));
  const lengths = texts.map((each) => (each === null ? NULL_LENGTH : Buffer.byteLength(each)));
  const bytes = lengths.reduce((sum, length) => sum + 4 + Math.max(length, 0), HEAD_BYTES);
  const array = headed(TEXT, values.length, bytes);
  let at = HEAD_BYTES;
  for (const [i, text] of texts.entries()) {
    at = array.writeInt32BE(lengths[i]!, at);
    if (text !== null) at += array.write(text, at);
  }
  return array;
}

export function int8Array(values: readonly number[]): Uint8Array {
  const array = headed(INT8, values.length, HEAD_BYTES + values.length * (4 + NUMBER_BYTES));
  let at = HEAD_BYTES;
  for (const value of values) {
    at = array.writeInt32BE(NUMBER_BYTES, at);
    // Two halves: a BigInt would be made for each.
    at = array.writeInt32BE(Math.floor(value / 2 ** 32), at);
    at = array.writeUInt32BE(value >>> 0, at);
  }
  return array;
}

export function float8Array(values: readonly (number | null)[]): Uint8Array {
  const nulls = values.filter((each) => each === null).length;
  const bytes = HEAD_BYTES + values.length * 4 + (values.length - nulls) * NUMBER_BYTES;
  const array = headed(FLOAT8, values.length, bytes);
  let at = HEAD_BYTES;
  for (const value of values) {
    at = array.writeInt32BE(value === null ? NULL_LENGTH : NUMBER_BYTES, at);
    if (value !== null) at = array.writeDoubleBE(value, at);
  }
  return array;
}

// One without elements has no dimension either, and says no more than its type.
function headed(type: number, length: number, bytes: number): Buffer {
  const array = Buffer.allocUnsafe(length === 0 ? 12 : bytes);
  array.writeInt32BE(length === 0 ? 0 : 1, 0);
  array.writeInt32BE(1, 4);
  array.writeInt32BE(type, 8);
  if (length === 0) return array;
  array.writeInt32BE(length, 12);
  array.writeInt32BE(1, 16);
  return array;
}
