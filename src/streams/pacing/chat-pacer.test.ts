// A chat's showings on a clock that runs while it is asked, as real ones do.

import { expect, test } from 'vitest';
import { virtualClock } from '../../system/virtual-clock.ts';
import { aNewStream } from '../stream-state.fixture.ts';
import { Stream } from '../stream-state.ts';
import { Output } from './chat-pacer.ts';

const STEP_MS = 0.01;

test('an open chat shows at once, however far the clock got meanwhile', async () => {
  const still = virtualClock(0);
  let steps = 0;
  const clock = { ...still, now: () => still.now() + STEP_MS * steps++ };
  const shown: string[] = [];
  const stream = new Stream('s-1', aNewStream(), 'edit', 0);
  const output = new Output(
    {
      clock,
      textOf: () => stream,
      // As the road answers: not before now.
      earliest: () => clock.now(),
      show: async ({ id }) => {
        shown.push(id);
        return 'nothing';
      },
      broken: (_stream, error) => {
        throw error;
      },
    },
    { budgetMpm: 60, tickMsMin: 0, activeWindowMs: 10_000, slotMs: 1000, slotsSpared: 0 },
    { account: 'telegram:1', chat: '7', platform: 'telegram' },
  );
  output.want(stream);
  await still.run(10);
  expect(shown).toEqual(['s-1']);
});

test('nobody is left to be shown when a closed chat opens: no timer waits for it', async () => {
  const clock = virtualClock(0);
  const armed = new Set<object>();
  const watched = {
    ...clock,
    schedule(at: number, run: () => void) {
      const timer = clock.schedule(at, run);
      armed.add(timer);
      return {
        cancel() {
          armed.delete(timer);
          timer.cancel();
        },
      };
    },
  };
  const stream = new Stream('s-1', aNewStream(), 'edit', 0);
  const output = new Output(
    {
      clock: watched,
      textOf: () => stream,
      earliest: () => 7_200_000,
      show: async () => 'shown',
      broken: (_stream, error) => {
        throw error;
      },
    },
    { budgetMpm: 60, tickMsMin: 0, activeWindowMs: 10_000, slotMs: 1000, slotsSpared: 0 },
    { account: 'telegram:1', chat: '7', platform: 'telegram' },
  );
  output.want(stream);
  expect(armed.size).toBe(1);
  output.leave(stream);
  output.rest();
  expect(armed.size).toBe(0);
});
