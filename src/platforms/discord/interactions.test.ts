import { expect, test } from 'vitest';
import { virtualClock } from '../../system/virtual-clock.ts';
import { INTERACTION_MS } from './describe.ts';
import { Interactions } from './interactions.ts';

const START = 1_800_000_000_000;
const idAt = (ms: number) => String(BigInt(ms - 1_420_070_400_000) << 22n);

test('one that was posted here is taken for as long as it lasts', async () => {
  const clock = virtualClock(START);
  const interactions = new Interactions(clock, false);
  expect(interactions.takes('a')).toBe(false);
  interactions.received({ id: idAt(START), token: 'a' });
  expect(interactions.takes('a')).toBe(true);
  expect(interactions.takes('b')).toBe(false);
  await clock.run(START + INTERACTION_MS - 1);
  expect(interactions.takes('a')).toBe(true);
  await clock.run(START + INTERACTION_MS);
  expect(interactions.takes('a')).toBe(false);
});

test('what is no interaction is passed over', () => {
  const interactions = new Interactions(virtualClock(START), false);
  for (const update of [
    null,
    5,
    {},
    { token: 'a' },
    { id: 'x', token: 'a' },
    { id: idAt(START) },
  ]) {
    interactions.received(update);
  }
  expect(['a', ''].map((token) => interactions.takes(token))).toEqual([false, false]);
});

test('of very many the oldest are forgotten', () => {
  const interactions = new Interactions(virtualClock(START), false);
  for (let i = 0; i <= 100_000; i++) {
    interactions.received({ id: idAt(START), token: `t${i}` });
  }
  expect(interactions.takes('t0')).toBe(false);
  expect(interactions.takes('t1')).toBe(true);
});

test('where all are taken, nothing is kept', () => {
  const interactions = new Interactions(virtualClock(START), true);
  expect(interactions.takes('whatever')).toBe(true);
});
