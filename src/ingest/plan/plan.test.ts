import { describe, expect, test } from 'vitest';
import { HALF_LIFE_MS, HOUR_MS, newActivity, observe, ratesOf } from './activity.ts';
import { dueAt, modeOf, rendezvous } from './plan.ts';
import { dueAfter, priceOf, type Rated, shareAfterWaits } from './price.ts';

const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
const WIDE = { everyMsMin: 1, everyMsMax: 365 * DAY_MS };
const steady = (perHour: number, weight = 1): Rated => ({
  rates: new Float64Array(168).fill(perHour / HOUR_MS),
  weight,
});

describe('mode', () => {
  const settings = { lpaMaxAgeHours: 24, isIncrementalOn: true };
  const facts = { succeededAt: 0, isAscending: false, hasMark: false };
  test('historical the first time, after too long, and where it has begun', () => {
    const choice = (change: object, now = 1, set = settings) =>
      modeOf({ ...facts, ...change }, set, now);
    expect(choice({})).toEqual({ mode: 'incremental', forced: null });
    expect(choice({ succeededAt: null })).toEqual({ mode: 'historical', forced: 'first' });
    expect(choice({ succeededAt: null, hasMark: true })).toMatchObject({ mode: 'incremental' });
    expect(choice({}, DAY_MS)).toMatchObject({ mode: 'incremental' });
    expect(choice({}, DAY_MS + 1)).toEqual({ mode: 'historical', forced: 'stale_lpa' });
    expect(choice({ isAscending: true })).toEqual({ mode: 'historical', forced: 'begun' });
    const off = { ...settings, isIncrementalOn: false };
    expect(choice({}, 1, off)).toEqual({ mode: 'historical', forced: 'disabled' });
  });
});

describe('activity', () => {
  test('a steady source: the rate it has', () => {
    const dates = Array.from({ length: 8 * 168 * 2 }, (_, i) => i * (HOUR_MS / 2));
    const seen = observe(newActivity(0, 0), dates, 8 * WEEK_MS);
    for (const rate of ratesOf(seen)) expect(rate * HOUR_MS).toBeCloseTo(2, 1);
  });

  test('in pieces as in one go', () => {
    const dates = [1, 30, 99].map((hours) => hours * HOUR_MS + 5);
    const whole = observe(newActivity(0, 0), dates, 100 * HOUR_MS);
    let pieces = newActivity(0, 0);
    for (const [i, date] of dates.entries()) {
      pieces = observe(pieces, [date], [20, 30.5, 100][i]! * HOUR_MS);
    }
    for (const [hour, rate] of ratesOf(pieces).entries()) {
      expect(rate / ratesOf(whole)[hour]!).toBeCloseTo(1, 3);
    }
  });

  test('it posts at nine o’clock, and is expected there, on a day it was not seen, too', () => {
    const dates = Array.from({ length: 5 }, (_, day) =>
      [1, 2, 3, 4].map((n) => day * DAY_MS + 9 * HOUR_MS + n),
    ).flat();
    const rates = ratesOf(observe(newActivity(0, 0), dates, 5 * DAY_MS));
    expect(rates[9]! / rates[12]!).toBeGreaterThan(5);
    expect(rates[6 * 24 + 9]! / rates[6 * 24 + 12]!).toBeGreaterThan(5);
  });

  test('what was seen fades by half in three weeks, and is forgotten in the end', () => {
    const busy = observe(newActivity(0, 0), [1, 2, 3, 4], HOUR_MS);
    const later = observe(busy, [], HOUR_MS + HALF_LIFE_MS);
    expect(later.posts[0]).toBeCloseTo(2);
    expect(observe(newActivity(0, 0), [1], 20 * WEEK_MS).posts[0]).toBe(0);
  });
});

