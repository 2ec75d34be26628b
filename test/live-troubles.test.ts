// Streams in trouble: penalties, crashes, silent producers, full queues, stores that cannot be written.

import { describe, expect, test } from 'vitest';
import { aDelivery } from '../src/domain/delivery.fixture.ts';
import { ownKey } from '../src/domain/idempotency.ts';
import { JournalUnavailable } from '../src/store/ports/unavailable.ts';
import { intBelow, seededRandom } from '../src/system/random.ts';
import { ACCOUNT, GROUP, type LiveWorld, liveWorld } from './live/world.ts';

const NEVER = new AbortController().signal;
const OTHER = '-1001000000002';
const PENALTY_S = 7200;

async function write(world: LiveWorld, id: string, text: string, afterMs = 0): Promise<void> {
  await world.done(world.live.change(id, { kind: 'append', text }));
  await world.run(afterMs);
}

test('all messages of a stream have its correlation id, those after a crash too', async () => {
  const world = await liveWorld();
  const accepted = new Set<string>();
  const follow = () =>
    world.road.listen((event) => {
      if (event.kind === 'accepted') accepted.add(`${event.about.chat} ${event.about.correlation}`);
    });
  follow();
  const [id, own] = [await world.open(), await world.open({ chat: OTHER, correlation: 'order-7' })];
  for (const each of [id, own]) await write(world, each, 'A', 4000);
  await world.crash();
  const seen = accepted.size;
  follow();
  for (const each of [id, own]) {
    await world.done(world.live.final(each, { kind: 'append', text: ' and B' }));
    await world.done(world.live.ended(each, NEVER));
  }
  const known = await world.done(world.live.get(id));
  expect(known).toMatchObject({ state: 'done', correlation: id });
  expect(seen).toBe(2);
  expect([...accepted]).toEqual([`${GROUP} ${id}`, `${OTHER} order-7`]);
});

test('a penalty of two hours: no call, no write, the final after it, other chats untouched', async () => {
  const world = await liveWorld();
  const [id, other] = [await world.open(), await world.open({ chat: OTHER })];
  for (let i = 0; i < 20; i++) {
    await write(world, id, ' before', 0);
    await write(world, other, ' fine', 1000);
  }
  world.model.freeze(world.token, GROUP, PENALTY_S, world.clock.now());
  const frozenAt = world.clock.now();
  for (let i = 0; i < 30; i++) {
    await write(world, id, ' during', 0);
    await write(world, other, ' fine', 1000);
  }
  const toldAt = world.calls.find(({ status }) => status === 429)!.arrivedAt;
  const deliveries = () =>
    [...world.disk.deliveries.values()].filter(({ chat }) => chat === GROUP).length;
  const [before, openAt] = [deliveries(), frozenAt + PENALTY_S * 1000];
  const late = await world.open({ thread: '7' });
  for (let i = 0; i < 60; i++) {
    await write(world, id, ' still', 0);
    await write(world, late, ' unseen', 30_000);
  }
  expect(deliveries()).toBe(before);
  expect((await world.live.get(late))!.waitsFor).toMatch(/chat -1001000000001 is frozen/);
  await world.done(world.live.cancel(late));
  expect((await world.live.get(id))!.waitsFor).toMatch(/chat -1001000000001 is frozen/);

  const final = await world.done(world.live.final(id, { kind: 'append', text: ' end' }));
  expect(final).toMatchObject({ kind: 'taken', view: { state: 'finishing' } });
  await world.run(openAt - world.clock.now() - 1000);
  const called = world.calls.filter(({ chat, arrivedAt }) => chat === GROUP && arrivedAt > toldAt);
  expect(called).toEqual([]);
  expect((await world.live.get(id))!.waitsFor).toMatch(/frozen.*expected in/);

  const ended = await world.done(world.live.ended(id, NEVER));
  expect(ended).toMatchObject({ state: 'done', waitsFor: null });
  expect(world.texts()).toHaveLength(1);
  expect(world.texts()[0]).toMatch(/^before.* still end$/);
  const others = world.calls.filter(({ chat, arrivedAt }) => chat === OTHER && arrivedAt > toldAt);
  expect(others.length).toBeGreaterThanOrEqual(6);
  expect(others.every(({ status }) => status === 200)).toBe(true);
});

