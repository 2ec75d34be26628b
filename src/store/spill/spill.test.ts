// A real Postgres that is killed, stopped, cut off and brought back: what was accepted is there, once and in order.

import { cpSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { PostgresConnection } from '../../system/databases/postgres.ts';
import { atEndOfTurn } from '../../system/turn.ts';
import { aDelivery, aMove, aSettlement } from '../contract/journal.fixture.ts';
import { NO_EPOCH, type Owner } from '../ports/ownership.ts';
import { JournalUnavailable } from '../ports/unavailable.ts';
import { type Cluster, startCluster } from '../postgres/cluster.fixture.ts';
import { openPostgresLedger } from '../postgres/ledger/ledger.ts';
import { openPostgresJournal } from '../postgres/postgres.ts';
import { SCHEMA } from '../postgres/schema/schema.ts';
import { openNode, put, spillFolder, texts } from './spill.fixture.ts';
import type { StoreBehind } from './store.ts';

const ACCOUNT = 'telegram:1';

let cluster: Cluster;
let url: string;
let dir: string;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());
beforeEach(async () => {
  await cluster.start();
  url = await cluster.database();
  dir = spillFolder();
});

const kinds = (appended: readonly { kind: string }[]) => [...new Set(appended.map((a) => a.kind))];

test('killed and started again: accepting goes on, nothing is begun, and all is there in order', async () => {
  const node = await openNode({ url, dir });
  const { store } = node;
  const owner = await store.openAccount(ACCOUNT);
  await put(store, owner, '1');
  await cluster.kill();
  const spilled = [await put(store, owner, '2'), await put(store, owner, '3')];
  expect(spilled).toMatchObject([
    { kind: 'accepted', spilled: true },
    { kind: 'accepted', spilled: true },
  ]);
  expect(store.standing).toMatchObject({ mode: 'away', deliveries: 2, spilledTotal: 2 });
  await expect(store.begin(owner, 1, 1)).rejects.toBeInstanceOf(JournalUnavailable);
  await expect(store.settle(owner, aSettlement())).rejects.toBeInstanceOf(JournalUnavailable);
  // An account that was not open yet is accepted for as well.
  const late = await store.openAccount('telegram:2');
  expect(await put(store, late, 'a')).toMatchObject({ kind: 'accepted', spilled: true });
  await cluster.start();
  await node.direct();
  expect(store.standing).toMatchObject({ mode: 'direct', deliveries: 0, handedOverTotal: 3 });
  expect(await put(store, owner, '4')).toMatchObject({ kind: 'accepted' });
  expect(await texts(store, owner)).toEqual(['1', '2', '3', '4']);
  const [spilledOne] = spilled;
  const { seq } = spilledOne!.kind === 'accepted' ? spilledOne!.queued : { seq: 0 };
  const ledger = openPostgresLedger({ url, tag: store.tag });
  expect(await ledger.get(seq), 'under the id that its caller was told').toMatchObject({
    body: '{"text":"2"}',
  });
  await ledger.close();
  const [queued] = await Promise.all([put(store, late, 'b')]);
  expect(queued.kind).toBe('accepted');
  await node.close();
});

test('stopped under load: what was under way is found out about, the rest goes into the spill', async () => {
  const node = await openNode({ url, dir });
  const { store } = node;
  const owner = await store.openAccount(ACCOUNT);
  const names = Array.from({ length: 40 }, (_, i) => String(i));
  const appending = names.slice(0, 10).map((name) => put(store, owner, name));
  await appending[0];
  cluster.freeze();
  appending.push(...names.slice(10, 20).map((name) => put(store, owner, name)));
  // When these are handed to the store the batch before them is on its way.
  await new Promise<void>((resolve) => atEndOfTurn(resolve));
  appending.push(...names.slice(20).map((name) => put(store, owner, name)));
  expect(kinds(await Promise.all(appending.slice(20)))).toEqual(['accepted']);
  expect(store.standing).toMatchObject({ mode: 'away', deliveries: 30 });
  expect(kinds(await Promise.all(appending))).toEqual(['accepted']);
  cluster.thaw();
  await node.direct();
  expect(await texts(store, owner)).toEqual(names);
  await node.close();
});

