import { expect, test } from 'vitest';
import type { RoadEvent } from '../../domain/event.ts';
import { Rates, SECONDS_KEPT } from './rates.ts';

const START = 1_900_000_000_000;
const about = {
  seq: 1,
  id: 'x-1',
  account: 'a',
  chat: 'c',
  lane: '',
  method: 'sendMessage',
  priority: 'normal',
} as const;

const accepted = (at: number): RoadEvent => ({ kind: 'accepted', at, about });
const moved = (at: number, to: 'sent' | 'dead' | 'queued'): RoadEvent => ({
  kind: 'moved',
  at,
  about,
  from: 'sending',
  to,
  reason: null,
  dueAt: 0,
  ageMs: 0,
});

test('counts by second; the one that runs is not told yet', () => {
  const rates = new Rates(START, () => 7);
  rates.listen(accepted(START + 10));
  rates.listen(accepted(START + 20));
  rates.listen(moved(START + 1500, 'sent'));
  rates.listen(moved(START + 1600, 'queued'));
  rates.listen(moved(START + 3100, 'dead'));
  const series = rates.series(START + 3999, 4);
  expect(series.until).toBe(START / 1000 + 2);
  expect(series.accepted).toEqual([0, 2, 0, 0]);
  expect(series.sent).toEqual([0, 0, 1, 0]);
  expect(series.dead).toEqual([0, 0, 0, 0]);
  expect(series.waiting).toEqual([0, 7, 7, 7]);
  expect(rates.series(START + 4000, 1).dead).toEqual([1]);
  expect(rates.totals).toMatchObject({ accepted: 2, sent: 1, dead: 1 });
});

test('what is older than the ring is forgotten, however long nothing happened', () => {
  const rates = new Rates(START, () => 0);
  for (let s = 0; s < SECONDS_KEPT; s++) rates.listen(accepted(START + s * 1000));
  const later = START + 10 * SECONDS_KEPT * 1000;
  const { accepted: counts } = rates.series(later, SECONDS_KEPT);
  expect(counts).toHaveLength(SECONDS_KEPT - 1);
  expect(counts.every((count) => count === 0)).toBe(true);
});

test('an event that comes late counts where it is told', () => {
  const rates = new Rates(START, () => 0);
  rates.listen(accepted(START + 5000));
  rates.listen(accepted(START + 100));
  expect(rates.series(START + 6000, 1).accepted).toEqual([2]);
});
