import { afterEach, describe, expect, test } from 'vitest';
import { JournalUnavailable } from '../store/ports/unavailable.ts';
import {
  ACCOUNT,
  aWorld,
  type BroadcastWorld,
  broadcastTo,
  START,
  settled,
} from './broadcast.fixture.ts';
import type { BroadcastView } from './broadcast.ts';

const MINUTE = 60_000;

let open: BroadcastWorld | null = null;
afterEach(async () => {
  await open?.stop();
  open = null;
});

async function begin(options: Parameters<typeof aWorld>[0] = {}): Promise<BroadcastWorld> {
  open = aWorld(options);
  await open.start();
  return open;
}

async function view(world: BroadcastWorld, id: string): Promise<BroadcastView> {
  return (await settled(world.clock, world.now.broadcasting.get(id)))!;
}

async function outcomes(world: BroadcastWorld, id: string) {
  const query = { id, state: null, after: 0, max: 1000 };
  const all = (await settled(world.clock, world.now.broadcasting.recipients(query)))!;
  return all.map(
    ({ chat, state, reason }) => `${chat} ${state}${reason === null ? '' : ` ${reason}`}`,
  );
}

const steer = (world: BroadcastWorld, id: string, to: 'running' | 'paused' | 'cancelled') =>
  settled(world.clock, world.now.broadcasting.steer(id, to));

const sentTo = (world: BroadcastWorld) => world.calls.filter(({ status }) => status === 200);

describe('a broadcast', () => {
  test('reaches everyone once, with their own words', async () => {
    const world = await begin();
    const id = await broadcastTo(world, 90);
    await world.run(MINUTE);
    expect(await view(world, id)).toMatchObject({
      state: 'done',
      total: 90,
      eta: null,
      progress: { sent: 90, pending: 0, queued: 0 },
    });
    const texts = world.calls.map(({ chat, text }) => `${chat} ${text}`).sort();
    expect(texts).toEqual(Array.from({ length: 90 }, (_, i) => `${1001 + i} hello n${i + 1}`));
    expect(world.now.counted).toEqual(new Array(90).fill('sent'));
  });

  test('never has more than its window on the road, nor more than a quarter of the queue', async () => {
    const world = await begin({ settings: { queueMax: 80, broadcastWindow: 200 } });
    const id = await broadcastTo(world, 100);
    let most = 0;
    for (let i = 0; i < 60; i++) {
      await world.run(200);
      const { low, inFlight } = world.now.road.depths();
      most = Math.max(most, low + inFlight);
    }
    expect(most).toBeGreaterThan(10);
    expect(most).toBeLessThanOrEqual(20);
    expect(await view(world, id)).toMatchObject({ state: 'done', progress: { sent: 100 } });
  });

  test('takes turns with another of the same account', async () => {
    const world = await begin();
    await broadcastTo(world, 900);
    await world.run(1);
    await broadcastTo(world, 900, { body: { text: 'other' } });
    await world.run(10_000);
    const before = world.calls.length;
    await world.run(20_000);
    const lately = world.calls.slice(before);
    const others = lately.filter(({ text }) => text === 'other').length;
    expect(others / lately.length).toBeGreaterThan(0.4);
    expect(others / lately.length).toBeLessThan(0.6);
  });

  test('waits for its time', async () => {
    const world = await begin();
    const id = await broadcastTo(world, 3, { notBefore: START + 10 * MINUTE });
    await world.run(10 * MINUTE - 1000);
    expect(world.calls).toEqual([]);
    expect((await view(world, id)).eta).toBeGreaterThan(START + 10 * MINUTE);
    await world.run(MINUTE);
    expect(world.calls).toHaveLength(3);
  });

  test.each([30 * MINUTE, -30 * MINUTE])(
    'waits for its time by the wall clock, when that is set by %i ms meanwhile',
    async (byMs) => {
      let stepMs = 0;
      const world = await begin({ stepMs: () => stepMs });
      await broadcastTo(world, 3, { notBefore: START + 40 * MINUTE });
      await world.run(MINUTE);
      stepMs = byMs;
      const leftMs = 39 * MINUTE - byMs;
      await world.run(leftMs - MINUTE);
      expect(world.calls).toEqual([]);
      await world.run(2 * MINUTE);
      expect(world.calls).toHaveLength(3);
    },
  );

  test('tells when it will be done, from the limits and then from what is measured', async () => {
    const world = await begin();
    const id = await broadcastTo(world, 900);
    const first = await view(world, id);
    expect(first.perSecond).toBeNull();
    expect(first.eta! - world.clock.now()).toBeCloseTo(30_000, -3);
    await world.run(15_000);
    const half = await view(world, id);
    expect(half.perSecond).toBeGreaterThan(25);
    expect(half.eta! - START).toBeGreaterThan(28_000);
    expect(half.eta! - START).toBeLessThan(33_000);
    await steer(world, id, 'paused');
    expect((await view(world, id)).eta).toBeNull();
  });

  test('a frozen account is told to be so', async () => {
    const world = await begin();
    const id = await broadcastTo(world, 200);
    await world.run(1000);
    for (const chat of ['1040', '1041', '1042', '1043']) {
      world.model.freeze('1:token', chat, 600, world.clock.now());
    }
    await world.run(5000);
    // The gate opens after a minute, and those four chats after ten.
    expect((await view(world, id)).eta! - world.clock.now()).toBeGreaterThan(55_000);
    await world.run(2 * MINUTE);
    const rest = await view(world, id);
    expect(rest.progress).toMatchObject({ pending: 0, sent: 196, queued: 4 });
    expect(rest.eta! - world.clock.now()).toBeGreaterThan(6 * MINUTE);
  });
});

