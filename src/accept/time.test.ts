import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readTime, showTime, showTimeOrNull } from './time.ts';

describe('times at the wall', () => {
  test('are shown as Date shows them', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (ms) => {
        expect(showTime(ms)).toBe(new Date(ms).toISOString());
        expect(showTime(ms + 0.25)).toBe(new Date(ms).toISOString());
        expect(readTime(showTime(ms))).toBe(ms);
      }),
    );
  });

  test('what is no time is not read', () => {
    for (const text of ['', 'soon', '2030-13-01', '9'.repeat(20)])
      expect(readTime(text)).toBeNull();
    expect(readTime('1900000000000')).toBe(1_900_000_000_000);
    expect(readTime(5)).toBe(5);
  });

  test('none, and the end of time, are null', () => {
    expect([null, 0, -1, Number.POSITIVE_INFINITY].map(showTimeOrNull)).toEqual(
      Array(4).fill(null),
    );
    expect(showTimeOrNull(1)).toBe('1970-01-01T00:00:00.001Z');
  });
});