test('while its chat is closed nothing of a stream is written down', async () => {
  const world = await liveWorld();
  world.model.freeze(world.token, GROUP, 600, world.clock.now());
  const call = { account: ACCOUNT, chat: GROUP, acceptedAt: world.clock.now() };
  await world.done(
    world.road.submit(aDelivery({ ...call, body: `{"chat_id":${GROUP},"text":"x"}` })),
  );
  await world.run(1000);
  const id = await world.open();
  for (let i = 0; i < 50; i++) await write(world, id, ' word', 5000);
  expect(world.disk.deliveries.size).toBe(1);
  expect(world.calls).toHaveLength(1);
  await world.run(600_000);
  // Its producer is silent by now, so it was its final that went.
  expect(world.texts().sort()).toEqual([' word'.repeat(50).trim(), 'x']);
});

describe('a process that ends in the middle', () => {
  // What may have arrived twice: a send whose answer the crash cut off is repeated, and its record says so.
  const doubts = (world: LiveWorld) =>
    [...world.disk.deliveries.values()].reduce((sum, { doubts }) => sum + doubts, 0);

  function checkOnce(world: LiveWorld, final: string): void {
    const texts = world.texts();
    expect(texts.length).toBeLessThanOrEqual(1 + doubts(world));
    expect(texts.at(-1)).toBe(final);
    const taken = world.calls.filter(({ acceptedAt }) => acceptedAt !== null);
    expect(taken.at(-1)!.text, 'no preview after the final').toBe(final);
  }

  const offsets = Array.from({ length: 60 }, (_, i) => i / 2);

  test.each(offsets)('%f ms after its first word', async (offsetMs) => {
    const world = await liveWorld({ seed: offsetMs + 1 });
    const id = await world.open();
    void world.live.change(id, { kind: 'append', text: 'First' });
    await world.run(offsetMs);
    await world.crash();
    await world.done(world.live.final(id, { kind: 'replace', text: 'First and last' }));
    await world.done(world.live.ended(id, NEVER));
    await world.run(60_000);
    checkOnce(world, 'First and last');
  });

  test.each(offsets)('%f ms after a text that its final takes back', async (offsetMs) => {
    const world = await liveWorld({ seed: offsetMs + 1 });
    const id = await world.open();
    await write(world, id, 'One', 4000);
    void world.live.change(id, { kind: 'replace', text: 'Two' });
    await world.run(offsetMs);
    await world.crash();
    await world.done(world.live.final(id, { kind: 'replace', text: 'One' }));
    await world.done(world.live.ended(id, NEVER));
    await world.run(60_000);
    expect(world.texts()).toEqual(['One']);
  });

  const seeds = Array.from({ length: 20 }, (_, i) => i + 1);

  test.each(seeds)('the producer goes on and ends it (seed %i)', async (seed) => {
    const world = await liveWorld({ seed });
    const random = seededRandom(seed);
    const id = await world.open();
    await write(world, id, 'A');
    await world.run(intBelow(random, 9000));
    // Whether this word was taken is not known: the producer says all of it with the final.
    void world.live.change(id, { kind: 'append', text: 'B' });
    await world.run(intBelow(random, 12));
    await world.crash();
    await world.run(intBelow(random, 9000));
    await world.done(world.live.final(id, { kind: 'replace', text: 'A, B and the end' }));
    await world.done(world.live.ended(id, NEVER));
    await world.run(60_000);
    checkOnce(world, 'A, B and the end');
  });

  test.each(seeds)('the producer is gone: what is on disk is the final (seed %i)', async (seed) => {
    const world = await liveWorld({ seed });
    const random = seededRandom(seed);
    const id = await world.open({ idleMs: 30_000 });
    await write(world, id, 'All that was said');
    await world.run(intBelow(random, 300));
    await world.crash();
    await world.run(25_000);
    expect(await world.live.get(id)).toMatchObject({ state: 'open' });
    await world.run(60_000);
    const view = await world.done(world.live.get(id));
    expect(view).toMatchObject({ state: 'done', reason: 'producer_silent' });
    checkOnce(world, 'All that was said');
  });

  test.each(seeds)('it ends while the final is written (seed %i)', async (seed) => {
    const world = await liveWorld({ seed });
    const random = seededRandom(seed);
    const id = await world.open({ idleMs: 30_000 });
    await write(world, id, 'Word', intBelow(random, 5000));
    void world.live.final(id, { kind: 'append', text: ' and end' });
    await world.run(intBelow(random, 40) / 2);
    await world.crash();
    await world.run(120_000);
    const view = await world.done(world.live.get(id));
    expect(view).toMatchObject({ state: 'done' });
    checkOnce(world, view!.reason === null ? 'Word and end' : world.texts().at(-1)!);
    expect(['Word', 'Word and end']).toContain(world.texts().at(-1));
    expect(world.live.list()).toEqual([]);
  });
});

