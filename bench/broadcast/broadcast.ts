// A broadcast to a million, from the first byte of its list to the answer that it is accepted: how long it takes, and
// how much the gateway grows. Nothing is compared here; the bounds are what is promised.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { request } from 'undici';
import { inFolder } from '../engine/folder.ts';
import { type Row, ratioRow } from '../row.ts';

const RECIPIENTS = 1_000_000;
const SECONDS_MAX = 60;
const GROWTH_MB_MAX = 300;
const LINES_PER_CHUNK = 2000;
const MB = 1_048_576;
const HEADERS = { authorization: 'Bearer bench' };

export async function* broadcast(_only: string | null): AsyncIterable<Row> {
  yield* await inFolder(accepted);
}

async function accepted(folder: string): Promise<Row[]> {
  const child = fork(new URL('server.ts', import.meta.url), [folder]);
  try {
    const { url } = await told<{ url: string }>(child);
    const from = performance.now();
    const saved = await ask('PUT', `${url}/v1/audiences/all`, 'text/csv', Readable.from(list()));
    const order = {
      to: { platform: 'telegram', account: '1:sandbox' },
      audience: 'all',
      body: { text: 'Hello {{name}}' },
    };
    const made = await ask(
      'POST',
      `${url}/v1/broadcasts`,
      'application/json',
      JSON.stringify(order),
    );
    const seconds = (performance.now() - from) / 1000;
    if (saved.count !== RECIPIENTS || made.total !== RECIPIENTS) {
      throw new Error(`not all were accepted: ${JSON.stringify([saved, made])}`);
    }
    child.send('memory');
    const { before, peak } = await told<{ before: number; peak: number }>(child);
    const grown = (peak - before) / MB;
    return [
      ratioRow(
        'a broadcast to 1 million accepted',
        { text: `${seconds.toFixed(1)} s`, value: seconds },
        { text: `${SECONDS_MAX} s allowed`, value: SECONDS_MAX },
        { atMost: 1 },
      ),
      ratioRow(
        'memory the gateway grew by meanwhile',
        { text: `${grown.toFixed(0)} MB`, value: grown },
        { text: `${GROWTH_MB_MAX} MB allowed`, value: GROWTH_MB_MAX },
        { atMost: 1 },
      ),
    ];
  } finally {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
}

async function told<T>(child: ChildProcess): Promise<T> {
  const [message] = await once(child, 'message');
  return message as T;
}

function* list(): Generator<Buffer> {
  yield Buffer.from('chat,name,town\n');
  for (let n = 0; n < RECIPIENTS; n += LINES_PER_CHUNK) {
    const lines = Array.from({ length: LINES_PER_CHUNK }, (_, i) => {
      // In no order, as lists from elsewhere are.
      const chat = 100_000_000 + (((n + i) * 7_919) % 1_000_003) * 17;
      return `${chat},Name ${n + i},"Town, ${(n + i) % 997}"\n`;
    });
    yield Buffer.from(lines.join(''));
  }
}

async function ask(method: 'PUT' | 'POST', url: string, type: string, body: Readable | string) {
  const headers = { ...HEADERS, 'content-type': type };
  const patience = { headersTimeout: 0, bodyTimeout: 0 };
  const answer = await request(url, { method, headers, body, ...patience });
  return (await answer.body.json()) as Record<string, unknown>;
}
