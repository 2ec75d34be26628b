import { expect, test } from 'vitest';
import { FakeLive } from '../http/streams/streams.fixture.ts';
import { JournalUnavailable, TakenOver } from '../store/ports/unavailable.ts';
import { atEndOfTurn } from '../system/turn.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { type LostObserver, type ObserverPorts, withObservers } from './observers.ts';
import type { NewStream, OpenedStream, StreamView } from './streams.ts';

const STREAM: NewStream = {
  ...{ account: 'telegram:1', platform: 'telegram', chat: '5', thread: null, session: null },
  ...{ user: null, correlation: null, priority: 'normal', format: 'plain', transport: null },
  params: {},
  idleMs: 1000,
};
const SCREEN: NewStream = { ...STREAM, account: 'terminal:local', platform: 'terminal', chat: 'c' };
const LOST = { origin: 'stream1', account: SCREEN.account, correlation: 'stream1' };

function setUp(fake = new FakeLive(() => 0), ports: Partial<ObserverPorts> = {}) {
  const lost: LostObserver[] = [];
  const clock = virtualClock(0);
  const live = withObservers(fake, { clock, onLost: (one) => lost.push(one), ...ports });
  const open = async (...observers: (NewStream | null | Promise<NewStream | null>)[]) => {
    const coming = observers.map((one) => Promise.resolve(one));
    const opening = live.open({ ...STREAM, observers: coming });
    await followed();
    // Those that have not come by then are not waited for.
    await clock.run(clock.now() + 100);
    expect((await opening).kind).toBe('opened');
  };
  const texts = () => [...fake.streams.values()].map(({ text, state }) => `${text} ${state}`);
  // Every step was begun before this one, and they go one after the other.
  const followed = () => new Promise<void>((resolve) => atEndOfTurn(resolve));
  return { fake, live, lost, clock, open, texts, followed };
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
    { ...LOST, observer: 0, reason: 'ended' },
    // Whose it would have been was never known.
    { ...LOST, account: STREAM.account, observer: 2, reason: 'no platform' },
  ]);
});

test('no more streams for observers than there may be', async () => {
  const { fake, lost, open, followed } = setUp();
  fake.streamsMax = 1;
  await open(SCREEN, new Promise(() => {}));
  await followed();
  expect(lost).toEqual([{ ...LOST, observer: 0, reason: 'streams_full' }]);
});

test('who opens a stream is answered when its observers are on disk', async () => {
  const { fake, live } = setUp();
  const opened = await live.open({ ...STREAM, observers: [Promise.resolve(SCREEN)] });
  expect(opened.kind).toBe('opened');
  expect(fake.opened).toHaveLength(2);
  expect(fake.opened[1]).toMatchObject({ follows: { stream: 'stream1', observer: 0 } });
});

test('an end that nobody asked for is an end for observers too', async () => {
  const { fake, live, open, texts, followed, lost } = setUp();
  await open(SCREEN);
  await live.change('stream1', { kind: 'append', text: 'half' });
  await fake.fallSilent('stream1');
  await followed();
  expect(texts()).toEqual(['half finishing', 'half finishing']);
  expect(fake.streams.get('stream2')).toMatchObject({ reason: 'producer_silent' });
  expect(lost).toEqual([]);
});

test('a final for which there is no room yet is tried again', async () => {
  const { fake, live, clock, open, texts, followed, lost } = setUp();
  await open(SCREEN);
  await live.change('stream1', { kind: 'append', text: 'a' });
  fake.onFinal = (id) => {
    fake.isQueueFull = id === 'stream2';
  };
  await live.final('stream1', { kind: 'append', text: 'b' });
  await followed();
  expect(texts()).toEqual(['ab finishing', 'ab open']);
  fake.onFinal = () => {
    fake.isQueueFull = false;
    fake.failure = new JournalUnavailable('disk_full', '');
  };
  await clock.run(clock.now() + 1000);
  await followed();
  fake.onFinal = () => {
    fake.failure = null;
  };
  await clock.run(clock.now() + 1000);
  await followed();
  expect(texts()).toEqual(['ab finishing', 'ab finishing']);
  expect(lost).toEqual([]);
});

test.each([
  ['open', 'abc open'],
  ['final', 'abc finishing'],
  ['cancel', 'a cancelled'],
])('a new process takes them up: the origin’s %s', async (last, expected) => {
  const before = setUp();
  const { fake } = before;
  await before.open(SCREEN);
  await before.live.change('stream1', { kind: 'append', text: 'a' });
  await before.followed();
  // What came in the last moments the observer never heard of: as if it had been killed before.
  before.live.stop();
  if (last === 'cancel') await fake.cancel('stream1');
  else await fake.change('stream1', { kind: 'append', text: 'bc' });
  if (last === 'final') await fake.final('stream1', null);
  const { live, texts, followed } = setUp(fake);
  live.resume();
  await followed();
  expect(texts()[1]).toBe(expected);
  if (last !== 'open') return;
  await live.change('stream1', { kind: 'append', text: 'd' });
  await live.final('stream1', { kind: 'append', text: 'e' });
  await followed();
  expect(texts()).toEqual(['abcde finishing', 'abcde finishing']);
});

test('the same stream asked for again gets the observers it lacks, and each only once', async () => {
  const { fake, live, texts, followed } = setUp();
  const observed = (count: number) => ({
    ...STREAM,
    key: 'k',
    observers: Array.from({ length: count }, (_, n) =>
      Promise.resolve({ ...SCREEN, chat: `${n}` }),
    ),
  });
  await live.open(observed(1));
  await live.change('stream1', { kind: 'append', text: 'a' });
  expect((await live.open(observed(2))).kind).toBe('repeated');
  await live.change('stream1', { kind: 'append', text: 'b' });
  await followed();
  expect(fake.opened).toHaveLength(3);
  expect(texts()).toEqual(['ab open', 'ab open', 'ab open']);
});

