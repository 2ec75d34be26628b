// What an attempt waited for is on record with it, in the words of the explanation while it waited.

import { expect, test } from 'vitest';
import { readWaited } from '../domain/waited.ts';
import { aRoad, SENT, submit } from './dispatch.fixture.ts';

const MINUTE_MS = 60_000;
const LIMITED = {
  kind: 'limited',
  retryAfterMs: 30_000,
  scope: 'chat',
  result: '{}',
} as const;

type Road = ReturnType<typeof aRoad>;

async function waitedOf({ store }: Pick<Road, 'store'>, seq: number, n = 1) {
  const attempts = await store.ledger.attempts(seq);
  return readWaited(attempts.find((each) => each.n === n)!.waitedFor);
}

// As submitted with the clock's time.
function now({ clock }: Road) {
  return { acceptedAt: clock.now() };
}

test('what goes at once waited for nothing, from the queue too', async () => {
  const road = aRoad(() => SENT);
  await road.dispatch.start();
  const atOnce = await submit(road.road);
  const queued = await submit(road.road, { chat: 'd', idempotencyKey: 'k' });
  await road.run(1000);
  for (const seq of [atOnce, queued]) {
    expect(await road.store.ledger.attempts(seq)).toMatchObject([{ waitedFor: null }]);
  }
});

test('an account that was paused, and what came after; it survives a restart', async () => {
  const road = aRoad(() => SENT);
  await road.dispatch.start();
  await road.road.pause('fake:1');
  await road.run(0);
  const first = await submit(road.road, now(road));
  const second = await submit(road.road, now(road));
  const live = road.road.explain(first)!.causes[0]!.detail;
  await road.run(10 * MINUTE_MS);
  await road.road.resume('fake:1');
  await road.run(5000);
  const held = { kind: 'held', detail: 'its account is held: paused by an operator' };
  expect(held.detail).toContain(live);
  const again = aRoad(() => SENT, { disk: road.disk, startAt: road.clock.now() });
  expect(await waitedOf(again, first)).toEqual([
    { ...held, ago: 10 * MINUTE_MS, ms: 10 * MINUTE_MS },
  ]);
  const [paused, ...rest] = await waitedOf(again, second);
  expect(paused).toMatchObject({ ...held, ms: 10 * MINUTE_MS });
  // The first one's call, and the second between two.
  expect(rest.map(({ kind }) => kind)).toEqual(['ahead', 'window']);
  expect(rest.at(-1)!.detail).toMatch(/one call a second; 1 was sent, and one other of its chat/);
});

test('an open breaker is one wait, however often it is probed', async () => {
  let isDown = true;
  const down = {
    kind: 'failed',
    reason: 'unsent',
    detail: 'ECONNREFUSED',
    hostDown: true,
  } as const;
  const road = aRoad(() => (isDown ? down : SENT));
  await road.dispatch.start();
  for (const chat of ['a', 'b', 'c']) await submit(road.road, { chat });
  await road.run(1000);
  const late = await submit(road.road, { chat: 'late', ...now(road) });
  const since = road.clock.now();
  await road.run(5 * MINUTE_MS);
  isDown = false;
  await road.run(5 * MINUTE_MS);
  const waited = await waitedOf(road, late);
  const held = waited.filter(({ kind }) => kind === 'held');
  expect(held).toHaveLength(1);
  expect(held[0]!.detail).toContain('ECONNREFUSED');
  const [attempt] = await road.store.ledger.attempts(late);
  expect(held[0]!.ms).toBeGreaterThan(0.9 * (attempt!.startedAt - since));
});

test('a freeze that another message of the chat earned, in its lane and in others', async () => {
  const road = aRoad((_call, nth) => (nth === 1 ? LIMITED : SENT));
  await road.dispatch.start();
  const refused = await submit(road.road);
  await road.run(500);
  const same = await submit(road.road, now(road));
  const other = await submit(road.road, { session: 's', ...now(road) });
  const elsewhere = await submit(road.road, { chat: 'd', ...now(road) });
  const live = road.road.explain(other)!.causes.find(({ kind }) => kind === 'freeze');
  await road.run(MINUTE_MS);
  const words = `chat c is frozen: ${live!.detail}`;
  for (const seq of [same, other]) {
    const [frozen] = await waitedOf(road, seq);
    expect(frozen).toMatchObject({ kind: 'freeze', detail: words });
    expect(frozen!.ms).toBeGreaterThan(29_000);
    expect(frozen!.ms).toBeLessThan(31_000);
  }
  // The one that earned it has its own wait on record: what the platform said.
  expect(await waitedOf(road, refused)).toEqual([]);
  expect(await waitedOf(road, elsewhere)).toEqual([]);
});

test('a window that is closed, and forty before it', async () => {
  const rules = [{ name: 'minute', scope: 'chat', count: 20, perMs: MINUTE_MS } as const];
  const priors = () => ({ planOf: () => ({ account: [], chat: rules }) });
  const road = aRoad(() => SENT, { priors });
  await road.dispatch.start();
  const all: number[] = [];
  for (let n = 0; n < 41; n++) all.push(await submit(road.road));
  await road.run(5 * MINUTE_MS);
  const waited = await waitedOf(road, all.at(-1)!);
  const windows = waited.filter(({ kind }) => kind === 'window');
  expect(waited.map(({ kind }) => kind)).toEqual(['ahead', 'window', 'ahead', 'window']);
  expect(windows[0]!.detail).toBe(
    'this chat takes 20 calls a minute; 20 were sent, and 40 others of its chat went before it',
  );
  expect(waited[0]!.detail).toBe('40 others of its chat went before it');
  const inWindows = windows.reduce((sum, { ms }) => sum + ms, 0);
  expect(waited[0]!.ago).toBeGreaterThan(119_000);
  expect(inWindows).toBeGreaterThan(110_000);
});

test('behind forty others, with no limit that holds any of them', async () => {
  const priors = () => ({ planOf: () => ({ account: [], chat: [] }) });
  const road = aRoad(() => SENT, { priors });
  await road.dispatch.start();
  const all: number[] = [];
  for (let n = 0; n < 41; n++) all.push(await submit(road.road, { body: `{"n":${n}}` }));
  await road.run(MINUTE_MS);
  expect(await waitedOf(road, all.at(-1)!)).toEqual([
    { kind: 'ahead', ago: 4000, ms: 4000, detail: '40 others of its chat went before it' },
  ]);
});
