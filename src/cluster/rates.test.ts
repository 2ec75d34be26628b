import { expect, test } from 'vitest';
import { FLEET_PATHS } from '../domain/fleet.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { aNode } from './coordination.contract.ts';
import type { FleetNode } from './coordination.ts';
import type { PeerValue } from './peers.ts';
import { FleetRates, type RateQuestion } from './rates.ts';
import { ownerFor } from './rendezvous.ts';

const KEY = 'k1';
const MINUTE_MS = 60_000;

function fleet(names: readonly string[]) {
  const clock = virtualClock(1_800_000_000_000);
  const silent = new Set<string>();
  const state = { members: names.map((name) => aNode(name)) as readonly FleetNode[] };
  const all = state.members;
  const rates = new Map(
    all.map(({ incarnation: self }) => {
      const ask = async (node: { url: string }, path: string, question: object) => {
        const to = all.find(({ url }) => url === node.url)!;
        if (silent.has(to.name)) return { kind: 'unsent' } as const;
        const asked = rates.get(to.incarnation)!;
        const { key } = question as RateQuestion;
        const value: object =
          path === FLEET_PATHS.uses
            ? { uses: asked.usesOf(key) }
            : { waitMs: await asked.grant(question as RateQuestion) };
        return { kind: 'answered', value: JSON.parse(JSON.stringify(value)) } as PeerValue;
      };
      const members = () => state.members;
      return [self, new FleetRates({ clock, peers: { ask }, self, members })] as const;
    }),
  );
  const at = (node: FleetNode) => rates.get(node.incarnation)!;
  const home = () => ownerFor(`key ${KEY}`, state.members)!;
  // How many of so many uses, by turns at all members, are let through.
  const admitted = async (count: number, perMinute: number) => {
    const { members } = state;
    const taken = await Promise.all(
      Array.from({ length: count }, (_, i) =>
        at(members[i % members.length]!).take(KEY, perMinute),
      ),
    );
    return taken.filter((waitMs) => waitMs <= 0).length;
  };
  return { clock, silent, state, all, at, home, admitted };
}

test('over all nodes together no more than the rate, and all of it at any one of them', async () => {
  const { clock, all, at, admitted } = fleet(['amy', 'bob', 'cid']);
  expect(await admitted(100, 40)).toBe(40);
  expect(await at(all[1]!).take(KEY, 40)).toBe(MINUTE_MS);
  await clock.run(clock.now() + MINUTE_MS);
  const alone = await Promise.all(Array.from({ length: 50 }, () => at(all[2]!).take(KEY, 40)));
  expect(alone.filter((waitMs) => waitMs === 0)).toHaveLength(40);
});

test('a new home knows what was used under the one before, whether that one left or died', async () => {
  for (const dies of [false, true]) {
    const { clock, silent, state, home, admitted } = fleet(['amy', 'bob', 'cid', 'dan']);
    await clock.run(clock.now() + 1_000);
    expect(await admitted(20, 40)).toBe(20);
    const first = home();
    if (dies) silent.add(first.name);
    state.members = state.members.filter((node) => node !== first);
    // What it used itself is forgotten with it, as at a restart of a single process.
    expect(await admitted(100, 40)).toBe(25);
    state.members = [...state.members, first];
    silent.clear();
    expect(await admitted(100, 40)).toBe(0);
  }
});

test('while the home is silent each has its share', async () => {
  const { silent, home, state, at } = fleet(['amy', 'bob', 'cid', 'dan']);
  silent.add(home().name);
  const others = state.members.filter((node) => node !== home());
  let admitted = 0;
  for (const node of others) {
    for (let i = 0; i < 30; i++) if ((await at(node).take(KEY, 40)) === 0) admitted += 1;
  }
  expect(admitted).toBe(30);
});
