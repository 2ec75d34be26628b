// What everyone who starts and stops a service relies on. The fixture makes the service busy and counts what it
// does of its own accord; the suite only starts, stops and lets virtual time pass.

import { describe, expect, test } from 'vitest';
import { intBelow, seededRandom } from './random.ts';
import type { Service } from './service.ts';
import type { VirtualClock } from './virtual-clock.ts';

export interface ServiceFixture {
  readonly service: Service;
  readonly clock: VirtualClock;
  // How much it has done by itself so far; grows as time passes while it runs.
  deeds(): number;
  // Work that a stop must wait for, begun at the next turn and ended by `finish`; null: it has none.
  readonly work: { begin(): Promise<void>; finish(): void } | null;
}

const LONG_MS = 10 * 60_000;
const DEADLINE_MS = 8_000;
const STRESS_ROUNDS = 200;

export function serviceContract(name: string, open: () => Promise<ServiceFixture>): void {
  describe(`${name} keeps the service contract`, () => {
    lifecycle(open);
    draining(open);
    stress(open);
  });
}

const pass = ({ clock }: ServiceFixture, ms: number) => clock.run(clock.now() + ms);

// Resolves when the promise has, letting virtual time pass; how much of it.
async function timeOf(fixture: ServiceFixture, promise: Promise<void>): Promise<number> {
  const { clock } = fixture;
  const from = clock.now();
  let isDone = false;
  void promise.finally(() => {
    isDone = true;
  });
  await pass(fixture, 0);
  while (!isDone && clock.now() - from < LONG_MS) await pass(fixture, 1);
  await promise;
  return clock.now() - from;
}

async function expectSilence(fixture: ServiceFixture): Promise<void> {
  const before = fixture.deeds();
  await pass(fixture, LONG_MS);
  expect(fixture.deeds()).toBe(before);
}

function lifecycle(open: () => Promise<ServiceFixture>): void {
  test('does nothing before it is started, and something after', async () => {
    const fixture = await open();
    await expectSilence(fixture);
    await timeOf(fixture, fixture.service.start());
    const before = fixture.deeds();
    await pass(fixture, LONG_MS);
    expect(fixture.deeds()).toBeGreaterThan(before);
    await timeOf(fixture, fixture.service.stop(0));
  });

  test('started twice runs once', async () => {
    const [once, twice] = [await open(), await open()];
    await timeOf(once, once.service.start());
    const { service } = twice;
    await timeOf(
      twice,
      Promise.all([service.start(), service.start()]).then(() => {}),
    );
    await timeOf(twice, service.start());
    await pass(once, LONG_MS);
    await pass(twice, LONG_MS);
    expect(twice.deeds()).toBe(once.deeds());
    for (const fixture of [once, twice]) await timeOf(fixture, fixture.service.stop(0));
  });

  test('stopped, it is silent; stopped again, it stays so', async () => {
    const fixture = await open();
    const { service } = fixture;
    await timeOf(fixture, service.start());
    await pass(fixture, LONG_MS);
    const stops = [service.stop(DEADLINE_MS), service.stop(DEADLINE_MS)];
    expect(
      await timeOf(
        fixture,
        Promise.all(stops).then(() => {}),
      ),
    ).toBeLessThan(DEADLINE_MS);
    expect(await timeOf(fixture, service.stop(DEADLINE_MS))).toBeLessThan(DEADLINE_MS);
    await expectSilence(fixture);
  });

  test('a stop before the start is the end of it', async () => {
    const fixture = await open();
    await timeOf(fixture, fixture.service.stop(DEADLINE_MS));
    await timeOf(fixture, fixture.service.start());
    await expectSilence(fixture);
  });

  test('a stop in the middle of a start wins', async () => {
    const fixture = await open();
    const starting = fixture.service.start();
    await timeOf(fixture, fixture.service.stop(DEADLINE_MS));
    await timeOf(fixture, starting);
    await expectSilence(fixture);
  });
}

function draining(open: () => Promise<ServiceFixture>): void {
  test('a stop waits until the work is done', async () => {
    const fixture = await open();
    const { service, clock, work } = fixture;
    if (work === null) return;
    await timeOf(fixture, service.start());
    await work.begin();
    await pass(fixture, 0);
    const doneAt = clock.now() + DEADLINE_MS / 2;
    clock.schedule(doneAt, work.finish);
    await timeOf(fixture, service.stop(DEADLINE_MS));
    expect(clock.now()).toBeGreaterThanOrEqual(doneAt);
    expect(clock.now()).toBeLessThan(doneAt + DEADLINE_MS / 2);
    await expectSilence(fixture);
  });

  test('but not beyond the deadline, and what ends later starts nothing', async () => {
    const fixture = await open();
    const { service, work } = fixture;
    if (work === null) return;
    await timeOf(fixture, service.start());
    await work.begin();
    await pass(fixture, 0);
    const took = await timeOf(fixture, service.stop(DEADLINE_MS));
    expect(Math.abs(took - DEADLINE_MS)).toBeLessThanOrEqual(1);
    const before = fixture.deeds();
    work.finish();
    await pass(fixture, LONG_MS);
    expect(fixture.deeds()).toBe(before);
  });
}

function stress(open: () => Promise<ServiceFixture>): void {
  test('starts and stops in any order and at any moment leave nothing running', async () => {
    for (let seed = 1; seed <= STRESS_ROUNDS; seed++) {
      const random = seededRandom(seed);
      const fixture = await open();
      const { service, work } = fixture;
      const under: Promise<void>[] = [];
      for (let i = 0; i < 8; i++) {
        const dice = intBelow(random, 5);
        if (dice < 2) under.push(service.start());
        else if (dice === 2) under.push(service.stop(intBelow(random, 3) * 500));
        else if (dice === 3) await pass(fixture, intBelow(random, 2_000));
        else if (work !== null && random.next() < 0.5) await work.begin();
      }
      under.push(service.stop(intBelow(random, 3) * 500));
      await timeOf(
        fixture,
        Promise.all(under).then(() => {}),
      );
      work?.finish();
      await pass(fixture, 0);
      const before = fixture.deeds();
      await pass(fixture, LONG_MS);
      expect(fixture.deeds(), `seed ${seed}`).toBe(before);
    }
  });
}
