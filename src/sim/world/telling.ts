// What every kind of world does alike: a message is handed to the engine and its story begun, what waits is given time
// to drain, and a promise is awaited on the virtual clock.

import type { Clock } from '../../system/clock.ts';
import type { VirtualClock } from '../../system/virtual-clock.ts';
import type { WorldEngine, WorldMessage } from './engine.ts';
import type { Story } from './evidence.ts';
import { numberOf, type Said } from './traffic.ts';

const DRAIN_MS_MAX = 60 * 60_000;
const STEP_MS = 60_000;

export function beginStory(message: WorldMessage, submittedAt: number): Story {
  const number = numberOf(JSON.stringify(message.params))!;
  return {
    ...{ number, message, submittedAt, seq: null, refused: null, record: null, tries: [] },
    ...{ cancelAskedAt: null, cancelledAt: null },
  };
}

// null: the engine refused it. `isOpen`: whether the engine still is the world's.
export async function submitStory(
  engine: WorldEngine,
  story: Story,
  clock: Clock,
  isOpen: () => boolean,
): Promise<Said | null> {
  const submitted = await engine.submit(story.message);
  if (submitted.kind === 'refused') {
    story.refused = submitted.code;
    return null;
  }
  const { seq } = submitted;
  story.seq = seq;
  const cancel = async () => {
    // It has a new process by now, or none.
    if (!isOpen()) return;
    story.cancelAskedAt = clock.now();
    if (await engine.cancel(seq)) story.cancelledAt = clock.now();
  };
  return { ended: () => engine.ended(seq), cancel };
}

export async function drainEngine(engine: WorldEngine, clock: VirtualClock): Promise<void> {
  const lastAt = clock.now() + DRAIN_MS_MAX;
  while (engine.waiting() > 0 && clock.now() < lastAt) await clock.run(clock.now() + STEP_MS);
  // Whatever was still in flight ends.
  await clock.run(clock.now() + STEP_MS);
}

// The promise may need time to pass.
export async function passTimeUntil<T>(promise: Promise<T>, clock: VirtualClock): Promise<T> {
  let isDone = false;
  const done = promise.finally(() => {
    isDone = true;
  });
  await null;
  while (!isDone) await clock.run(clock.now() + 1);
  return done;
}
