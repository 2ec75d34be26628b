// Real processes, real HTTP, real kill -9. The simulated Telegram lives in this process and sees everything.

import { afterEach, describe, expect, test } from 'vitest';
import { type JudgedCall, type ServedSim, serveSim } from '../src/sim/sim.ts';
import { seededRandom } from '../src/system/random.ts';
import { GatewayProcess } from './process/gateway.ts';
import { aMoment } from './process/look.ts';

const TOKEN = '4242:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const MINUTES = 60_000;

let sim: ServedSim | null = null;
let gateway: GatewayProcess | null = null;

afterEach(async () => {
  await gateway?.end('SIGKILL');
  gateway?.remove();
  await sim?.close();
});

// Counts calls of one method and lets the test wait for their number.
class Watch {
  readonly calls: JudgedCall[] = [];
  #waiting: { count: number; resolve: () => void }[] = [];

  readonly see = (call: JudgedCall): void => {
    if (call.method.toLowerCase() !== 'sendmessage') return;
    this.calls.push(call);
    this.#waiting = this.#waiting.filter(({ count, resolve }) => {
      if (this.calls.length < count) return true;
      resolve();
      return false;
    });
  };

  reached(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ count, resolve });
      if (this.calls.length >= count) resolve();
    });
  }

  to(chat: number): JudgedCall[] {
    return this.calls.filter((call) => call.chat === String(chat));
  }
}

async function setUp(flags: readonly string[], options: object = {}) {
  const watch = new Watch();
  const network = { latencyMs: 5, jitterMs: 20 };
  sim = await serveSim({ host: '127.0.0.1', port: 0, options, network, onCall: watch.see });
  gateway = new GatewayProcess(sim.url, flags);
  await gateway.start();
  return { watch, sim, gateway };
}

function message(chat: number, text: string) {
  return {
    to: { platform: 'telegram', account: TOKEN, chat },
    method: 'sendMessage',
    body: { text },
    correlation: text,
  };
}

describe('kill -9', () => {
  const CHATS = 200;
  const PER_CHAT = 25;
  const KILLS = 20;
  const TOTAL = CHATS * PER_CHAT;
  const IN_FLIGHT_MAX = 40;

  test(`${KILLS} times while ${TOTAL} messages go to ${CHATS} chats`, {
    timeout: 5 * MINUTES,
  }, async () => {
    const wide = ['--broadcast-per-s', '1000', '--private-per-s', '1000'];
    const bounds = ['--in-flight-max', String(IN_FLIGHT_MAX), '--retry-max-ms', '1000'];
    const { watch, gateway } = await setUp([...wide, ...bounds], { truth: Infinity });
    const random = seededRandom(7);
    let isUp: Promise<void> = Promise.resolve();

    const accept = async (chat: number, text: string): Promise<void> => {
      // The same key again after a broken connection: it may have been accepted before the kill.
      for (;;) {
        await isUp;
        const asked = gateway.ask('POST', '/v1/messages', message(chat, text), {
          'idempotency-key': text,
        });
        const answer = await asked.catch(() => null);
        if (answer === null) continue;
        expect(answer.status).toBe(202);
        return;
      }
    };
    const submitChat = async (chat: number) => {
      for (let n = 0; n < PER_CHAT; n++) await accept(chat, `${chat}:${n}`);
    };
    const kill = async () => {
      for (let k = 0; k < KILLS; k++) {
        await watch.reached(Math.floor((TOTAL * (k + random.next())) / (KILLS + 1)));
        let up = () => {};
        isUp = new Promise((resolve) => {
          up = resolve;
        });
        await gateway.end('SIGKILL');
        await gateway.start();
        up();
      }
    };
    const submitting = Promise.all(Array.from({ length: CHATS }, (_, i) => submitChat(1000 + i)));
    await Promise.all([submitting, kill()]);

    const texts = new Set<string>();
    for (let count = TOTAL; texts.size < TOTAL; count = watch.calls.length + 1) {
      await watch.reached(count);
      for (const call of watch.calls) texts.add(call.text);
    }
    expect((await gateway.end('SIGTERM')).code).toBe(0);
    await gateway.start();

    const copies = new Map<string, number>();
    for (const { text } of watch.calls) copies.set(text, (copies.get(text) ?? 0) + 1);
    const records = await gateway.records();
    expect(records).toHaveLength(TOTAL);
    for (const record of records) {
      expect(record).toMatchObject({ state: 'sent' });
      const extra = copies.get(record.correlation as string)! - 1;
      // A duplicate only of what was in flight at a kill, and the record says so.
      expect(record.doubts).toBeGreaterThanOrEqual(extra);
    }
    const duplicates = watch.calls.length - TOTAL;
    expect(duplicates).toBeLessThanOrEqual(KILLS * IN_FLIGHT_MAX);
    for (let chat = 1000; chat < 1000 + CHATS; chat++) {
      const order = watch.to(chat).map(({ text }) => Number(text.split(':')[1]));
      expect(order).toEqual([...order].sort((a, b) => a - b));
      expect(new Set(order).size).toBe(PER_CHAT);
    }
  });
});

describe('a restart', () => {
  test('inside a minute does not give a group a fresh budget', async () => {
    const GROUP = -100500;
    const { watch, gateway } = await setUp(['--private-per-s', '1000'], {
      groupSpacing: { count: 1000, perMs: 1000 },
    });
    for (let n = 0; n < 25; n++) {
      const { status } = await gateway.ask('POST', '/v1/messages', message(GROUP, `${n}`));
      expect(status).toBe(202);
    }
    await watch.reached(20);
    await gateway.end('SIGKILL');
    await gateway.start();
    const last = await gateway.ask('POST', '/v1/messages', message(GROUP, 'last'));
    // Something accepted later goes out at once: the road runs, and yet the group waits.
    const other = { ...message(77, 'other'), wait: 30 };
    expect(await gateway.ask('POST', '/v1/messages', other)).toMatchObject({
      status: 200,
      body: { state: 'sent' },
    });
    const { body } = await gateway.ask('GET', `/v1/messages/${last.body.id}/explain`);
    expect(body.causes).toContainEqual(
      expect.objectContaining({ kind: 'window', name: 'group_minute' }),
    );
    expect(watch.to(GROUP)).toHaveLength(20);
  });

  test('keeps a freeze of two hours', async () => {
    const { watch, sim, gateway } = await setUp([]);
    sim.model.freeze(TOKEN, '55', 7200, Date.now());
    const { body: frozen } = await gateway.ask('POST', '/v1/messages', message(55, 'frozen'));
    await watch.reached(1);
    const events = new Set<string>();
    while (!events.has('limited')) {
      const { body } = await gateway.ask('GET', `/v1/messages/${frozen.id}`);
      for (const { outcome } of body.attempts as { outcome: string }[]) events.add(outcome);
      await aMoment();
    }
    await gateway.end('SIGKILL');
    await gateway.start();
    const other = { ...message(77, 'other'), wait: 30 };
    expect((await gateway.ask('POST', '/v1/messages', other)).body).toMatchObject({
      state: 'sent',
    });
    expect(watch.to(55)).toHaveLength(1);
    const { body } = await gateway.ask('GET', `/v1/messages/${frozen.id}/explain`);
    expect(body.causes).toContainEqual(expect.objectContaining({ kind: 'freeze' }));
  });
});
