import { expect, test } from 'vitest';
import { described, listed, type ShownSource } from './view.ts';

const SOURCE: ShownSource = {
  ...{ id: '1', source: '@daily_news', kind: 'page', state: 'active', account: null, priority: 1 },
  ...{ forwardTo: null, mode: 'incremental', cursor: { lastId: '7' }, lastSuccessAt: null },
  ...{
    lastPostAt: null,
    newestPostDate: null,
    nextLookAt: null,
    nextLookReason: 'first',
    gaps: [],
  },
  ...{ failure: null, trouble: null, run: null },
};
const shown = (change: Partial<ShownSource>) =>
  [listed([{ ...SOURCE, ...change }]), described({ ...SOURCE, ...change })].join('\n');

test('the next look, and why then', () => {
  expect(shown({ nextLookAt: '2026-11-18T02:20:00.000Z', nextLookReason: 'law' })).toMatch(
    /\(law\)/,
  );
  expect(shown({ nextLookReason: 'pushed' })).toContain('pushed');
});

test.each(['paused', 'dead'])('there is none of one that is %s', (state) => {
  expect(shown({ state })).toContain('none');
  expect(shown({ state })).not.toContain('first');
});
