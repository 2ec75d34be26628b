import { describe, expect, test } from 'vitest';
import { type JobEvent, type JobOptions, Periodic } from './periodic.ts';
import { serviceContract } from './service.contract.ts';
import { virtualClock } from './virtual-clock.ts';

const START = 1_000_000;

function runner() {
  const clock = virtualClock(START);
  const events: JobEvent[] = [];
  const periodic = new Periodic(clock, (event) => void events.push(event));
  // When each run began, since the start.
  const began: number[] = [];
  const job = (options: Partial<JobOptions> = {}) => {
    const { run = () => {} } = options;
    return periodic.job({
      ...{ name: 'job', everyMs: 1_000, ...options },
      run(self) {
        began.push(clock.now() - START);
        return run(self);
      },
    });
  };
  const until = (ms: number) => clock.run(START + ms);
  return { clock, events, periodic, began, job, until };
}

describe('when it runs', () => {
  test('every interval, the first time after one', async () => {
    const { began, job, until } = runner();
    await job().start();
    await until(3_500);
    expect(began).toEqual([1_000, 2_000, 3_000]);
  });

  test('the first time at once where it is asked for', async () => {
    const { began, job, until } = runner();
    await job({ firstMs: 0 }).start();
    await until(1_500);
    expect(began).toEqual([0, 1_000]);
  });

  test('an interval that is computed is asked for at each beginning', async () => {
    const { clock, began, job, until } = runner();
    const next = [300, 500, 700, 10_000];
    await job({ everyMs: () => next.shift()! }).start();
    await until(2_000);
    expect(began).toEqual([300, 800, 1_500]);
    expect(clock.now()).toBe(START + 2_000);
  });

  test('it counts from beginning to beginning, and never overlaps itself', async () => {
    const { clock, began, job, until } = runner();
    const tookMs = [400, 2_500, 0];
    const run = () =>
      new Promise<void>((resolve) => {
        clock.schedule(clock.now() + (tookMs.shift() ?? 0), resolve);
      });
    await job({ run }).start();
    await until(5_600);
    expect(began).toEqual([1_000, 2_000, 4_500, 5_500]);
  });

  test('sooner when it asks for it, because there is more to do', async () => {
    const { began, job, until } = runner();
    let left = 2;
    await job({ run: (self) => left-- > 0 && self.within(20) }).start();
    await until(2_500);
    expect(began).toEqual([1_000, 1_020, 1_040, 2_040]);
  });

  test('asked for while it runs, it runs once more', async () => {
    const { began, job, until } = runner();
    const first = Promise.withResolvers<void>();
    const asked = job({ everyMs: Infinity, run: () => first.promise });
    await asked.start();
    for (let i = 0; i < 3; i++) asked.within(10 * i);
    await until(100);
    for (let i = 0; i < 3; i++) asked.within(10 * i);
    await until(200);
    expect(began).toEqual([0]);
    first.resolve();
    await until(10_000);
    expect(began).toEqual([0, 200]);
  });

  test('now: by a run that began after that', async () => {
    const { began, job, until } = runner();
    const runs = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const waiting = [...runs];
    const asked = job({ run: () => waiting.shift()?.promise });
    await asked.start();
    await until(1_000);
    let isDone = false;
    const done = asked.now().then(() => {
      isDone = true;
    });
    await until(1_100);
    runs[0]!.resolve();
    await until(1_200);
    expect([began, isDone]).toEqual([[1_000, 1_100], false]);
    runs[1]!.resolve();
    await done;
  });

  test('stopped, what waits for a run now is let go', async () => {
    const { began, job, until } = runner();
    const held = Promise.withResolvers<void>();
    const asked = job({ run: () => held.promise });
    await asked.start();
    await until(1_000);
    const done = asked.now();
    const stopped = asked.stop(5_000);
    held.resolve();
    await Promise.all([done, stopped]);
    expect(began).toEqual([1_000]);
  });
});

