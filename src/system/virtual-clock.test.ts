import { describe, expect, test } from 'vitest';
import { sleep } from './clock.ts';
import { intBelow, seededRandom } from './random.ts';
import { virtualClock } from './virtual-clock.ts';

test('timers that arm each other without end are found, with who arms them', async () => {
  const clock = virtualClock(0, { timersAtOnceMax: 100 });
  const armAgain = () => void clock.schedule(clock.now(), armAgain);
  clock.schedule(7, armAgain);
  await expect(clock.run(60_000)).rejects.toThrow(/101 timers ran at 1970.* armed by\n.*armAgain/);
  const calm = virtualClock(0, { timersAtOnceMax: 100 });
  let fired = 0;
  const goOn = () => {
    fired += 1;
    calm.schedule(calm.now() + (fired % 2), goOn);
  };
  goOn();
  await calm.run(300);
  expect(fired).toBeGreaterThan(500);
});

describe('virtual clock', () => {
  test('fires in order of time, equal times in order of insertion', async () => {
    const clock = virtualClock(1000);
    const fired: string[] = [];
    clock.schedule(3000, () => fired.push('late'));
    clock.schedule(2000, () => fired.push('first of two'));
    clock.schedule(2000, () => fired.push('second of two'));
    clock.schedule(5000, () => fired.push('beyond'));
    await clock.run(4000);
    expect(fired).toEqual(['first of two', 'second of two', 'late']);
    expect(clock.now()).toBe(4000);
  });

  test('what a timer sets in motion has settled before the next timer', async () => {
    const clock = virtualClock(0);
    const seen: string[] = [];
    clock.schedule(1, async () => {
      for (let i = 0; i < 50; i++) await null;
      seen.push('settled');
    });
    clock.schedule(2, () => seen.push('next'));
    await clock.run(2);
    expect(seen).toEqual(['settled', 'next']);
  });

  test('where only promises are set in motion no turn of the loop is waited for', async () => {
    const clock = virtualClock(0, { promisesOnly: true });
    const seen: string[] = [];
    clock.schedule(1, async () => {
      for (let i = 0; i < 50; i++) await null;
      process.nextTick(() => seen.push('settled'));
    });
    clock.schedule(2, () => seen.push('next'));
    setImmediate(() => seen.push('turn'));
    await clock.run(0);
    seen.length = 0;
    setImmediate(() => seen.push('turn'));
    await clock.run(2);
    // The first turn of a run is one of the loop, as ever.
    expect(seen).toEqual(['turn', 'settled', 'next']);
  });

  test('a cancelled timer never fires, a time that has passed fires now', async () => {
    const clock = virtualClock(100);
    let fired = 0;
    clock.schedule(150, () => fired++).cancel();
    clock.schedule(7, () => {
      fired += 10;
    });
    await clock.run(200);
    expect(fired).toBe(10);
  });

  test('sleepers wake at their own time', async () => {
    const clock = virtualClock(0);
    const woke: number[] = [];
    const sleeper = async () => {
      for (let i = 0; i < 3; i++) {
        await sleep(clock, 10);
        woke.push(clock.now());
      }
    };
    void sleeper();
    await clock.run(100);
    expect(woke).toEqual([10, 20, 30]);
  });

  test('many timers in any order come out sorted', async () => {
    const clock = virtualClock(0);
    const random = seededRandom(7);
    let last = 0;
    let fired = 0;
    for (let i = 0; i < 20_000; i++) {
      clock.schedule(intBelow(random, 5000), () => {
        expect(clock.now()).toBeGreaterThanOrEqual(last);
        last = clock.now();
        fired += 1;
      });
    }
    await clock.run(5000);
    expect(fired).toBe(20_000);
    expect(clock.pending()).toBe(0);
  });
});
