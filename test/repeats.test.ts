// Held calls that a stop cuts off, and clients that repeat them: real processes, SIGTERM and kill -9. Whenever the
// repeat comes and however slow the platform is, every message arrives once, or its double is marked.
// REPEAT_RUNS=20 plays the whole matrix; REPEAT_SEED plays another one.

import { describe, expect, test } from 'vitest';
import { ownPort } from '../scripts/own-port.ts';
import { type JudgedCall, serveSim } from '../src/sim/sim.ts';
import { Agent, request } from '../src/system/http/undici.ts';
import { seededRandom } from '../src/system/random.ts';
import { GatewayProcess } from './process/gateway.ts';

const TOKEN = '4242:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const CALLS = 60;
// Of them so many say the same in the same chat.
const SAME = 6;
// Sixty of them try: sooner, and they would slow down the start they wait for.
const RECONNECT_MS = 150;
// Two of them wait for twenty seconds, most of the time.
const TOGETHER = 4;
const RUNS = Number(process.env.REPEAT_RUNS ?? 6);
const SEED = Number(process.env.REPEAT_SEED ?? 7);
const WIDE = [
  '--broadcast-per-s',
  '1000',
  '--private-per-s',
  '1000',
  '--in-flight-max',
  '20',
  '--retry-max-ms',
  '1000',
];

interface Run {
  readonly name: string;
  readonly signal: 'SIGTERM' | 'SIGKILL';
  readonly repeatMs: number;
  readonly latencyMs: number;
  // The signal comes when the platform has judged so many.
  readonly after: number;
  // Every call has an Idempotency-Key.
  readonly isKeyed: boolean;
}

// There and back. Of the first runs one is slow, and it is one whose clients wait long as well.
const LATENCIES_MS = [5, 50, 300, 2000];
const FIRST_LATENCIES_MS = [50, 300, 5, 50, 2000, 300, 300, 5];

