// What the gateway adds to a call that need not wait: the same calls at the same pace, straight to the simulator, by a
// bare relay, by a relay that forces each call to disk and through the gateway, in turns, so that all meet the same
// machine. Open loop: a slow answer delays no other call. At a low rate every thread sleeps between two calls, so that
// what counts is how often one must be woken.

import { Pool } from 'undici';
import { startChild } from '../engine/child.ts';
import { inFolder } from '../engine/folder.ts';
import { TEXT } from '../engine/sample.ts';
import { type Row, ratioRow } from '../row.ts';

const BUSY_PER_S = 500;
const CALM_PER_S = 25;
const ROUND_MS = 4000;
const ROUNDS = 3;
// As long as the gateway's code is still being compiled for its load.
const WARM_UP_MS = 3000;
const BOTS = 40;
const CHATS = 8000;
const CONNECTIONS = 64;
const P50_MS_MAX = 1;
const P99_MS_MAX = 5;
// What the gateway adds ÷ what the relay adds, p50.
const RELAYS_MAX = 2.5;

export async function* latency(): AsyncIterable<Row> {
  const sim = await startChild<{ url: string }>('servers.ts', ['sim']);
  const relay = await startChild<{ port: number }>('servers.ts', ['relay', sim.ready.url]);
  const forcing = await startChild<{ port: number }>('servers.ts', [
    'durable-relay',
    sim.ready.url,
  ]);
  const { calm, busy } = await inFolder(async (data) => {
    const wide = { privatePerS: 1000, broadcastPerS: 1000, inFlightMax: 256 };
    const settings = JSON.stringify({ data, telegramApi: sim.ready.url, ...wide });
    const gateway = await startChild<{ port: number }>('servers.ts', ['gateway', settings]);
    const measured = await measure({
      direct: sim.ready.url,
      relayed: `http://127.0.0.1:${relay.ready.port}`,
      forced: `http://127.0.0.1:${forcing.ready.port}`,
      through: `http://127.0.0.1:${gateway.ready.port}`,
    });
    await gateway.stop();
    return measured;
  });
  await forcing.stop();
  await relay.stop();
  await sim.stop();
  yield added(busy, 0.5, P50_MS_MAX);
  yield added(busy, 0.99, P99_MS_MAX);
  yield againstRelay(busy, BUSY_PER_S, 'relayed');
  yield againstRelay(calm, CALM_PER_S, 'relayed');
  yield againstRelay(busy, BUSY_PER_S, 'forced');
  yield againstRelay(calm, CALM_PER_S, 'forced');
}

// The ways a call can take. The relays are there to compare with: one passes the call on and does nothing else, the
// other does the least that keeps the promise of durability.
const WAYS = ['direct', 'relayed', 'forced', 'through'] as const;
type Ways<T> = Readonly<Record<(typeof WAYS)[number], T>>;

type Rounds = Ways<number[][]>;

async function measure(urls: Ways<string>): Promise<{ calm: Rounds; busy: Rounds }> {
  const open = (way: (typeof WAYS)[number]) => new Pool(urls[way], { connections: CONNECTIONS });
  const pools = {
    direct: open('direct'),
    relayed: open('relayed'),
    forced: open('forced'),
    through: open('through'),
  };
  for (const way of WAYS) await calls(pools[way], BUSY_PER_S, WARM_UP_MS);
  const busy = await inTurns(pools, BUSY_PER_S);
  const calm = await inTurns(pools, CALM_PER_S);
  await Promise.all(WAYS.map((way) => pools[way].close()));
  return { calm, busy };
}

async function inTurns(pools: Ways<Pool>, perSecond: number): Promise<Rounds> {
  const rounds: Rounds = { direct: [], relayed: [], forced: [], through: [] };
  for (let i = 0; i < ROUNDS; i++) {
    for (const way of WAYS) rounds[way].push(await calls(pools[way], perSecond, ROUND_MS));
  }
  return rounds;
}

let number = 0;

// Milliseconds each call took, in order of size.
export async function calls(pool: Pool, perSecond: number, lastsMs: number): Promise<number[]> {
  const began = performance.now();
  const took: Promise<number>[] = [];
  const total = (perSecond * lastsMs) / 1000;
  while (took.length < total) {
    const due = Math.min(total, ((performance.now() - began) * perSecond) / 1000);
    while (took.length < due) took.push(call(pool, number++));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return (await Promise.all(took)).sort((a, b) => a - b);
}

async function call(pool: Pool, i: number): Promise<number> {
  const began = performance.now();
  const answer = await pool.request({
    path: `/bot${1000 + (i % BOTS)}:benchbenchbenchbenchbenchbenchbench/sendMessage`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ chat_id: 1 + (i % CHATS), text: TEXT }),
  });
  const body = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(body);
  return performance.now() - began;
}

function added(rounds: Rounds, share: number, msMax: number): Row {
  const { direct, relayed, through } = quietest(rounds, share);
  const addedMs = through - direct;
  return {
    name: `added latency at ${BUSY_PER_S}/s, p${share * 100}`,
    ours: `${through.toFixed(2)} ms`,
    theirs: `${direct.toFixed(2)} ms direct, ${relayed.toFixed(2)} ms by a bare relay`,
    ratio: addedMs,
    bound: `≤ ${msMax} ms more`,
    holds: addedMs <= msMax,
  };
}

function againstRelay(rounds: Rounds, perSecond: number, relay: 'relayed' | 'forced'): Row {
  const at = quietest(rounds, 0.5);
  const more = (ms: number) => ({
    value: ms - at.direct,
    text: `${(ms - at.direct).toFixed(2)} ms more`,
  });
  const theirs = more(at[relay]);
  const name = relay === 'relayed' ? 'a bare relay' : 'a relay that forces each call to disk';
  return ratioRow(
    `added latency at ${perSecond}/s, p50`,
    more(at.through),
    { ...theirs, text: `${theirs.text} by ${name}` },
    { atMost: RELAYS_MAX },
  );
}

// Of the rounds the quietest: noise only ever adds.
function quietest(rounds: Rounds, share: number): Ways<number> {
  const quantile = (sorted: number[]) => sorted[Math.floor(share * (sorted.length - 1))]!;
  const least = (way: (typeof WAYS)[number]) => Math.min(...rounds[way].map(quantile));
  const [direct, relayed] = [least('direct'), least('relayed')];
  return { direct, relayed, forced: least('forced'), through: least('through') };
}
