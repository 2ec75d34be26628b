// A platform that asks one account to wait three hours before it calls one method again: nothing calls it before its
// time, also not after a kill or a restart, and everything else goes on. The real client over TCP, a real store.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { INGEST_DEFAULTS, Ingest } from '../src/ingest/ingest.ts';
import {
  API,
  PHONE,
  type Simulated,
  simulated,
} from '../src/platforms/telegram/history/simulated.fixture.ts';
import type { SimChannel } from '../src/sim/sim.ts';
import { openSqliteJournal } from '../src/store/sqlite/sqlite.ts';
import { Periodic } from '../src/system/periodic.ts';
import { seededRandom } from '../src/system/random.ts';
import { GatewayProcess } from './process/gateway.ts';
import { until as lookUntil } from './process/look.ts';
import { movedClock } from './process/moved-clock.ts';

const HISTORY = 'messages.getHistory';
const OTHER_PHONE = '15550111';
const WAIT_S = 10_800;
const HOUR_MS = 3_600_000;
// Added to each wait, so that those who wait do not come back together.
const JITTER_MS_MAX = 3000;
const PATIENCE_MS = 90_000;
const until = <T>(ask: () => T | Promise<T>, isThere: (told: T) => boolean): Promise<T> =>
  lookUntil(ask, isThere, { msMax: PATIENCE_MS });
const TEST_MS_MAX = 240_000;

let world: Simulated;

afterEach(() => world.close());

let channels = 0n;
function newChannel(name: string): SimChannel {
  channels += 1n;
  const channel = world.sim.model.addChannel({ id: 8000n + channels, name, title: name });
  for (let n = 1; n <= 5; n++) channel.post({ text: `post ${n}` });
  return channel;
}

// The call that was told to wait is the last of its kind.
function callsAfterTold() {
  const { calls } = world.sim.model;
  const told = calls.findIndex(({ result }) => result.startsWith('FLOOD_WAIT'));
  return calls.slice(told + 1).filter(({ phone, method }) => phone === PHONE && method === HISTORY);
}

describe('a process that is killed inside the wait', () => {
  let gateway: GatewayProcess;

  beforeEach(async () => {
    world = await simulated();
    world.sim.model.addAccount({ phone: OTHER_PHONE, code: '1', password: null });
    const dc = `${world.sim.host}:${world.sim.port}`;
    gateway = new GatewayProcess(
      'http://127.0.0.1:9',
      [
        ...['--mtproto-api-id', String(API.id), '--mtproto-dc', dc],
        ...['--mtproto-key', world.access.keyFile!],
        ...['--ingest-pace', 'fixed', '--ingest-interval-s', '1'],
      ],
      { SLUICE_MTPROTO_API_HASH: API.hash },
    );
    await gateway.start();
    await logIn('1', await world.session());
    const other = { phone: async () => `+${OTHER_PHONE}`, code: async () => '1' };
    const outcome = await world.logIn(other);
    if (outcome.kind !== 'logged_in') throw new Error(outcome.kind);
    await logIn('2', outcome.session);
  }, TEST_MS_MAX);
  afterEach(async () => {
    await gateway.end('SIGKILL').catch(() => {});
    gateway.remove();
  });

  async function logIn(id: string, session: string): Promise<void> {
    const account = { kind: 'mtproto', id, name: `Reader ${id}`, session };
    const { status } = await gateway.ask('POST', '/v1/ingest/accounts', account);
    expect(status).toBe(201);
  }

  async function follow(channel: SimChannel, account: string): Promise<string> {
    const order = { source: `@${channel.name}`, kind: 'mtproto', account };
    return String((await gateway.ask('POST', '/v1/ingest/sources', order)).body.id);
  }

  const sourceOf = async (id: string) =>
    (await gateway.ask('GET', `/v1/ingest/sources/${id}`)).body;
  const readTo = (id: string, channel: SimChannel) =>
    until(
      () => sourceOf(id),
      ({ cursor, lastSuccessAt }) =>
        lastSuccessAt !== null && (cursor as { lastId: string }).lastId === String(channel.lastId),
    );
  const isWaiting = (id: string) =>
    until(
      () => sourceOf(id),
      ({ nextLookReason }) => nextLookReason === 'wait',
    );
  const waitsOf = async (id: string) => {
    const { accounts } = (await gateway.ask('GET', '/v1/ingest/accounts')).body;
    return (accounts as { id: string; waits: { method: string; until: string }[] }[]).find(
      (each) => each.id === id,
    )!.waits;
  };

  test(
    'calls it no more; other methods, other accounts and sending go on',
    async () => {
      const followed = newChannel('followed');
      const known = await follow(followed, '1');
      await readTo(known, followed);
      world.sim.model.freeze(PHONE, HISTORY, WAIT_S);
      const held = await follow(newChannel('held'), '1');
      await isWaiting(held);
      const [wait] = await waitsOf('1');
      expect(wait).toMatchObject({ method: 'history' });
      const leftMs = Date.parse(wait!.until) - Date.now();
      expect(leftMs).toBeGreaterThan((WAIT_S - 60) * 1000);
      expect(leftMs).toBeLessThan(WAIT_S * 1000 + JITTER_MS_MAX);

      // Another method of the same account, another account, and what is sent.
      followed.post({ text: 'meanwhile' });
      await readTo(known, followed);
      const elsewhere = newChannel('elsewhere');
      await readTo(await follow(elsewhere, '2'), elsewhere);
      const to = { platform: 'telegram', account: '1:sandbox', chat: '42' };
      const sent = await gateway.ask('POST', '/v1/messages', {
        to,
        body: { text: 'hi' },
        wait: 20,
      });
      expect(sent.body.state).toBe('sent');

      await gateway.end('SIGKILL');
      await gateway.start();
      followed.post({ text: 'after the kill' });
      await readTo(known, followed);
      // Also not by hand, and not by another channel of the account.
      await gateway.ask('POST', `/v1/ingest/sources/${held}/run`);
      await isWaiting(await follow(newChannel('held_too'), '1'));
      await isWaiting(held);
      expect(await waitsOf('1')).toEqual([wait]);
      expect(await waitsOf('2')).toEqual([]);
      expect(callsAfterTold()).toEqual([]);
    },
    TEST_MS_MAX,
  );
});

