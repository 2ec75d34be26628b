import { expect, test } from 'vitest';
import type { About, RoadEvent } from '../domain/event.ts';
import { createMemoryStore } from '../store/memory/memory.ts';
import { ALL_ACCOUNTS } from '../store/ports/minutes.ts';
import type { Store } from '../store/ports/store.ts';
import { Periodic } from '../system/periodic.ts';
import { seededRandom } from '../system/random.ts';
import { serviceContract } from '../system/service.contract.ts';
import { type VirtualClock, virtualClock } from '../system/virtual-clock.ts';
import { createMetrics } from '../telemetry/metrics/metrics.ts';
import { minutesSoFar, openHistory } from './history.ts';

const MINUTE = 60_000;
const DAY = 1440;
const START = 30_000_000 * MINUTE;
const EARLY_MS = 0.5;

const ABOUT: About = {
  ...{ seq: 1, id: 'a-1', correlation: 'a-1', account: 'telegram:1', chat: '1', lane: '1' },
  ...{ method: 'sendMessage', priority: 'normal' },
};

function sent(ageMs: number): RoadEvent {
  const move = { from: 'sending', to: 'sent', reason: null, dueAt: 0, ageMs } as const;
  return { kind: 'moved', at: 0, about: ABOUT, ...move };
}

function opened(journal: Store, clock: VirtualClock, seed: number) {
  const warned: object[] = [];
  const metrics = createMetrics({ process: false });
  const periodic = new Periodic(clock, (event) => event.kind === 'failed' && warned.push(event));
  const service = openHistory({ periodic, random: seededRandom(seed), journal }, metrics);
  return {
    service,
    tell: metrics.listen,
    warned,
    soFar: minutesSoFar({ clock, journal }, metrics),
  };
}

const pass = (clock: VirtualClock, ms: number) => clock.run(clock.now() + ms);

test('a timer that is early by less than a millisecond does not cut the minute in two', async () => {
  const { journal } = createMemoryStore();
  const clock = virtualClock(START);
  const seen = new Set<number>();
  const early: VirtualClock = {
    ...clock,
    schedule(at, run) {
      const isFirst = !seen.has(at);
      seen.add(at);
      return clock.schedule(isFirst ? at - EARLY_MS : at, run);
    },
  };
  const { service, tell } = opened(journal, early, 1);
  await service.start();
  for (let i = 1; i <= 3; i++) {
    tell(sent(10));
    await clock.run(START + i * MINUTE - EARLY_MS / 2);
    tell(sent(10));
    await clock.run(START + i * MINUTE);
  }
  await service.stop(1000);
  const minutes = await journal.minutes.since({ account: ALL_ACCOUNTS, minute: 0 });
  expect(minutes.map(({ sent: n }) => n)).toEqual([2, 2, 2]);
});

test('a minute is written when it is over, and adds up with what the next process counts in it', async () => {
  const { journal } = createMemoryStore();
  const clock = virtualClock(START);
  const since = () => journal.minutes.since({ account: ALL_ACCOUNTS, minute: 0 });
  const first = opened(journal, clock, 1);
  await first.service.start();
  first.tell(sent(10));
  expect(await since()).toEqual([]);
  await pass(clock, MINUTE);
  expect(await since()).toMatchObject([{ minute: START / MINUTE, sent: 1 }]);
  first.tell(sent(10));
  first.tell(sent(10));
  await first.service.stop(1000);
  const second = opened(journal, clock, 2);
  await second.service.start();
  second.tell(sent(10));
  await pass(clock, MINUTE);
  await second.service.stop(1000);
  const counted = (await since()).map(({ minute, sent: n }) => [minute - START / MINUTE, n]);
  expect(counted.toSorted()).toEqual([
    [0, 1],
    [1, 1],
    [1, 2],
  ]);
});

test('the minute that runs is told beside those that are over, and counted once', async () => {
  const { journal } = createMemoryStore();
  const clock = virtualClock(START);
  const { service, tell, soFar } = opened(journal, clock, 1);
  await service.start();
  const sentBy = async (account: string) =>
    (await soFar.since({ account, minute: 0 })).reduce((sum, { sent: n }) => sum + n, 0);
  tell(sent(10));
  expect([await sentBy(ALL_ACCOUNTS), await sentBy('telegram:1')]).toEqual([1, 1]);
  expect(await soFar.since({ account: ALL_ACCOUNTS, minute: 0 })).toMatchObject([
    { minute: START / MINUTE },
  ]);
  tell(sent(10));
  expect([await sentBy(ALL_ACCOUNTS), await sentBy('telegram:2')]).toEqual([2, 0]);
  await pass(clock, MINUTE);
  expect(await sentBy(ALL_ACCOUNTS)).toBe(2);
  await service.stop(1000);
});

test('a day is kept, and quiet minutes write nothing', async () => {
  const { journal } = createMemoryStore();
  const clock = virtualClock(START);
  const { service, tell } = opened(journal, clock, 1);
  await service.start();
  tell(sent(10));
  await pass(clock, 2 * MINUTE);
  tell(sent(10));
  await pass(clock, MINUTE);
  expect(await journal.minutes.since({ account: 'telegram:1', minute: 0 })).toHaveLength(2);
  await pass(clock, (DAY + 20) * MINUTE);
  expect(await journal.minutes.since({ account: 'telegram:1', minute: 0 })).toEqual([]);
  await service.stop(1000);
});

test('a store that fails is told of, and the next minute is written', async () => {
  const { journal } = createMemoryStore();
  const clock = virtualClock(START);
  let isFull = true;
  const minutes = {
    ...journal.minutes,
    save: (sums: Parameters<typeof journal.minutes.save>[0]) =>
      isFull ? Promise.reject(new Error('full')) : journal.minutes.save(sums),
  };
  const failing = Object.assign(Object.create(journal) as Store, { minutes });
  const { service, tell, warned } = opened(failing, clock, 1);
  await service.start();
  tell(sent(10));
  await pass(clock, MINUTE);
  expect(warned).toHaveLength(1);
  isFull = false;
  tell(sent(10));
  await pass(clock, MINUTE);
  expect(await journal.minutes.since({ account: '', minute: 0 })).toHaveLength(1);
  await service.stop(1000);
});

serviceContract('history', async () => {
  const { journal } = createMemoryStore();
  const clock = virtualClock(START);
  let deeds = 0;
  const prune = async () => {
    deeds += 1;
    return 0;
  };
  const minutes = { ...journal.minutes, prune };
  const counting = Object.assign(Object.create(journal) as Store, { minutes });
  return { ...opened(counting, clock, 1), clock, deeds: () => deeds, work: null };
});
