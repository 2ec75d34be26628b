import { expect, test } from 'vitest';
import { finishedTo } from './chunks.ts';

test.each([
  ['', 0],
  ['half a sentence', 0],
  ['a line\nand another', 0],
  ['a paragraph\n\n', 13],
  ['a paragraph\n\nand half', 13],
  ['one\n\ntwo\n \n\nthree', 12],
  ['\n\n\nnothing before', 0],
  ['```\ncode\n\nmore code', 0],
  ['text\n\n```\ncode\n\nmore', 6],
  ['```\ncode\n\nmore\n```\n\ntext', 20],
  ['1. ```sh\ncode\n\nmore', 0],
  ['1. ```sh\n   a\n   ```\n\ntext', 22],
])('%j is finished up to %i', (text, end) => {
  expect(finishedTo(text, 0)).toBe(end);
});

test('what was cut off already is not looked at again', () => {
  expect(finishedTo('one\n\ntwo\n\nthree', 5)).toBe(10);
  expect(finishedTo('one\n\ntwo', 5)).toBe(5);
});
