import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Cluster, startCluster } from '../store/postgres/cluster.fixture.ts';
import { openPostgresJournal } from '../store/postgres/postgres.ts';
import { SCHEMA } from '../store/postgres/schema/schema.ts';
import { systemClock } from '../system/clock.ts';
import { PostgresConnection } from '../system/databases/postgres.ts';
import { Periodic } from '../system/periodic.ts';
import { type VirtualClock, virtualClock } from '../system/virtual-clock.ts';
import { aNode, coordinationContract, hearing, namesOf } from './coordination.contract.ts';
import { type CoordinationNote, FallbackCoordination } from './fallback.ts';
import { Membership } from './membership.ts';
import { MemoryBoard } from './memory.ts';
import { PostgresCoordination } from './postgres.ts';
import { type RedisServer, startRedisServer } from './redis.fixture.ts';
import { RedisCoordination } from './redis.ts';

describe('on a real Redis and a real Postgres', () => {
  let cluster: Cluster;
  let redis: RedisServer;
  let url: string;
  let admin: PostgresConnection;
  let fleets = 0;
  beforeAll(async () => {
    redis = await startRedisServer();
    cluster = await startCluster();
    url = await cluster.database();
    await (await openPostgresJournal({ url })).close();
    admin = new PostgresConnection({ url, name: 'test', schema: SCHEMA });
  });
  afterAll(async () => {
    await admin.close();
    await cluster.stop();
    await redis.stop();
  });
  beforeEach(async () => {
    fleets += 1;
    await admin.script('TRUNCATE nodes, fleet_leases');
  });

  const clock = systemClock();
  const opened = (
    callMsMax = 10_000,
    onNote: (note: CoordinationNote) => void = () => {},
  ): FallbackCoordination =>
    new FallbackCoordination({
      ...{ clock, onNote },
      redis: new RedisCoordination({ url: redis.url, fleet: `f${fleets}`, clock, callMsMax }),
      postgres: new PostgresCoordination({ url, schema: SCHEMA, clock, callMsMax }),
    });

  coordinationContract('fallback', () => ({
    handle: (callMsMax) => opened(callMsMax),
    async garbage(text) {
      await admin.get(`SELECT pg_notify('sluice_bus', $1)`, text);
      await redis.admin.publish(`{sluice:f${fleets}}:bus`, text);
    },
    async silence() {
      redis.process.kill('SIGSTOP');
      const released = Promise.withResolvers<void>();
      const locked = Promise.withResolvers<void>();
      const done = admin.transaction('LOCK TABLE nodes, fleet_leases', async () => {
        locked.resolve();
        await released.promise;
      });
      await locked.promise;
      return async () => {
        redis.process.kill('SIGCONT');
        released.resolve();
        await done;
      };
    },
  }));

  // Renews as a node does, at every look of the test.
  async function seenBy(nodes: readonly FallbackCoordination[], records = RECORDS) {
    await Promise.all(nodes.map((node, i) => node.join(records[i]!, 30_000)));
    return Promise.all(nodes.map(namesOf));
  }
  const RECORDS = [aNode('amy'), aNode('bob')];
  const BOTH = [
    ['amy', 'bob'],
    ['amy', 'bob'],
  ];

  for (const way of ['stopped', 'killed'] as const) {
    test(`Redis is ${way}: all go on over Postgres, and return when it is back`, async () => {
      const notes: string[] = [];
      const nodes = [0, 1].map((i) => opened(1_000, ({ kind }) => notes.push(`${i} ${kind}`)));
      expect(await seenBy(nodes)).toEqual(BOTH);
      const heard = await hearing(nodes[1]!, 'news');
      redis.process.kill(way === 'stopped' ? 'SIGSTOP' : 'SIGKILL');
      if (way === 'killed') await once(redis.process, 'exit');
      expect(await seenBy(nodes)).toEqual(BOTH);
      expect(nodes.map(({ isOnRedis }) => isOnRedis)).toEqual([false, false]);
      await expect
        .poll(async () => {
          await nodes[0]!.publish('news', 'over Postgres').catch(() => {});
          return heard;
        })
        .toContain('over Postgres');
      if (way === 'stopped') redis.process.kill('SIGCONT');
      else await redis.restart();
      await expect
        .poll(async () => {
          expect(await seenBy(nodes)).toEqual(BOTH);
          return nodes.map(({ isOnRedis }) => isOnRedis);
        })
        .toEqual([true, true]);
      expect(await seenBy(nodes)).toEqual(BOTH);
      expect(notes.toSorted()).toEqual([
        '0 redis_away',
        '0 redis_back',
        '1 redis_away',
        '1 redis_back',
      ]);
      await Promise.all(nodes.map((node) => node.close()));
    });
  }

  test('an emptied Redis is reported once by each node, and nobody vanishes', async () => {
    const notes: string[] = [];
    const nodes = [0, 1].map((i) => opened(10_000, ({ kind }) => notes.push(`${i} ${kind}`)));
    expect(await seenBy(nodes)).toEqual(BOTH);
    await redis.admin.flushall();
    expect(await Promise.all(nodes.map(namesOf))).toEqual(BOTH);
    expect(await Promise.all(nodes.map(namesOf))).toEqual(BOTH);
    expect(await seenBy(nodes)).toEqual(BOTH);
    expect(notes.toSorted()).toEqual(['0 redis_emptied', '1 redis_emptied']);
    await Promise.all(nodes.map((node) => node.close()));
  });
});