describe('three hours on the clock', () => {
  test(
    'it is called when they are over and not a second before, also by the next process',
    async () => {
      const clock = movedClock();
      world = await simulated({ clock });
      const { model } = world.sim;
      const dir = mkdtempSync(join(tmpdir(), 'sluice-flood-'));
      const account = { id: '1', session: await world.session() };
      const open = async (token: string) => {
        const journal = await openSqliteJournal({ dir });
        const service = new Ingest({
          ...{ store: journal.ingest, clock, periodic: new Periodic(clock, () => {}) },
          ...{ random: seededRandom(1), node: 'host', token },
          pools: [{ kind: world.kind, accounts: async () => [account] }],
          settings: { ...INGEST_DEFAULTS, pace: 'fixed', intervalMs: 1000 },
        });
        await service.start();
        const close = async () => {
          await service.stop(5000);
          await journal.close();
        };
        return { service, close };
      };
      const first = await open('one');
      const followed = newChannel('followed');
      const known = (await first.service.add('mtproto', '@followed')).source.id;
      const readOn = (service: Ingest) =>
        until(
          () => service.get(known)!,
          ({ lastId, succeededAt }) => succeededAt !== null && lastId === String(followed.lastId),
        );
      await readOn(first.service);
      model.freeze(PHONE, HISTORY, WAIT_S);
      const toldAfter = clock.now();
      const held = newChannel('held');
      const id = (await first.service.add('mtproto', '@held')).source.id;
      await until(
        () => first.service.get(id)!,
        ({ nextLookReason }) => nextLookReason === 'wait',
      );
      clock.move(HOUR_MS);
      followed.post({ text: 'after an hour' });
      await readOn(first.service);
      await first.close();

      const second = await open('two');
      clock.move(2 * HOUR_MS - 60_000);
      followed.post({ text: 'a minute before the end' });
      await readOn(second.service);
      expect(second.service.waits()).toMatchObject([{ method: 'history' }]);
      expect(callsAfterTold()).toEqual([]);

      clock.move(60_000 + JITTER_MS_MAX);
      await until(
        () => second.service.get(id)!,
        ({ lastId }) => lastId === String(held.lastId),
      );
      const [next] = callsAfterTold();
      expect(next!.at - toldAfter).toBeGreaterThanOrEqual(WAIT_S * 1000);
      expect(model.calls.filter(({ isInsideWait }) => isInsideWait)).toHaveLength(1);
      await second.close();
      rmSync(dir, { recursive: true });
    },
    TEST_MS_MAX,
  );
});
