// Held calls that a stop cuts off, and clients that repeat them: real processes, SIGTERM and kill -9. Whenever the
// repeat comes and however slow the platform is, every message arrives once, or its double is marked.
// REPEAT_RUNS=20 plays the whole matrix; REPEAT_SEED plays another one.

import { Agent, request } from 'undici';
import { describe, expect, test } from 'vitest';
import { type JudgedCall, serveSim } from '../src/sim/sim.ts';
import { seededRandom } from '../src/system/random.ts';
import { GatewayProcess } from './process/gateway.ts';

const TOKEN = '4242:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const CALLS = 60;
// Of them so many say the same in the same chat.
const SAME = 6;
const RECONNECT_MS = 30;
// They wait most of the time.
const TOGETHER = 8;
const RUNS = Number(process.env.REPEAT_RUNS ?? 8);
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
}

// Every signal with every delay comes first; of the latencies each run draws one.
function runs(seed: number): Run[] {
  const random = seededRandom(seed);
  const latencies = [5, 50, 300, 2000];
  return Array.from({ length: RUNS }, (_, i) => {
    const signal = i % 2 === 0 ? 'SIGKILL' : 'SIGTERM';
    const repeatMs = [0, 1000, 20_000][Math.floor(i / 2) % 3]!;
    const latencyMs = latencies[Math.floor(random.next() * latencies.length)]!;
    const after = Math.floor(random.next() * (CALLS - 10));
    const name = `${i}: ${signal}, repeats after ${repeatMs} ms, ${latencyMs} ms away, after ${after}`;
    return { name, signal, repeatMs, latencyMs, after };
  });
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

// A client library's patience: the same call again until it is answered with something it must not repeat.
async function client(url: string, repeatMs: number, body: { chat_id: number; text: string }) {
  const dispatcher = new Agent();
  try {
    for (;;) {
      const asked = request(`${url}/bot${TOKEN}/sendMessage`, {
        method: 'POST',
        dispatcher,
        headers: { 'content-type': 'application/json' },
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

async function play({ signal, repeatMs, latencyMs, after }: Run): Promise<string[]> {
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
    await gateway.start();
    const { url } = gateway;
    const bodies = Array.from({ length: CALLS }, (_, i) =>
      i < SAME ? { chat_id: 1, text: 'same' } : { chat_id: 2 + (i % 27), text: `${i}` },
    );
    const answered = bodies.map((body) => client(url, repeatMs, body));
    if (after > 0) await reached.promise;
    await gateway.end(signal);
    // Where it was before, so that its clients find it.
    await gateway.start(['--port', new URL(url).port]);
    const statuses = await Promise.all(answered);
    const records = await ended(gateway);
    return complaints(bodies, statuses, seen, records);
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
        const found = await play(run);
        if (found.length > 0) failed.push(`${run.name}: ${found.slice(0, 5).join('; ')}`);
      }
    };
    await Promise.all(Array.from({ length: TOGETHER }, worker));
    expect(failed).toEqual([]);
  });
});
