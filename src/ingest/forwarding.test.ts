import { expect, test } from 'vitest';
import type { StoredPost } from '../store/ports/ingest.ts';
import { seededRandom } from '../system/random.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { Forwarding, type Handed } from './forwarding.ts';
import type { SourceView } from './tracked.ts';

const HOOK = { kind: 'webhook', url: 'https://example.com/' } as const;

function started(
  waiting: Record<number, string[]>,
  hand: (id: string, source: number) => Handed | Promise<Handed> = () => 'taken',
) {
  const clock = virtualClock(1_000);
  const handed: string[] = [];
  const failures: unknown[] = [];
  let targets: Record<number, typeof HOOK | null> = { 1: HOOK, 2: HOOK };
  const posts = new Map(Object.entries(waiting).map(([source, ids]) => [Number(source), ids]));
  const forwarding = new Forwarding({
    clock,
    random: seededRandom(1),
    store: {
      unforwarded: async ({ source, max }) =>
        (posts.get(source) ?? []).slice(0, max).map((id) => ({ id }) as StoredPost),
      forwarded: async ({ source, ids }) =>
        void posts.set(
          source,
          posts.get(source)!.filter((id) => !ids.includes(id)),
        ),
    },
    sources: () =>
      Object.entries(targets).map(
        ([id, forwardTo]) => ({ id: Number(id), settings: { forwardTo } }) as SourceView,
      ),
    async hand(_target, source, { id }) {
      handed.push(`${source.id}:${id}`);
      return hand(id, source.id);
    },
    onFailure: (_source, error) => failures.push(error),
  });
  const run = (ms: number) => clock.run(clock.now() + ms);
  const setTargets = (changed: typeof targets) => {
    targets = changed;
  };
  return { forwarding, clock, handed, posts, failures, run, setTargets };
}

test('what was left by the process before goes, in order, and is said to be gone', async () => {
  const at = started({ 1: ['1', '2', '3'] });
  await at.forwarding.start();
  await at.run(1);
  expect(at.handed).toEqual(['1:1', '1:2', '1:3']);
  expect(at.posts.get(1)).toEqual([]);
  at.posts.set(1, ['4']);
  at.forwarding.wake(1);
  await at.run(1);
  expect(at.handed.at(-1)).toBe('1:4');
});

test('a receiver that does not take it is tried again, in order, and holds up nobody else', async () => {
  let isAway = true;
  const at = started({ 1: ['1', '2'], 2: ['9'] }, (_id, source) =>
    source === 1 && isAway ? 'later' : 'taken',
  );
  await at.forwarding.start();
  await at.run(10_000);
  expect(at.handed.filter((each) => each === '2:9')).toHaveLength(1);
  const tries = at.handed.filter((each) => each === '1:1').length;
  expect(tries).toBeGreaterThan(2);
  // News are no reason to try sooner.
  at.forwarding.wake(1);
  await at.run(1);
  expect(at.handed.filter((each) => each === '1:1')).toHaveLength(tries);
  expect(at.handed).not.toContain('1:2');
  isAway = false;
  await at.run(60_000);
  expect(at.handed.slice(-2)).toEqual(['1:1', '1:2']);
});

test('a store that fails is told, and tried again', async () => {
  const at = started({ 1: ['1'] }, () => {
    if (at.handed.length === 1) throw new Error('the disk is full');
    return 'taken';
  });
  await at.forwarding.start();
  await at.run(5_000);
  expect(at.failures).toHaveLength(1);
  expect(at.posts.get(1)).toEqual([]);
});

test('what nobody wants any more is dropped without a word', async () => {
  const at = started({ 1: ['1'] });
  at.setTargets({ 1: null });
  await at.forwarding.start();
  await at.run(1);
  expect(at.handed).toEqual([]);
  expect(at.posts.get(1)).toEqual([]);
});

test('what comes while it is at work goes, too; after the stop nothing does', async () => {
  const first = Promise.withResolvers<Handed>();
  const at = started({ 1: ['1'] }, (id) => (id === '1' ? first.promise : 'taken'));
  await at.forwarding.start();
  await at.run(1);
  at.posts.get(1)!.push('2');
  at.forwarding.wake(1);
  first.resolve('taken');
  await at.run(1);
  expect(at.handed).toEqual(['1:1', '1:2']);
  await at.forwarding.stop(0);
  at.posts.set(1, ['3']);
  at.forwarding.wake(1);
  await at.run(60_000);
  expect(at.handed).toHaveLength(2);
});
