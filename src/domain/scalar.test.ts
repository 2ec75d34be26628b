import { expect, test } from 'vitest';
import { scalarNumber, scalarText } from './scalar.ts';

const OBJECTS: unknown[] = [
  { toString: 1 },
  { valueOf: 1, toString: 1 },
  {},
  [],
  [1],
  null,
  undefined,
];

test('what is text or a number is read', () => {
  expect(['a', 5, -1.5, true, 7n].map(scalarText)).toEqual(['a', '5', '-1.5', 'true', '7']);
  expect([5, '5', '-1', 'a'].map(scalarNumber)).toEqual([5, 5, -1, Number.NaN]);
});

test('an object is never asked how it would like to be written', () => {
  for (const value of OBJECTS) {
    expect(scalarText(value)).toBe('');
    expect(scalarNumber(value)).toBeNaN();
  }
});
