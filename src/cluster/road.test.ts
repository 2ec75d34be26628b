// What is submitted for an account that is another node's, or nobody's.

import { expect, test } from 'vitest';
import { aDelivery } from '../domain/delivery.fixture.ts';
import { FLEET_PATHS } from '../domain/fleet.ts';
import type { AskedRoad, Ended, MoveOrder } from '../road/road.ts';
import type { Moved } from '../store/ports/delivery.ts';
import { NOT_OWNER, type Owner } from '../store/ports/ownership.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import type { Where } from './accounts.ts';
import type { PeerValue } from './peers.ts';
import { FleetRoad } from './road.ts';
import { FleetViews } from './views.ts';

const OTHER = {
  name: 'b',
  incarnation: 'i-b',
  url: 'http://b',
  startedAt: 0,
  state: 'ready',
} as const;
const THERE: Where = { kind: 'there', node: OTHER };
const DELIVERY = aDelivery();

interface Scene {
  readonly where?: () => Where;
  readonly answer?: () => PeerValue;
  readonly epoch?: number;
  readonly states?: string[];
  readonly local?: Partial<AskedRoad>;
  // How often the account was taken over just before it was written down.
  readonly takenOver?: number;
  // Who the store says has it.
  readonly node?: () => string;
}

function scene({
  where = () => THERE,
  answer,
  epoch = 4,
  states = [],
  local,
  takenOver = 0,
  node = () => 'i-gone',
}: Scene) {
  const clock = virtualClock(0);
  const asked: string[] = [];
  const written: Owner[] = [];
  const accepted: number[] = [];
  const left = new Set<() => void>();
  const road = new FleetRoad({
    clock,
    local: { ...({} as AskedRoad), ...local },
    journal: {
      append: (owner, delivery) => {
        written.push(owner);
        accepted.push(delivery.acceptedAt);
        const isLate = written.length <= takenOver;
        const durable = Promise.resolve(
          isLate ? NOT_OWNER : ({ kind: 'repeated', seq: 1, state: 'queued' } as const),
        );
        return { written: durable, durable };
      },
      move: async () => ({ kind: 'unknown' }),
      ownerOf: async (account) => ({ account, node: node(), epoch }),
      ownersBut: async () => [],
    },
    ledger: { get: async () => ({ state: states.shift() ?? 'sent', supersededBy: null }) },
    accounts: {
      isHere: () => where().kind === 'here',
      whereIs: async () => where(),
      hasTaken: (incarnation: string | null, asked: ReadonlySet<string>) =>
        incarnation === 'i-a' || (incarnation === 'i-b' && !asked.has('i-b')),
      next: (_: string, named: string | null) =>
        named === null ? null : { ...OTHER, incarnation: named, url: 'http://c' },
      onLeft: (listener: () => void) => {
        left.add(listener);
        return () => left.delete(listener);
      },
      refresh: async () => {},
    } as never,
    peers: {
      ask: async ({ url }, path) => {
        asked.push(`${url}${path}`);
        return answer?.() ?? { kind: 'unsent' };
      },
    },
    isOnRoad: () => false,
    queueMaxOf: () => 10,
    views: new FleetViews({ clock, self: 'i-a', members: () => [], peers: {} as never }),
  });
  const settle = async <T>(work: Promise<T>): Promise<T> => {
    const done = work.finally(() => road.stop());
    // Reported where it is awaited.
    done.catch(() => {});
    await clock.run(clock.now() + 10_000);
    return done;
  };
  return { road: road.road, asked, written, accepted, settle };
}

test('goes to the owner, and its answer is handed back', async () => {
  const value = { kind: 'superseded', seq: 7, by: 8 };
  const at = scene({ answer: () => ({ kind: 'answered', value }) });
  expect(await at.settle(at.road.submit(DELIVERY))).toEqual(value);
  expect(at.asked).toEqual([`http://b${FLEET_PATHS.submit}`]);
  expect(at.written).toEqual([]);
});

test('who does not own it says who does', async () => {
  const answers: PeerValue[] = [
    { kind: 'moved', to: 'i-c' },
    { kind: 'answered', value: { kind: 'conflict', seq: 1 } },
  ];
  const at = scene({ answer: () => answers.shift()! });
  await at.settle(at.road.submit(DELIVERY));
  expect(at.asked.map((url) => new URL(url).host)).toEqual(['b', 'c']);
});

