// Durable accepts through the library, against the floor (raw group-committed inserts of rows of the same size)
// and against BullMQ's add on a local Redis, all with the same number in flight.

import { Queue } from 'bullmq';
import { createGateway } from '../../src/app/gateway.ts';
import { defaultConfig } from '../../src/config/config.ts';
import { best, perSecond, type Row, ratioRow } from '../row.ts';
import { closedLoop, type Pace } from './closed-loop.ts';
import { inFolder } from './folder.ts';
import { type Raw, rawBareRows, rawSameRows } from './raw.ts';
import { startRedis } from './redis.ts';
import { TEXT } from './sample.ts';

const IN_FLIGHT = 1_000;
const ACCEPTS = 200_000;
const BULLMQ_ADDS = 40_000;
const CHATS = 500;
const RUNS = 3;
const faster = (a: Pace, b: Pace) => a.count / a.ms > b.count / b.ms;

export async function accepts(): Promise<Row[]> {
  const ours = await best(RUNS, libraryAccepts, faster);
  const same = await best(RUNS, () => rawInserts(rawSameRows), faster);
  const bare = await best(RUNS, () => rawInserts(rawBareRows), faster);
  const bull = await best(RUNS, bullmqAdds, faster);
  const sluice = perSecond(ours.count, ours.ms, 'accepts');
  const against = (pace: Pace, what: string, atLeast: number) =>
    ratioRow('durable accepts, library', sluice, perSecond(pace.count, pace.ms, what), { atLeast });
  return [
    against(same, 'raw inserts, same rows', 0.8),
    against(bare, 'raw inserts, bare rows', 0.5),
    against(bull, 'BullMQ adds', 2),
  ];
}

async function libraryAccepts(): Promise<Pace> {
  return inFolder(async (folder) => {
    const changes = { data: folder, log: 'silent', queueMax: 10_000_000 } as const;
    const gateway = await createGateway(defaultConfig(changes));
    // Accepted but not sent: this measures the way in.
    const message = (i: number) => ({
      to: {
        platform: 'telegram',
        account: i === 0 ? '1:sandbox' : 'telegram:sandbox-1',
        chat: 1 + (i % CHATS),
      },
      body: { text: TEXT },
    });
    await gateway.send(message(0));
    await gateway.pause('telegram:sandbox-1');
    const pace = await warmLoop(ACCEPTS, (i) => gateway.send(message(i)));
    await gateway.close();
    return pace;
  });
}

async function rawInserts(open: (folder: string) => Promise<Raw>): Promise<Pace> {
  return inFolder(async (folder) => {
    const raw = await open(folder);
    const pace = await warmLoop(ACCEPTS, (i) =>
      raw.append(`${i % CHATS}`, JSON.stringify({ chat_id: i % CHATS, text: TEXT })),
    );
    raw.close();
    return pace;
  });
}

// The first half is not counted: a new thread's code is still being compiled, and its heap is finding its size.
async function warmLoop(total: number, one: (i: number) => Promise<unknown>): Promise<Pace> {
  await closedLoop(IN_FLIGHT, total, one);
  return closedLoop(IN_FLIGHT, total, one);
}

async function bullmqAdds(): Promise<Pace> {
  return inFolder(async (folder) => {
    const redis = await startRedis(folder);
    const queue = new Queue('bench', { connection: { host: '127.0.0.1', port: redis.port } });
    await queue.waitUntilReady();
    const pace = await warmLoop(BULLMQ_ADDS, (i) =>
      queue.add('send', { chat_id: i % CHATS, text: TEXT }),
    );
    await queue.close();
    await redis.stop();
    return pace;
  });
}
