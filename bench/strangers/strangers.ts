// What strangers cost a configured bot: its calls at a steady pace, at rest and under each load in turn, before one
// real gateway, in one run. The loads come from a process of their own address, and are bounded in count and time.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { GatewayProcess } from '../../test/process/gateway.ts';
import {
  BOT,
  heldCalls,
  type Load,
  sandboxAccounts,
  Upstream,
  unknownTokens,
  uploads,
} from '../../test/strangers/loads.ts';
import { type Row, ratioRow } from '../row.ts';

const PER_SECOND = 50;
const ROUND_MS = 6000;
const WARM_UP_MS = 4000;
const RATIO_MAX = 2;
// So that the bot's own limits never hold it up.
const WIDE = '    settings: { broadcast_per_s: 1000, private_per_s: 1000 }\n';

const nothing = () => {};
// Bounded in count, so that what is measured is the gateway and not a machine that has no time left.
const LOADS: Readonly<Record<string, Load>> = {
  'held calls': heldCalls(8000, 100),
  'unknown tokens': unknownTokens(1100, nothing),
  uploads: uploads(100, 1_000_000, nothing),
  'sandbox accounts': sandboxAccounts(1500, nothing),
};

export async function* strangers(): AsyncIterable<Row> {
  const upstream = new Upstream();
  const gateway = new GatewayProcess(await upstream.start(), ['--accounts-max', '1000']);
  const config = join(gateway.folder, 'sluice.yaml');
  writeFileSync(config, `accounts:\n  - platform: telegram\n    token: ${BOT}\n${WIDE}`);
  await gateway.start(['--config', config]);
  try {
    await calls(gateway.url, WARM_UP_MS);
    for (const [name, load] of Object.entries(LOADS)) {
      const before = await calls(gateway.url, ROUND_MS);
      const strain = load(gateway.url);
      const under = await calls(gateway.url, ROUND_MS);
      strain.stop();
      await strain.done;
      const after = await calls(gateway.url, ROUND_MS);
      const rest = p99([...before, ...after]);
      yield ratioRow(`a bot's p99 under ${name}`, told(p99(under)), told(rest), {
        atMost: RATIO_MAX,
      });
    }
  } finally {
    await gateway.end('SIGTERM');
    gateway.remove();
    await upstream.stop();
  }
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

function told(value: number) {
  return { value, text: `${value.toFixed(1)} ms` };
}
