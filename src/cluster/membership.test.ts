import { expect, test } from 'vitest';
import type { AccountId } from '../domain/ids.ts';
import { Periodic } from '../system/periodic.ts';
import { serviceContract } from '../system/service.contract.ts';
import { type VirtualClock, virtualClock } from '../system/virtual-clock.ts';
import { aNode } from './coordination.contract.ts';
import type { FleetNode } from './coordination.ts';
import { Membership } from './membership.ts';
import { MemoryBoard } from './memory.ts';
import { CUT_OFF_AFTER_MS, OVERDUE_AFTER_MS, POSTGRES_PACE, RETURN_GRACE_MS } from './pace.ts';
import { ownerFor } from './rendezvous.ts';

const { ttlMs, settleMs } = POSTGRES_PACE;
const ACCOUNTS = Array.from({ length: 30 }, (_, i): AccountId => `account:${i}`);

// A board whose handles can be cut off, and the rows of a store that can be away.
function fleet() {
  const clock = virtualClock(1_800_000_000_000);
  const cut = new Set<string>();
  const board = new MemoryBoard(clock, {
    callMs: (handle) => (cut.has(handle) ? null : 1),
    copiesMs: () => [1],
  });
  const rows = new Map<AccountId, string | null>(ACCOUNTS.map((account) => [account, null]));
  const away = { store: false };
  // Whose machine says that their process is gone.
  const gone = new Set<string>();
  const node = (name: string, startedAt = 0) => {
    const self: FleetNode = aNode(name, { startedAt });
    const open = new Set<AccountId>();
    const said: string[] = [];
    const failures: unknown[] = [];
    const own = self.incarnation;
    // What a hand-over waits for.
    const gate = { handOver: Promise.resolve() };
    const membership = new Membership({
      periodic: new Periodic(clock, (event) => event.kind === 'failed' && failures.push(event)),
      ...{ coordination: board.handle(name), self, pace: () => POSTGRES_PACE },
      accounts: {
        open: () => open,
        async rows(others) {
          said.push('rows');
          if (away.store) throw new Error('away');
          const all = [...rows].map(([account, owner]) => ({ account, node: owner }));
          return all.filter((row) => row.node === null || !others.includes(row.node));
        },
        async take(accounts) {
          said.push('take');
          for (const account of accounts) {
            rows.set(account, own);
            open.add(account);
          }
        },
        async handOver(handOvers) {
          said.push('hand over');
          await gate.handOver;
          for (const { account } of handOvers) {
            open.delete(account);
            if (rows.get(account) === own) rows.set(account, null);
          }
        },
        async lose(accounts) {
          said.push('lose');
          for (const account of accounts) open.delete(account);
        },
      },
      isGone: async ({ name: other }) => gone.has(other),
      onFailure: (error) => void failures.push(error),
    });
    return { self, membership, open, said, failures, gate };
  };
  return { clock, cut, gone, board, rows, away, node };
}

const pass = (clock: VirtualClock, ms: number) => clock.run(clock.now() + ms);

serviceContract('the membership', async () => {
  const { clock, node } = fleet();
  const { membership, open, said, gate } = node('amy');
  const other = node('bob');
  const held = Promise.withResolvers<void>();
  return {
    ...{ service: membership, clock, deeds: () => said.length },
    work: {
      async begin() {
        void other.membership.start();
        await pass(clock, 30_000);
        for (const account of ACCOUNTS) open.add(account);
        gate.handOver = held.promise;
      },
      finish: () => held.resolve(),
    },
  };
});

test('alone it opens all; a second node gets its share when the fleet has settled, and not before', async () => {
  const { clock, rows, node } = fleet();
  const [amy, bob] = [node('amy'), node('bob')];
  void amy.membership.start();
  await pass(clock, 2_000);
  expect(amy.open.size).toBe(ACCOUNTS.length);
  void bob.membership.start();
  await pass(clock, settleMs - 500);
  expect(bob.open.size).toBe(0);
  await pass(clock, 3_000);
  for (const account of ACCOUNTS) {
    const { incarnation } = ownerFor(account, [amy.self, bob.self])!;
    expect(rows.get(account)).toBe(incarnation);
  }
  expect(amy.open.size + bob.open.size).toBe(ACCOUNTS.length);
});

test('it is certain of itself for as long as nobody can have missed it', async () => {
  const { clock, cut, node } = fleet();
  const { membership } = node('amy');
  expect(membership.isCertain(clock.now())).toBe(false);
  void membership.start();
  await pass(clock, 100);
  expect(membership.isCertain(clock.now())).toBe(true);
  await pass(clock, 60_000);
  cut.add('amy');
  await pass(clock, ttlMs - POSTGRES_PACE.renewMs - 1);
  expect(membership.isCertain(clock.now())).toBe(true);
  await pass(clock, POSTGRES_PACE.renewMs + 1);
  expect(membership.isCertain(clock.now())).toBe(false);
  cut.clear();
  await pass(clock, POSTGRES_PACE.renewMs);
  expect(membership.isCertain(clock.now())).toBe(true);
});