describe('on a virtual clock', () => {
  const NAMES = ['amy', 'bob', 'cid'];
  interface Seen {
    readonly at: number;
    readonly by: string;
    readonly names: readonly string[];
  }
  let clock: VirtualClock;
  let boards: { redis: MemoryBoard; postgres: MemoryBoard };
  // Handles that do not reach Redis, and Postgres.
  let without: { redis: Set<string>; postgres: Set<string> };
  let notes: { at: number; by: string; kind: string }[];
  let seen: Seen[];
  let heard: string[];
  let nodes: Map<string, { coordination: FallbackCoordination; membership: Membership }>;

  beforeEach(() => {
    clock = virtualClock(0);
    without = { redis: new Set(), postgres: new Set() };
    const board = (unreachable: ReadonlySet<string>) =>
      new MemoryBoard(clock, {
        callMs: (handle) => (unreachable.has(handle) ? null : 10),
        copiesMs: (from, to) => (unreachable.has(from) || unreachable.has(to) ? [] : [5]),
      });
    boards = { redis: board(without.redis), postgres: board(without.postgres) };
    [notes, seen, heard] = [[], [], []];
    nodes = new Map();
  });
  afterEach(async () => {
    for (const { membership } of nodes.values()) void membership.stop(0);
    await clock.run(clock.now() + 1_000);
  });

  async function started(): Promise<void> {
    for (const name of NAMES) {
      const coordination = new FallbackCoordination({
        clock,
        redis: boards.redis.handle(name),
        postgres: boards.postgres.handle(name),
        onNote: ({ kind }) => void notes.push({ at: clock.now(), by: name, kind }),
      });
      coordination.subscribe('news', (message) => void heard.push(`${name}: ${message}`));
      const membership = new Membership({
        periodic: new Periodic(clock, () => {}),
        ...{ coordination, self: aNode(name), pace: () => coordination.pace },
        accounts: {
          open: () => [],
          rows: async () => [],
          take: async () => {},
          handOver: async () => {},
          lose: async () => {},
        },
        onFailure: () => {},
        onMembers: (members) =>
          void seen.push({ at: clock.now(), by: name, names: members.map((each) => each.name) }),
      });
      nodes.set(name, { coordination, membership });
      void membership.start();
    }
    await clock.run(10_000);
    expect(views()).toEqual(NAMES.map(() => NAMES));
    seen = [];
  }

  const views = () =>
    [...nodes.values()].map(({ membership }) => membership.members.map(({ name }) => name));
  const areOnRedis = () => [...nodes.values()].map(({ coordination }) => coordination.isOnRedis);
  const missing = () => seen.filter(({ names }) => names.length < NAMES.length);
  const pass = (ms: number) => clock.run(clock.now() + ms);

  function kill(name: string): void {
    without.redis.add(name);
    without.postgres.add(name);
    void nodes.get(name)!.membership.stop(0);
    nodes.delete(name);
  }

  test('Redis goes and comes back: all change over within seconds, and nobody is ever missed', async () => {
    await started();
    for (const name of NAMES) without.redis.add(name);
    await pass(3_000);
    expect(areOnRedis()).toEqual([false, false, false]);
    await pass(30_000);
    without.redis.clear();
    await pass(10_000);
    expect(areOnRedis()).toEqual([true, true, true]);
    await pass(30_000);
    expect(missing()).toEqual([]);
    expect(notes).toHaveLength(6);
  });

  test('one node alone loses Redis: it sees all and all see it, and each hears each once', async () => {
    await started();
    without.redis.add('bob');
    await pass(30_000);
    expect(areOnRedis()).toEqual([true, false, true]);
    for (const [name, { coordination }] of nodes) void coordination.publish('news', `of ${name}`);
    await pass(100);
    const all = NAMES.flatMap((name) => NAMES.map((from) => `${name}: of ${from}`));
    expect(heard.toSorted()).toEqual(all.toSorted());
    without.redis.clear();
    await pass(30_000);
    expect(areOnRedis()).toEqual([true, true, true]);
    expect(missing()).toEqual([]);
  });

  test('at whatever moment it loses Redis, it is not missed', async () => {
    await started();
    for (let i = 0; i < 30; i++) {
      without.redis.add('bob');
      await pass(5_000);
      without.redis.clear();
      // Every time at another moment of the others' looks and renewals.
      await pass(65_000 + i * 110);
      expect(areOnRedis()).toEqual([true, true, true]);
    }
    expect(missing()).toEqual([]);
  });

  test('an emptied Redis: reported once by each, nobody is missed', async () => {
    await started();
    boards.redis.clear();
    await pass(30_000);
    expect(missing()).toEqual([]);
    expect(notes.map(({ kind }) => kind)).toEqual(NAMES.map(() => 'redis_emptied'));
  });

  test('a node that dies is missed within 3 s over Redis, also when Postgres is away', async () => {
    await started();
    for (const name of NAMES) without.postgres.add(name);
    const diedAt = clock.now();
    kill('cid');
    await pass(20_000);
    expect(views()).toEqual([NAMES.slice(0, 2), NAMES.slice(0, 2)]);
    for (const { at } of missing()) expect(at - diedAt).toBeLessThan(3_000);
  });

  test('a node that dies without Redis, or together with it, is missed within 10 s', async () => {
    await started();
    for (const name of NAMES) without.redis.add(name);
    let diedAt = clock.now();
    kill('cid');
    await pass(20_000);
    expect(views()).toEqual([NAMES.slice(0, 2), NAMES.slice(0, 2)]);
    for (const { at } of missing()) expect(at - diedAt).toBeLessThan(10_000);
    seen = [];
    diedAt = clock.now();
    kill('bob');
    await pass(20_000);
    expect(views()).toEqual([['amy']]);
    for (const { at } of seen) expect(at - diedAt).toBeLessThan(10_000);
  });

  test('a Redis that comes and goes is returned to more and more rarely', async () => {
    await started();
    for (let i = 0; i < 60; i++) {
      for (const name of NAMES) without.redis.add(name);
      await pass(1_000);
      without.redis.clear();
      await pass(9_000);
    }
    expect(missing()).toEqual([]);
    const returns = notes.filter(({ by, kind }) => by === 'amy' && kind === 'redis_back');
    expect(returns.length).toBeLessThan(5);
    await pass(120_000);
    expect(areOnRedis()).toEqual([true, true, true]);
  });

  test('both away: nobody is certain any more; back: all are members again', async () => {
    await started();
    for (const name of NAMES) {
      without.redis.add(name);
      without.postgres.add(name);
    }
    await pass(8_000);
    for (const { membership } of nodes.values()) {
      expect(membership.isCertain(clock.now())).toBe(false);
    }
    without.redis.clear();
    without.postgres.clear();
    await pass(10_000);
    expect(views()).toEqual(NAMES.map(() => NAMES));
    for (const { membership } of nodes.values()) {
      expect(membership.isCertain(clock.now())).toBe(true);
    }
  });
});
