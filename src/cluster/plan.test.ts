import { expect, test } from 'vitest';
import type { AccountId } from '../domain/ids.ts';
import type { FleetNode, NodeState } from './coordination.ts';
import { type OwnerRow, type OwnershipFacts, planOwnership } from './plan.ts';
import { ownerFor } from './rendezvous.ts';

const node = (incarnation: string, state: NodeState = 'ready', name = incarnation): FleetNode => ({
  name,
  incarnation,
  state,
  url: `http://${name}`,
  startedAt: 0,
});
const [A, B, C] = [node('a'), node('b'), node('c')];
const ALL = [A, B, C];
const ACCOUNTS = Array.from({ length: 300 }, (_, i): AccountId => `telegram:${i}`);
const ofNode = (owner: FleetNode, nodes: readonly FleetNode[]) =>
  ACCOUNTS.filter((account) => ownerFor(account, nodes) === owner);

function planned(facts: Partial<OwnershipFacts>) {
  return planOwnership({
    ...{ self: 'a', members: ALL, rows: [], open: [], isSettled: true },
    handOversMax: 1_000,
    ...facts,
  });
}
const rowsOf = (owner: string | null, accounts = ACCOUNTS) =>
  accounts.map((account) => ({ account, node: owner }));

test('what nobody owns is opened by the node that hashing names, and by no other', () => {
  const opened = ALL.map(({ incarnation }) =>
    planned({ self: incarnation, rows: rowsOf(null), isSettled: false }),
  );
  expect(opened.flatMap(({ open }) => open).sort()).toEqual(ACCOUNTS.toSorted());
  expect(opened[0]!.open).toEqual(ofNode(A, ALL));
});

test('what a dead node owned is opened at once, spread over all that are left', () => {
  const shares = ['a', 'b'].map(
    (self) => planned({ self, members: [A, B], rows: rowsOf('c'), isSettled: false }).open.length,
  );
  expect(shares[0]! + shares[1]!).toBe(ACCOUNTS.length);
  for (const share of shares) expect(share).toBeGreaterThan(100);
});

test('what another live node owns is left, whoever should own it', () => {
  expect(planned({ rows: rowsOf('b') }).open).toEqual([]);
  expect(planned({ members: [A, node('b', 'leaving'), C], rows: rowsOf('b') }).open).toEqual([]);
});

test('what a node that is cut off from the store owned is opened by others, after a moment', () => {
  const members = [A, node('b', 'cut_off'), C];
  expect(planned({ members, rows: rowsOf('b') }).open).toEqual(ofNode(A, [A, C]));
  expect(planned({ members, rows: rowsOf('b'), isSettled: false }).open).toEqual([]);
});

test('an owner hands over what should be others’, and to them', () => {
  const { handOver, open } = planned({ open: ACCOUNTS, rows: rowsOf('a') });
  expect(open).toEqual([]);
  expect(handOver.map(({ account }) => account)).toEqual(
    ACCOUNTS.filter((account) => ownerFor(account, ALL) !== A),
  );
  for (const { account, to } of handOver) {
    expect(to).toBe(ownerFor(account, ALL)!.incarnation);
  }
});

test('nothing is handed over while nodes come and go', () => {
  expect(planned({ open: ACCOUNTS, isSettled: false }).handOver).toEqual([]);
});

test('hand-overs of one step are bounded', () => {
  const all = planned({ open: ACCOUNTS }).handOver;
  expect(planned({ open: ACCOUNTS, handOversMax: 7 }).handOver).toEqual(all.slice(0, 7));
  expect(planned({ open: ACCOUNTS, handOversMax: 0 }).handOver).toEqual([]);
});

test('a node that leaves opens nothing and hands over everything, also while others come and go', () => {
  const members = [node('a', 'leaving'), B, C];
  const plan = planned({ members, open: ACCOUNTS, rows: rowsOf(null), isSettled: false });
  expect(plan.open).toEqual([]);
  expect(planned({ members, open: ACCOUNTS, isSettled: false }).handOver).toHaveLength(300);
});

test('the others count a node that leaves no more: they open what it gives up', () => {
  const members = [node('a', 'leaving'), B, C];
  const opened = ['b', 'c'].flatMap((self) => [
    ...planned({ self, members, rows: rowsOf(null) }).open,
  ]);
  expect(opened.sort()).toEqual(ACCOUNTS.toSorted());
});

test('nobody to hand over to: it keeps what it has', () => {
  const members = [node('a', 'leaving'), node('b', 'cut_off')];
  expect(planned({ members, open: ACCOUNTS }).handOver).toEqual([]);
});

test('who is no member any more opens nothing and hands over nothing', () => {
  const plan = planned({ members: [B, C], open: ['telegram:1'], rows: rowsOf(null) });
  expect(plan).toMatchObject({ open: [], handOver: [] });
});

test('who is cut off from the store keeps what it has until another takes it', () => {
  const members = [node('a', 'cut_off'), B, C];
  expect(planned({ members, open: ACCOUNTS })).toMatchObject({ open: [], handOver: [], lost: [] });
});

test('what is open here and another’s in the store is lost, and not handed over', () => {
  const rows: OwnerRow[] = [
    { account: 'telegram:1', node: 'b' },
    { account: 'telegram:2', node: 'a' },
    { account: 'telegram:3', node: null },
  ];
  const open = rows.map(({ account }) => account);
  const plan = planned({ members: [A, B], rows, open });
  expect(plan.lost).toEqual(['telegram:1', 'telegram:3']);
  expect(plan.handOver.map(({ account }) => account)).not.toContain('telegram:1');
});

test('its own that is not open is opened again, whoever should own it', () => {
  expect(planned({ rows: rowsOf('a') }).open).toEqual(ACCOUNTS);
});

test('a successor of the same name waits for its predecessor to expire, then opens what that owned', () => {
  const successor = { ...node('a2', 'ready', 'a'), startedAt: 1 };
  const rows = rowsOf('a', ofNode(A, ALL));
  expect(planned({ self: 'a2', members: [A, successor, B, C], rows }).open).toEqual([]);
  expect(planned({ self: 'a2', members: [successor, B, C], rows }).open).toEqual(ofNode(A, ALL));
});