describe('looks', () => {
  test('every √(2c / wλ) for a steady rate, over any number of hours', () => {
    for (const perHour of [0.01, 1, 300]) {
      for (const weight of [1, 4]) {
        const price = 500_000;
        const due = dueAfter(steady(perHour, weight), 12_345, price, WIDE);
        expect(due - 12_345).toBeCloseTo(
          Math.sqrt((2 * price) / ((weight * perHour) / HOUR_MS)),
          3,
        );
      }
    }
  });

  test('not before the least, not after the most', () => {
    const bounds = { everyMsMin: 20_000, everyMsMax: HOUR_MS };
    expect(dueAfter(steady(1e6), 0, 1, bounds)).toBe(20_000);
    expect(dueAfter(steady(1e-6), 0, 1e9, bounds)).toBe(HOUR_MS);
    expect(dueAfter(steady(0), 0, 1, bounds)).toBe(HOUR_MS);
  });

  test('a quiet night is slept through', () => {
    const rates = new Float64Array(168).fill(1e-12);
    rates.fill(60 / HOUR_MS, 8, 9);
    const due = dueAfter({ rates, weight: 1 }, 0, 60_000, WIDE);
    expect(due).toBeGreaterThan(8 * HOUR_MS);
    expect(due).toBeLessThan(8 * HOUR_MS + 5 * 60_000);
  });

  test('at the price they make the calls of the budget', () => {
    const sources = [0.1, 1, 1, 10, 100].map((perHour, i) => steady(perHour, 1 + i));
    const bounds = { everyMsMin: 1_000, everyMsMax: DAY_MS };
    for (const perHour of [1, 60, 600]) {
      const price = priceOf(sources, perHour / HOUR_MS, bounds);
      const calls = sources.map((each) => HOUR_MS / dueAfter(each, 0, price, bounds));
      expect(calls.reduce((a, b) => a + b) / perHour).toBeCloseTo(1, 2);
    }
  });

  test('four times the rate, twice the looks', () => {
    const price = priceOf([steady(1), steady(4)], 6 / HOUR_MS, WIDE);
    const every = (perHour: number) => dueAfter(steady(perHour), 0, price, WIDE) / HOUR_MS;
    expect(every(1)).toBeCloseTo(0.5, 2);
    expect(every(4)).toBeCloseTo(0.25, 2);
  });

  test('a wait of the platform halves the budget; it comes back', () => {
    expect(shareAfterWaits([], 0)).toBe(1);
    expect(shareAfterWaits([0], 0)).toBe(0.5);
    expect(shareAfterWaits([0, 0], 0)).toBe(0.25);
    expect(shareAfterWaits([0], DAY_MS)).toBeGreaterThan(0.99);
    expect(shareAfterWaits(Array(50).fill(0), 0)).toBe(1 / 16);
  });
});

describe('due', () => {
  const facts = { ...steady(1), lookedAt: 1_000, failures: 0, notBefore: 0 };
  const fixed = { kind: 'fixed', intervalMs: 300_000 } as const;
  test('at once, after the interval, by the law; later after failures and as the platform wishes', () => {
    expect(dueAt({ ...facts, lookedAt: null }, fixed)).toBe(0);
    expect(dueAt(facts, fixed)).toBe(301_000);
    const pace = { kind: 'rate', price: 1e5, bounds: WIDE } as const;
    expect(dueAt(facts, pace)).toBeCloseTo(dueAfter(facts, 1_000, 1e5, WIDE));
    expect(dueAt({ ...facts, notBefore: 999_999 }, fixed)).toBe(999_999);
    expect(dueAt({ ...facts, failures: 1 }, fixed)).toBe(31_000);
    expect(dueAt({ ...facts, failures: 3 }, fixed)).toBe(121_000);
    expect(dueAt({ ...facts, failures: 40 }, fixed)).toBe(HOUR_MS + 1_000);
  });
});

describe('partition', () => {
  const keys = Array.from({ length: 3_000 }, (_, i) => `source ${i}`);
  test('evenly, and a node that goes moves its own share alone', () => {
    const three = keys.map((key) => rendezvous(key, ['a', 'b', 'c']));
    for (const node of ['a', 'b', 'c']) {
      expect(three.filter((each) => each === node).length).toBeGreaterThan(900);
    }
    const two = keys.map((key) => rendezvous(key, ['c', 'a']));
    for (const [i, node] of three.entries()) {
      if (node !== 'b') expect(two[i]).toBe(node);
    }
    expect(rendezvous('x', [])).toBeNull();
  });
});