describe('steering', () => {
  test('a pause takes back what waits, and a resume goes on with nobody left out', async () => {
    const world = await begin();
    const id = await broadcastTo(world, 120);
    await world.run(1500);
    expect(await steer(world, id, 'paused')).toMatchObject({ view: { state: 'paused' } });
    await world.run(500);
    const during = world.calls.length;
    expect(during).toBeGreaterThan(30);
    const { progress } = await view(world, id);
    expect(progress).toMatchObject({ sent: during, queued: 0, pending: 120 - during });
    await world.run(MINUTE);
    expect(world.calls).toHaveLength(during);
    await steer(world, id, 'running');
    await world.run(MINUTE);
    expect(await view(world, id)).toMatchObject({ state: 'done', progress: { sent: 120 } });
    expect(new Set(world.calls.map(({ chat }) => chat)).size).toBe(120);
    expect(world.calls).toHaveLength(120);
  });

  test('a cancel ends it for all who were not sent to', async () => {
    const world = await begin();
    const id = await broadcastTo(world, 120);
    await world.run(1500);
    await steer(world, id, 'cancelled');
    await world.run(MINUTE);
    const sent = world.calls.length;
    expect(await view(world, id)).toMatchObject({
      state: 'cancelled',
      progress: { sent, cancelled: 120 - sent, pending: 0, queued: 0 },
    });
    expect(await steer(world, id, 'running')).toEqual({ kind: 'illegal', state: 'cancelled' });
    expect(world.now.broadcasting.live()).toEqual([]);
  });

  test('what no broadcast knows cannot be steered', async () => {
    const world = await begin();
    expect(await steer(world, 'b-local-9', 'paused')).toEqual({ kind: 'unknown' });
    expect(await steer(world, 'nonsense', 'paused')).toEqual({ kind: 'unknown' });
  });
});

describe('chats that refuse', () => {
  test('are left out of the next broadcast, and tried again after a while', async () => {
    const world = await begin({ settings: { blockedProbeDays: 1 } });
    world.model.setChat('1002', { kind: 'blocked' });
    const first = await broadcastTo(world, 3);
    await world.run(MINUTE);
    expect(await outcomes(world, first)).toEqual([
      '1001 sent',
      '1002 dead bot_blocked',
      '1003 sent',
    ]);
    const second = await broadcastTo(world, 3);
    await world.run(MINUTE);
    expect(await outcomes(world, second)).toEqual([
      '1001 sent',
      '1002 skipped blocked',
      '1003 sent',
    ]);
    await world.run(24 * 60 * MINUTE);
    world.model.setChat('1002', { kind: 'open' });
    const third = await broadcastTo(world, 2);
    await world.run(MINUTE);
    expect(await outcomes(world, third)).toEqual(['1001 sent', '1002 sent']);
    const fourth = await broadcastTo(world, 2);
    await world.run(MINUTE);
    expect(await outcomes(world, fourth)).toEqual(['1001 sent', '1002 sent']);
  });

  test('are welcome again when they write', async () => {
    const world = await begin();
    world.model.setChat('1001', { kind: 'blocked' });
    await broadcastTo(world, 1);
    await world.run(MINUTE);
    world.model.setChat('1001', { kind: 'open' });
    world.now.broadcasting.onUpdate(ACCOUNT, '1001');
    await world.run(MINUTE);
    const second = await broadcastTo(world, 1);
    await world.run(MINUTE);
    expect(await outcomes(world, second)).toEqual(['1001 sent']);
  });
});

