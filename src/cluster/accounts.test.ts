// Which accounts are a node's, and where it says the others are.

import { expect, test } from 'vitest';
import type { AccountId } from '../domain/ids.ts';
import type { StoredOwner } from '../store/ports/fleet.ts';
import { atEndOfTurn } from '../system/turn.ts';
import { FleetAccounts } from './accounts.ts';
import type { FleetNode } from './coordination.ts';
import { ownerFor } from './rendezvous.ts';

const node = (name: string, state: FleetNode['state'] = 'ready'): FleetNode => ({
  ...{ name, incarnation: `i-${name}`, url: `http://${name}`, startedAt: 0, state },
});
const NODES = [node('a'), node('b'), node('c')];
const SELF = 'i-a';
const named = Array.from({ length: 100 }, (_, i): AccountId => `telegram:${i}`);
const ownedBy = (name: string) => named.find((id) => ownerFor(id, NODES)?.name === name)!;

function aNode(
  rows: StoredOwner[] = [],
  members: readonly FleetNode[] = NODES,
  isStoreAway = () => false,
  lookAgain = async () => {},
  onFailure: (error: unknown) => void = (error) => {
    throw error;
  },
) {
  const did: string[] = [];
  const at: { failure: Error | null } = { failure: null };
  const accounts = new FleetAccounts({
    store: {
      ownersBut: async (nodes) => rows.filter(({ node: of }) => of === null || !nodes.includes(of)),
      ownerOf: async (id) => rows.find(({ account }) => account === id) ?? null,
    },
    self: SELF,
    members: () => members,
    lookAgain,
    isStoreAway,
    road: {
      take: async (id) => {
        did.push(`take ${id}`);
        return !id.endsWith('taken');
      },
      handOver: async (id) => void did.push(`hand over ${id}`),
    },
    services: () => [
      {
        take: async (id) => {
          if (at.failure !== null) throw at.failure;
          did.push(`service takes ${id}`);
        },
        leave: async (id) => void did.push(`service leaves ${id}`),
      },
    ],
    handOverMsMax: 1_000,
    count: () => {},
    onFailure,
  });
  return { accounts, did, at };
}

const row = (account: AccountId, owner: string | null): StoredOwner => ({
  ...{ account, node: owner, epoch: 3 },
});

test('a request for what nobody has opens it where hashing says, once', async () => {
  const { accounts, did } = aNode();
  const [own, other] = [ownedBy('a'), ownedBy('b')];
  const asked = await Promise.all([accounts.whereIs(own), accounts.whereIs(own)]);
  expect(asked).toEqual([{ kind: 'here' }, { kind: 'here' }]);
  expect(did).toEqual([`take ${own}`, `service takes ${own}`]);
  expect(accounts.isHere(own)).toBe(true);
  expect(await accounts.whereIs(other)).toMatchObject({ kind: 'there', node: { name: 'b' } });
  // Who is asked for it by another says the same, and takes nothing that is not its own.
  expect(await accounts.claim(other)).toMatchObject({ kind: 'there', node: { name: 'b' } });
  expect(did).toHaveLength(2);
});

test('what a live node has is left to it, whatever hashing says; of a dead one it is taken', async () => {
  const [kept, left] = named.filter((id) => ownerFor(id, NODES)?.name === 'a');
  const { accounts } = aNode([row(kept!, 'i-c'), row(left!, 'i-gone')]);
  expect(await accounts.whereIs(kept!)).toMatchObject({ kind: 'there', node: { name: 'c' } });
  expect(await accounts.whereIs(left!)).toEqual({ kind: 'here' });
});

test('an owner that is not known may have joined just now: it is looked for before it is taken over from', async () => {
  const own = ownedBy('a');
  const members = [...NODES];
  const joined = async () => void members.push(node('d'));
  const { accounts, did } = aNode([row(own, 'i-d')], members, () => false, joined);
  expect(await accounts.whereIs(own)).toMatchObject({ kind: 'there', node: { name: 'd' } });
  expect(did).toEqual([]);
});

