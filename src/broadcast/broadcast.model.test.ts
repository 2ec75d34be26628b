// Random lives of a broadcast: it runs, is paused, resumed, cancelled, and its process dies at any moment, also in the
// middle of a commit. Whatever happens, everyone ends exactly once, nobody is left out, and who got it twice was in
// flight at a crash and is marked so.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MemoryHooks } from '../store/memory/memory.ts';
import { seededRandom } from '../system/random.ts';
import { aWorld, type BroadcastWorld, broadcastTo, settled } from './broadcast.fixture.ts';

const RUNS = 40;
const RECIPIENTS = 60;
const HOUR = 3_600_000;
const COMMIT_MS_MAX = 15;

type Step = { kind: 'run' | 'crash'; ms: number } | { kind: 'paused' | 'running' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('run' as const), ms: fc.nat(700) }) },
  {
    weight: 2,
    // Longer than keys are remembered, now and then.
    arbitrary: fc.constantFrom(0, 0, 0, 25 * HOUR).map((ms) => ({ kind: 'crash' as const, ms })),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'paused' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'running' as const }) },
);

// Commits take time, so that a crash may come before or after they took effect.
function slowCommits(seed: number) {
  return (clock: BroadcastWorld['clock']): MemoryHooks => {
    const random = seededRandom(seed);
    const wait = () =>
      new Promise<void>((resolve) => {
        clock.schedule(clock.now() + COMMIT_MS_MAX * random.next(), resolve);
      });
    return { beforeApply: wait, afterApply: wait };
  };
}

async function take(world: BroadcastWorld, id: string, step: Step): Promise<void> {
  switch (step.kind) {
    case 'run':
      return world.run(step.ms);
    case 'crash':
      return world.crash(step.ms);
    default:
      // Not waited for: the next step may come in the middle of it.
      world.now.broadcasting.steer(id, step.kind).catch(() => {});
      return world.run(5);
  }
}

async function ended(world: BroadcastWorld, id: string) {
  const query = { id, state: null, after: 0, max: 2 * RECIPIENTS };
  return (await settled(world.clock, world.now.broadcasting.recipients(query)))!;
}

function expectOnce(world: BroadcastWorld): void {
  const doubts = new Map<string, number>();
  for (const { chat, doubts: lost } of world.disk.deliveries.values()) {
    doubts.set(chat, (doubts.get(chat) ?? 0) + lost);
  }
  for (let n = 0; n < RECIPIENTS; n++) {
    const chat = String(1001 + n);
    const got = world.calls.filter((call) => call.chat === chat && call.acceptedAt !== null);
    expect(got.length, chat).toBeLessThanOrEqual(1 + (doubts.get(chat) ?? 0));
  }
}

test('everyone ends exactly once, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 25, size: 'max' }),
      fc.boolean(),
      fc.nat(1e6),
      async (steps, isCancelled, seed) => {
        const settings = { broadcastWindow: 20 };
        const world = aWorld({ settings, seed, hooks: slowCommits(seed) });
        await world.start();
        const id = await broadcastTo(world, RECIPIENTS);
        for (const each of steps) await take(world, id, each);
        const last = isCancelled ? 'cancelled' : 'running';
        await settled(world.clock, world.now.broadcasting.steer(id, last));
        await world.run(HOUR);
        const view = (await settled(world.clock, world.now.broadcasting.get(id)))!;
        const isDone = view.state === 'done';
        expect(isDone || (isCancelled && view.state === 'cancelled')).toBe(true);
        const all = await ended(world, id);
        expect(all.map(({ chat }) => chat)).toEqual(
          Array.from({ length: RECIPIENTS }, (_, i) => String(1001 + i)),
        );
        for (const { chat, state } of all) {
          const got = world.calls.some((call) => call.chat === chat && call.acceptedAt !== null);
          expect(`${chat} ${state}`).toBe(`${chat} ${got ? 'sent' : 'cancelled'}`);
          if (isDone) expect(state).toBe('sent');
        }
        const sent = all.filter(({ state }) => state === 'sent').length;
        const cancelled = RECIPIENTS - sent;
        const none = { pending: 0, queued: 0, dead: 0, skipped: 0, uncertain: 0 };
        expect(view.progress).toEqual({ ...none, sent, cancelled });
        expectOnce(world);
        await world.stop();
      },
    ),
    { numRuns: RUNS },
  );
});
