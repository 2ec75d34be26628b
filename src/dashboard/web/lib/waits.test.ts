// The waits of one that has not ended, put together from its tries.

import { expect, test } from 'vitest';
import { waitsOf } from './waits.ts';
import type { Attempt, Delivery, Explanation } from './wire-more.ts';

const at = (second: number) => new Date(second * 1000).toISOString();

function waitsAt(second: number, tries: readonly Partial<Attempt>[], kinds: readonly string[]) {
  const attempts = tries.map((each, i) => ({ n: i + 1, reason: null, ...each }));
  const delivery = { acceptedAt: at(0), attempts } as unknown as Delivery;
  const causes = kinds.map((kind) => ({ kind, name: '', until: null, detail: '' }));
  const explanation = { summary: 'why', causes } as unknown as Explanation;
  return waitsOf(delivery, explanation, second * 1000).map(({ kind, from, ms }) => {
    return [kind, from / 1000, ms / 1000];
  });
}

test('one that never had its turn has only waited', () => {
  expect(waitsAt(9, [], ['window'])).toEqual([['now', 0, 9]]);
  expect(waitsAt(9, [], ['window', 'held'])).toEqual([['breaker', 0, 9]]);
  expect(waitsAt(9, [], ['due'])).toEqual([['scheduled', 0, 9]]);
});

test('between tries it waits for what the try before it ended with', () => {
  const tries = [
    { startedAt: at(1), endedAt: at(2), outcome: 'failed', reason: 'http_500' },
    { startedAt: at(5), endedAt: at(6), outcome: 'limited', reason: 'flood_wait' },
    { startedAt: at(20), endedAt: null, outcome: null },
  ];
  expect(waitsAt(21, tries, [])).toEqual([
    ['turn', 0, 1],
    ['call', 1, 1],
    ['retry', 2, 3],
    ['call', 5, 1],
    ['freeze', 6, 14],
    ['call', 20, 1],
  ]);
});