describe('a producer that falls silent', () => {
  test('its stream is finished with what it had, and says why', async () => {
    const world = await liveWorld();
    const id = await world.open({ idleMs: 20_000 });
    await write(world, id, 'Half a', 15_000);
    await write(world, id, ' sentence', 15_000);
    expect(await world.live.get(id)).toMatchObject({ state: 'open' });
    await world.run(15_000);
    const view = await world.done(world.live.get(id));
    expect(view).toMatchObject({ state: 'done', reason: 'producer_silent' });
    expect(world.texts()).toEqual(['Half a sentence']);
    expect(world.events.at(-1)).toMatchObject({ kind: 'final', reason: 'producer_silent' });
  });

  test('one that never said anything leaves nothing behind', async () => {
    const world = await liveWorld();
    const id = await world.open({ idleMs: 5000 });
    await world.run(10_000);
    expect(await world.done(world.live.get(id))).toMatchObject({ state: 'done', messages: [] });
    expect(world.calls).toEqual([]);
  });
});

describe('bounds', () => {
  test('a full queue refuses the final, and the stream stays as it was', async () => {
    const world = await liveWorld({ queueMax: 2 });
    const id = await world.open();
    await write(world, id, 'Text', 1000);
    world.model.freeze(world.token, OTHER, 60, world.clock.now());
    const others = [await world.open({ chat: OTHER }), await world.open({ chat: OTHER })];
    for (const other of others) {
      await write(world, other, 'WaitFigures', 500);
      await world.done(world.live.final(other, { kind: 'append', text: ' for long' }));
    }
    const final = { kind: 'append', text: ' and end' } as const;
    const fed = await world.done(world.live.final(id, final));
    expect(fed).toEqual({ kind: 'queue_full', queueMax: 2 });
    expect(await world.live.get(id)).toMatchObject({ state: 'open', units: 4, finals: [] });
    await world.run(70_000);
    expect(await world.done(world.live.final(id, final))).toMatchObject({ kind: 'taken' });
    await world.done(world.live.ended(id, NEVER));
    expect(world.texts()).toEqual(['Text and end']);
  });

  test('a text that is too long is refused whole', async () => {
    const world = await liveWorld();
    const id = await world.open();
    await write(world, id, 'a'.repeat(99_990));
    const more = { kind: 'append', text: 'b'.repeat(11) } as const;
    const refused = { kind: 'too_long', unitsMax: 100_000 };
    expect(await world.done(world.live.change(id, more))).toEqual(refused);
    expect(await world.done(world.live.final(id, more))).toEqual(refused);
    expect(await world.live.get(id)).toMatchObject({ state: 'open', units: 99_990 });
  });

  test('too many streams are refused', async () => {
    const world = await liveWorld({ streamsMax: 2 });
    await world.open();
    const second = await world.open();
    const third = world.live.open(world.aStream());
    expect(await third).toEqual({ kind: 'full', streamsMax: 2 });
    await world.done(world.live.cancel(second));
    await world.open();
  });

  test('a key is its holder’s; one of before there were holders is found by all', async () => {
    const world = await liveWorld();
    const open = async (key: string) => {
      const opened = await world.done(world.live.open(world.aStream({ key })));
      return 'view' in opened ? [opened.kind, opened.view.id] : [opened.kind];
    };
    const [first, second, old] = [
      await open(ownKey('one', 'k')),
      await open(ownKey('two', 'k')),
      await open('old'),
    ];
    expect([first[0], second[0], old[0]]).toEqual(['opened', 'opened', 'opened']);
    expect(new Set([first[1], second[1], old[1]]).size).toBe(3);
    await world.crash();
    expect(await open(ownKey('one', 'k'))).toEqual(['repeated', first[1]]);
    expect(await open(ownKey('two', 'old'))).toEqual(['repeated', old[1]]);
    expect((await open(ownKey('two', ownKey('one', 'k'))))[0]).toBe('opened');
  });

  test('what nobody knows is unknown', async () => {
    const world = await liveWorld();
    const nothing = { kind: 'append', text: 'x' } as const;
    expect(await world.done(world.live.change('s-x', nothing))).toEqual({ kind: 'unknown' });
    expect(await world.done(world.live.get('s-x'))).toBeNull();
    expect(await world.done(world.live.ended('s-x', NEVER))).toBeNull();
  });
});

