// Producers of live output for the worlds: sessions that write a text word by word, end it at a random time, and begin
// the next; and an account of what came of it.

import { intBelow } from '../../src/system/random.ts';
import type { LiveWorld } from './world.ts';

export const FINAL_WORD = ' [end]';
// Short: what is written in ten minutes fits into one message.
const WORD = ' w';
const NEVER = new AbortController().signal;

export interface Finish {
  readonly stream: number;
  readonly askedAt: number;
  // How many finals waited when it was asked for, with itself.
  readonly waiting: number;
  endedAt: number | null;
}

export interface ProducerOptions {
  readonly sessions: number;
  readonly everyMs: number;
  readonly minutes: number;
  // How long a text takes.
  readonly lifeMs: readonly [min: number, max: number];
}

export async function produce(world: LiveWorld, options: ProducerOptions) {
  const { clock, random } = world;
  const endAt = clock.now() + options.minutes * 60_000;
  const finishes: Finish[] = [];
  // What waited in the queue beside finals, every second.
  const depths: number[] = [];
  let streams = 0;
  let finalsWaiting = 0;

  const finish = async (id: string, stream: number) => {
    finalsWaiting += 1;
    const askedAt = clock.now();
    const entry: Finish = { stream, askedAt, waiting: finalsWaiting, endedAt: null };
    finishes.push(entry);
    await world.live.final(id, { kind: 'append', text: FINAL_WORD });
    await world.live.ended(id, NEVER);
    finalsWaiting -= 1;
    entry.endedAt = clock.now();
  };

  const write = async (session: number) => {
    while (clock.now() < endAt) {
      const stream = streams++;
      // 1 is the number of General, which nobody may name.
      const thread = String(session + 2);
      const id = await openStream(world, `session ${session}`, thread);
      const [least, most] = options.lifeMs;
      const until = Math.min(endAt, clock.now() + least + intBelow(random, most - least));
      for (let word = 0; clock.now() < until; word++) {
        const text = word === 0 ? `#${stream}.` : WORD;
        await world.live.change(id, { kind: 'append', text });
        await sleepFor(world, options.everyMs);
      }
      // The session goes on with its next text while the final is on its way.
      void finish(id, stream);
    }
  };

  const sample = () => {
    depths.push(world.waiting() - finalsWaiting);
    if (clock.now() < endAt) clock.schedule(clock.now() + 1000, sample);
  };
  sample();
  for (let session = 0; session < options.sessions; session++) {
    clock.schedule(clock.now() + intBelow(random, options.everyMs), () => void write(session));
  }
  await world.run(options.minutes * 60_000 + 1000);
  for (let i = 0; i < 600 && finalsWaiting > 0; i++) await world.run(1000);
  return { finishes, depths, streams };
}

async function openStream(world: LiveWorld, session: string, thread: string): Promise<string> {
  const opened = await world.live.open(world.aStream({ session, thread, transport: 'edit' }));
  if (opened.kind !== 'opened') throw new Error(opened.kind);
  return opened.view.id;
}

function sleepFor({ clock }: LiveWorld, ms: number): Promise<void> {
  return new Promise((done) => {
    clock.schedule(clock.now() + ms, done);
  });
}

// 1 when all are equal, 1/n when one has everything.
export function jain(values: readonly number[]): number {
  const sum = values.reduce((a, b) => a + b, 0);
  const squares = values.reduce((a, b) => a + b * b, 0);
  return (sum * sum) / (values.length * squares);
}
