// BullMQ's worker in a process of its own, as one would run it: each job is one call to the simulated Telegram.

import { Worker } from 'bullmq';
import { Pool } from 'undici';
import { tell } from '../engine/child.ts';

const { port, telegramApi, concurrency, token } = JSON.parse(process.argv[2]!) as {
  port: number;
  telegramApi: string;
  concurrency: number;
  token: string;
};
const pool = new Pool(telegramApi, { connections: concurrency });
const worker = new Worker(
  'bench',
  async ({ data }) => {
    const answer = await pool.request({
      path: `/bot${token}/sendMessage`,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(data),
    });
    const { result } = (await answer.body.json()) as { result: { message_id: number } };
    return result.message_id;
  },
  { connection: { host: '127.0.0.1', port }, concurrency },
);
await worker.waitUntilReady();
tell({});
process.once('SIGTERM', () => process.exit(0));
