// The road against the simulated WhatsApp in virtual time: its limits are used to the full and never exceeded, on a
// line that jitters.

import { expect, test } from 'vitest';
import { worldEngine } from '../../src/app/simulated.ts';
import type { AccountId } from '../../src/domain/ids.ts';
import {
  createWhatsappModel,
  type Network,
  type SimWhatsappOptions,
  scriptedFaults,
  simTransport,
  type WhatsappCall,
  type WorldEngine,
} from '../../src/sim/sim.ts';
import { seededRandom } from '../../src/system/random.ts';
import { virtualClock } from '../../src/system/virtual-clock.ts';

const NUMBER = '106540352242922';
const ACCOUNT: AccountId = `whatsapp:${NUMBER}`;
const TOKEN = `${NUMBER}:EAAtesttokentesttokentesttoken`;
const START = 1_900_000_000_000;
const PAIR_LIMIT = 131056;
const EACH_MS = 6000;
const DAY_MS = 86_400_000;
const NETWORK = { latencyMs: 40, jitterMs: 60 };
// As in the benchmark. A window of a second costs the mean jitter in each second, whoever keeps it: 20 ms here.
const STEADIER = { latencyMs: 40, jitterMs: 40, jitterBackMs: 0 };

function setUp(options: Partial<SimWhatsappOptions> = {}, network: Network = NETWORK, seed = 7) {
  const clock = virtualClock(START);
  const calls: WhatsappCall[] = [];
  const onCall = (call: WhatsappCall) => calls.push(call);
  const model = createWhatsappModel({ options: { serviceWindow: 'open', ...options }, onCall });
  const faults = scriptedFaults([]);
  const disk = { content: undefined };
  const accounts = [{ id: ACCOUNT, token: TOKEN }];
  const open = async () => {
    const random = seededRandom(seed);
    const ports = { model, clock, random, network, faults };
    const transport = simTransport(ports);
    // Modules are loaded in real time, and the store answers in virtual time.
    let engine: WorldEngine | null = null;
    void worldEngine({ clock, random, transport, disk, accounts }).then((opened) => {
      engine = opened;
    });
    while (engine === null) await clock.run(clock.now() + 1);
    return engine as WorldEngine;
  };
  const refused = () => calls.filter(({ code }) => code !== null);
  return { clock, calls, open, refused, model, faults };
}

function submit(engine: WorldEngine, to: string, text: string) {
  const params = { messaging_product: 'whatsapp', to, type: 'text', text: { body: text } };
  return engine.submit({
    ...{ account: ACCOUNT, token: TOKEN, chat: to, thread: null, method: 'messages', params },
    ...{ priority: 'normal', isReply: false, live: false, final: false },
    ...{ notBefore: 0, expiresAt: 0 },
  });
}

test('45 messages to one user go at once, then one each six seconds, in order and never refused', async () => {
  const { clock, calls, open, refused } = setUp();
  const engine = await open();
  const texts = Array.from({ length: 145 }, (_, i) => `message ${i}`);
  for (const text of texts) void submit(engine, '16505551234', text);
  await clock.run(clock.now() + 100 * EACH_MS + 60_000);
  expect(refused()).toEqual([]);
  expect(calls.map(({ text }) => text)).toEqual(texts);
  // The burst takes as long as 45 round trips in order, the rest what the debt asks for.
  const times = calls.map(({ arrivedAt }) => arrivedAt - calls[0]!.arrivedAt);
  expect(times[44]).toBeLessThan(20_000);
  expect((100 * EACH_MS) / times[144]!).toBeGreaterThan(0.97);
});

test('a burst, a pause and a burst: what was earned meanwhile may be spent', async () => {
  const { clock, calls, open, refused } = setUp();
  const engine = await open();
  for (let i = 0; i < 45; i++) void submit(engine, '16505551234', `first ${i}`);
  await clock.run(clock.now() + 120_000);
  const secondAt = clock.now();
  for (let i = 0; i < 30; i++) void submit(engine, '16505551234', `second ${i}`);
  await clock.run(secondAt + 280_000);
  expect(refused()).toEqual([]);
  expect(calls).toHaveLength(75);
  const sinceMs = ({ arrivedAt }: WhatsappCall) => arrivedAt - secondAt;
  const atOnce = calls.filter((call) => sinceMs(call) > 0 && sinceMs(call) < 10_000);
  expect(atOnce.length).toBeGreaterThanOrEqual(17);
});