describe('who cannot be sent to', () => {
  test('lacks a field that has no default', async () => {
    const world = await begin();
    const draft = (await world.now.broadcasting.openAudience(null))!;
    await draft.add([
      { chat: '1', fields: { name: 'Ada' } },
      { chat: '2', fields: { name: '' } },
      { chat: 'no chat', fields: { name: 'x' } },
    ]);
    const id = await broadcastTo(world, 0, { audience: { kind: 'own', draft } });
    await world.run(MINUTE);
    expect(await outcomes(world, id)).toEqual([
      '1 sent',
      '2 skipped field_missing',
      'no chat skipped invalid_chat',
    ]);
  });

  test('a field that nobody has is refused at once', async () => {
    const world = await begin();
    const draft = (await world.now.broadcasting.openAudience('all'))!;
    await draft.add([{ chat: '1', fields: { name: 'Ada' } }]);
    await draft.seal();
    const create = (body: object, name = 'all') =>
      world.now.broadcasting.create({
        ...{ account: ACCOUNT, platform: 'telegram', name: null, correlation: null, key: 'k' },
        audience: { kind: 'named', name },
        method: 'sendmessage',
        body: { ...body },
        ...{ priority: 'low', notBefore: 0 },
      });
    expect(await create({ text: '{{town}} {{name}} {{age|old}}' })).toEqual({
      kind: 'unknown_fields',
      fields: ['town'],
      known: ['name'],
    });
    expect(await create({ text: 'x' }, 'nobody')).toEqual({ kind: 'no_audience' });
    const made = await create({ text: 'x' });
    expect(made).toMatchObject({ kind: 'created', view: { method: 'sendMessage' } });
    expect(await create({ text: 'x' })).toMatchObject({ kind: 'repeated' });
    expect(await create({ text: 'y' })).toMatchObject({ kind: 'conflict', id: 'b-local-1' });
  });
});

describe('a dead letter of a broadcast', () => {
  test('that is retried by hand counts as what it became', async () => {
    const world = await begin();
    world.model.setChat('1001', { kind: 'missing' });
    const id = await broadcastTo(world, 1);
    await world.run(MINUTE);
    expect((await view(world, id)).progress).toMatchObject({ dead: 1 });
    world.model.setChat('1001', { kind: 'open' });
    const [dead] = await world.now.ledger.search({ state: 'dead' }, { limit: 1, before: null });
    await world.now.road.move({
      ...{ seq: dead!.seq, to: 'queued', at: world.clock.now(), reason: 'retried', by: 'admin' },
      ...{ body: null, queueMax: 10, account: dead!.account },
    });
    await world.run(MINUTE);
    expect((await view(world, id)).progress).toMatchObject({ dead: 0, sent: 1 });
    expect(sentTo(world)).toHaveLength(1);
  });
});

test('a store that is away at the start is waited for', async () => {
  let isAway = false;
  const beforeApply = async () => {
    if (isAway) throw new JournalUnavailable('disk_full', 'no room');
  };
  const world = aWorld({ hooks: () => ({ beforeApply }) });
  open = world;
  await world.start();
  const id = await broadcastTo(world, 60);
  await world.run(700);
  await settled(world.clock, world.now.broadcasting.stop(1000));
  world.renew();
  isAway = true;
  await settled(world.clock, world.now.broadcasting.start());
  await world.run(3000);
  isAway = false;
  await world.run(MINUTE);
  expect(await view(world, id)).toMatchObject({ state: 'done', progress: { sent: 60 } });
  expect(new Set(world.calls.map(({ chat }) => chat)).size).toBe(60);
});
