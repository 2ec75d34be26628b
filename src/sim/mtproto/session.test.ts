import { expect, test } from 'vitest';
import { virtualClock } from '../../system/virtual-clock.ts';
import { KeyRing } from './session.ts';

test('no two ids are the same, and each is above the last, also within a millisecond', () => {
  for (let ms = 0; ms < 8; ms++) {
    const keys = new KeyRing(virtualClock(1_800_000_000_000 + ms));
    const ids = Array.from({ length: 5 }, (_, i) => keys.nextId(i % 2 === 0));
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => (a < b ? -1 : 1)));
    expect(ids.map((id) => Number(id % 4n))).toEqual([1, 3, 1, 3, 1]);
  }
});
