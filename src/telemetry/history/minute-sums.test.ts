import { expect, test } from 'vitest';
import type { About, RoadEvent } from '../../domain/event.ts';
import type { AccountId } from '../../domain/ids.ts';
import { waitClassOf } from '../../domain/wait-histogram.ts';
import { Board, RoadMetrics } from '../metrics/counters.ts';
import { ACCOUNTS_KEPT_MAX, sumMinute } from './minute-sums.ts';

function aMinute() {
  const metrics = new RoadMetrics(new Board());
  return { listen: metrics.listen, take: () => sumMinute(metrics.takeMinute()) };
}

function about(account: AccountId): About {
  return {
    ...{ seq: 1, id: 'a-1', correlation: 'a-1', account, chat: '1', lane: '1' },
    ...{ method: 'sendMessage', priority: 'normal' },
  };
}

function ended(account: AccountId, to: 'sent' | 'dead', ageMs: number): RoadEvent {
  const move = { from: 'sending', to, reason: null, dueAt: 0, ageMs } as const;
  return { kind: 'moved', at: 0, about: about(account), ...move };
}

function tried(account: AccountId, outcome: 'sent' | 'failed' | 'limited'): RoadEvent {
  const answer = { reason: null, tookMs: 1, waitedMs: 0, retryAfterMs: null, brokenStatus: null };
  return {
    kind: 'attempted',
    at: 0,
    about: about(account),
    n: 1,
    outcome,
    payload: null,
    ...answer,
  };
}

test('sums of all and of each account; what is taken is over', () => {
  const sums = aMinute();
  sums.listen(tried('a:1', 'failed'));
  sums.listen(tried('a:1', 'limited'));
  sums.listen(tried('a:2', 'sent'));
  sums.listen(ended('a:2', 'sent', 700));
  sums.listen(ended('a:2', 'sent', 20));
  sums.listen(ended('a:1', 'dead', 5));
  const [all, busiest, other] = sums.take();
  expect(all).toMatchObject({ account: '', sent: 2, failed: 1, dead: 1 });
  expect(all!.waits[waitClassOf(700)]).toBe(1);
  expect(all!.waits.reduce((a, b) => a + b, 0)).toBe(2);
  expect(busiest).toMatchObject({ account: 'a:1', sent: 0, failed: 1, dead: 1 });
  expect(other).toMatchObject({ account: 'a:2', sent: 2 });
  expect(sums.take()).toEqual([]);
});

test('of many accounts the busiest are kept, and all are in the sum', () => {
  const sums = aMinute();
  for (let n = 0; n < 2 * ACCOUNTS_KEPT_MAX; n++) {
    for (let i = 0; i <= n; i++) sums.listen(ended(`a:${n}`, 'sent', 1));
  }
  const [all, ...kept] = sums.take();
  expect(kept).toHaveLength(ACCOUNTS_KEPT_MAX);
  expect(kept[0]).toMatchObject({ account: `a:${2 * ACCOUNTS_KEPT_MAX - 1}` });
  expect(all!.sent).toBe(ACCOUNTS_KEPT_MAX * (2 * ACCOUNTS_KEPT_MAX + 1));
});
