import { expect, test } from 'vitest';
import { FakeLive } from '../http/streams/streams.fixture.ts';
import { atEndOfTurn } from '../system/turn.ts';
import { type LostObserver, withObservers } from './observers.ts';
import type { NewStream } from './streams.ts';

const STREAM: NewStream = {
  ...{ account: 'telegram:1', platform: 'telegram', chat: '5', thread: null, session: null },
  ...{ user: null, correlation: null, priority: 'normal', format: 'plain', transport: null },
  params: {},
  idleMs: 1000,
};
const SCREEN: NewStream = { ...STREAM, account: 'terminal:local', platform: 'terminal', chat: 'c' };

function setUp() {
  const fake = new FakeLive(() => 0);
  const lost: LostObserver[] = [];
  const live = withObservers(fake, (one) => lost.push(one));
  const open = async (...observers: (NewStream | null | Promise<NewStream | null>)[]) => {
    const coming = observers.map((one) => Promise.resolve(one));
    const opened = await live.open({ ...STREAM, observers: coming });
    expect(opened.kind).toBe('opened');
  };
  const texts = () => [...fake.streams.values()].map(({ text, state }) => `${text} ${state}`);
  // Every step was begun before this one, and they go one after the other.
  const followed = () => new Promise<void>((resolve) => atEndOfTurn(resolve));
  return { fake, live, lost, open, texts, followed };
}

test('each observer has a stream of its own with the same text', async () => {
  const { fake, live, open, texts, followed, lost } = setUp();
  await open(SCREEN, { ...SCREEN, chat: 'd' });
  await live.change('stream1', { kind: 'append', text: 'grow' });
  await live.change('stream1', { kind: 'append', text: 'ing' }, 'lazy');
  await live.final('stream1', { kind: 'append', text: '.' });
  await followed();
  expect(texts()).toEqual(['growing. finishing', 'growing. finishing', 'growing. finishing']);
  expect(fake.opened.map(({ chat }) => chat)).toEqual(['5', 'c', 'd']);
  expect(fake.opened.every((one) => !('observers' in one))).toBe(true);
  expect(lost).toEqual([]);
});

test('an observer that comes late gets all of it, and a cancel reaches it too', async () => {
  const { live, open, texts, followed } = setUp();
  const coming = Promise.withResolvers<NewStream | null>();
  await open(coming.promise);
  await live.change('stream1', { kind: 'append', text: 'a' });
  await live.change('stream1', { kind: 'replace', text: 'b' });
  expect(texts()).toEqual(['b open']);
  coming.resolve(SCREEN);
  await followed();
  expect(texts()).toEqual(['b open', 'b open']);
  await live.cancel('stream1');
  await followed();
  expect(texts()).toEqual(['b cancelled', 'b cancelled']);
});

test('what the origin did not take nobody gets', async () => {
  const { fake, live, open, texts, followed } = setUp();
  await open(SCREEN);
  fake.unitsMax = 3;
  expect((await live.change('stream1', { kind: 'append', text: 'long' })).kind).toBe('too_long');
  await live.change('stream1', { kind: 'append', text: 'abc' });
  await followed();
  expect(texts()).toEqual(['abc open', 'abc open']);
});

test('an observer’s trouble is its own, and told once', async () => {
  const { fake, live, lost, open, texts, followed } = setUp();
  await open(SCREEN, null, Promise.reject(new Error('no platform')), { ...SCREEN, chat: 'full' });
  await followed();
  await fake.cancel('stream2');
  await live.change('stream1', { kind: 'append', text: 'a' });
  await live.change('stream1', { kind: 'append', text: 'b' });
  await followed();
  expect(texts()).toEqual(['ab open', ' cancelled', 'ab open']);
  expect(lost.toSorted((a, b) => a.observer - b.observer)).toEqual([
    { origin: 'stream1', observer: 0, reason: 'ended' },
    { origin: 'stream1', observer: 2, reason: 'no platform' },
  ]);
});

test('no more streams for observers than there may be, and no endless backlog', async () => {
  const { fake, live, lost, open, followed } = setUp();
  fake.streamsMax = 1;
  fake.unitsMax = 10_000;
  await open(SCREEN, new Promise(() => {}));
  await followed();
  for (let n = 0; n < 1001; n++) await live.change('stream1', { kind: 'append', text: 'x' });
  expect(lost).toEqual([
    { origin: 'stream1', observer: 0, reason: 'streams_full' },
    { origin: 'stream1', observer: 1, reason: 'too_late' },
  ]);
  expect((await live.get('stream1'))?.units).toBe(1001);
});
