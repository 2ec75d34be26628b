import { expect, test } from 'vitest';
import type { AccountId } from '../../domain/ids.ts';
import { PassWaits } from './pass-waits.ts';

const ACCOUNT: AccountId = 'telegram:1';

test('a wait holds for its method, until its end, and a longer one stays', () => {
  const waits = new PassWaits();
  expect(waits.note(ACCOUNT, 'getChat', 5000, 1000)).toMatchObject([{ key: 'pass|getchat' }]);
  expect(waits.until(ACCOUNT, 'GETCHAT')).toBe(5000);
  expect(waits.until(ACCOUNT, 'getMe')).toBe(0);
  expect(waits.until('telegram:2', 'getChat')).toBe(0);
  expect(waits.note(ACCOUNT, 'getChat', 4000, 1000)).toEqual([]);
  expect(waits.until(ACCOUNT, 'getChat')).toBe(5000);
  waits.forget(ACCOUNT);
  expect(waits.until(ACCOUNT, 'getChat')).toBe(0);
});

test('the next process keeps it, and no longer than it was meant to be', () => {
  const written = new PassWaits().note(ACCOUNT, 'getChat', 5000, 1000);
  const waits = new PassWaits();
  for (const record of written) waits.restore(record, 2000);
  expect(waits.until(ACCOUNT, 'getChat')).toBe(5000);
  const setBack = new PassWaits();
  for (const record of written) setBack.restore(record, 0);
  expect(setBack.until(ACCOUNT, 'getChat')).toBe(4000);
  const late = new PassWaits();
  for (const record of written) late.restore(record, 5000);
  expect(late.until(ACCOUNT, 'getChat')).toBe(0);
});

test('those that hold are told like freezes, also by the next process, until they are ended', () => {
  const waits = new PassWaits();
  const written = waits.note(ACCOUNT, 'getChat', 5000, 1000);
  const cause = 'the platform refused getchat, which is passed through, and asked to wait 4 s';
  const told = { scope: 'method', name: 'getchat', since: 1000, until: 5000, cause };
  expect(waits.active(ACCOUNT, 4999)).toEqual([told]);
  expect(waits.active(ACCOUNT, 5000)).toEqual([]);
  expect(waits.active('telegram:2', 2000)).toEqual([]);
  expect([waits.countActive(4999), waits.countActive(5000)]).toEqual([1, 0]);
  const next = new PassWaits();
  for (const record of written) next.restore(record, 2000);
  expect(next.active(ACCOUNT, 2000)).toEqual([told]);
  expect(next.thaw(ACCOUNT, 2000)).toMatchObject([{ key: 'pass|getchat', value: '' }]);
  expect(next.until(ACCOUNT, 'getChat')).toBe(0);
  expect(next.thaw(ACCOUNT, 2000)).toEqual([]);
});

test('what is not a wait says nothing', () => {
  const waits = new PassWaits();
  const at = { account: ACCOUNT, updatedAt: 0 };
  for (const value of ['', 'no', '[]', '{"until":9}', '{"since":"0","until":9}']) {
    waits.restore({ ...at, key: 'pass|getchat', value }, 0);
  }
  waits.restore({ ...at, key: 'freeze|chat||1', value: '{"since":0,"until":9}' }, 0);
  expect(waits.until(ACCOUNT, 'getChat')).toBe(0);
});

test('waits that are over are deleted from the disk with the next, and there are never too many', () => {
  const waits = new PassWaits();
  waits.note(ACCOUNT, 'getChat', 5000, 1000);
  const written = waits.note(ACCOUNT, 'getMe', 9000, 6000);
  expect(written.map(({ key, value }) => [key, value === ''])).toEqual([
    ['pass|getchat', true],
    ['pass|getme', false],
  ]);
  for (let n = 0; n < 99; n++) waits.note(ACCOUNT, `get${n}`, 9000, 6000);
  expect(waits.until(ACCOUNT, 'getMe')).toBe(9000);
  expect(waits.note(ACCOUNT, 'getOneMore', 9000, 6000)).toHaveLength(2);
  expect(waits.until(ACCOUNT, 'getMe')).toBe(0);
});
