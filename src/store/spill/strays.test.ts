// What is written for an account by another than its owner, on a real Postgres: the owner finds it, whatever is lost.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Queued } from '../../domain/delivery.ts';
import { PostgresConnection } from '../../system/databases/postgres.ts';
import { aDelivery, aMove, aSettlement, REFUSED, ROOM } from '../contract/journal.fixture.ts';
import type { Owner } from '../ports/ownership.ts';
import type { Store } from '../ports/store.ts';
import { JournalUnavailable } from '../ports/unavailable.ts';
import { type Cluster, startCluster } from '../postgres/cluster.fixture.ts';
import { openPostgresJournal } from '../postgres/postgres.ts';
import { SCHEMA } from '../postgres/schema/schema.ts';
import { type Node, openNode, put, spillFolder, texts } from './spill.fixture.ts';

const ACCOUNT = 'telegram:1';

let cluster: Cluster;
let url: string;
beforeAll(async () => {
  cluster = await startCluster();
  await cluster.start();
});
afterAll(() => cluster.stop());
beforeEach(async () => {
  url = await cluster.database();
});

// Under the owner's epoch, as a node does that cannot reach it.
async function putFor(store: Store, owner: Owner, text: string): Promise<Queued> {
  const delivery = aDelivery({ account: owner.account, body: JSON.stringify({ text }) });
  const appended = await store.append(owner, delivery, { ...ROOM, isStray: true }).durable;
  if (appended.kind !== 'accepted') throw new Error(appended.kind);
  return appended.queued;
}

function listening({ store }: Node, isOpen = () => true) {
  const arrived: number[] = [];
  const listener = { superseded() {}, dead() {}, isOpen };
  store.listen({ ...listener, arrived: ({ seq }) => void arrived.push(seq) });
  return arrived;
}

test('it is not taken up past an account that is being read', async () => {
  const [a, b] = [
    await openNode({ url, dir: spillFolder() }),
    await openNode({ url, dir: spillFolder(), node: 'b' }),
  ];
  const owner = await a.store.openAccount(ACCOUNT);
  let isOpen = false;
  const arrived = listening(a, () => isOpen);
  const { seq } = await putFor(b.store, owner, '1');
  expect(await b.store.takenUp(seq, () => a.store.takeStrays(), 50)).toBe(false);
  expect(arrived).toEqual([]);
  isOpen = true;
  expect(await b.store.takenUp(seq, () => a.store.takeStrays(), 5_000)).toBe(true);
  expect(arrived).toEqual([seq]);
  await Promise.all([a.close(), b.close()]);
});

test('who wrote it says nothing more: the owner finds it, in order, and what is done by hand', async () => {
  const a = await openNode({ url, dir: spillFolder() });
  const owner = await a.store.openAccount(ACCOUNT);
  const dead = await put(a.store, owner, '1');
  if (dead.kind !== 'accepted') throw new Error(dead.kind);
  const { seq } = dead.queued;
  await a.store.begin(owner, seq, 1);
  await a.store.settle(owner, aSettlement({ ...REFUSED, seq }));
  const b = await openPostgresJournal({ url, node: 'b' });
  const retry = aMove({ seq, to: 'queued', isStray: true });
  expect(await b.move(owner, retry)).toMatchObject({ kind: 'moved', from: 'dead' });
  const put2 = await putFor(b, owner, '2');
  const put3 = await putFor(b, owner, '3');
  await b.close();
  const arrived = listening(a);
  await a.store.takeStrays();
  expect(arrived).toEqual([seq, put2.seq, put3.seq]);
  expect(await texts(a.store, owner)).toEqual(['1', '2', '3']);
  await a.close();
});

// Of the connection over which it is asked, after the server has done it.
async function cutOff(): Promise<void> {
  const sql = new PostgresConnection({ url, name: 'test', schema: SCHEMA });
  await sql.all(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'sluice'`);
  await sql.close();
}

test.each(['strays', 'forgetStrays'] as const)(
  'the answer of %s is lost: it is found again',
  async (lost) => {
    let isCut = false;
    const a = await openNode({
      ...{ url, dir: spillFolder() },
      around: (store) => {
        const { handOver } = store;
        const cutting = async <T>(answer: Promise<T>): Promise<T> => {
          const told = await answer;
          if (!isCut) return told;
          isCut = false;
          await cutOff();
          throw new JournalUnavailable('journal_failed', 'the connection was lost');
        };
        const watched = {
          ...handOver,
          strays: () => (lost === 'strays' ? cutting(handOver.strays()) : handOver.strays()),
          forgetStrays: (...given: Parameters<typeof handOver.forgetStrays>) =>
            lost === 'forgetStrays'
              ? cutting(handOver.forgetStrays(...given))
              : handOver.forgetStrays(...given),
        };
        return new Proxy(store, {
          get(target, name) {
            if (name === 'handOver') return watched;
            const value = Reflect.get(target, name, target);
            return typeof value === 'function' ? value.bind(target) : value;
          },
        });
      },
    });
    const owner = await a.store.openAccount(ACCOUNT);
    const b = await openPostgresJournal({ url, node: 'b' });
    const { seq } = await putFor(b, owner, '1');
    const onRoad = new Set<number>();
    const listener = { superseded() {}, dead() {}, isOpen: () => true };
    isCut = true;
    a.store.listen({ ...listener, arrived: (queued) => void onRoad.add(queued.seq) });
    await a.store.takeStrays();
    expect(isCut, 'the answer was lost').toBe(false);
    expect([...onRoad]).toEqual(lost === 'strays' ? [] : [seq]);
    await a.store.takeStrays();
    expect([...onRoad]).toEqual([seq]);
    expect(await b.handOver.stillLeft([seq])).toEqual([]);
    await Promise.all([a.close(), b.close()]);
  },
);

test('left again while it is taken up, it is there once more', async () => {
  const [a, b] = await Promise.all(['a', 'b'].map((node) => openPostgresJournal({ url, node })));
  const owner = await a!.openAccount(ACCOUNT);
  const { seq } = await putFor(b!, owner, '1');
  const first = await a!.handOver.strays();
  expect(first).toMatchObject([{ queued: { seq } }]);
  await a!.begin(owner, seq, 1);
  await a!.settle(owner, aSettlement({ ...REFUSED, seq }));
  expect(await a!.handOver.strays(), 'it waits no more').toMatchObject([{ queued: null }]);
  await b!.move(owner, aMove({ seq, to: 'queued', isStray: true }));
  await a!.handOver.forgetStrays(first);
  expect(await a!.handOver.strays()).toMatchObject([{ queued: { seq } }]);
  await Promise.all([a!.close(), b!.close()]);
});
