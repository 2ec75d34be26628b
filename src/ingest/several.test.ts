// Several processes on one store: what one changes the others follow, and connections go where they belong.

import { describe, expect, test } from 'vitest';
import { createMemoryDisk, createMemoryStore } from '../store/memory/memory.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { aPage, aService, KIND, PUSHED, posts, START } from './ingest.fixture.ts';
import { rendezvous } from './plan/plan.ts';

const FIXED = { pace: 'fixed' } as const;
const HOUR_MS = 3_600_000;

// Two nodes; the first of them reads.
async function two(nodes: () => readonly string[] = () => [READER, OTHER]) {
  const store = createMemoryStore(createMemoryDisk()).journal.ingest;
  const clock = virtualClock(START);
  const shared = { store, clock, nodes, settings: FIXED };
  const all = [READER, OTHER].map((node) => {
    const told: string[] = [];
    const publish = (word: string) => void told.push(word);
    return { ...aService({ ...shared, node, token: `token ${node}`, publish }), told };
  });
  const [reads, other] = all as [(typeof all)[0], (typeof all)[0]];
  for (const { service } of all) await service.start();
  return { reads, other, clock };
}

const NODES = ['one', 'two'];
const READER = rendezvous(KIND, NODES)!;
const OTHER = NODES.find((node) => node !== READER)!;

describe('what one node changes', () => {
  test('the one that reads follows: added, paused, resumed, removed', async () => {
    const { reads, other } = await two();
    reads.answers.history = () => aPage(posts(1, 3));
    const { source } = await other.service.add(KIND, '@news');
    expect(other.told).toEqual(['changed']);
    await other.run(1_000);
    expect(other.calls).toEqual([]);
    expect(other.service.get(source.id)).toMatchObject({
      trouble: null,
      nextLookReason: 'elsewhere',
    });
    await reads.service.arrived('changed');
    await reads.run(1_000);
    expect(reads.service.get(source.id)).toMatchObject({ lastId: '3' });
    await other.service.pause(source.id);
    await reads.service.arrived('changed');
    expect(reads.service.get(source.id)).toMatchObject({ state: 'paused' });
    await other.service.configure(source.id, { weight: 4 });
    await other.service.resume(source.id);
    const looks = reads.calls.length;
    await reads.service.arrived('changed');
    await reads.run(1_000);
    expect(reads.service.get(source.id)).toMatchObject({ settings: { weight: 4 } });
    expect(reads.calls.length).toBeGreaterThan(looks);
    other.service.remove(source.id);
    await other.run(1_000);
    await reads.service.arrived('changed');
    expect(reads.service.list()).toEqual([]);
  });

  test('how far it has read is told by the others, too', async () => {
    const { reads, other, clock } = await two();
    reads.answers.history = () => aPage(posts(1, 3));
    const { source } = await reads.service.add(KIND, '@news');
    await reads.run(1_000);
    await other.service.reload();
    expect(other.service.get(source.id)).toMatchObject({ lastId: '3', mode: 'incremental' });
    reads.answers.changes = () => ({
      kind: 'read',
      value: {
        ...{ kind: 'changes', posts: posts(4, 4), deleted: [], mark: '2', isLast: true },
        notBeforeMs: 0,
      },
    });
    await clock.run(START + HOUR_MS);
    await other.service.reload();
    expect(other.service.get(source.id)).toMatchObject({ lastId: '4' });
    const [age] = other.service.samples().filter(({ name }) => name === 'parser_hwm_age_seconds');
    expect(age!.value).toBeLessThan(HOUR_MS / 1000);
  });

  test('a look by hand is made by the one that reads', async () => {
    const { reads, other } = await two();
    const { source } = await other.service.add(KIND, '@news');
    await reads.service.arrived('changed');
    await reads.run(1_000);
    const looks = reads.calls.length;
    other.service.run(source.id);
    expect(other.told.at(-1)).toBe(`run ${source.id}`);
    await reads.service.arrived(other.told.at(-1)!);
    await reads.run(1_000);
    expect(reads.calls.length).toBeGreaterThan(looks);
    expect(reads.told).toEqual([]);
  });

  test('words that mean nothing change nothing', async () => {
    const { reads } = await two();
    for (const word of ['', 'run', 'run 99', 'run 1e9', 'x'.repeat(7_000)]) {
      await reads.service.arrived(word);
    }
    expect(reads.service.list()).toEqual([]);
  });
});

