import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../system/clock.ts';
import { aNode, coordinationContract, hearing, namesOf } from './coordination.contract.ts';
import { CoordinationUnavailable } from './coordination.ts';
import { type RedisServer, startRedisServer } from './redis.fixture.ts';
import { RedisCoordination } from './redis.ts';

const LONG_MS = 60_000;
const PATIENT_MS = 10_000;

let server: RedisServer;
let fleets = 0;
beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server.stop());

const opened = (fleet: string, callMsMax = PATIENT_MS, url = server.url) =>
  new RedisCoordination({ url, fleet, clock: systemClock(), callMsMax });

async function using(work: (node: RedisCoordination) => Promise<void>, callMsMax?: number) {
  const node = opened(`f${++fleets}`, callMsMax);
  try {
    await work(node);
  } finally {
    await node.close();
  }
}

coordinationContract('redis', () => {
  const fleet = `f${++fleets}`;
  return {
    handle: (callMsMax) => opened(fleet, callMsMax),
    async garbage(text) {
      await server.admin.publish(`{sluice:${fleet}}:bus`, text);
    },
    async silence() {
      server.process.kill('SIGSTOP');
      return async () => void server.process.kill('SIGCONT');
    },
  };
});

test('fleets that share a Redis know nothing of each other', async () => {
  await using(async (one) => {
    await using(async (other) => {
      await one.join(aNode('amy'), LONG_MS);
      expect(await namesOf(other)).toEqual([]);
      await one.claim({ name: 'prune', token: 'a', ttlMs: LONG_MS });
      const claim = await other.claim({ name: 'prune', token: 'b', ttlMs: LONG_MS });
      expect(claim).toEqual({ kind: 'held' });
      await one.leave();
    });
  });
});

test('an emptied Redis is another board, and members are back with their next renewal', async () => {
  await using(async (node) => {
    const amy = aNode('amy');
    expect(node.board).toBeNull();
    await node.join(amy, LONG_MS);
    const before = node.board;
    await node.members();
    expect(node.board).toBe(before);
    await server.admin.flushall();
    expect(await node.members()).toEqual([]);
    expect(node.board).not.toBe(before);
    await node.join(amy, LONG_MS);
    expect(await namesOf(node)).toEqual(['amy']);
    await node.leave();
  });
});

test('a record that is none of ours is left out', async () => {
  await using(async (node) => {
    await node.join(aNode('amy'), LONG_MS);
    const [nodes, expiry] = [`{sluice:f${fleets}}:nodes`, `{sluice:f${fleets}}:expiry`];
    const records = ['', '{', '[]', 'null', '{"name":1}', JSON.stringify({ name: 'x' })];
    for (const [i, record] of records.entries()) {
      await server.admin.hset(nodes, `stranger ${i}`, record);
      await server.admin.zadd(expiry, 9e15, `stranger ${i}`);
    }
    await server.admin.zadd(expiry, 9e15, 'without a record');
    expect(await namesOf(node)).toEqual(['amy']);
  });
});

test('killed and started again it is found again, and listened to', async () => {
  await using(async (node) => {
    const heard = await hearing(node, 'news');
    server.process.kill('SIGKILL');
    await once(server.process, 'exit');
    await expect(node.members()).rejects.toThrow(CoordinationUnavailable);
    await server.restart();
    await expect.poll(() => namesOf(node).catch(() => null)).toEqual([]);
    await expect
      .poll(async () => {
        await node.publish('news', 'again').catch(() => {});
        return heard;
      })
      .toContain('again');
  }, 2_000);
});

test('the password is in no error, right or wrong', async () => {
  const wrong = server.url.replace(server.password, 'not-the-password');
  const nowhere = server.url.replace(/:\d+$/, ':1');
  for (const url of [wrong, nowhere]) {
    const node = opened('f', 2_000, url);
    const error = await node.members().then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(CoordinationUnavailable);
    expect((error as Error).cause).toBeUndefined();
    expect(JSON.stringify(error) + String(error) + (error as Error).stack).not.toMatch(
      /(?:a|the)-password/,
    );
    await node.close();
  }
});
