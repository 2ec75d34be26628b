// The example that drains a BullMQ queue, against a Redis of its own: every job becomes a message once, however often
// it is handed over.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Queue } from 'bullmq';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRedis } from '../bench/engine/redis.ts';
import { createGateway } from '../src/index.ts';
import { ROOT } from './tidy/tree.ts';

const CHATS = [501, 502, 503];
const folder = mkdtempSync(join(tmpdir(), 'sluice-bullmq-'));
let redis: Awaited<ReturnType<typeof startRedis>>;
let queue: Queue;

beforeAll(async () => {
  redis = await startRedis(folder);
  queue = new Queue('messages', { connection: { host: '127.0.0.1', port: redis.port } });
});

afterAll(async () => {
  await queue.close();
  await redis.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function addJobs(): Promise<void> {
  for (const [i, chat] of CHATS.entries()) {
    await queue.add('send', { chat, text: `hello ${chat}` }, { jobId: `job-${i}` });
  }
}

async function drain(): Promise<string> {
  const env = { ...process.env, REDIS_URL: `redis://127.0.0.1:${redis.port}` };
  const example = join(ROOT, 'examples', 'drain-bullmq.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [example], { cwd: folder, env });
  return stdout;
}

test('every job is handed over once, also when it comes again', async () => {
  await addJobs();
  expect(await drain()).toBe('handed over: 3 new, 0 known already\n');
  const jobs = await queue.getCompleted();
  const ids = jobs.map(({ returnvalue }) => returnvalue as string);
  expect(new Set(ids).size).toBe(CHATS.length);

  // As after a worker that died before BullMQ heard of it.
  await queue.obliterate({ force: true });
  await addJobs();
  expect(await drain()).toBe('handed over: 0 new, 3 known already\n');

  const gateway = await createGateway({ data: join(folder, 'data/example') });
  for (const id of ids) expect(await gateway.get(id)).toMatchObject({ id, method: 'sendMessage' });
  await gateway.close();
});