// Every signal with every delay comes first; of the latencies each run after the first ones draws one. Those that take
// longest are played first.
function runs(seed: number): Run[] {
  const random = seededRandom(seed);
  const all = Array.from({ length: RUNS }, (_, i): Run => {
    const signal = i % 2 === 0 ? 'SIGKILL' : 'SIGTERM';
    const repeatMs = [0, 1000, 20_000][Math.floor(i / 2) % 3]!;
    const drawn = LATENCIES_MS[Math.floor(random.next() * LATENCIES_MS.length)]!;
    const latencyMs = FIRST_LATENCIES_MS[i] ?? drawn;
    const after = Math.floor(random.next() * (CALLS - 10));
    const name = `${i}: ${signal}, repeats after ${repeatMs} ms, ${latencyMs} ms away, after ${after}`;
    return { name, signal, repeatMs, latencyMs, after, isKeyed: false };
  });
  return all.sort((a, b) => b.repeatMs - a.repeatMs || b.latencyMs - a.latencyMs);
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

// A client library's patience: the same call again until it is answered with something it must not repeat.
async function client(
  url: string,
  repeatMs: number,
  body: { chat_id: number; text: string },
  key: string | null,
) {
  const dispatcher = new Agent();
  const keyed: Record<string, string> = key === null ? {} : { 'idempotency-key': key };
  try {
    for (;;) {
      const asked = request(`${url}/bot${TOKEN}/sendMessage`, {
        method: 'POST',
        dispatcher,
        headers: { 'content-type': 'application/json', ...keyed },
        body: JSON.stringify(body),
        headersTimeout: 0,
      }).then(async (answer) => ({ status: answer.statusCode, text: await answer.body.text() }));
      const answer = await asked.catch((error: NodeJS.ErrnoException) => error);
      if ('status' in answer && answer.status < 500) return answer.status;
      // Nobody was there to take it: it was not made.
      const isRefused = 'code' in answer && answer.code === 'ECONNREFUSED';
      await sleep(isRefused ? RECONNECT_MS : repeatMs);
    }
  } finally {
    await dispatcher.destroy();
  }
}

interface Played {
  readonly statuses: readonly number[];
  readonly complaints: string[];
  // How often each text arrived.
  readonly copies: ReadonlyMap<string, number>;
}

async function play({ signal, repeatMs, latencyMs, after, isKeyed }: Run): Promise<Played> {
  const seen: JudgedCall[] = [];
  const reached = Promise.withResolvers<void>();
  const sim = await serveSim({
    host: '127.0.0.1',
    port: 0,
    options: { truth: Number.POSITIVE_INFINITY },
    // There and back.
    network: { latencyMs: latencyMs / 2, jitterMs: latencyMs / 4 },
    onCall: (call) => {
      if (call.method !== 'sendMessage') return;
      seen.push(call);
      if (seen.length >= after) reached.resolve();
    },
  });
  const gateway = new GatewayProcess(sim.url, WIDE);
  try {
    // The same after the restart, so that its clients find it.
    const port = ['--port', String(await ownPort())];
    await gateway.start(port);
    const { url } = gateway;
    const bodies = Array.from({ length: CALLS }, (_, i) =>
      i < SAME ? { chat_id: 1, text: 'same' } : { chat_id: 2 + (i % 27), text: `${i}` },
    );
    const answered = bodies.map((body, i) => client(url, repeatMs, body, isKeyed ? `k${i}` : null));
    if (after > 0) await reached.promise;
    await gateway.end(signal);
    await gateway.start(port);
    const statuses = await Promise.all(answered);
    const records = await ended(gateway);
    const byText = Map.groupBy(seen, ({ text }) => text ?? '');
    const copies = new Map([...byText].map(([text, calls]) => [text, calls.length]));
    return { statuses, copies, complaints: complaints(bodies, statuses, seen, records) };
  } finally {
    await gateway.end('SIGKILL');
    gateway.remove();
    await sim.close();
  }
}

// All records, when none of them is on its way any more.
async function ended(gateway: GatewayProcess): Promise<Record<string, unknown>[]> {
  for (;;) {
    const records = await gateway.records('&preview=true');
    if (records.every(({ state }) => state !== 'queued' && state !== 'sending')) return records;
    await sleep(100);
  }
}

function complaints(
  bodies: readonly { text: string }[],
  statuses: readonly number[],
  seen: readonly JudgedCall[],
  records: readonly Record<string, unknown>[],
): string[] {
  const found: string[] = [];
  for (const status of statuses) if (status !== 200 && status !== 409) found.push(`${status}`);
  for (const [text, asked] of Map.groupBy(bodies, (body) => body.text)) {
    const copies = seen.filter((call) => call.text === text).length;
    const own = records.filter(({ preview }) => preview === text);
    const marks = own.reduce(
      (sum, { doubts, repeats }) => sum + Number(doubts) + (repeats === null ? 0 : 1),
      0,
    );
    const extra = copies - asked.length;
    if (extra < 0) found.push(`${text}: ${-extra} lost`);
    if (extra > marks) found.push(`${text}: ${extra} too many, ${marks} of them marked`);
  }
  return found;
}

describe('held calls whose clients repeat them', () => {
  test(`${RUNS} runs of ${CALLS} calls, seed ${SEED}`, { timeout: 600_000 }, async () => {
    const waiting = runs(SEED);
    const failed: string[] = [];
    const worker = async () => {
      for (let run = waiting.shift(); run !== undefined; run = waiting.shift()) {
        const { complaints: found } = await play(run);
        if (found.length > 0) failed.push(`${run.name}: ${found.slice(0, 5).join('; ')}`);
      }
    };
    await Promise.all(Array.from({ length: TOGETHER }, worker));
    expect(failed).toEqual([]);
  });
  // Whether the first was withdrawn, sent or is on its way when the repeat comes: its key says that it is the same.
  test('with an Idempotency-Key, at SIGTERM: each arrives exactly once', {
    timeout: 120_000,
  }, async () => {
    const rest = { name: '', signal: 'SIGTERM', repeatMs: 0, isKeyed: true } as const;
    const {
      copies,
      statuses,
      complaints: found,
    } = await play({
      ...rest,
      latencyMs: 300,
      after: 12,
    });
    expect(found).toEqual([]);
    expect(copies.size).toBe(CALLS - SAME + 1);
    for (const [text, count] of copies)
      expect([text, count]).toEqual([text, text === 'same' ? SAME : 1]);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(CALLS / 2);
  });
});
