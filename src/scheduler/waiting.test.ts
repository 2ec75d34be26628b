import { expect, test } from 'vitest';
import { aQueued } from '../domain/delivery.fixture.ts';
import type { Queued } from '../domain/delivery.ts';
import type { Pacing } from './pacing.ts';
import { Scheduler } from './scheduler.ts';

const CLOSED: Pacing = {
  earliestChat: () => Number.POSITIVE_INFINITY,
  earliestAccount: () => 0,
  take: (charge) => ({ charge }),
  project: (_charge, _ahead, now) => now,
  projectAccount: (_charge, _ahead, now) => now,
  explain: () => [],
  decisive: () => null,
};

function scheduler(waiting: readonly Partial<Queued>[]): Scheduler {
  const made = new Scheduler();
  for (const id of ['p:a', 'p:b'] as const) made.addAccount(id, CLOSED, { inFlightMax: 10 });
  for (const [i, changes] of waiting.entries()) {
    made.add(aQueued({ account: 'p:a', seq: i, enterAt: i, rank: i, ...changes }), 1000);
  }
  return made;
}

const seqs = (list: readonly { queued: Queued }[]) => list.map(({ queued }) => queued.seq);

test('the first of each lane, those that wait longest first, with how many wait behind', () => {
  const made = scheduler([
    { chat: '1', enterAt: 50 },
    { chat: '2', enterAt: 20 },
    { chat: '2', enterAt: 30 },
    { chat: '2', lane: 's:x', enterAt: 10 },
    { account: 'p:b', chat: '1', enterAt: 40, priority: 'low' },
  ]);
  const all = made.waiting({}, 10);
  expect(seqs(all)).toEqual([3, 1, 4, 0]);
  expect(all.map(({ behind }) => behind)).toEqual([0, 1, 0, 0]);
  expect(seqs(made.waiting({}, 2))).toEqual([3, 1]);
  expect(seqs(made.waiting({ account: 'p:b' }, 10))).toEqual([4]);
  expect(seqs(made.waiting({ account: 'unknown' }, 10))).toEqual([]);
  expect(seqs(made.waiting({ priority: 'low' }, 10))).toEqual([4]);
});

test('of those that came at the same time ranks decide within an account, and never between two', () => {
  const made = scheduler([
    { account: 'p:b', chat: '1', enterAt: 5, rank: 1 },
    { account: 'p:a', chat: '1', enterAt: 5, rank: 8 },
    { account: 'p:a', chat: '2', enterAt: 5, rank: 7 },
  ]);
  expect(seqs(made.waiting({}, 10))).toEqual([2, 1, 0]);
});

test('of one chat all that wait in it, those for a later time too', () => {
  const made = scheduler([
    { chat: '2', enterAt: 20 },
    { chat: '2', enterAt: 30 },
    { chat: '2', lane: 's:x', enterAt: 10 },
    { chat: '2', enterAt: 5000 },
    { chat: '3' },
  ]);
  expect(seqs(made.waiting({ chat: '2' }, 10))).toEqual([2, 0, 1, 3]);
});

test('when the longest-waiting head became due', () => {
  expect(scheduler([]).oldestDueAt()).toBeNull();
  const made = scheduler([
    { chat: '1', enterAt: 5, dueAt: 90 },
    { chat: '2', enterAt: 60 },
  ]);
  expect(made.oldestDueAt()).toBe(60);
});