describe('a run that fails', () => {
  test('is reported, and followed by the next', async () => {
    const { events, job, periodic, until } = runner();
    const away = [true, true, false, false];
    const run = () => {
      if (away.shift()) throw new Error('the store is away');
    };
    await job({ run }).start();
    await until(4_500);
    expect(events).toMatchObject([
      { kind: 'failed', job: 'job', failuresInARow: 1, error: { message: 'the store is away' } },
      { kind: 'failed', job: 'job', failuresInARow: 2 },
      { kind: 'recovered', job: 'job', failures: 2 },
    ]);
    expect(periodic.standings()).toMatchObject([{ runs: 4, failures: 2, failuresInARow: 0 }]);
  });

  test('is said without what must not be read', async () => {
    const { job, periodic, until } = runner();
    const run = async () => {
      throw new Error('refused: Bearer abcdefghijklmnop');
    };
    await job({ run }).start();
    await until(1_500);
    const [{ lastError } = { lastError: null }] = periodic.standings();
    expect(lastError).toMatch(/^Error at system\/periodic\.test\.ts:\d+: refused: \[secret\]$/);
  });

  test('three in a row are a trouble', async () => {
    const { job, periodic, until } = runner();
    const run = () => Promise.reject(new Error('away'));
    await job({ run }).start();
    await until(2_500);
    expect(periodic.standings()).toMatchObject([{ state: 'ok' }]);
    await until(3_500);
    expect(periodic.standings()).toMatchObject([{ state: 'failing', failuresInARow: 3 }]);
  });
});

describe('how it stands', () => {
  test('before its first run, after it, and no more when it is stopped', async () => {
    const { clock, job, periodic, until } = runner();
    const run = () =>
      new Promise<void>((resolve) => {
        clock.schedule(clock.now() + 30, resolve);
      });
    const stopped = job({ run });
    expect(periodic.standings()).toMatchObject([{ name: 'job', runs: 0, nextRunAt: null }]);
    await stopped.start();
    const none = { lastRunAt: null, tookMs: null, lastError: null, nextRunAt: START + 1_000 };
    expect(periodic.standings()).toMatchObject([{ runs: 0, ...none }]);
    await until(1_010);
    expect(periodic.standings()).toMatchObject([{ isRunning: true, nextRunAt: null }]);
    await until(1_500);
    const ran = { lastRunAt: START + 1_000, tookMs: 30, nextRunAt: START + 2_000 };
    expect(periodic.standings()).toMatchObject([{ runs: 1, isRunning: false, ...ran }]);
    await stopped.stop(0);
    expect(periodic.standings()).toEqual([]);
  });

  test('a run that does not end makes the next one overdue', async () => {
    const { job, periodic, until } = runner();
    await job({ run: () => new Promise(() => {}) }).start();
    await until(30_000);
    expect(periodic.standings()).toMatchObject([{ state: 'ok', overdueMs: 28_000 }]);
    await until(40_000);
    expect(periodic.standings()).toMatchObject([{ state: 'overdue', overdueMs: 38_000 }]);
  });

  test('one that runs only when it is asked to is never late', async () => {
    const { job, periodic, until } = runner();
    await job({ everyMs: Infinity }).start();
    await until(1_000_000);
    expect(periodic.standings()).toMatchObject([{ state: 'ok', nextRunAt: null, overdueMs: 0 }]);
  });

  test('of one name there is one, until it is stopped', async () => {
    const { job } = runner();
    const first = job();
    expect(() => job()).toThrow(/job/);
    await first.stop(0);
    job();
  });
});

serviceContract('a periodic job', async () => {
  const { clock, began, job } = runner();
  let held: Promise<void> | null = null;
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    ...{ service: job({ run: () => held }), clock, deeds: () => began.length },
    work: {
      async begin() {
        held = promise;
        await clock.run(clock.now() + 1_000);
      },
      finish: resolve,
    },
  };
});
