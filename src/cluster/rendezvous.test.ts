import { expect, test } from 'vitest';
import { type HashedNode, ownerFor, rendezvous } from './rendezvous.ts';

const named = (name: string, startedAt = 0): HashedNode => ({
  name,
  incarnation: `${name}-${startedAt}`,
  startedAt,
});
const fleet = (size: number) => Array.from({ length: size }, (_, i) => named(`node-${i + 1}`));
const ACCOUNTS = Array.from({ length: 20_000 }, (_, i) => `telegram:${1_000_000 + i}`);

function counts(nodes: readonly HashedNode[]): number[] {
  const owners = rendezvous(nodes);
  const found = new Map(nodes.map(({ name }) => [name, 0]));
  for (const account of ACCOUNTS) {
    const { name } = owners.ownerOf(account)!;
    found.set(name, found.get(name)! + 1);
  }
  return [...found.values()];
}

test('no nodes: no owner', () => {
  expect(ownerFor('telegram:1', [])).toBeNull();
  expect(rendezvous([]).ranked('telegram:1')).toEqual([]);
});

test('every node that knows the same nodes names the same owner, in whatever order it knows them', () => {
  const nodes = fleet(7);
  const [a, b] = [rendezvous(nodes), rendezvous(nodes.toReversed())];
  for (const account of ACCOUNTS.slice(0, 1_000)) {
    expect(a.ownerOf(account)).toBe(b.ownerOf(account));
    expect(a.ranked(account)).toEqual(b.ranked(account));
    expect(a.ranked(account)[0]).toBe(a.ownerOf(account));
  }
});

// Nodes of different versions must agree, too.
test('the answer is the same in every process and release', () => {
  const names = ACCOUNTS.slice(0, 12).map((account) => ownerFor(account, fleet(5))!.name);
  expect(names.map((name) => name.slice('node-'.length)).join('')).toBe('551242555335');
});

test('accounts are spread evenly: within four standard deviations of the mean', () => {
  for (const size of [2, 3, 10, 40]) {
    const mean = ACCOUNTS.length / size;
    const tolerance = 4 * Math.sqrt(mean);
    for (const count of counts(fleet(size))) {
      expect(Math.abs(count - mean), `${count} of ${mean}`).toBeLessThan(tolerance);
    }
  }
});

test('who joins takes its share from all others alike, and nothing else moves', () => {
  const [before, after] = [rendezvous(fleet(9)), rendezvous(fleet(10))];
  const givers = new Map<string, number>();
  for (const account of ACCOUNTS) {
    const [from, to] = [before.ownerOf(account)!.name, after.ownerOf(account)!.name];
    if (from === to) continue;
    expect(to).toBe('node-10');
    givers.set(from, (givers.get(from) ?? 0) + 1);
  }
  expect(givers.size).toBe(9);
  const moved = [...givers.values()].reduce((sum, count) => sum + count, 0);
  expect(moved / ACCOUNTS.length).toBeGreaterThan(0.09);
  expect(moved / ACCOUNTS.length).toBeLessThan(0.11);
});

test('who leaves is followed by the next of each account, which is another each time', () => {
  const nodes = fleet(6);
  const after = rendezvous(nodes.slice(1));
  const heirs = new Set<string>();
  for (const account of ACCOUNTS.slice(0, 1_000)) {
    const [first, second] = rendezvous(nodes).ranked(account);
    const owner = after.ownerOf(account)!;
    expect(owner).toBe(first === nodes[0] ? second : first);
    if (first === nodes[0]) heirs.add(owner.name);
  }
  expect(heirs.size).toBe(5);
});

test('of two processes of one name the successor owns, and it owns what its predecessor did', () => {
  const nodes = fleet(4);
  const successor = named('node-2', 1);
  const both = rendezvous([...nodes, successor]);
  for (const account of ACCOUNTS.slice(0, 1_000)) {
    const before = ownerFor(account, nodes)!;
    expect(both.ownerOf(account)).toBe(before.name === 'node-2' ? successor : before);
    expect(both.ranked(account)).toHaveLength(4);
  }
});
