import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Slots } from './slots.ts';

const SLOT_MS = 3000;
const AHEAD_MS = 2000;
const WINDOW_MS = 60_000;
const WINDOW_MAX = 20;
const SPACING_MS = 1000;
const STEP_MS = 250;

test('two finals go one shortly after the other, then one per slot', () => {
  const slots = new Slots(SLOT_MS);
  expect([0, 0, 0, 0].map(() => slots.takeFinal(10_000))).toEqual([10_000, 11_000, 14_000, 17_000]);
});

test('a preview waits until no slot is owed', () => {
  const slots = new Slots(SLOT_MS);
  slots.takePreview(0);
  expect(slots.previewAt).toBe(3000);
  slots.takeFinal(1000);
  expect(slots.previewAt).toBe(6000);
});

test('where slots do not matter nothing waits', () => {
  const slots = new Slots(0);
  slots.takePreview(5);
  expect([slots.takeFinal(6), slots.takeFinal(6), slots.previewAt]).toEqual([6, 6, 6]);
});

// Finals come when they want, in bursts and without pause; in between previews go as soon as they may.
const gapMs = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 4000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 30_000 }) },
);
const arrivals = fc.array(gapMs, { minLength: 30, maxLength: 200 });

test('whatever comes, a final is sent within a slot for each that waits and the part it may be ahead', () => {
  fc.assert(
    fc.property(arrivals, (gaps) => {
      const slots = new Slots(SLOT_MS);
      const sent: number[] = [];
      const finals: { askedAt: number; goesAt: number }[] = [];
      let now = 0;
      for (const gap of gaps) {
        const next = now + gap;
        for (let at = now; at < next; at += STEP_MS) {
          if (slots.previewAt > at || departure(sent, at) > at) continue;
          slots.takePreview(at);
          sent.push(at);
        }
        now = next;
        const goesAt = departure(sent, slots.takeFinal(now));
        finals.push({ askedAt: now, goesAt });
        sent.push(goesAt);
      }
      for (const [i, { askedAt, goesAt }] of finals.entries()) {
        const waiting = finals.slice(0, i + 1).filter((other) => other.goesAt >= askedAt).length;
        expect(goesAt - askedAt).toBeLessThanOrEqual(SLOT_MS * waiting + AHEAD_MS);
      }
    }),
  );
});

// When the platform's window and spacing let it go, not before `at`.
function departure(sent: readonly number[], at: number): number {
  const last = sent.at(-1) ?? Number.NEGATIVE_INFINITY;
  const first = sent.at(-WINDOW_MAX) ?? Number.NEGATIVE_INFINITY;
  return Math.max(at, last + SPACING_MS, first + WINDOW_MS);
}
