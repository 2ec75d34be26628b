import { expect, test } from 'vitest';
import { Ranks } from './ranks.ts';

test('each account is counted for itself, behind what was there before', () => {
  const ranks = new Ranks(10);
  expect([ranks.next('a'), ranks.next('a'), ranks.next('b'), ranks.next('a')]).toEqual([
    11, 12, 11, 13,
  ]);
  ranks.restart(14);
  expect([ranks.next('b'), ranks.next('a')]).toEqual([15, 15]);
});
