import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Queued } from '../domain/delivery.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { RetryPolicy } from './account/profile.ts';
import { backoffMs, settle, type Tried } from './settle.ts';

const POLICY: RetryPolicy = {
  baseMs: 1000,
  maxMs: 30_000,
  attemptsMax: 3,
  deadAgeMinMs: 60_000,
  uncertain: 'resend',
};
const NOW = 1_000_000;

function tried(outcome: Outcome, overrides: Partial<Tried> = {}): Tried {
  return {
    queued: { enterAt: NOW - 1000 } as Queued,
    past: { acceptedAt: NOW - 1000, failures: 0, doubts: 0, cures: [] },
    outcome,
    idempotent: false,
    spends: false,
    reconciledMs: 0,
    cured: null,
    next: null,
    probing: false,
    ...overrides,
  };
}

function old(failures: number): Pick<Tried, 'past' | 'queued'> {
  const acceptedAt = NOW - 120_000;
  return {
    queued: { enterAt: acceptedAt } as Queued,
    past: { acceptedAt, failures, doubts: 0, cures: [] },
  };
}

const FAILED: Outcome = { kind: 'failed', reason: 'broken', detail: '', hostDown: false };
const LOST: Outcome = { kind: 'uncertain', reason: 'answer_lost', detail: '' };

function refused(reason: string, cure: (Outcome & { kind: 'refused' })['cure'] = null): Outcome {
  return { kind: 'refused', reason, detail: '', result: '{}', cure };
}

describe('settle', () => {
  test('sent rests', () => {
    const sent: Outcome = { kind: 'sent', messageId: '1', result: '{}' };
    expect(settle(tried(sent), POLICY, NOW, 0.5)).toMatchObject({
      to: 'sent',
      signal: { kind: 'ok' },
      health: 'answered',
    });
  });

  test("the platform's wait is law: any length, and it costs no attempt", () => {
    const limited: Outcome = { kind: 'limited', retryAfterMs: 7e6, scope: 'chat', result: '' };
    const verdict = settle(tried(limited, old(99)), POLICY, NOW, 0.5);
    expect(verdict).toMatchObject({ to: 'queued', dueAt: NOW + 7e6, failed: false });
  });

  test('what is left of an album waits, each time anew', () => {
    const cure = { kind: 'drop_sent', count: 3 } as const;
    const outcome: Outcome = {
      kind: 'limited',
      retryAfterMs: 8000,
      scope: 'chat',
      result: '',
      cure,
    };
    const past = { acceptedAt: NOW, failures: 0, doubts: 0, cures: ['drop_sent'] };
    const cured = { chat: null, body: '[]' };
    const verdict = settle(tried(outcome, { past, cured }), POLICY, NOW, 0.5);
    expect(verdict).toMatchObject({ to: 'queued', cure: { name: 'drop_sent', body: '[]' } });
  });

  test('a refusal is final, at once', () => {
    expect(settle(tried(refused('chat_not_found')), POLICY, NOW, 0.5)).toMatchObject({
      to: 'dead',
      health: 'answered',
    });
  });

  test('a cure is applied once', () => {
    const outcome = refused('parse', { kind: 'plain_text' });
    const cured = { chat: null, body: '{}' };
    const first = settle(tried(outcome, { cured }), POLICY, NOW, 0.5);
    expect(first).toMatchObject({ to: 'queued', dueAt: 0, cure: { name: 'plain_text' } });
    const past = { acceptedAt: NOW, failures: 0, doubts: 0, cures: ['plain_text'] };
    expect(settle(tried(outcome, { cured, past }), POLICY, NOW, 0.5).to).toBe('dead');
    expect(settle(tried(outcome), POLICY, NOW, 0.5).to).toBe('dead');
  });

  test('a refused account kills no message', () => {
    const verdict = settle(tried(refused('unauthorized')), POLICY, NOW, 0.5);
    expect(verdict).toMatchObject({ to: 'queued', failed: false, health: 'refused' });
  });

  test('dead only after attempts and age', () => {
    expect(settle(tried(FAILED), POLICY, NOW, 0.5)).toMatchObject({ to: 'queued', failed: true });
    const young = { past: { acceptedAt: NOW - 1, failures: 50, doubts: 0, cures: [] } };
    expect(settle(tried(FAILED, young), POLICY, NOW, 0.5).to).toBe('queued');
    expect(settle(tried(FAILED, old(1)), POLICY, NOW, 0.5).to).toBe('queued');
    expect(settle(tried(FAILED, old(2)), POLICY, NOW, 0.5).to).toBe('dead');
  });

  test('a probe of an open breaker costs no attempt and kills nothing', () => {
    const verdict = settle(tried(FAILED, { ...old(9), probing: true }), POLICY, NOW, 0.5);
    expect(verdict).toMatchObject({ to: 'queued', failed: false });
  });

  test('only what surely never arrived gives its room back', () => {
    const unsent: Outcome = { ...FAILED, hostDown: true } as Outcome;
    expect(settle(tried(unsent), POLICY, NOW, 0.5).signal.kind).toBe('unjudged');
    expect(settle(tried(FAILED), POLICY, NOW, 0.5).signal.kind).toBe('judged');
    expect(settle(tried(LOST), POLICY, NOW, 0.5).signal.kind).toBe('judged');
  });

  test('an answer lost: resent with a doubt, held, or repeated without one', () => {
    expect(settle(tried(LOST), POLICY, NOW, 0.5)).toMatchObject({ to: 'queued', doubted: true });
    const hold = { ...POLICY, uncertain: 'hold' } as const;
    expect(settle(tried(LOST), hold, NOW, 0.5)).toMatchObject({ to: 'uncertain', doubted: true });
    const edit = tried(LOST, { idempotent: true });
    expect(settle(edit, hold, NOW, 0.5)).toMatchObject({ to: 'queued', doubted: false });
    expect(settle(tried(LOST, old(2)), POLICY, NOW, 0.5).to).toBe('uncertain');
  });

  test('what moves money is held when its answer was lost, whatever the policy', () => {
    const gift = settle(tried(LOST, { spends: true }), POLICY, NOW, 0.5);
    expect(gift).toMatchObject({ to: 'uncertain', doubted: true });
    expect(settle(tried(FAILED, { spends: true }), POLICY, NOW, 0.5).to).toBe('queued');
  });
});

test('backoff is finite, never negative, never above its bound, however often', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1e9 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (n, c) => {
        const ms = backoffMs(POLICY, n, c);
        expect(ms).toBeGreaterThanOrEqual(0);
        expect(ms).toBeLessThanOrEqual(Math.min(30_000, 1000 * 2 ** Math.min(n - 1, 40)));
      },
    ),
  );
});
