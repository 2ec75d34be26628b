import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { smooth, spacingMs, tickMs } from './cadence.ts';

const GROUP = { budgetMpm: 16, tickMsMin: 300 };

describe('the tick', () => {
  test('is the budget shared by the active sessions, rounded up to 100 ms', () => {
    expect([1, 2, 20, 100].map((active) => tickMs(GROUP, active))).toEqual([
      3800, 7500, 75_000, 375_000,
    ]);
    expect(tickMs({ budgetMpm: 60, tickMsMin: 300 }, 1)).toBe(1000);
  });

  test('is never shorter than the least one, with and without a budget', () => {
    expect(tickMs({ budgetMpm: 6000, tickMsMin: 250 }, 1)).toBe(300);
    expect(tickMs({ budgetMpm: null, tickMsMin: 700 }, 50)).toBe(700);
  });

  test('an idle chat counts as one session', () => {
    expect(tickMs(GROUP, 0)).toBe(3800);
  });

  test('the smoothed number is what feeds it', () => {
    const before = smooth(null, 2, 0);
    const burst = smooth(before, 20, 1000);
    expect(burst.value).toBeGreaterThan(2);
    expect(burst.value).toBeLessThan(20);
    expect(tickMs(GROUP, burst.value)).toBeGreaterThan(tickMs(GROUP, 2));
    expect(tickMs(GROUP, burst.value)).toBeLessThan(tickMs(GROUP, 20));
  });

  test('no budget is overdrawn by rounding', () => {
    const budget = fc.integer({ min: 1, max: 6000 });
    fc.assert(
      fc.property(budget, fc.integer({ min: 1, max: 500 }), (budgetMpm, active) => {
        const tick = tickMs({ budgetMpm, tickMsMin: 100 }, active);
        expect((active * 60_000) / tick).toBeLessThanOrEqual(budgetMpm * (1 + 1e-9));
        expect(tick % 100).toBe(0);
      }),
    );
  });
});

test('smoothing comes from one number to the other without overshooting', () => {
  const number = fc.integer({ min: 0, max: 200 });
  fc.assert(
    fc.property(number, number, fc.array(fc.nat({ max: 3000 })), (from, to, stepsMs) => {
      let [value, at] = [smooth(null, from, 0), 0];
      for (const ms of stepsMs) {
        at += ms;
        const next = smooth(value, to, at);
        expect(Math.abs(next.value - to)).toBeLessThanOrEqual(Math.abs(value.value - to) + 1e-9);
        expect(next.value).toBeGreaterThanOrEqual(Math.min(from, to) - 1e-9);
        value = next;
      }
      expect(smooth(value, to, at + 60_000).value).toBeCloseTo(to, 6);
    }),
  );
});

test('what is spread evenly over a minute', () => {
  expect(spacingMs(GROUP)).toBe(3750);
  expect(spacingMs({ budgetMpm: null, tickMsMin: 300 })).toBe(0);
});