test('a node that comes takes over what is to be its own, and the waits of it', async () => {
  let nodes: readonly string[] = [OTHER];
  const { reads, other, clock } = await two(() => nodes);
  const hour = { kind: 'wait', waitMs: HOUR_MS } as const;
  other.answers.history = () => aPage(posts(1, 3));
  other.answers.changes = () => hour;
  reads.answers.changes = () => {
    throw new Error('called inside a wait');
  };
  const { source } = await other.service.add(KIND, '@news');
  await other.run(1_000);
  expect(other.service.get(source.id)).toMatchObject({ lastId: '3' });
  expect(other.made('changes')).toHaveLength(1);
  nodes = [OTHER, READER];
  await reads.service.reload();
  reads.service.run(source.id);
  await clock.run(START + 120_000);
  expect(other.closed()).toBe(1);
  await reads.service.reload();
  reads.service.run(source.id);
  await clock.run(START + 180_000);
  expect(reads.service.get(source.id)).toMatchObject({ nextLookReason: 'wait' });
  expect(reads.calls).toEqual([]);
});

test('who logs in at one node is logged in at all', async () => {
  const store = createMemoryStore(createMemoryDisk()).journal.ingest;
  const clock = virtualClock(START);
  const accounts = [{ id: 'a', session: 's' }];
  const shared = { store, clock, accounts, settings: FIXED };
  const one = aService({ ...shared, token: 'one' });
  const two = aService({ ...shared, token: 'two', node: 'two', nodes: () => ['one'] });
  one.answers.history = () => ({ kind: 'logged_out', detail: 'revoked' });
  await one.service.start();
  await two.service.start();
  await one.service.add(KIND, '@news');
  await one.run(1_000);
  await two.service.reload();
  expect(await two.service.accounts()).toMatchObject([{ state: 'logged_out' }]);
  await one.service.loggedIn(KIND, 'a');
  await two.service.reload();
  expect(await two.service.accounts()).toMatchObject([{ state: 'ok' }]);
});

test('posts that come to two nodes are each stored', async () => {
  const { reads, other } = await two();
  await reads.service.add(PUSHED, '@own');
  await other.service.reload();
  const channel = { id: '-100', name: 'own' };
  const [first, second, third] = posts(1, 3);
  await reads.service.push('bot', { channel, post: first! });
  await other.service.push('bot', { channel, post: second! });
  await reads.service.push('bot', { channel, post: third! });
  const { posts: stored } = await reads.service.store.posts({
    ...{ source: 1, order: 'oldest', cursor: null, since: null, text: null, max: 10 },
  });
  expect(stored.map(({ id }) => id)).toEqual(['1', '2', '3']);
});

describe('an account that sends, too', () => {
  const ACCOUNT = { id: 'bot', session: 's' };

  function reading(side: { until?: number } = {}) {
    const held: number[] = [];
    let called = 0;
    const made = aService({
      settings: FIXED,
      accounts: [ACCOUNT],
      sending: {
        named: () => [ACCOUNT],
        isHere: () => true,
        sideOf: () => ({
          heldUntil: () => side.until ?? 0,
          called: () => {
            called += 1;
          },
          hold: async (until) => void held.push(until),
        }),
      },
    });
    return { ...made, held, called: () => called };
  }

  test('each call counts for it, and nothing is asked while the platform wants nothing of it', async () => {
    const side = { until: START + HOUR_MS };
    const at = reading(side);
    await at.service.start();
    const { source } = await at.service.add(KIND, '@news', { account: 'bot' });
    await at.run(HOUR_MS - 1_000);
    expect([at.calls.length, at.called()]).toEqual([0, 0]);
    expect(at.service.get(source.id)).toMatchObject({ nextLookReason: 'wait' });
    await at.run(10_000);
    expect(at.calls.length).toBeGreaterThan(0);
    expect(at.called()).toBe(at.calls.length);
  });

  test('what the platform wants of the whole account holds for what is sent', async () => {
    const at = reading();
    at.answers.history = () => ({ kind: 'wait', waitMs: HOUR_MS, isOfAccount: true });
    await at.service.start();
    await at.service.add(KIND, '@news', { account: 'bot' });
    await at.run(1_000);
    expect(at.held).toHaveLength(1);
    expect(at.held[0]).toBeGreaterThanOrEqual(START + HOUR_MS);
    at.answers.history = () => ({ kind: 'wait', waitMs: HOUR_MS });
    await at.run(HOUR_MS + 60_000);
    expect(at.made('history').length).toBe(2);
    expect(at.held).toHaveLength(1);
  });

  test('where its method’s count is used up the next call is put off, and no wait is noted', async () => {
    const at = reading();
    const rest = { restMs: 5_000 };
    at.answers.history = (after) =>
      after === '0'
        ? { ...aPage(posts(1, 2), { newestId: null, upTo: '9' }), ...rest }
        : aPage([], { newestId: after });
    await at.service.start();
    await at.service.add(KIND, '@news', { account: 'bot' });
    await at.run(20_000);
    const [first, second] = at.made('history');
    expect(second!.of).toBe('9');
    expect(second!.at - first!.at).toBe(5_000);
    expect(at.service.waits()).toEqual([]);
  });
});
