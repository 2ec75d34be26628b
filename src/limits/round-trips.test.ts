import { expect, test } from 'vitest';
import { type Random, seededRandom } from '../system/random.ts';
import { RoundTrips } from './rolling-window.ts';

test('calls that leave together on a cold line do not tell how fast it is', () => {
  const trips = new RoundTrips();
  for (let i = 0; i < 100; i++) trips.observe(80 + (i % 3), 1000 + i);
  expect(trips.least(1100)).toBe(0);
  for (let i = 0; i < 100; i++) trips.observe(5 + (i % 3), 1500 + 10 * i);
  expect(trips.least(3100)).toBeLessThan(5);
});

test('a line that still gets faster is not trusted in its first seconds', () => {
  const trips = new RoundTrips();
  const tripAt = (sinceMs: number) => Math.max(4, 12 - sinceMs / 250);
  for (let sinceMs = 0; sinceMs < 4000; sinceMs += 10) {
    expect(trips.least(1000 + sinceMs), `${sinceMs} ms`).toBeLessThan(tripAt(sinceMs + 1000));
    trips.observe(tripAt(sinceMs), 1000 + sinceMs);
  }
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

test('after a silence the line is cold again', () => {
  const trips = new RoundTrips();
  for (let i = 0; i < 100; i++) trips.observe(20, i * 100);
  expect(trips.least(10_000)).toBeGreaterThan(15);
  for (let i = 0; i < 100; i++) trips.observe(200, 600_000 + i);
  expect(trips.least(600_200)).toBe(0);
});

test.each([
  ['one way jitters', (random: Random) => 40 * random.next(), 1.5],
  ['both ways jitter', (random: Random) => 40 * (random.next() + random.next()), 8],
])('no trip is shorter than what is trusted, and little is given away: %s', (_, jitter, most) => {
  for (let seed = 1; seed <= 40; seed++) {
    const random = seededRandom(seed);
    const trips = new RoundTrips();
    for (let i = 0; i < 2000; i++) {
      const at = 1000 + 25 * i;
      const trip = 80 + jitter(random);
      expect(trip).toBeGreaterThan(trips.least(at));
      trips.observe(trip, at);
    }
    expect(80 - trips.least(51_000)).toBeLessThan(most);
  }
});
