import { describe, expect, test } from 'vitest';
import { Breaker } from './breaker.ts';

const SETTINGS = { failuresMax: 3, openMs: 1000, openMsMax: 5000 };

function fail(breaker: Breaker, chats: string[], now = 0): void {
  for (const chat of chats) breaker.failed(chat, false, 'broken', now);
}

describe('breaker', () => {
  test('opens after failures of more than one chat', () => {
    const breaker = new Breaker(SETTINGS);
    fail(breaker, ['a', 'a', 'a', 'a', 'a']);
    expect(breaker.state).toBe('closed');
    fail(breaker, ['b']);
    expect(breaker).toMatchObject({ state: 'open', until: 1000 });
  });

  test('an unreachable host opens it whatever the chat', () => {
    const breaker = new Breaker(SETTINGS);
    for (let i = 0; i < 3; i++) breaker.failed('a', true, 'refused', 0);
    expect(breaker.state).toBe('open');
  });

  test('an answer in between starts the count anew', () => {
    const breaker = new Breaker(SETTINGS);
    fail(breaker, ['a', 'b']);
    breaker.answered();
    fail(breaker, ['a', 'b']);
    expect(breaker.state).toBe('closed');
  });

  test('one probe at a time; its failure opens it again, its answer closes it', () => {
    const breaker = new Breaker(SETTINGS);
    fail(breaker, ['a', 'b', 'c']);
    expect(breaker.probes(999)).toBe(false);
    for (let i = 0; i < 5; i++) {
      const now = breaker.until;
      expect(breaker.probes(now)).toBe(true);
      expect(breaker.probes(now)).toBe(false);
      breaker.failed('a', false, 'broken', now);
      expect(breaker.until - now).toBe(1000);
    }
    breaker.probes(breaker.until);
    expect(breaker.answered()).toBe(true);
    expect(breaker).toMatchObject({ state: 'closed', until: 0 });
  });

  test.each([
    [60, 2],
    [600, 21],
    [3600, 124],
    [24 * 3600, 300],
  ])(
    'an outage of %i s is noticed at most %i s after its end, and rarely asked after',
    (outageS, noticedS) => {
      const breaker = new Breaker({ failuresMax: 3, openMs: 1000, openMsMax: 300_000 });
      fail(breaker, ['a', 'b', 'c']);
      let probes = 0;
      while (breaker.until < outageS * 1000) {
        const now = breaker.until;
        breaker.probes(now);
        breaker.failed('a', false, 'broken', now);
        probes += 1;
      }
      expect(breaker.until / 1000 - outageS).toBeLessThanOrEqual(noticedS);
      // Thirty for the first half minute, then thirty for every factor of e; and one per five minutes at last.
      expect(probes).toBeLessThan(
        30 * (1 + Math.log(Math.max(1, outageS / 30))) + outageS / 300 + 2,
      );
      // What it remembers of one outage is nothing to the next.
      breaker.answered();
      fail(breaker, ['a', 'b', 'c'], outageS * 2000);
      expect(breaker.until - outageS * 2000).toBe(1000);
    },
  );

  test('a probe that never left frees the place for another', () => {
    const breaker = new Breaker(SETTINGS);
    fail(breaker, ['a', 'b', 'c']);
    breaker.probes(1000);
    breaker.probeGone(1000);
    expect(breaker.probes(1000)).toBe(true);
  });

  test('a refused account stays open until its token changes, whatever late answers say', () => {
    const breaker = new Breaker(SETTINGS);
    breaker.refuse('unauthorized');
    expect(breaker.answered()).toBe(false);
    expect(breaker.probes(1e15)).toBe(false);
    expect(breaker.renew()).toBe(true);
    expect(breaker.state).toBe('closed');
  });
});