test('its connections are cut one by one under load: all is accepted, nothing twice, in order', async () => {
  const node = await openNode({ url, dir });
  const { store } = node;
  const owners: Owner[] = [];
  for (const n of [1, 2, 3]) owners.push(await store.openAccount(`telegram:${n}`));
  const admin = new PostgresConnection({ url, name: 'test', schema: SCHEMA });
  const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name LIKE 'sluice%' AND datname = current_database() LIMIT 1`;
  const appending: Promise<{ kind: string }>[] = [];
  for (let i = 0; i < 30; i++) {
    for (const owner of owners) appending.push(put(store, owner, String(i)));
    await admin.all(cut);
  }
  expect(kinds(await Promise.all(appending))).toEqual(['accepted']);
  const expected = Array.from({ length: 30 }, (_, i) => String(i));
  await node.direct();
  for (const owner of owners) expect(await texts(store, owner)).toEqual(expected);
  await admin.close();
  await node.close();
});

test('a crash between handing over and forgetting doubles nothing, one before it loses nothing', async () => {
  const first = await openNode({ url, dir });
  const owner = await first.store.openAccount(ACCOUNT);
  await put(first.store, owner, '1');
  await cluster.kill();
  await put(first.store, owner, '2');
  await put(first.store, owner, '3');
  const copy = `${dir}-copy`;
  cpSync(dir, copy, { recursive: true });
  await first.close();
  await cluster.start();
  for (const round of ['handed over', 'again']) {
    rmSync(dir, { recursive: true });
    cpSync(copy, dir, { recursive: true });
    // As if it had been killed before it could say that the spill is over.
    const next = await openNode({ url, dir, around: forgetful });
    const mine = await next.store.openAccount(ACCOUNT);
    const alive = [];
    for await (const page of next.store.recover([mine]))
      for (const one of page) if (one.kind === 'queued') alive.push(one);
    expect(alive, round).toHaveLength(3);
    expect(next.store.standing, 'known, and not refused').toMatchObject({ refusedTotal: 0 });
    await next.close();
  }
});

function forgetful(store: StoreBehind): StoreBehind {
  return Object.assign(store, { handOver: { ...store.handOver, forgetSpill: async () => {} } });
}

test('what comes while the spill is handed over goes behind it, of other accounts past it', async () => {
  const [reached, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const around = (store: StoreBehind): StoreBehind => {
    const { handOver } = store;
    const held: typeof handOver.handOver = async (...args) => {
      reached.resolve();
      await release.promise;
      return handOver.handOver(...args);
    };
    return Object.assign(store, { handOver: { ...handOver, handOver: held } });
  };
  const node = await openNode({ url, dir, around });
  const { store } = node;
  const owner = await store.openAccount(ACCOUNT);
  const other = await store.openAccount('telegram:2');
  await cluster.kill();
  const first = await put(store, owner, '0');
  await put(store, owner, '1');
  await cluster.start();
  await reached.promise;
  const late = [put(store, owner, '2'), put(store, owner, '3')];
  const begun = store.begin(owner, seqOf(first), 1);
  expect(await put(store, other, 'a')).not.toHaveProperty('spilled');
  release.resolve();
  expect(await begun).toMatchObject({ kind: 'begun', body: '{"text":"0"}' });
  expect(kinds(await Promise.all(late))).toEqual(['accepted']);
  await node.direct();
  expect(await texts(store, owner)).toEqual(['1', '2', '3']);
  await node.close();
});

test('found away again while the last of it is handed over: what comes then is handed over, too', async () => {
  const again = Promise.withResolvers<void>();
  let isFirst = true;
  const around = (store: StoreBehind): StoreBehind => {
    const { handOver } = store;
    const held: typeof handOver.handOver = async (...args) => {
      const told = await handOver.handOver(...args);
      if (!isFirst) return told;
      isFirst = false;
      const { settle } = store;
      store.settle = () => Promise.reject(new JournalUnavailable('journal_failed', 'cut'));
      await node.store.settle(owner, aSettlement()).catch(() => {});
      store.settle = settle;
      again.resolve();
      return told;
    };
    return Object.assign(store, { handOver: { ...handOver, handOver: held } });
  };
  const node = await openNode({ url, dir, around });
  const { store } = node;
  const owner = await store.openAccount(ACCOUNT);
  await put(store, owner, '0');
  await cluster.kill();
  await put(store, owner, '1');
  await put(store, owner, '2');
  await cluster.start();
  await again.promise;
  await new Promise<void>((resolve) => atEndOfTurn(resolve));
  expect(store.standing).toMatchObject({ mode: 'away', deliveries: 0 });
  expect(await put(store, owner, '3')).toMatchObject({ kind: 'accepted', spilled: true });
  await node.direct();
  expect(await texts(store, owner)).toEqual(['0', '1', '2', '3']);
  await node.close();
});

// A way from a node to the store that is cut by hand.
class Way {
  isCut = false;
  // The last that a node does when it has the store back.
  onDrawn = () => {};

  readonly around = (store: StoreBehind): StoreBehind => {
    const { handOver, append } = store;
    const away = () => Promise.reject(new JournalUnavailable('journal_failed', 'cut'));
    const direct = append.bind(store);
    const reach = () => (this.isCut ? away() : handOver.reach());
    store.append = (...args) => {
      if (!this.isCut) return direct(...args);
      const durable = away();
      return { written: durable, durable };
    };
    const drawNumbers = async (count: number) => {
      const drawn = await handOver.drawNumbers(count);
      atEndOfTurn(this.onDrawn);
      return drawn;
    };
    return Object.assign(store, { handOver: { ...handOver, reach, drawNumbers } });
  };
}

test('cut from the store alone: another node writes for it, in order, before callers are answered', async () => {
  const way = new Way();
  const node = await openNode({ url, dir, around: way.around });
  const other = await openNode({ url, dir: spillFolder(), node: 'b' });
  const owner = await node.store.openAccount(ACCOUNT);
  let calls = 0;
  node.store.passBy(async (spill, records) => {
    calls += 1;
    const told = await other.store.handOverFor({ node: 'a', spill, records }, async () => {}, 0);
    // The answer to one of them is lost, and it comes again.
    return calls === 2 ? null : told;
  });
  await put(node.store, owner, '0');
  way.isCut = true;
  for (const name of ['1', '2', '3']) {
    expect(await put(node.store, owner, name)).toMatchObject({ kind: 'accepted', spilled: true });
    if (name === '1') expect(node.store.standing).toMatchObject({ mode: 'away', deliveries: 0 });
  }
  while (node.store.standing.deliveries > 0) {
    await new Promise<void>((resolve) => atEndOfTurn(resolve));
  }
  const taken = await other.store.openAccount(ACCOUNT);
  await put(other.store, taken, '4');
  expect(await texts(other.store, taken)).toEqual(['0', '1', '2', '3', '4']);
  way.isCut = false;
  await node.direct();
  await Promise.all([node.close(), other.close()]);
});

test('cut again as soon as it was back, while nobody writes for it: it comes back each time', async () => {
  const way = new Way();
  const node = await openNode({ url, dir, around: way.around });
  const owner = await node.store.openAccount(ACCOUNT);
  node.store.passBy(async () => null);
  const names = ['1', '2', '3'];
  for (const name of names) {
    const isBack = new Promise<void>((resolve) => {
      way.onDrawn = resolve;
    });
    way.isCut = true;
    expect(await put(node.store, owner, name)).toMatchObject({ kind: 'accepted', spilled: true });
    way.isCut = false;
    await isBack;
  }
  expect(await texts(node.store, owner)).toEqual(names);
  await node.close();
});

test('repeats, newer texts and withdrawals in the spill are told at once and stand in the store', async () => {
  const node = await openNode({ url, dir });
  const { store } = node;
  const owner = await store.openAccount(ACCOUNT);
  const before = await put(store, owner, 'known', { idempotencyKey: 'k0' });
  const waits = await put(store, owner, 'old', { slot: 's0' });
  const told: string[] = [];
  store.listen({
    superseded: (seq, by) => void told.push(`${nameOf(seq)} by ${nameOf(by)}`),
    dead: (seq, reason) => void told.push(`${nameOf(seq)} dead: ${reason}`),
    arrived() {},
  });
  await cluster.kill();
  const key = await put(store, owner, 'key', { idempotencyKey: 'k' });
  expect(await put(store, owner, 'key', { idempotencyKey: 'k' })).toMatchObject({
    kind: 'repeated',
    seq: seqOf(key),
  });
  expect(await put(store, owner, 'other', { idempotencyKey: 'k' })).toMatchObject({
    kind: 'conflict',
  });
  const preview = await put(store, owner, 'preview', { slot: 's' });
  const final = await put(store, owner, 'final', { slot: 's', final: true });
  expect(final).toMatchObject({ kind: 'accepted', replaced: seqOf(preview) });
  const late = await put(store, owner, 'late', { slot: 's' });
  expect(late).toMatchObject({ kind: 'superseded', by: seqOf(final) });
  const gone = await put(store, owner, 'gone');
  expect(await store.move(owner, aMove({ seq: seqOf(gone) }))).toMatchObject({ kind: 'moved' });
  // What only the store knows is found out later.
  const newer = await put(store, owner, 'new', { slot: 's0' });
  const repeat = await put(store, owner, 'known', { idempotencyKey: 'k0' });
  const clash = await put(store, owner, 'clash', { idempotencyKey: 'k0' });
  expect(kinds([newer, repeat])).toEqual(['accepted']);
  const names = new Map(
    Object.entries({ before, waits, newer, repeat, preview, final, late }).map(([name, one]) => [
      seqOf(one),
      name,
    ]),
  );
  function nameOf(seq: number): string {
    return names.get(seq) ?? '?';
  }
  await cluster.start();
  await node.direct();
  expect(told.sort()).toEqual([
    'late by final',
    'preview by final',
    'repeat by before',
    'waits by newer',
  ]);
  expect(clash.kind).toBe('conflict');
  expect(await texts(store, owner)).toEqual(['known', 'new', 'key', 'final']);
  const ledger = openPostgresLedger({ url, tag: store.tag });
  expect(await ledger.get(seqOf(gone))).toMatchObject({ state: 'cancelled' });
  expect(await ledger.get(seqOf(repeat))).toMatchObject({
    state: 'superseded',
    supersededBy: seqOf(before),
  });
  await ledger.close();
  await node.close();
});

function seqOf(one: Awaited<ReturnType<typeof put>>): number {
  return one.kind === 'accepted' ? one.queued.seq : 'seq' in one ? one.seq : 0;
}

test('the spill has bounds, by count and by bytes', async () => {
  const node = await openNode({ url, dir, deliveriesMax: 2 });
  const owner = await node.store.openAccount(ACCOUNT);
  const small = await openNode({ url, dir: spillFolder(), node: 'b', bytesMax: 10 });
  const other = await small.store.openAccount('telegram:2');
  await cluster.kill();
  await put(node.store, owner, '1');
  await put(node.store, owner, '2');
  await expect(put(node.store, owner, '3')).rejects.toThrow(/spill is full/);
  await put(small.store, other, '1');
  await expect(put(small.store, other, '2')).rejects.toThrow(/spill is full/);
  await cluster.start();
  await Promise.all([node.direct(), small.direct()]);
  expect(await put(node.store, owner, '3')).toMatchObject({ kind: 'accepted' });
  expect(await texts(node.store, owner)).toEqual(['1', '2', '3']);
  await Promise.all([node.close(), small.close()]);
});

test('what is accepted for an account that another node owns is taken up by that one', async () => {
  const [a, b] = [
    await openNode({ url, dir }),
    await openNode({ url, dir: spillFolder(), node: 'b' }),
  ];
  const owner = await a.store.openAccount(ACCOUNT);
  await put(a.store, owner, '1');
  await cluster.kill();
  const stranger = await b.store.openAccount(ACCOUNT);
  const spilled = await put(b.store, stranger, '2');
  await cluster.start();
  await b.direct();
  const arrived = new Promise<number>((resolve) =>
    a.store.listen({ superseded() {}, dead() {}, arrived: ({ seq }) => resolve(seq) }),
  );
  expect(await arrived).toBe(seqOf(spilled));
  expect(await b.store.begin(stranger, seqOf(spilled), 1)).toEqual({ kind: 'not_owner' });
  expect(await texts(a.store, owner)).toEqual(['1', '2']);
  await Promise.all([a.close(), b.close()]);
});

test('what the store had before is told with what waits of it, also if the first answer is lost', async () => {
  const journal = await openPostgresJournal({ url, node: 'a' });
  const owner = await journal.openAccount(ACCOUNT);
  const again = { idempotencyKey: 'k', digest: 'd', keyExpiresAt: 9e15 };
  const first = seqOf(await put(journal, owner, '1', again));
  const [seq] = await journal.handOver.drawNumbers(1);
  const delivery = aDelivery({ account: ACCOUNT, body: '{"text":"1"}', ...again });
  const records = [{ kind: 'append', n: 1, seq: seq!, delivery }] as const;
  const told = [{ kind: 'superseded', by: first, found: { seq: first } }];
  expect(await journal.handOver.handOver('spill', records)).toMatchObject(told);
  expect(await journal.handOver.handOver('spill', records)).toMatchObject(told);
  const elsewhere = journal.beside('b');
  const other = [{ ...records[0], n: 1, seq: (await journal.handOver.drawNumbers(1))[0]! }];
  const [left] = await elsewhere.handOver.handOver('another', other);
  expect(left).toMatchObject({ kind: 'superseded', by: first, found: null });
  expect(await journal.handOver.stillLeft([first]), 'it is left for its owner').toEqual([first]);
  await journal.close();
});

test('what was spilled for an account that had left the road meanwhile comes back onto it', async () => {
  const a = await openNode({ url, dir });
  const owner = await a.store.openAccount(ACCOUNT);
  const [onRoad, arrived] = [new Set<number>(), [] as number[]];
  const came = Promise.withResolvers<void>();
  a.store.listen({
    ...{ superseded() {}, dead() {}, isOpen: () => true, isOnRoad: (seq) => onRoad.has(seq) },
    left: () => void a.store.takeStrays(),
    arrived({ seq }) {
      arrived.push(seq);
      came.resolve();
    },
  });
  await cluster.kill();
  const known = seqOf(await put(a.store, owner, '1'));
  onRoad.add(known);
  const off = seqOf(await put(a.store, { ...owner, epoch: NO_EPOCH }, '2'));
  await cluster.start();
  await a.direct();
  await came.promise;
  expect(arrived).toEqual([off]);
  await a.close();
});
