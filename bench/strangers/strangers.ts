// What strangers cost a configured bot: its calls at a steady pace before one real gateway, at rest and under each load
// by turns in one run, so that what else the machine does falls on both. The loads come from a process and an address
// of their own and last as long as their rounds.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { GatewayProcess } from '../../test/process/gateway.ts';
import { BOT, Upstream } from '../../test/strangers/loads.ts';
import { type Row, ratioRow } from '../row.ts';

const LOADS = ['held calls', 'unknown tokens', 'uploads', 'sandbox accounts'] as const;
export type LoadName = (typeof LOADS)[number];

const PER_SECOND = 50;
// Odd: of the rounds' values the middle one is taken, so that a hiccup of the machine in one of them does not count.
const ROUNDS = 7;
const ROUND_MS = 4000;
const WARM_UP_MS = 4000;
const RATIO_MAX = 2;
// So that the bot's own limits never hold it up.
const WIDE = '    settings: { broadcast_per_s: 1000, private_per_s: 1000 }\n';

// `only`: one load alone, by its name.
export async function* strangers(only: string | null): AsyncIterable<Row> {
  const upstream = new Upstream();
  const gateway = new GatewayProcess(await upstream.start(), ['--accounts-max', '1000']);
  const config = join(gateway.folder, 'sluice.yaml');
  writeFileSync(config, `accounts:\n  - platform: telegram\n    token: ${BOT}\n${WIDE}`);
  await gateway.start(['--config', config]);
  try {
    await calls(gateway.url, WARM_UP_MS);
    for (const name of LOADS.filter((each) => only === null || each === only)) {
      const rest = [];
      const under = [];
      // Code that runs for the first time is slow, whoever made it run.
      await underLoad(name, gateway.url);
      for (let round = 0; round < ROUNDS; round++) {
        rest.push(p99(await calls(gateway.url, ROUND_MS)));
        under.push(p99(await underLoad(name, gateway.url)));
      }
      yield ratioRow(`a bot's p99 under ${name}`, told(median(under)), told(median(rest)), {
        atMost: RATIO_MAX,
      });
    }
  } finally {
    await gateway.end('SIGTERM');
    gateway.remove();
    await upstream.stop();
  }
}

async function underLoad(name: LoadName, url: string): Promise<number[]> {
  const load = await startLoad(name, url);
  const took = await calls(url, ROUND_MS);
  await stopLoad(load);
  return took;
}

async function startLoad(name: LoadName, url: string): Promise<ChildProcess> {
  const child = fork(new URL('load-child.ts', import.meta.url), [name, url]);
  await once(child, 'message');
  return child;
}

async function stopLoad(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.send('stop');
  await exited;
}

let chat = 1000;

// Open loop: a slow answer delays no other call.
async function calls(url: string, ms: number): Promise<number[]> {
  const took: Promise<number>[] = [];
  const end = performance.now() + ms;
  for (let at = performance.now(); at < end; at += 1000 / PER_SECOND) {
    const waitMs = Math.max(0, at - performance.now());
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    took.push(call(url));
  }
  return Promise.all(took);
}

async function call(url: string): Promise<number> {
  const startedAt = performance.now();
  const answer = await request(`${url}/bot${BOT}/sendMessage`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ chat_id: chat++, text: 'hello' }),
  });
  await answer.body.dump();
  if (answer.statusCode !== 200) throw new Error(`the bot was answered ${answer.statusCode}`);
  return performance.now() - startedAt;
}

function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)]!;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

function told(value: number) {
  return { value, text: `${value.toFixed(1)} ms` };
}
