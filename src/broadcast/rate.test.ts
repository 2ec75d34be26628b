import { expect, test } from 'vitest';
import { EndRate } from './rate.ts';

test('is unknown at first, then what the last minute says', () => {
  const rate = new EndRate(1_000_000);
  for (let ms = 0; ms < 4000; ms += 100) rate.note(1_000_000 + ms);
  expect(rate.perSecond(1_004_000)).toBeNull();
  for (let ms = 4000; ms < 20_000; ms += 100) rate.note(1_000_000 + ms);
  expect(rate.perSecond(1_020_000)).toBeCloseTo(10);
  for (let ms = 20_000; ms < 100_000; ms += 500) rate.note(1_000_000 + ms);
  expect(rate.perSecond(1_100_000)).toBeCloseTo(2, 1);
  expect(rate.perSecond(1_130_000)).toBeCloseTo(1, 1);
  expect(rate.perSecond(1_200_000)).toBeNull();
});
