import { expect, test } from 'vitest';
import { AccountPace } from './pace.ts';

const NOW = 1_000_000;
const LATER = NOW + 60_000;

function opensAt(changes: object, freezes: readonly { until: number }[] = []): number | null {
  const breaker = { state: 'closed', until: 0 };
  const account = { id: 'p:a', paused: false, refused: null, breaker, ...changes };
  const road = { accounts: () => [account], limits: () => [{ rules: [], freezes }] };
  const clock = { now: () => NOW };
  return new AccountPace({ clock, road, rulesOf: () => [] } as never).opensAt('p:a');
}

test('an account goes on now, or after its freeze', () => {
  expect(opensAt({})).toBe(NOW);
  expect(opensAt({}, [{ until: LATER }])).toBe(LATER);
  expect(opensAt({}, [{ until: Number.POSITIVE_INFINITY }])).toBeNull();
});

test.each([
  { paused: true },
  { refused: 'unauthorized' },
  { breaker: { state: 'open', until: LATER } },
  { breaker: { state: 'half_open', until: NOW } },
])('nobody knows when: %o', (changes) => {
  expect(opensAt(changes)).toBeNull();
});
