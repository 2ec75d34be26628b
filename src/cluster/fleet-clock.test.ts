import { expect, test } from 'vitest';
import { Periodic } from '../system/periodic.ts';
import { steeredClock } from '../system/steered-clock.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { FleetClock } from './fleet-clock.ts';

const START = 1_800_000_000_000;

function aNode(machineOffMs: number, rate = 1) {
  const database = virtualClock(START);
  const machine = {
    now: () => START + machineOffMs + (database.now() - START) * rate,
    schedule: (at: number, run: () => void) =>
      database.schedule(START + (at - START - machineOffMs) / rate, run),
  };
  const clock = steeredClock(machine);
  const off: number[] = [];
  const away = { is: false, setByMs: 0 };
  const ask = async () => {
    if (away.is) throw new Error('away');
    return database.now() + away.setByMs;
  };
  const fleet = new FleetClock({ clock, ask, onOff: (byMs) => off.push(byMs) });
  const follow = () => fleet.start(new Periodic(clock, () => {}));
  return { clock, database, fleet, follow, away, off, error: () => clock.now() - database.now() };
}

test.each([-3_600_000, 0, 86_400_000])(
  'a machine that is off by %i ms: its node is not',
  async (off) => {
    const node = aNode(off);
    await node.fleet.set();
    expect(Math.abs(node.error())).toBeLessThan(0.01);
  },
);

test('a clock that drifts is followed, over times that the database is away', async () => {
  const node = aNode(5_000, 1.0001);
  await node.fleet.set();
  node.follow();
  for (let hour = 1; hour <= 6; hour++) {
    node.away.is = hour === 3;
    await node.database.run(START + hour * 3_600_000);
    // An hour of drift is 360 ms.
    if (hour !== 3) expect(Math.abs(node.error())).toBeLessThan(10);
  }
  await node.fleet.stop(0);
  expect(node.off).toEqual([]);
});

test('a clock of the database that is set is said, and followed without a step', async () => {
  const node = aNode(0);
  await node.fleet.set();
  node.follow();
  node.away.setByMs = 10_000;
  await node.database.run(START + 120_500);
  await node.fleet.stop(0);
  expect(node.off[0]).toBeCloseTo(10_000, -1);
  expect(node.error()).toBeGreaterThan(0);
  expect(node.error()).toBeLessThan(100);
});

test('while the database is away it cannot be set', async () => {
  const node = aNode(1_000);
  node.away.is = true;
  await expect(node.fleet.set()).rejects.toThrow('away');
  expect(node.error()).toBe(1_000);
});
