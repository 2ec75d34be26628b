import { expect, test } from 'vitest';
import { compareIds, higherId, idMinus, idPlus, isDecimalId } from './decimal-id.ts';

test('ids are compared as numbers, also where numbers lose digits', () => {
  const ids = ['9223372036854775807', '10', '9', '9007199254740993', '9007199254740992', '0'];
  expect(ids.sort(compareIds)).toEqual([
    ...['0', '9', '10', '9007199254740992', '9007199254740993', '9223372036854775807'],
  ]);
  expect(higherId('9', '10')).toBe('10');
  expect(compareIds('7', '7')).toBe(0);
});

test('what is no id is told from one', () => {
  for (const id of ['0', '1', '9223372036854775807']) expect(isDecimalId(id)).toBe(true);
  for (const no of ['', '-1', '01', '1.5', 'x', '9223372036854775808', '99999999999999999999']) {
    expect(isDecimalId(no), no).toBe(false);
  }
});

test('the next ones, exactly; nothing is below zero', () => {
  expect(idPlus('9007199254740993', 100)).toBe('9007199254741093');
  expect(idMinus('150', 200)).toBe('0');
  expect(idMinus('9007199254740993', 1)).toBe('9007199254740992');
});
