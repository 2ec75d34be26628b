import { describe, expect, test } from 'vitest';
import { ERRORS, type ErrorCode, problem } from './errors.ts';

describe('the catalogue of errors', () => {
  test.each(Object.entries(ERRORS))('%s is a code, a status and two sentences', (code, kind) => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(kind.status).toBeGreaterThanOrEqual(400);
    expect(kind.status).toBeLessThan(600);
    expect(kind.title).toMatch(/^[A-Z].*\.$/s);
    expect(kind.remedy).toMatch(/\.$/);
  });

  test('a problem carries what RFC 9457 asks for, its code and what is special to it', () => {
    const built = problem('queue_full', 'Of 10 places, 10 are taken.', { queueMax: 10 });
    expect(built).toEqual({
      type: 'urn:sluice:error:queue_full',
      title: ERRORS.queue_full.title,
      status: 429,
      detail: 'Of 10 places, 10 are taken.',
      code: 'queue_full' satisfies ErrorCode,
      queueMax: 10,
    });
  });

  test('without a detail of its own it says what to do', () => {
    expect(problem('disk_full', '').detail).toBe(ERRORS.disk_full.remedy);
  });
});