test('a node that does not reach the store keeps nothing, and one that leaves is given nothing', async () => {
  const members = [node('a'), node('b', 'cut_off'), node('c', 'leaving')];
  const { accounts } = aNode([row('telegram:1', 'i-b'), row('telegram:2', 'i-c')], members);
  expect(await accounts.whereIs('telegram:1')).toEqual({ kind: 'here' });
  // Until it has handed it over.
  expect(await accounts.whereIs('telegram:2')).toMatchObject({ node: { name: 'c' } });
});

test('handed over: the services leave first, and who waits is notified', async () => {
  const { accounts, did } = aNode();
  const own = ownedBy('a');
  await accounts.take([own]);
  let notified = 0;
  accounts.onLeft(() => {
    notified += 1;
  });
  await accounts.handOver([{ account: own, to: 'i-b' }]);
  expect(did.slice(2)).toEqual([`service leaves ${own}`, `hand over ${own}`]);
  expect(accounts.isHere(own)).toBe(false);
  expect(notified).toBe(1);
  accounts.lost(own);
  expect(notified).toBe(1);
});

test('what a service could not take up is here, and is taken up by the next plan', async () => {
  const failures: unknown[] = [];
  const note = (error: unknown) => void failures.push(error);
  const { accounts, did, at } = aNode([], NODES, undefined, undefined, note);
  const own = ownedBy('a');
  at.failure = new Error('the store is away');
  await accounts.take([own]);
  expect(failures).toEqual([at.failure]);
  expect(accounts.isHere(own)).toBe(true);
  expect([...accounts.open()]).toEqual([]);
  at.failure = null;
  await accounts.take([own]);
  expect([...accounts.open()]).toEqual([own]);
  expect(did).toEqual([`take ${own}`, `service takes ${own}`]);
  await accounts.take([own]);
  expect(did).toHaveLength(2);
});

test('two nodes ask at once to look what they wrote for it: it stays here, and open', async () => {
  const account = ownedBy('a');
  const takenUp = Promise.withResolvers<void>();
  const open = { road: false, service: false };
  let handOvers = 0;
  const accounts = new FleetAccounts({
    store: { ownersBut: async () => [], ownerOf: async () => null },
    self: SELF,
    members: () => NODES,
    isStoreAway: () => false,
    road: {
      async take() {
        open.road = true;
        return true;
      },
      // A second one lasts until the account was taken up after the first.
      async handOver() {
        handOvers += 1;
        if (handOvers > 1) await takenUp.promise;
        open.road = false;
      },
    },
    services: () => [
      {
        async take() {
          if (handOvers > 0) takenUp.resolve();
          await new Promise<void>((resolve) => atEndOfTurn(resolve));
          open.service = true;
        },
        async leave() {
          open.service = false;
        },
      },
    ],
    handOverMsMax: 1_000,
    count: () => {},
    onFailure: (error) => {
      throw error;
    },
  });
  await accounts.take([account]);
  await Promise.all([accounts.refresh(account), accounts.refresh(account)]);
  expect({ isHere: accounts.isHere(account), ...open }).toEqual({
    ...{ isHere: true, road: true, service: true },
  });
});

test('what another took in the same moment is not here; nobody is alive: nobody has it', async () => {
  const { accounts } = aNode();
  await accounts.take(['telegram:taken']);
  expect(accounts.isHere('telegram:taken')).toBe(false);
  expect(await aNode([], []).accounts.whereIs('telegram:1')).toEqual({ kind: 'nobody' });
});

test('while the store is away every node is asked in turn, for one of them has it still', () => {
  const none = new Set<string>();
  const { accounts } = aNode();
  expect(accounts.next('telegram:1', 'i-c', none)).toMatchObject({ name: 'c' });
  expect(accounts.next('telegram:1', 'i-gone', none)).toBeNull();
  expect(accounts.next('telegram:1', null, none)).toBeNull();
  const { accounts: alone } = aNode([], NODES, () => true);
  const asked = new Set<string>();
  for (let node = alone.next('telegram:1', null, asked); node !== null; ) {
    asked.add(node.incarnation);
    node = alone.next('telegram:1', null, asked);
  }
  expect(asked).toEqual(new Set(['i-b', 'i-c']));
});
