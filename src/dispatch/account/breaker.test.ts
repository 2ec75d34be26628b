import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../system/random.ts';
import { Breaker } from './availability.ts';

const BROKEN = { reason: 'broken', detail: '' };

const SETTINGS = { failuresMax: 3, openMs: 1000, openMsMax: 5000 };
const LEAST = { next: () => 0 };
const MOST = { next: () => 1 };

function fail(breaker: Breaker, chats: string[], now = 0): void {
  for (const chat of chats) breaker.failed(chat, false, BROKEN, now);
}

describe('breaker', () => {
  test('opens after failures of more than one chat', () => {
    const breaker = new Breaker(SETTINGS, LEAST);
    fail(breaker, ['a', 'a', 'a', 'a', 'a']);
    expect(breaker.standing.state).toBe('closed');
    fail(breaker, ['b']);
    expect(breaker.standing).toMatchObject({ state: 'open', until: 1000 });
  });

  test('an unreachable host opens it whatever the chat', () => {
    const breaker = new Breaker(SETTINGS, LEAST);
    for (let i = 0; i < 3; i++)
      breaker.failed('a', true, { reason: 'refused', detail: 'ECONNREFUSED 127.0.0.1:9' }, 0);
    expect(breaker.standing.state).toBe('open');
  });

  test('an answer in between starts the count anew', () => {
    const breaker = new Breaker(SETTINGS, LEAST);
    fail(breaker, ['a', 'b']);
    breaker.answered();
    fail(breaker, ['a', 'b']);
    expect(breaker.standing.state).toBe('closed');
  });

  test('one probe at a time; its failure opens it again, its answer closes it', () => {
    const breaker = new Breaker(SETTINGS, LEAST);
    fail(breaker, ['a', 'b', 'c']);
    expect(breaker.probes(999)).toBe(false);
    for (let i = 0; i < 5; i++) {
      const now = breaker.standing.until;
      expect(breaker.probes(now)).toBe(true);
      expect(breaker.probes(now)).toBe(false);
      breaker.failed('a', false, BROKEN, now);
      expect(breaker.standing.until - now).toBe(1000);
    }
    breaker.probes(breaker.standing.until);
    expect(breaker.answered()).toBe(true);
    expect(breaker.standing).toMatchObject({ state: 'closed', until: 0 });
  });

  test.each([
    [60, 2, MOST],
    [600, 21, MOST],
    [3600, 124, MOST],
    [24 * 3600, 300, MOST],
    [60, 2, LEAST],
    [3600, 124, LEAST],
  ])(
    'an outage of %i s is noticed at most %i s after its end, and rarely asked after',
    (outageS, noticedS, chance) => {
      const settings = { failuresMax: 3, openMs: 1000, openMsMax: 300_000 };
      const breaker = new Breaker(settings, chance);
      fail(breaker, ['a', 'b', 'c']);
      let probes = 0;
      while (breaker.standing.until < outageS * 1000) {
        const now = breaker.standing.until;
        breaker.probes(now);
        breaker.failed('a', false, BROKEN, now);
        probes += 1;
      }
      expect(breaker.standing.until / 1000 - outageS).toBeLessThanOrEqual(noticedS);
      // 36 for the first 36 seconds, then as many for every factor of e; and one per five minutes at last.
      expect(probes).toBeLessThan(
        36 * (1 + Math.log(Math.max(1, outageS / 36))) + outageS / 300 + 2,
      );
      // What it remembers of one outage is nothing to the next.
      breaker.answered();
      fail(breaker, ['a', 'b', 'c'], outageS * 2000);
      expect(breaker.standing.until - outageS * 2000).toBeLessThanOrEqual(1200);
    },
  );

  test('breakers that open at the same time do not probe at the same time', () => {
    const random = seededRandom(1);
    const settings = { failuresMax: 3, openMs: 1000, openMsMax: 300_000 };
    const breakers = Array.from({ length: 20 }, () => new Breaker(settings, random));
    for (const breaker of breakers) fail(breaker, ['a', 'b', 'c']);
    for (let round = 0; round < 5; round++) {
      const times = breakers.map(({ standing }) => standing.until).sort((a, b) => a - b);
      // Half of them are never as near to each other as a fiftieth of a second.
      for (let i = 0; i + 10 < times.length; i++)
        expect(times[i + 10]! - times[i]!).toBeGreaterThan(20);
      expect(times.at(-1)! - times[0]!).toBeGreaterThan(100);
      for (const breaker of breakers) {
        const now = breaker.standing.until;
        breaker.probes(now);
        breaker.failed('a', false, BROKEN, now);
        expect(breaker.standing.until - now).toBeGreaterThanOrEqual(1000);
        expect(breaker.standing.until - now).toBeLessThanOrEqual(1200);
      }
    }
  });

  test('a probe that never left frees the place for another', () => {
    const breaker = new Breaker(SETTINGS, LEAST);
    fail(breaker, ['a', 'b', 'c']);
    breaker.probes(1000);
    breaker.probeGone(1000);
    expect(breaker.probes(1000)).toBe(true);
  });

  test('a refused account stays open until its token changes, whatever late answers say', () => {
    const breaker = new Breaker(SETTINGS, LEAST);
    breaker.refuse('unauthorized');
    expect(breaker.answered()).toBe(false);
    expect(breaker.probes(1e15)).toBe(false);
    expect(breaker.renew()).toBe(true);
    expect(breaker.standing.state).toBe('closed');
  });
});