describe('a cancelled stream', () => {
  test('what was shown stays, and nothing more is', async () => {
    const world = await liveWorld();
    const id = await world.open();
    await write(world, id, 'Seen', 1000);
    await write(world, id, ' never', 500);
    const waiting = world.live.ended(id, NEVER);
    const fed = await world.done(world.live.cancel(id));
    expect(fed).toMatchObject({ kind: 'taken', view: { state: 'cancelled' } });
    expect(await waiting).toMatchObject({ state: 'cancelled' });
    await world.run(30_000);
    expect(world.texts()).toEqual(['Seen']);
    await world.crash();
    expect(world.live.list()).toEqual([]);
    expect(await world.done(world.live.get(id))).toMatchObject({ state: 'cancelled', units: 10 });
  });

  test('a preview that waits is withdrawn', async () => {
    const world = await liveWorld();
    world.model.freeze(world.token, GROUP, 60, world.clock.now());
    const id = await world.open();
    await write(world, id, 'Never', 1000);
    await world.done(world.live.cancel(id));
    await world.run(120_000);
    expect(world.texts()).toEqual([]);
    expect([...world.disk.deliveries.values()]).toMatchObject([{ state: 'cancelled' }]);
  });
});

describe('a store that cannot be written', () => {
  test('a change it did not take never was; one that nobody waits for is kept', async () => {
    const world = await liveWorld();
    const id = await world.open();
    await write(world, id, 'One', 5000);
    world.store.isBroken = true;
    const refused = world.done(world.live.change(id, { kind: 'append', text: ' two' }));
    await expect(refused).rejects.toThrow(JournalUnavailable);
    await expect(world.done(world.live.final(id, null))).rejects.toThrow(JournalUnavailable);
    await world.live.change(id, { kind: 'append', text: ' three' }, 'lazy');
    await world.run(10_000);
    expect(await world.live.get(id)).toMatchObject({ state: 'open', units: 9 });
    world.store.isBroken = false;
    await world.run(10_000);
    expect(world.texts()).toEqual(['One three']);
    await world.done(world.live.final(id, null));
    expect(await world.done(world.live.ended(id, NEVER))).toMatchObject({ state: 'done' });
  });

  test('a cancel that it did not take never was: until then its stream is told to be open', async () => {
    const world = await liveWorld();
    const id = await world.open();
    await write(world, id, 'One', 5000);
    const cancelling = world.live.cancel(id);
    expect(await world.live.get(id)).toMatchObject({ state: 'open', endedAt: null });
    world.store.isBroken = true;
    await expect(world.done(cancelling)).rejects.toThrow(JournalUnavailable);
    expect(await world.live.get(id)).toMatchObject({ state: 'open', endedAt: null });
    world.store.isBroken = false;
    await world.done(world.live.cancel(id));
    expect(await world.done(world.live.get(id))).toMatchObject({ state: 'cancelled' });
  });

  test('what nobody waited for is on disk when it is shown, and when the process stops', async () => {
    const world = await liveWorld();
    const id = await world.open();
    await world.live.change(id, { kind: 'append', text: 'Shown' }, 'lazy');
    await world.run(1000);
    expect(world.texts()).toEqual(['Shown']);
    expect(world.disk.streams.get(id)!.text).toBe('Shown');
    await world.live.change(id, { kind: 'append', text: ' and kept' }, 'lazy');
    expect(world.disk.streams.get(id)!.text).toBe('Shown');
    await world.done(world.live.stop(1000));
    expect(world.disk.streams.get(id)!.text).toBe('Shown and kept');
  });
});

describe('policies', () => {
  async function showings(settings: Parameters<typeof liveWorld>[0]) {
    const world = await liveWorld(settings);
    const ids = [await world.open(), await world.open({ thread: '7' })];
    for (let i = 0; i < 100; i++) {
      for (const id of ids) await world.done(world.live.change(id, { kind: 'append', text: ' w' }));
      await world.run(300);
    }
    return world;
  }

  test('strict spreads the budget, the others use what the limits allow', async () => {
    const strict = await showings({});
    const coalescing = await showings({ settings: { strategy: 'coalesce_only' } });
    const off = await showings({ settings: { qos: false } });
    // Some thirty seconds: a showing every 3.75 s, against the sixteen that a minute's window lets go at once.
    expect(strict.calls.length).toBeGreaterThanOrEqual(8);
    expect(strict.calls.length).toBeLessThanOrEqual(10);
    expect(coalescing.calls.length).toBe(16);
    expect(off.calls.length).toBe(16);
    for (const world of [strict, coalescing, off]) {
      expect(world.calls.every(({ status }) => status === 200)).toBe(true);
    }
  });

  test('a hard limit holds under any policy', async () => {
    const settings = { strategy: 'coalesce_only', outputMpmMax: 6 } as const;
    const { calls } = await showings({ settings });
    expect(calls.length).toBeLessThanOrEqual(4);
  });
});
