// Uploads through real processes: accepted means on disk, also for files, whatever happens to the process between.

import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, renameSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { bodyOf } from './process/body.ts';
import { GatewayProcess } from './process/gateway.ts';
import { runSluice } from './process/sluice.ts';

const TOKEN = '4242:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const FILE_BYTES = 5 * 1024 * 1024;

interface Seen {
  readonly method: string;
  readonly type: string;
  readonly body: Buffer;
}

// A Telegram that answers as it is told, and keeps what it got.
class Upstream {
  readonly seen: Seen[] = [];
  isUp = true;
  // null: accepts.
  refusal: string | null = null;
  #server: Server | null = null;
  #waiting: (() => void)[] = [];

  async start(): Promise<string> {
    this.#server = createServer(async (request, response) => {
      const body = await bodyOf(request);
      if (body === null) return;
      const method = request.url!.split('/').at(-1)!;
      const answer = this.#answer(method);
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer.body));
      if (method === 'getMe') return;
      const type = request.headers['content-type'] ?? '';
      this.seen.push({ method, type, body });
      for (const wake of this.#waiting.splice(0)) wake();
    });
    await new Promise<void>((resolve) => this.#server!.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #answer(method: string): { status: number; body: object } {
    if (method === 'getMe') return { status: 200, body: { ok: true, result: { id: 4242 } } };
    if (!this.isUp) {
      return {
        status: 503,
        body: { ok: false, error_code: 503, description: 'Service Unavailable' },
      };
    }
    if (this.refusal !== null) {
      return { status: 400, body: { ok: false, error_code: 400, description: this.refusal } };
    }
    const document = { file_id: 'F1', file_unique_id: 'u', file_size: FILE_BYTES };
    return { status: 200, body: { ok: true, result: { message_id: 7, document } } };
  }

  async reached(count: number): Promise<void> {
    while (this.seen.length < count) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  close(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }
}

let upstream: Upstream;
let gateway: GatewayProcess | null = null;
afterEach(async () => {
  await gateway?.end('SIGKILL');
  gateway?.remove();
  gateway = null;
  upstream.close();
});

async function setUp(flags: readonly string[] = []): Promise<GatewayProcess> {
  upstream = new Upstream();
  gateway = new GatewayProcess(await upstream.start(), [
    '--retry-base-ms',
    '100',
    '--retry-max-ms',
    '200',
    ...flags,
  ]);
  await gateway.start();
  return gateway;
}

const content = (seed: number) => {
  const block = createHash('sha512').update(String(seed)).digest();
  return Buffer.alloc(FILE_BYTES, block);
};

async function upload(to: GatewayProcess, bytes: Buffer, headers: Record<string, string> = {}) {
  const form = new FormData();
  form.set('chat_id', '5');
  form.set('document', new Blob([new Uint8Array(bytes)]), 'a.bin');
  const answer = await fetch(`${to.url}/bot${TOKEN}/sendDocument`, {
    method: 'POST',
    body: form,
    headers,
  });
  return { status: answer.status, text: await answer.text() };
}

const spooled = ({ data }: GatewayProcess) =>
  existsSync(join(data, 'spool')) ? readdirSync(join(data, 'spool')) : [];

