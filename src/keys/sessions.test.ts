import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../store/memory/memory.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { ADMIN, type Holder } from './keyring.ts';
import { isCsrf, LINK_MS, SESSION_MS, Sessions } from './sessions.ts';
import { LoginThrottle, networkOf } from './throttle.ts';

const START = 1_900_000_000_000;
const KEY: Holder = { id: 'k-1', name: 'desk', role: 'operator', bounds: null, namespace: 'k-1' };

function open() {
  const clock = virtualClock(START);
  const over = new Set<Holder>();
  return { clock, over, sessions: new Sessions(clock, (holder) => !over.has(holder)) };
}

test('a session has the role of its key, and ends with it', () => {
  const { sessions, over } = open();
  const { id, session } = sessions.open(KEY);
  expect(sessions.find(id)).toBe(session);
  expect(session.holder).toBe(KEY);
  expect(isCsrf(session, session.csrf)).toBe(true);
  expect(isCsrf(session, sessions.open(KEY).session.csrf)).toBe(false);
  expect(isCsrf(session, '')).toBe(false);
  over.add(KEY);
  expect(sessions.find(id)).toBeNull();
});

test('a session ends by itself, or when it is closed', async () => {
  const { sessions, clock } = open();
  const [first, second] = [sessions.open(ADMIN), sessions.open(ADMIN)];
  sessions.close(first.id);
  expect(sessions.find(first.id)).toBeNull();
  await clock.run(START + SESSION_MS - 1);
  expect(sessions.find(second.id)).not.toBeNull();
  await clock.run(START + SESSION_MS);
  expect(sessions.find(second.id)).toBeNull();
});

test('there are never too many: the oldest goes', () => {
  const { sessions } = open();
  const ids = Array.from(
    { length: 1001 },
    (_, n) => sessions.open({ ...ADMIN, id: `k-${n % 20}` }).id,
  );
  expect(sessions.find(ids[0]!)).toBeNull();
  expect(sessions.find(ids[1]!)).not.toBeNull();
});

describe('over a restart', () => {
  const HASH = 'hash of the key';

  async function restarted(known: (id: string | null) => { holder: Holder; hash: string } | null) {
    const clock = virtualClock(START);
    const { journal } = createMemoryStore();
    const failures: unknown[] = [];
    const kept = { store: journal.sessions, onFailure: (error: unknown) => failures.push(error) };
    const valid = () => ({ holder: KEY, hash: HASH });
    const first = await Sessions.open(clock, () => true, { ...kept, known: valid });
    const { id, session } = first.open(KEY);
    await clock.run(START + 1);
    const second = await Sessions.open(clock, () => true, { ...kept, known });
    return { clock, journal, first, second, id, session };
  }

  test('a session goes on, with what a page already has', async () => {
    const { second, id, session, journal } = await restarted(() => ({ holder: KEY, hash: HASH }));
    expect(second.find(id)).toMatchObject({
      holder: KEY,
      csrf: session.csrf,
      expiresAt: session.expiresAt,
    });
    expect(second.find('another')).toBeNull();
    // What is on disk opens nothing.
    const [stored] = await journal.sessions.open(0);
    expect(JSON.stringify(stored)).not.toContain(id);
    expect(second.find(stored!.hash)).toBeNull();
  });

  test.each<[string, { holder: Holder; hash: string } | null]>([
    ['its key is gone', null],
    ['its key is another one', { holder: KEY, hash: 'hash of another' }],
  ])('not where %s', async (_why, key) => {
    const { second, id, journal } = await restarted(() => key);
    expect(second.find(id)).toBeNull();
    expect(await journal.sessions.open(0)).toEqual([]);
  });

  test('not after it was closed, or its time is over', async () => {
    const { clock, journal, second, id } = await restarted(() => ({ holder: KEY, hash: HASH }));
    second.close(id);
    await clock.run(START + 2);
    expect(await journal.sessions.open(0)).toEqual([]);
    const late = second.open(KEY);
    await clock.run(START + 3 + SESSION_MS);
    const third = await Sessions.open(clock, () => true, {
      store: journal.sessions,
      known: () => ({ holder: KEY, hash: HASH }),
      onFailure: () => {},
    });
    expect(third.find(late.id)).toBeNull();
    expect(await journal.sessions.open(0)).toEqual([]);
  });

  test('another node knows it when it has read again, and that it is over', async () => {
    const { clock, first, second } = await restarted(() => ({ holder: KEY, hash: HASH }));
    let told = 0;
    first.listen(() => {
      told += 1;
    });
    const { id } = first.open(KEY);
    await clock.run(START + 2);
    expect(told).toBe(1);
    expect(second.find(id)).toBeNull();
    await second.reload();
    expect(second.find(id)).toMatchObject({ holder: KEY });
    first.close(id);
    // What was ended here does not come back with what the store still has.
    await first.reload();
    expect(first.find(id)).toBeNull();
    await clock.run(START + 3);
    await second.reload();
    expect(second.find(id)).toBeNull();
  });

  test('one key has no more of them than before', async () => {
    const { second, id } = await restarted(() => ({ holder: KEY, hash: HASH }));
    for (let n = 0; n < 100; n++) second.open(KEY);
    expect(second.find(id)).toBeNull();
  });
});

test('a link is good once, and not for ever', async () => {
  const { sessions, clock } = open();
  const [used, late] = [sessions.link(ADMIN), sessions.link(ADMIN)];
  expect(sessions.takeLink(used)).toBe(ADMIN);
  expect(sessions.takeLink(used)).toBeNull();
  await clock.run(START + LINK_MS);
  expect(sessions.takeLink(late)).toBeNull();
});

test('failures of one address wait, longer each time, and are forgiven', () => {
  const bounds = { freeFailures: 2, firstWaitMs: 100, waitMsMax: 1000, addressesMax: 2 };
  const throttle = new LoginThrottle(bounds);
  const waits = Array.from({ length: 8 }, () => throttle.failed('a', START));
  expect(waits).toEqual([0, 0, 100, 200, 400, 800, 1000, 1000]);
  expect(throttle.failed('b', START)).toBe(0);
  throttle.succeeded('a');
  expect(throttle.failed('a', START)).toBe(0);
  throttle.failed('b', START);
  expect(throttle.failed('b', START + 1)).toBe(100);
  expect(throttle.failed('b', START + 1001)).toBe(0);
});

test('the table of addresses is bounded', () => {
  const throttle = new LoginThrottle({
    freeFailures: 1,
    firstWaitMs: 1,
    waitMsMax: 9,
    addressesMax: 2,
  });
  for (const address of ['a', 'b', 'c']) throttle.failed(address, START);
  expect(throttle.failed('c', START)).toBe(1);
  expect(throttle.failed('a', START)).toBe(0);
});

test.each([
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:0db8:0:0:ffff::1', '2001:db8:0:0::/64'],
  ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['192.0.2.1', '192.0.2.1'],
])('%s is one of %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test('one key opens many sessions only at the cost of its own', () => {
  const { sessions } = open();
  const admin = sessions.open(ADMIN).id;
  const viewer: Holder = { ...ADMIN, id: 'k-1', name: 'v', role: 'viewer' };
  const ids = Array.from({ length: 1200 }, () => sessions.open(viewer).id);
  expect(sessions.find(admin)).not.toBeNull();
  expect(sessions.find(ids[0]!)).toBeNull();
  expect(sessions.find(ids.at(-1)!)).not.toBeNull();
});