test('moves together: those that the owner no longer had are asked again, and nothing twice', async () => {
  const order = (seq: number): MoveOrder => ({
    ...{ account: DELIVERY.account, seq, to: 'queued', at: 0, reason: 'retried', by: 'me' },
    ...{ body: null, queueMax: 10 },
  });
  const done: Moved = { kind: 'moved', from: 'dead', queued: null };
  const here: number[][] = [];
  let isTaken = false;
  const at = scene({
    where: () => (isTaken ? { kind: 'here' } : THERE),
    answer: () => {
      isTaken = true;
      const moved = [done, done, NOT_OWNER];
      return { kind: 'answered', value: { kind: 'together', moved } };
    },
    local: {
      moveTogether: async (orders) => {
        here.push(orders.map(({ seq }) => seq));
        return orders.map(() => ({ kind: 'unknown' }));
      },
    },
  });
  const moved = await at.settle(at.road.moveTogether([order(1), order(2), order(3)]));
  expect(moved).toEqual([done, done, { kind: 'unknown' }]);
  expect(at.asked).toEqual([`http://b${FLEET_PATHS.moveTogether}`]);
  expect(here).toEqual([[3]]);
});

test('nobody can be reached: written under the epoch that was, and the owner is notified', async () => {
  const at = scene({ epoch: 4 });
  expect(await at.settle(at.road.submit(DELIVERY))).toMatchObject({ kind: 'repeated' });
  expect(at.written).toEqual([{ account: DELIVERY.account, epoch: 4 }]);
  expect(at.asked).toContain(`http://b${FLEET_PATHS.look}`);
});

test('not written down behind the back of one who has just taken it: it goes there', async () => {
  let isTaken = false;
  const at = scene({
    where: () => (isTaken ? { kind: 'here' } : THERE),
    node: () => {
      isTaken = true;
      return 'i-a';
    },
    local: { submit: async () => ({ kind: 'conflict', seq: 3 }) },
  });
  expect(await at.settle(at.road.submit(DELIVERY))).toEqual({ kind: 'conflict', seq: 3 });
  expect(at.written).toEqual([]);
});

test('taken over just as it was written down: it goes to who has it now, and not for ever', async () => {
  const once = scene({ takenOver: 1 });
  expect(await once.settle(once.road.submit(DELIVERY))).toMatchObject({ kind: 'repeated' });
  expect(once.written).toHaveLength(2);
  const forEver = scene({ takenOver: 99 });
  expect(await forEver.settle(forEver.road.submit(DELIVERY))).toEqual(NOT_OWNER);
});

test('what an owner may have done is not done again, unless its key says that it is the same', async () => {
  const lost = scene({ answer: () => ({ kind: 'lost' }) });
  await expect(lost.settle(lost.road.submit(DELIVERY))).rejects.toThrow('did not answer');
  expect(lost.asked).toHaveLength(1);
  const keyed = scene({ answer: () => ({ kind: 'lost' }) });
  await keyed.settle(keyed.road.submit({ ...DELIVERY, idempotencyKey: 'k' }));
  expect(keyed.written).toHaveLength(1);
});

test('lost while it was submitted here: it goes to the new owner', async () => {
  const wheres: Where[] = [{ kind: 'here' }];
  const value = { kind: 'conflict', seq: 1 };
  const at = scene({
    where: () => wheres.shift() ?? THERE,
    answer: () => ({ kind: 'answered', value }),
    local: { submit: async () => ({ kind: 'not_owner' }) },
  });
  expect(await at.settle(at.road.submit(DELIVERY))).toEqual(value);
});

test('the end of what another node sends is found in the ledger', async () => {
  const ended: Ended = {
    seq: 5,
    state: 'sent',
    reason: null,
    detail: null,
    messageId: '1',
    result: null,
  };
  const at = scene({
    states: ['queued', 'sending', 'queued'],
    local: { ended: async () => ended },
  });
  const never = new AbortController().signal;
  expect(await at.settle(at.road.ended(5, never))).toEqual(ended);
  const gone = new AbortController();
  const waiting = scene({ states: ['queued', 'queued', 'queued', 'queued'] });
  const left = waiting.road.ended(5, gone.signal);
  gone.abort();
  await expect(left).rejects.toThrow();
});

test('written without an owner: its place is when it was written, not when it was asked for', async () => {
  const at = scene({});
  await at.settle(at.road.submit({ ...DELIVERY, acceptedAt: 0 }));
  expect(at.accepted[0]).toBeGreaterThan(0);
});
