// Drains a BullMQ queue of messages into Sluice: the worker hands each job over instead of sending it, and the job is
// done when its message is on disk. Run it: REDIS_URL=redis://127.0.0.1:6379 node examples/drain-bullmq.ts
// The token goes to the built-in simulator; with a real one the rest stays as it is.

import { once } from 'node:events';
import { type Job, Worker } from 'bullmq';
import { createGateway } from 'sluice';

// What the jobs of the old queue look like.
interface MessageJob {
  readonly chat: number;
  readonly text: string;
}

const QUEUE = 'messages';
const ACCOUNT = '5:sandbox';
const { hostname: host, port } = new URL(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');

const gateway = await createGateway({ data: './data/example' });
const counts = { new: 0, known: 0 };

async function handOver({ id, data }: Job<MessageJob>): Promise<string> {
  const receipt = await gateway.send({
    to: { platform: 'telegram', account: ACCOUNT, chat: data.chat },
    body: { text: data.text },
    // A worker that died after this call makes it again, and nothing is sent twice.
    idempotencyKey: `bullmq:${QUEUE}:${id}`,
  });
  // The job fails, and BullMQ tries it again as it was told to: a full queue or disk may have room then.
  if ('code' in receipt) throw new Error(`${receipt.code}: ${receipt.detail}`);
  counts[receipt.repeated === true ? 'known' : 'new'] += 1;
  return receipt.id;
}

// No `limiter`: handing over is fast, and the platform's limits are the gateway's.
const worker = new Worker<MessageJob, string>(QUEUE, handOver, {
  connection: { host, port: Number(port) },
  concurrency: 20,
});
worker.on('failed', (job, error) => console.error(`job ${job?.id}: ${error.message}`));

// A service would go on; this ends when nothing is left.
await once(worker, 'drained');
await worker.close();
console.log(`handed over: ${counts.new} new, ${counts.known} known already`);
await gateway.close();