// As another process that has the origin writes it down: nothing is heard of it here.
function written(fake: FakeLive, changes: Partial<StreamView>): void {
  Object.assign(fake.streams.get('stream1')!, changes);
}

test('an origin that another process has is seen in the store; its final when that is certain', async () => {
  const { fake, clock, open, texts, lost } = setUp();
  await open(SCREEN);
  const seen = () => clock.run(clock.now() + 2500);
  written(fake, { text: 'abc', changedAt: 1 });
  await seen();
  expect(texts()).toEqual(['abc open', 'abc open']);
  // The queue may still refuse it, and it goes on.
  written(fake, { text: 'abcd', state: 'finishing' });
  await seen();
  expect(texts()).toEqual(['abcd finishing', 'abc open']);
  written(fake, { finals: [7] });
  await seen();
  expect(texts()).toEqual(['abcd finishing', 'abcd finishing']);
  expect(lost).toEqual([]);
});

test('what is heard while the store is read is newer than what was read', async () => {
  const { fake, live, clock, open, texts, followed } = setUp();
  await open(SCREEN);
  const read = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const get = fake.get.bind(fake);
  fake.get = async (id) => {
    const view = await get(id);
    begun.resolve();
    await read.promise;
    return view;
  };
  const passing = clock.run(clock.now() + 500);
  await begun.promise;
  await live.change('stream1', { kind: 'append', text: 'a' });
  await followed();
  read.resolve();
  await passing;
  await followed();
  expect(texts()).toEqual(['a open', 'a open']);
});

test('while its origin is silent an observer is kept alive, also while the store is away', async () => {
  const { fake, clock, open, lost } = setUp();
  await open(SCREEN);
  const signs = () => fake.changes.filter(({ text }) => text === '').length;
  await clock.run(clock.now() + 10_000);
  expect(signs()).toBe(4);
  const get = fake.get.bind(fake);
  fake.get = () => Promise.reject(new JournalUnavailable('journal_failed', 'away'));
  await clock.run(clock.now() + 10_000);
  expect(signs()).toBe(8);
  // One that is forgotten says no more.
  fake.get = async (id) => (id === 'stream1' ? null : get(id));
  await clock.run(clock.now() + 10_000);
  expect(signs()).toBe(8);
  expect(lost).toEqual([]);
});

test('who has an observer’s account leads it, and leaves it when another does', async () => {
  const { live, open, texts, followed, lost } = setUp();
  await open(SCREEN);
  live.leave(SCREEN.account);
  await live.change('stream1', { kind: 'append', text: 'a' });
  await followed();
  expect(texts()).toEqual(['a open', ' open']);
  live.resume();
  await followed();
  expect(texts()).toEqual(['a open', 'a open']);
  expect(lost).toEqual([]);
});

test('an observer is opened at its owner; where nobody can be asked, again', async () => {
  const asked: NewStream[] = [];
  const openAtOwner = async (stream: NewStream): Promise<OpenedStream> => {
    asked.push(stream);
    if (asked.length === 1) throw new TakenOver();
    return { kind: 'full', streamsMax: 1 };
  };
  const { clock, open, lost, fake } = setUp(new FakeLive(() => 0), { openAtOwner });
  await open(SCREEN);
  await clock.run(clock.now() + 1000);
  const follows = { stream: 'stream1', observer: 0 };
  expect(asked).toMatchObject([
    { ...SCREEN, correlation: 'stream1', follows },
    { ...SCREEN, correlation: 'stream1', follows },
  ]);
  expect(asked[0]!.key).toBe(asked[1]!.key);
  expect(fake.opened).toHaveLength(1);
  expect(lost).toEqual([{ ...LOST, observer: 0, reason: 'streams_full' }]);
});

test('origins elsewhere are read one at a time, and all in their turn', async () => {
  const { fake, live, clock, followed } = setUp();
  fake.streamsMax = 100;
  const ORIGINS = 20;
  for (let n = 0; n < ORIGINS; n++) {
    await live.open({
      ...STREAM,
      key: `${n}`,
      observers: [Promise.resolve({ ...SCREEN, chat: `${n}` })],
    });
  }
  await followed();
  let [reading, most] = [0, 0];
  const read = new Set<string>();
  const get = fake.get.bind(fake);
  fake.get = async (id) => {
    reading += 1;
    most = Math.max(most, reading);
    const view = await get(id);
    reading -= 1;
    read.add(id);
    return view;
  };
  await clock.run(clock.now() + 2_500);
  expect(most).toBe(1);
  expect(read.size).toBe(ORIGINS);
});

test('an observer whose account another has by now is followed there, and not here', async () => {
  const { fake, live, clock, open, texts, lost } = setUp();
  await open(SCREEN);
  const change = fake.change.bind(fake);
  let asked = 0;
  fake.change = (id, what, lazy) => {
    if (id === 'stream1') return change(id, what, lazy);
    asked += 1;
    return Promise.reject(new TakenOver());
  };
  await live.change('stream1', { kind: 'append', text: 'a' });
  await clock.run(clock.now() + 10_000);
  expect(asked).toBe(1);
  expect(texts()).toEqual(['a open', ' open']);
  expect(lost).toEqual([]);
});
