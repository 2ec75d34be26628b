import { expect, test } from 'vitest';
import { WAIT_CLASSES, WAIT_EDGES_MS, waitClassOf, waitQuantileMs } from './wait-histogram.ts';

function counted(waits: readonly number[]): number[] {
  const counts = Array.from({ length: WAIT_CLASSES }, () => 0);
  for (const ms of waits) counts[waitClassOf(ms)]! += 1;
  return counts;
}

test('an edge belongs to the class below it; what is longer than all is the last', () => {
  expect(waitClassOf(0)).toBe(0);
  expect(waitClassOf(50)).toBe(0);
  expect(waitClassOf(50.1)).toBe(1);
  expect(waitClassOf(1e9)).toBe(WAIT_CLASSES - 1);
});

test('percentiles lie within the class of the real one', () => {
  const waits = Array.from({ length: 1000 }, (_, n) => n * 7);
  const sorted = waits.toSorted((a, b) => a - b);
  for (const share of [0.5, 0.95, 0.99]) {
    const real = sorted[Math.ceil(share * sorted.length) - 1]!;
    const told = waitQuantileMs(counted(waits), share)!;
    expect(waitClassOf(told)).toBe(waitClassOf(real));
  }
});

test('of nothing there is none, of the endless class its beginning', () => {
  expect(waitQuantileMs(counted([]), 0.5)).toBeNull();
  expect(waitQuantileMs(counted([1e9]), 0.5)).toBe(WAIT_EDGES_MS.at(-1));
});
