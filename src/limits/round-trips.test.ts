import { expect, test } from 'vitest';
import { RoundTrips } from './learning.ts';

test('calls that leave together on a cold line do not tell how fast it is', () => {
  const trips = new RoundTrips();
  for (let i = 0; i < 100; i++) trips.observe(80 + (i % 3), 1000 + i);
  expect(trips.least(1100)).toBe(0);
  for (let i = 0; i < 100; i++) trips.observe(5 + (i % 3), 1500 + 10 * i);
  expect(trips.least(3100)).toBeLessThan(5);
});

test('a warm line is trusted, but for a margin', () => {
  const trips = new RoundTrips();
  for (let i = 0; i < 100; i++) trips.observe(80 + (i % 3), 1000 + 50 * i);
  expect(trips.least(6000)).toBeGreaterThan(70);
  expect(trips.least(6000)).toBeLessThan(80);
});

test('a route that is no more is forgotten', () => {
  const trips = new RoundTrips();
  for (let i = 0; i < 100; i++) trips.observe(20, i * 100);
  for (let i = 0; i < 100; i++) trips.observe(200, 600_000 + i * 100);
  expect(trips.least(610_000)).toBeGreaterThan(150);
});