test('cut off from coordination it goes on with what it has, and opens nothing', async () => {
  const { clock, cut, rows, node } = fleet();
  const { membership, open, failures } = node('amy');
  void membership.start();
  await pass(clock, 5_000);
  cut.add('amy');
  rows.set('account:new', null);
  await pass(clock, 60_000);
  expect(open.size).toBe(ACCOUNTS.length);
  expect(failures.length).toBeGreaterThan(0);
  cut.clear();
  await pass(clock, 5_000);
  expect(open.has('account:new')).toBe(true);
});

test('cut off from the store it says so, and is ready again as soon as the store is back', async () => {
  const { clock, away, board, node } = fleet();
  const { membership } = node('amy');
  void membership.start();
  await pass(clock, 5_000);
  expect(board.members()[0]!.state).toBe('ready');
  away.store = true;
  await pass(clock, 5_000 + CUT_OFF_AFTER_MS + POSTGRES_PACE.renewMs + 100);
  expect(membership.state).toBe('cut_off');
  expect(board.members()[0]!.state).toBe('cut_off');
  away.store = false;
  await pass(clock, POSTGRES_PACE.lookMs + 100);
  expect(board.members()[0]!.state).toBe('ready');
});

test('after an outage of coordination the others are not taken for dead before they could renew', async () => {
  const { clock, cut, rows, node } = fleet();
  const nodes = ['amy', 'bob', 'cid'].map((name) => node(name));
  for (const { membership } of nodes) void membership.start();
  await pass(clock, 60_000);
  const before = new Map(rows);
  for (const name of ['amy', 'bob', 'cid']) cut.add(name);
  await pass(clock, 30_000);
  cut.delete('amy');
  await pass(clock, RETURN_GRACE_MS / 2);
  expect(rows).toEqual(before);
  for (const name of ['bob', 'cid']) cut.delete(name);
  await pass(clock, 60_000);
  expect(rows).toEqual(before);
});

test('who does not come back after an outage is taken over', async () => {
  const { clock, cut, rows, node } = fleet();
  const nodes = ['amy', 'bob'].map((name) => node(name));
  for (const { membership } of nodes) void membership.start();
  await pass(clock, 60_000);
  for (const name of ['amy', 'bob']) cut.add(name);
  await pass(clock, 30_000);
  cut.delete('amy');
  await pass(clock, RETURN_GRACE_MS + 2 * POSTGRES_PACE.lookMs);
  expect(new Set(rows.values())).toEqual(new Set([nodes[0]!.self.incarnation]));
});

test('after an outage of the store who still calls itself cut off keeps what it has, for a while', async () => {
  const { clock, rows, away, node } = fleet();
  const nodes = ['amy', 'bob'].map((name) => node(name));
  for (const { membership } of nodes) void membership.start();
  await pass(clock, 60_000);
  const before = new Map(rows);
  away.store = true;
  await pass(clock, 30_000);
  away.store = false;
  await pass(clock, 60_000);
  expect(rows).toEqual(before);
  expect(nodes.map(({ said }) => said.filter((word) => word === 'lose').length)).toEqual([0, 0]);
});

test('whose process is gone is taken over as soon as it has missed a renewal, who stands still is not', async () => {
  const { clock, cut, gone, rows, node } = fleet();
  const nodes = ['amy', 'bob', 'cid'].map((name) => node(name));
  for (const { membership } of nodes) void membership.start();
  await pass(clock, 60_000);
  const [amy, bob, cid] = nodes.map(({ self }) => self);
  const bobs = ACCOUNTS.filter((account) => rows.get(account) === bob!.incarnation);
  // Refused, and renewing all the same: something is wrong with its address.
  gone.add('bob');
  await pass(clock, 30_000);
  expect(bobs.map((account) => rows.get(account))).toEqual(bobs.map(() => bob!.incarnation));
  for (const name of ['bob', 'cid']) cut.add(name);
  await pass(clock, OVERDUE_AFTER_MS + POSTGRES_PACE.lookMs + 100);
  const next = bobs.filter((account) => ownerFor(account, [amy!, cid!]) === amy);
  expect(next.length).toBeGreaterThan(0);
  expect(next.map((account) => rows.get(account))).toEqual(next.map(() => amy!.incarnation));
  expect([...rows.values()]).toContain(cid!.incarnation);
  await pass(clock, ttlMs);
  expect(new Set(rows.values())).toEqual(new Set([amy!.incarnation]));
});