test('a new process knows what is owed', async () => {
  const { clock, calls, open, refused } = setUp();
  const engine = await open();
  for (let i = 0; i < 300; i++) void submit(engine, '16505551234', `before ${i}`);
  await clock.run(clock.now() + 900_000);
  engine.crash();
  const before = calls.length;
  await open();
  await clock.run(clock.now() + 120_000);
  expect(refused().filter(({ code }) => code === PAIR_LIMIT)).toEqual([]);
  expect(calls.length - before).toBeGreaterThan(15);
});

test.each([1, 2, 3, 4])('1000 users at once are reached at 80 a second, seed %i', async (seed) => {
  const { clock, calls, open, refused } = setUp({}, STEADIER, seed);
  const engine = await open();
  for (let i = 0; i < 4000; i++)
    void submit(engine, `1650${String(i % 1000).padStart(7, '0')}`, `${i}`);
  await clock.run(clock.now() + 60_000);
  expect(refused()).toEqual([]);
  expect(calls).toHaveLength(4000);
  const tookMs = calls.at(-1)!.arrivedAt - calls[0]!.arrivedAt;
  // 80 go in the first moment.
  const leastMs = ((4000 - 80) / 80) * 1000;
  expect(leastMs / tookMs).toBeGreaterThan(0.97);
});

test('a number that takes less than is said is learned, and nothing is lost', async () => {
  const { clock, calls, open, refused } = setUp({ truth: 0.5 });
  const engine = await open();
  for (let i = 0; i < 1000; i++) void submit(engine, `1650${String(i).padStart(7, '0')}`, `${i}`);
  await clock.run(clock.now() + 600_000);
  const accepted = calls.filter(({ code }) => code === null);
  expect(accepted).toHaveLength(1000);
  expect(refused().length).toBeLessThan(200);
  expect(engine.waiting()).toBe(0);
});

test('a number whose portfolio is used up stops, asks again by the hour, and loses nothing', async () => {
  const { clock, calls, open, refused } = setUp({ tier: 20, serviceWindow: 'enforced' });
  const engine = await open();
  for (let i = 0; i < 25; i++) void submit(engine, `1650555${String(i).padStart(4, '0')}`, `${i}`);
  await clock.run(clock.now() + 2 * DAY_MS);
  expect(calls.filter(({ code }) => code === null)).toHaveLength(25);
  expect(refused().length).toBeLessThan(40);
});

test('a pair that refuses for long is asked again after 1, 4, 16 and 64 seconds', async () => {
  const { clock, calls, open, model } = setUp();
  const engine = await open();
  model.freeze(TOKEN, '16505551234', 80, clock.now());
  for (let i = 0; i < 3; i++) void submit(engine, '16505551234', `${i}`);
  await clock.run(clock.now() + 120_000);
  const times = calls.map(({ arrivedAt }) => arrivedAt);
  const gaps = times.slice(1, 5).map((at, i) => Math.round((at - times[i]!) / 1000));
  expect(gaps).toEqual([1, 4, 16, 64]);
  expect(calls.filter(({ code }) => code === null).map(({ text }) => text)).toEqual([
    '0',
    '1',
    '2',
  ]);
});

test('a message whose answer was lost is not sent again before a status could tell of it', async () => {
  const { clock, calls, open, faults } = setUp();
  const engine = await open();
  faults.add({ fault: { kind: 'answer_lost' } });
  void submit(engine, '16505551234', 'once');
  await clock.run(clock.now() + 29_000);
  expect(calls).toHaveLength(1);
  await clock.run(clock.now() + 10_000);
  expect(calls).toHaveLength(2);
});
