import { expect, test } from 'vitest';
import { delivered, REFUSED } from '../store/contract/journal.fixture.ts';
import { createMemoryStore } from '../store/memory/memory.ts';
import { Periodic } from '../system/periodic.ts';
import { serviceContract } from '../system/service.contract.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { createRetention, type PruneStep, type RetentionSettings } from './retention.ts';

const SETTINGS: RetentionSettings = {
  keepMs: 10_000,
  keepDeadMs: 20_000,
  stepMax: 2,
  pauseMs: 20,
  everyMs: 1_000,
};

test('forgets in bounded steps with a pause between, then looks again later', async () => {
  const { journal, ledger } = createMemoryStore();
  const clock = virtualClock(3_000);
  for (let i = 0; i < 5; i += 1) await delivered(journal, {}, { endedAt: 3_000 + i });
  const steps: [number, number][] = [];
  const prune = async (command: PruneStep) => {
    const removed = await journal.prune(command);
    if (removed > 0) steps.push([clock.now(), removed]);
    return removed;
  };
  const periodic = new Periodic(clock);
  const retention = createRetention({ periodic, name: 'forget', prune }, SETTINGS);
  await retention.start();
  await clock.run(13_000);
  expect(await ledger.countByState()).toMatchObject([{ count: 5 }]);
  await clock.run(14_500);
  expect(steps.map(([, removed]) => removed)).toEqual([2, 2, 1]);
  expect(steps[1]![0] - steps[0]![0]).toBe(SETTINGS.pauseMs);
  expect(await ledger.countByState()).toEqual([]);
  await retention.stop(1_000);
});

test('keeps dead letters longer', async () => {
  const { journal, ledger } = createMemoryStore();
  const clock = virtualClock(3_000);
  await delivered(journal, {}, { endedAt: 3_000 });
  await delivered(journal, {}, { ...REFUSED, endedAt: 3_000 });
  const prune = (command: PruneStep) => journal.prune(command);
  const periodic = new Periodic(clock);
  const retention = createRetention({ periodic, name: 'forget', prune }, SETTINGS);
  await retention.start();
  await clock.run(22_900);
  expect(await ledger.countByState()).toMatchObject([{ state: 'dead', count: 1 }]);
  await clock.run(25_000);
  expect(await ledger.countByState()).toEqual([]);
  await retention.stop(1_000);
});

test('a store that refuses is asked again; after the stop nothing is', async () => {
  const clock = virtualClock(0);
  const failures: unknown[] = [];
  let calls = 0;
  const prune = async () => {
    calls += 1;
    throw new Error('disk full');
  };
  const periodic = new Periodic(clock, ({ kind }) => kind === 'failed' && failures.push(kind));
  const retention = createRetention({ periodic, name: 'forget', prune }, SETTINGS);
  await retention.start();
  await retention.start();
  await clock.run(2_500);
  expect([calls, failures.length]).toEqual([3, 3]);
  await retention.stop(1_000);
  await retention.stop(1_000);
  await clock.run(9_000);
  expect(calls).toBe(3);
});

serviceContract('retention', async () => {
  const clock = virtualClock(0);
  let steps = 0;
  let held: Promise<void> | null = null;
  const { promise, resolve } = Promise.withResolvers<void>();
  const prune = async () => {
    steps += 1;
    await held;
    return 0;
  };
  const periodic = new Periodic(clock);
  const work = {
    async begin() {
      held = promise;
      await clock.run(clock.now() + SETTINGS.everyMs);
    },
    finish: resolve,
  };
  const service = createRetention({ periodic, name: 'forget', prune }, SETTINGS);
  return { service, clock, deeds: () => steps, work };
});