test('after an outage nobody waits for whose process is gone', async () => {
  const { clock, cut, gone, rows, node } = fleet();
  const nodes = ['amy', 'bob', 'cid'].map((name) => node(name));
  for (const { membership } of nodes) void membership.start();
  await pass(clock, 60_000);
  for (const name of ['amy', 'bob', 'cid']) cut.add(name);
  await pass(clock, 30_000);
  gone.add('bob');
  cut.delete('amy');
  await pass(clock, 2 * POSTGRES_PACE.lookMs + POSTGRES_PACE.renewMs);
  const [amy, bob, cid] = nodes.map(({ self }) => self);
  const next = ACCOUNTS.filter((account) => {
    const was = ownerFor(account, [amy!, bob!, cid!]);
    return was === bob && ownerFor(account, [amy!, cid!]) === amy;
  });
  expect(next.length).toBeGreaterThan(0);
  expect(next.map((account) => rows.get(account))).toEqual(next.map(() => amy!.incarnation));
  expect([...rows.values()]).toContain(cid!.incarnation);
});

test('what others took is lost, and what it was woken for is done at once', async () => {
  const { clock, rows, node } = fleet();
  const { membership, open, said } = node('amy');
  void membership.start();
  await pass(clock, 10_200);
  rows.set('account:1', 'somebody who is gone');
  rows.set('account:new', null);
  said.length = 0;
  membership.wake();
  await pass(clock, 50);
  expect(said).toEqual(['rows', 'lose', 'take']);
  expect(open.has('account:new')).toBe(true);
});

test('a forgotten member joins again at its next look', async () => {
  const { clock, board, node } = fleet();
  const { membership } = node('amy');
  void membership.start();
  await pass(clock, 10_500);
  board.clear();
  await pass(clock, POSTGRES_PACE.lookMs + 10);
  expect(board.members()).toHaveLength(1);
});

test('a stop hands over everything first, and then it is no member', async () => {
  const { clock, board, rows, node } = fleet();
  const [amy, bob] = [node('amy'), node('bob')];
  void amy.membership.start();
  void bob.membership.start();
  await pass(clock, 20_000);
  const given = Promise.withResolvers<void>();
  amy.gate.handOver = given.promise;
  const stopped = amy.membership.stop(60_000);
  await pass(clock, 10_000);
  // It renews for as long as it takes.
  expect(board.members().map(({ name, state }) => `${name} ${state}`)).toEqual([
    'amy leaving',
    'bob ready',
  ]);
  given.resolve();
  await pass(clock, 1_000);
  await stopped;
  expect(amy.open.size).toBe(0);
  expect(board.members().map(({ name }) => name)).toEqual(['bob']);
  expect(new Set(rows.values())).toEqual(new Set([bob.self.incarnation]));
  expect(bob.open.size).toBe(ACCOUNTS.length);
});

test('while it hands over, which takes as long as calls do, it takes over from the dead', async () => {
  const { clock, rows, node } = fleet();
  const [amy, bob] = [node('amy'), node('bob')];
  void amy.membership.start();
  await pass(clock, 2_000);
  amy.gate.handOver = new Promise(() => {});
  void bob.membership.start();
  await pass(clock, 10_000);
  expect(amy.said).toContain('hand over');
  const [mine] = ACCOUNTS.filter((account) => ownerFor(account, [amy.self, bob.self]) === amy.self);
  amy.open.delete(mine!);
  rows.set(mine!, 'somebody who is gone');
  await pass(clock, 6_000);
  expect(rows.get(mine!)).toBe(amy.self.incarnation);
  expect(amy.said.filter((what) => what === 'hand over')).toHaveLength(1);
});

test('a calm fleet reads few rows', async () => {
  const { clock, node } = fleet();
  const { membership, said } = node('amy');
  void membership.start();
  await pass(clock, 30_000);
  said.length = 0;
  await pass(clock, 60_000);
  expect(said.length).toBeLessThanOrEqual(13);
  expect(new Set(said)).toEqual(new Set(['rows']));
});

test('looked at again: who has joined is known then, also to whoever asks while a look is under way', async () => {
  const { clock, node } = fleet();
  const first = node('a');
  await Promise.all([first.membership.start(), clock.run(clock.now() + 100)]);
  const early = first.membership.lookAgain();
  const second = node('b');
  void second.membership.start();
  // It has been read on the board, and the answer is on its way.
  await clock.run(clock.now() + 0.7);
  const late = Promise.all([first.membership.lookAgain(), first.membership.lookAgain()]);
  await clock.run(clock.now() + 20);
  await Promise.all([early, late]);
  expect(first.membership.members.map(({ name }) => name)).toEqual(['a', 'b']);
});
