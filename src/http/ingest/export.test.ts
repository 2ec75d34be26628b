import { once } from 'node:events';
import { expect, test } from 'vitest';
import { virtualClock } from '../../system/virtual-clock.ts';
import { STALLED_MS_MAX, unlessStalled } from './export.ts';

async function* pages(count: number) {
  for (let n = 0; n < count; n++) yield `${n}\n`;
}

test('a reader that takes nothing more is cut off, and its pages are let go', async () => {
  const clock = virtualClock(0);
  let isOver = false;
  const watched = async function* () {
    try {
      yield* pages(1_000);
    } finally {
      isOver = true;
    }
  };
  const lines = unlessStalled(clock, watched());
  await once(lines, 'readable');
  const closed = once(lines, 'close');
  await clock.run(STALLED_MS_MAX - 1);
  expect(lines.destroyed).toBe(false);
  await clock.run(STALLED_MS_MAX);
  await closed;
  expect(isOver).toBe(true);
});

test('one that reads slowly gets all of it', async () => {
  const clock = virtualClock(0);
  let text = '';
  for await (const page of unlessStalled(clock, pages(100))) {
    text += page;
    await clock.run(clock.now() + STALLED_MS_MAX - 1);
  }
  expect(text.split('\n')).toHaveLength(101);
});
