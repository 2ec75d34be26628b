// A gateway on a real Postgres, as a real process: killed and started again. Several of them: see fleet.test.ts.

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type JudgedCall, type ServedSim, serveSim } from '../src/sim/sim.ts';
import { type Cluster, startCluster } from '../src/store/postgres/cluster.fixture.ts';
import { GatewayProcess } from './process/gateway.ts';

const TOKEN = '4242:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const WIDE = ['--broadcast-per-s', '1000', '--private-per-s', '1000', '--retry-max-ms', '1000'];
const MINUTES = 60_000;
const SECRET = 'a secret of the fleet that is long enough';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());

// Undone in reverse, whatever happens.
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

class Watch {
  readonly calls: JudgedCall[] = [];
  #wake = Promise.withResolvers<void>();

  readonly see = (call: JudgedCall): void => {
    if (call.method.toLowerCase() !== 'sendmessage') return;
    this.calls.push(call);
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  };

  // So many different texts.
  async reached(count: number): Promise<void> {
    while (new Set(this.calls.map(({ text }) => text)).size < count) await this.#wake.promise;
  }
}

async function openSim(): Promise<{ sim: ServedSim; watch: Watch }> {
  const watch = new Watch();
  const network = { latencyMs: 5, jitterMs: 20 };
  const options = { truth: Infinity };
  const sim = await serveSim({ host: '127.0.0.1', port: 0, options, network, onCall: watch.see });
  undo.push(() => sim.close());
  return { sim, watch };
}

async function start(sim: ServedSim, url: string): Promise<GatewayProcess> {
  const env = { SLUICE_DATABASE_URL: url, SLUICE_SECRET: SECRET };
  const gateway = new GatewayProcess(sim.url, WIDE, env);
  undo.push(async () => {
    await gateway.end('SIGKILL');
    gateway.remove();
  });
  await gateway.start();
  return gateway;
}

function message(chat: number, text: string) {
  const to = { platform: 'telegram', account: TOKEN, chat };
  return { to, method: 'sendMessage', body: { text }, correlation: text };
}

async function send(gateway: GatewayProcess, chat: number, text: string): Promise<number> {
  const keyed = { 'idempotency-key': text };
  return (await gateway.ask('POST', '/v1/messages', message(chat, text), keyed)).status;
}

test('killed again and again: nothing is lost, the order is kept, what is doubled is marked', {
  timeout: 4 * MINUTES,
}, async () => {
  const [chats, perChat, kills] = [20, 10, 3];
  const { sim, watch } = await openSim();
  const gateway = await start(sim, await cluster.database());
  for (let k = 0; k <= kills; k++) {
    const isLast = k === kills;
    const from = Math.floor((perChat * k) / (kills + 1));
    const to = isLast ? perChat : Math.floor((perChat * (k + 1)) / (kills + 1));
    for (let n = from; n < to; n++) {
      const statuses = await Promise.all(
        Array.from({ length: chats }, (_, i) => send(gateway, 1000 + i, `${1000 + i}:${n}`)),
      );
      expect(new Set(statuses)).toEqual(new Set([202]));
    }
    if (isLast) break;
    await gateway.end('SIGKILL');
    await gateway.start();
  }
  await watch.reached(chats * perChat);
  expect((await gateway.end('SIGTERM')).code).toBe(0);
  await gateway.start();
  const records = await gateway.records();
  expect(records).toHaveLength(chats * perChat);
  for (const { state, doubts, correlation } of records) {
    expect(state).toBe('sent');
    const copies = watch.calls.filter(({ text }) => text === correlation).length;
    expect(doubts).toBeGreaterThanOrEqual(copies - 1);
  }
  for (let chat = 1000; chat < 1000 + chats; chat++) {
    const order = watch.calls
      .filter((call) => call.chat === String(chat))
      .map(({ text }) => Number(text.split(':')[1]));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  }
});

test('the database is killed under load and started again: accepting goes on, all of it is sent in order', {
  timeout: 4 * MINUTES,
}, async () => {
  const { sim, watch } = await openSim();
  const gateway = await start(sim, await cluster.database());
  const texts = Array.from({ length: 30 }, (_, i) => `m${i}`);
  for (const text of texts.slice(0, 10)) expect(await send(gateway, 7, text)).toBe(202);
  await watch.reached(10);
  await cluster.kill();
  for (const text of texts.slice(10, 20)) expect(await send(gateway, 7, text)).toBe(202);
  const { body } = await gateway.ask('GET', '/health/details');
  expect(body).toMatchObject({ parts: { spill: { status: 'stale', mode: 'away' } } });
  // Nothing begins that is not on record.
  expect(new Set(watch.calls.map(({ text }) => text)).size).toBe(10);
  const metrics = await fetch(`${gateway.url}/metrics`);
  expect(await metrics.text()).toMatch(/sluice_spill_deliveries 10\n/);
  await cluster.start();
  for (const text of texts.slice(20)) expect(await send(gateway, 7, text)).toBe(202);
  await watch.reached(30);
  expect(watch.calls.map(({ text }) => text)).toEqual(texts);
});