describe('an upload', () => {
  test('that was accepted survives kill -9, arrives whole, and leaves the disk', async () => {
    const gateway = await setUp();
    upstream.isUp = false;
    const bytes = content(1);
    const accepted = await upload(gateway, bytes, { prefer: 'respond-async' });
    expect(accepted.status).toBe(202);
    await upstream.reached(1);
    expect(upstream.seen[0]!.body.includes(bytes)).toBe(true);
    await gateway.end('SIGKILL');
    expect(spooled(gateway)).toHaveLength(1);

    upstream.isUp = true;
    const before = upstream.seen.length;
    await gateway.start();
    await upstream.reached(before + 1);
    const { type, body } = upstream.seen.at(-1)!;
    expect(type).toContain('multipart/form-data');
    expect(body.includes(bytes)).toBe(true);
    await expect.poll(() => spooled(gateway)).toEqual([]);
  });

  test('that waits is in a snapshot, and arrives whole after the restore', async () => {
    const gateway = await setUp();
    upstream.isUp = false;
    const bytes = content(6);
    expect((await upload(gateway, bytes, { prefer: 'respond-async' })).status).toBe(202);
    await upstream.reached(1);
    const file = join(gateway.folder, 'snapshot.db');
    expect(await runSluice(['snapshot', file, '--data', gateway.data])).toMatchObject({ code: 0 });
    await gateway.end('SIGKILL');
    const lost = join(gateway.folder, 'lost');
    renameSync(gateway.data, lost);
    expect(await runSluice(['restore', file, '--data', gateway.data])).toMatchObject({ code: 0 });
    for (const name of ['secret', 'admin-key']) {
      copyFileSync(join(lost, name), join(gateway.data, name));
    }

    upstream.isUp = true;
    const before = upstream.seen.length;
    await gateway.start();
    await upstream.reached(before + 1);
    expect(upstream.seen.at(-1)!.body.includes(bytes)).toBe(true);
    await expect.poll(() => spooled(gateway)).toEqual([]);
  });

  test('is held and answered in the platform’s own words; the same file goes by its id', async () => {
    const gateway = await setUp(['--private-per-s', '100']);
    const bytes = content(2);
    const first = await upload(gateway, bytes);
    expect(JSON.parse(first.text)).toMatchObject({ ok: true, result: { message_id: 7 } });
    await upload(gateway, bytes);
    expect(upstream.seen[1]!.type).toBe('application/json');
    expect(JSON.parse(upstream.seen[1]!.body.toString())).toEqual({ chat_id: '5', document: 'F1' });
  });

  test('that died is kept for the retry by hand, and gone when it is discarded', async () => {
    const gateway = await setUp(['--upload-reuse', 'off']);
    const bytes = content(3);
    upstream.refusal = 'Bad Request: wrong something';
    expect((await upload(gateway, bytes)).status).toBe(400);
    const dead = async () => (await gateway.ask('GET', '/v1/dead')).body.items as { id: string }[];
    const [letter] = await dead();
    expect(spooled(gateway)).toHaveLength(1);
    upstream.refusal = null;
    await gateway.ask('POST', '/v1/dead/retry', { ids: [letter!.id] });
    await upstream.reached(2);
    expect(upstream.seen[1]!.body.includes(bytes)).toBe(true);
    await expect.poll(() => spooled(gateway)).toEqual([]);
    upstream.refusal = 'Bad Request: wrong something';
    await upload(gateway, content(4));
    const [other] = await dead();
    await gateway.ask('POST', '/v1/dead/discard', { ids: [other!.id] });
    await expect.poll(() => spooled(gateway)).toEqual([]);
  });

  test('larger than is allowed is refused, and nothing of it stays', async () => {
    const gateway = await setUp(['--upload-bytes-max', String(FILE_BYTES - 1)]);
    // The answer may come while the rest is still being sent, and the connection end before it is read.
    const { status } = await upload(gateway, content(5)).catch(() => ({ status: 413 }));
    expect(status).toBe(413);
    await expect.poll(() => spooled(gateway)).toEqual([]);
  });

  test('for which there is no room is refused, and nothing of it stays', async () => {
    // Accounts that nobody configured share three quarters, and none holds more than is still free.
    const gateway = await setUp(['--spool-bytes-max', String(FILE_BYTES * 1.5)]);
    upstream.isUp = false;
    const half = content(6).subarray(0, FILE_BYTES / 2 + 100);
    expect((await upload(gateway, half, { prefer: 'respond-async' })).status).toBe(202);
    const other = Buffer.from(half).fill(1);
    const full = await upload(gateway, other, { prefer: 'respond-async' });
    expect(JSON.parse(full.text)).toMatchObject({ error_code: 429 });
    expect(spooled(gateway)).toHaveLength(1);
  });
});
