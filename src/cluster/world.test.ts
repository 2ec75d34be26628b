import { describe, expect, test } from 'vitest';
import { type MembershipPace, POSTGRES_PACE, REDIS_PACE } from './pace.ts';
import { FleetWorld } from './world.fixture.ts';
import type { Mistake } from './world-store.fixture.ts';

const SEEDS = 200;
const DISTURBED_MS = 40_000;
const PACES = { postgres: POSTGRES_PACE, redis: REDIS_PACE };
// After the last disturbance: whoever is dead expires and is taken over from, and what was handed over without a word
// is found by the next reading of all rows; then the rest settles, and what lies wrong is handed over.
const SENT_WITHIN_MS = { postgres: 10_000, redis: 6_000 };
const SETTLED_WITHIN_MS = 20_000;
const CALM_MS = 10_000;

async function lived(seed: number, mistake?: Mistake): Promise<string[]> {
  const kind = seed % 2 === 0 ? 'postgres' : 'redis';
  const world = new FleetWorld({
    ...{ seed, pace: PACES[kind] },
    ...(mistake !== undefined && { mistake }),
  });
  const { clock, store } = world;
  await world.disturb(DISTURBED_MS);
  world.heal();
  const healedAt = clock.now();
  await world.run(SENT_WITHIN_MS[kind]);
  const found = world.idleSince(healedAt);
  await world.run(SETTLED_WITHIN_MS - SENT_WITHIN_MS[kind]);
  found.push(...world.unsettled());
  const epochs = world.epochs;
  await world.run(CALM_MS);
  if (world.epochs.join() !== epochs.join()) found.push('accounts move although all is well');
  return [...store.violations, ...found].slice(0, 5).map((what) => `seed ${seed}: ${what}`);
}

describe('a fleet of five under freezes, crashes, cuts, lost and doubled messages and wrong clocks', () => {
  for (let first = 1; first <= SEEDS; first += 50) {
    test(`one sender per account, and all settles again: seeds ${first} to ${first + 49}`, async () => {
      for (let seed = first; seed < first + 50; seed++) expect(await lived(seed)).toEqual([]);
    });
  }
});

describe('a mistake is found', () => {
  const found = async (mistake: Mistake): Promise<string> => {
    for (let seed = 1; seed <= 40; seed++) {
      const [first] = await lived(seed, mistake);
      if (first !== undefined) return first;
    }
    return 'nothing';
  };

  test('begin without a look at the epoch', async () => {
    expect(await found('begin_without_epoch')).toMatch(/began account:\d+ at .*, which was/);
  });
  test('take-over that does not raise the epoch', async () => {
    expect(await found('take_over_keeps_epoch')).toMatch(/was given to .* and to/);
  });
  test('hand-over that goes on sending', async () => {
    expect(await found('hand_over_keeps_sending')).toMatch(/began account:\d+ at .*, which was/);
  });
  test('members that never expire', async () => {
    expect(await found('members_never_expire')).toMatch(/nothing sent; it is node/);
  });
  test('a call that leaves long after its begin', async () => {
    expect(await found('no_begin_guard')).toMatch(/ms after its begin/);
  });
});

describe.each(Object.entries(PACES))('at the pace of %s', (kind, pace: MembershipPace) => {
  const takeOverMsMax = kind === 'redis' ? 3_000 : 10_000;
  const calm = async (seed: number, nodes = 5) => {
    const world = new FleetWorld({ seed, pace, nodes, accounts: 60, answersLost: 0 });
    await world.run(30_000);
    expect(world.unsettled()).toEqual([]);
    return { world, opened: world.store.opened, total: world.store.accounts.length };
  };

  test(`what a dead node owned is sent for again within ${takeOverMsMax} ms`, async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const { world } = await calm(seed);
      const dead = world.nodes[seed % 5]!;
      dead.crash();
      const diedAt = world.clock.now();
      const owned = world.store.accounts.filter(
        (account) => world.store.rowOf(account).node === dead.incarnation,
      );
      expect(owned.length).toBeGreaterThan(0);
      await world.run(takeOverMsMax);
      for (const account of owned) {
        expect(world.store.rowOf(account).node).not.toBe(dead.incarnation);
        expect(world.store.sentAt.get(account)).toBeGreaterThan(diedAt + 100);
      }
    }
  });

  test('who joins moves its share and no more', async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const { world, opened, total } = await calm(seed, 4);
      world.start('node-9');
      await world.run(30_000);
      expect(world.unsettled()).toEqual([]);
      const moved = world.store.opened - opened;
      expect(moved).toBeGreaterThan(0);
      expect(moved).toBeLessThan((total / 5) * 1.8);
    }
  });

  test('who leaves hands over before it goes: its accounts are moved once, the others stay', async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const { world, opened } = await calm(seed);
      const leaving = world.nodes[seed % 5]!;
      const owned = world.store.accounts.filter(
        (account) => world.store.rowOf(account).node === leaving.incarnation,
      );
      void leaving.leave();
      await world.run(30_000);
      expect(world.unsettled()).toEqual([]);
      expect(world.store.opened - opened).toBe(owned.length);
    }
  });

  test('a node that starts again within its time gets back what it owned, and nothing else moves', async () => {
    const { world, opened } = await calm(1);
    const before = world.nodes[2]!;
    const owned = world.store.accounts.filter(
      (account) => world.store.rowOf(account).node === before.incarnation,
    );
    before.crash();
    const after = world.start(before.name);
    await world.run(20_000);
    expect(world.unsettled()).toEqual([]);
    expect(world.store.opened - opened).toBe(owned.length);
    for (const account of owned) {
      expect(world.store.rowOf(account).node).toBe(after.incarnation);
    }
  });
});
