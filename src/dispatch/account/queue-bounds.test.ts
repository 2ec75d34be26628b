import { expect, test } from 'vitest';
import type { NewDelivery } from '../../domain/delivery.ts';
import type { AccountId } from '../../domain/ids.ts';
import { AccountLoad, noLoad } from '../../scheduler/collections.ts';
import type { Appended } from '../../store/ports/delivery.ts';
import { aRoad, message, SENT, submit } from '../dispatch.fixture.ts';
import { boundSubmit, type Full, type QueueBounds } from '../road.ts';

const WIDE = { platformQueueMax: 1000, queueBytesTotalMax: 1_000_000, queueBytesMax: 1_000_000 };

function setUp(given: Partial<QueueBounds & { queueBytesMax: number }> = {}, ownFull = false) {
  const { queueBytesMax, ...bounds } = { ...WIDE, ...given };
  const all = noLoad();
  const platforms = { telegram: noLoad(), terminal: noLoad() } as Record<string, typeof all>;
  const loads = new Map<string, AccountLoad>();
  // Those with an x are not configured.
  const loadOf = (account: AccountId) => {
    const [platform, name] = account.split(':') as [string, string];
    const made = new AccountLoad(platforms[platform]!, all, name.startsWith('x'));
    const load = loads.get(account) ?? made;
    loads.set(account, load);
    return load;
  };
  const commits: (() => void)[] = [];
  const told: Full[] = [];
  const parts = {
    ...bounds,
    loadOf,
    queueBytesMaxOf: () => queueBytesMax,
    onFull: (full: Full) => told.push(full),
  };
  const submit = boundSubmit(parts, async ({ account, body }, bytes, judge): Promise<Appended> => {
    // It takes its room before it is written.
    expect(bytes).toBe(body.length);
    loadOf(account).enter(bytes);
    await new Promise<void>((resolve) => commits.push(resolve));
    if (ownFull) return judge({ kind: 'full', waiting: 7, queueMax: 7 }, account);
    return { kind: 'superseded', seq: 1, by: 2 };
  });
  const send = (account: AccountId, changes: Partial<NewDelivery> = {}) => {
    const platform = account.split(':')[0]!;
    return submit(message({ platform, account, ...changes }));
  };
  const commit = () => {
    for (const each of commits.splice(0)) each();
  };
  // What became of one that asks for so much.
  const ask = async (account: AccountId, bytes: number) => {
    const sent = send(account, { body: 'x'.repeat(bytes) });
    commit();
    return sent;
  };
  return { send, ask, commit, told, loadOf };
}

test('counts what waits and what is being written, each once, of each platform alone', async () => {
  const { send, commit, told, loadOf } = setUp({ platformQueueMax: 3 });
  const first = [send('telegram:1'), send('telegram:1'), send('telegram:1')];
  const full = {
    kind: 'full',
    waiting: 3,
    queueMax: 3,
    platform: 'telegram',
    account: 'telegram:1',
  };
  expect(await send('telegram:1')).toEqual(full);
  const elsewhere = send('terminal:1');
  commit();
  await Promise.all([...first, elsewhere]);
  expect(await send('telegram:1')).toEqual(full);
  loadOf('telegram:1').leave(2);
  const again = send('telegram:1');
  commit();
  expect((await again).kind).toBe('superseded');
  expect(told).toEqual([full, full]);
});

test('an account’s own full queue is told as its own', async () => {
  const { send, commit, told } = setUp({}, true);
  const sent = send('telegram:1');
  commit();
  expect(await sent).toEqual({ kind: 'full', waiting: 7, queueMax: 7, account: 'telegram:1' });
  expect(told).toHaveLength(1);
});

test('bounds the bytes of an account to the last one, as they are on disk', async () => {
  const { ask, send, loadOf } = setUp({ queueBytesMax: 100 });
  expect(await ask('telegram:1', 101)).toMatchObject({ unit: 'bytes', waiting: 0, queueMax: 100 });
  expect((await ask('telegram:1', 98)).kind).toBe('superseded');
  // Two letters, four bytes.
  expect(await send('telegram:1', { body: 'éé' })).toMatchObject({ kind: 'full', waiting: 98 });
  expect((await ask('telegram:1', 2)).kind).toBe('superseded');
  expect((await ask('telegram:1', 1)).kind).toBe('full');
  expect((await ask('telegram:2', 100)).kind).toBe('superseded');
  loadOf('telegram:1').leave(98);
  expect((await ask('telegram:1', 98)).kind).toBe('superseded');
});

test('bounds the bytes of all accounts of all platforms together', async () => {
  const { ask } = setUp({ queueBytesTotalMax: 100 });
  await ask('telegram:1', 60);
  await ask('terminal:1', 40);
  const full = { unit: 'bytes', waiting: 100, queueMax: 100, whose: 'all' };
  expect(await ask('telegram:2', 1)).toMatchObject(full);
});

test('accounts that nobody configured leave a quarter, and none takes all from the others', async () => {
  const { ask, loadOf } = setUp({ queueBytesTotalMax: 400 });
  // Each may hold as much as is free for all of them after it.
  expect((await ask('telegram:x1', 150)).kind).toBe('superseded');
  const full = { unit: 'bytes', waiting: 150, queueMax: 300, whose: 'unconfigured' };
  expect(await ask('telegram:x1', 1)).toMatchObject(full);
  expect((await ask('telegram:x2', 75)).kind).toBe('superseded');
  expect(await ask('telegram:x2', 1)).toMatchObject({ kind: 'full' });
  for (let i = 3; i < 100; i++) await ask(`terminal:x${i}`, 10);
  expect(loadOf('telegram:1').all.strangers.bytes).toBeLessThanOrEqual(300);
  expect((await ask('telegram:1', 100)).kind).toBe('superseded');
});

test('accounts that nobody configured leave a quarter of a platform’s places', async () => {
  const { ask } = setUp({ platformQueueMax: 4 });
  for (const name of ['x1', 'x2', 'x3']) await ask(`telegram:${name}`, 1);
  const full = { waiting: 3, queueMax: 3, platform: 'telegram', whose: 'unconfigured' };
  expect(await ask('telegram:x4', 1)).toMatchObject(full);
  expect((await ask('telegram:1', 1)).kind).toBe('superseded');
});

test('the bytes of a queue are those of what has not ended, also in the next process', async () => {
  const body = JSON.stringify({ text: 'x'.repeat(399_989) });
  const first = aRoad(() => SENT);
  await first.dispatch.start();
  // Of 1,000,000: the first goes at once, the second waits for its chat.
  for (let i = 0; i < 2; i++) await submit(first.road, { body });
  const full = { kind: 'full', unit: 'bytes', waiting: 800_000, queueMax: 1_000_000 };
  expect(await first.road.submit(message({ body }))).toMatchObject(full);
  await first.run(500);
  expect(first.calls).toHaveLength(1);
  expect(first.dispatch.state.loadOf('fake:1').bytes).toBe(400_000);
  await submit(first.road, { body });
  const second = aRoad(() => SENT, { disk: first.disk });
  await second.dispatch.start();
  expect(await second.road.submit(message({ body }))).toMatchObject(full);
  await second.run(10_000);
  expect(second.dispatch.state.loadOf('fake:1')).toMatchObject({ deliveries: 0, bytes: 0 });
  expect(first.dispatch.state.scheduler.queueBytes()).toEqual([
    { platform: 'fake', all: 800_000, largest: 800_000 },
  ]);
  expect(second.dispatch.state.loadOf('fake:1').all).toMatchObject({ deliveries: 0, bytes: 0 });
});
