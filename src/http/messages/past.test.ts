import { expect, test } from 'vitest';
import { aDelivery } from '../../domain/delivery.fixture.ts';
import type { Delivery } from '../../domain/delivery.ts';
import type { Attempt } from '../../domain/outcome.ts';
import { writeWaited } from '../../domain/waited.ts';
import { pastInWords, pastOf } from './past.ts';

const AT = Date.UTC(2026, 0, 1);

function ended(changes: Partial<Delivery>): Delivery {
  const fresh = { ...aDelivery(), state: 'sent', reason: null, detail: null, attempts: 1 };
  return { ...fresh, acceptedAt: AT, enterAt: AT, ...changes } as Delivery;
}

function tried(
  n: number,
  from: number,
  to: number | null,
  changes: Partial<Attempt> = {},
): Attempt {
  const none = { reason: null, detail: null, retryAfterMs: null, waitedFor: null } as const;
  const rest = { seq: 1, ...none, outcome: 'sent' } as const;
  return { ...rest, n, startedAt: AT + from, endedAt: to === null ? null : AT + to, ...changes };
}

const brief = (steps: ReturnType<typeof pastOf>) =>
  steps.map(({ kind, from, to, detail }) => `${from - AT}-${to - AT} ${kind}: ${detail}`);

test('a refusal, a failure and the turn in between, each with its time', () => {
  const attempts = [
    tried(1, 4000, 4200, { outcome: 'limited', reason: 'limited', retryAfterMs: 3000 }),
    tried(2, 8000, 8100, { outcome: 'failed', reason: 'unsent', detail: 'ECONNREFUSED.' }),
    tried(3, 9100, 9200),
  ];
  const delivery = ended({ settledAt: AT + 9200, attempts: 3 });
  const past = pastOf(delivery, attempts, []);
  expect(brief(past)).toEqual([
    '0-4000 turn: its turn',
    '4000-4200 call: try 1, limited',
    '4200-7200 freeze: the platform said to wait 3 s after try 1',
    '7200-8000 turn: its turn',
    '8000-8100 call: try 2, failed: ECONNREFUSED [unsent]',
    '8100-9100 retry: the retry after try 2, failed: ECONNREFUSED [unsent]',
    '9100-9200 call: try 3, sent',
  ]);
  expect(pastInWords(delivery, past)).toBe(
    'It was sent at 2026-01-01T00:00:09.200Z, after 3 tries and 9.2 s: ' +
      '4.8 s until its turn, 3 s frozen, 1 s before retries, 0.4 s in calls.',
  );
});

test('what took no time is not told', () => {
  const quick = ended({ settledAt: AT + 504 });
  const past = pastOf(quick, [tried(1, 4, 504)], []);
  expect(past).toHaveLength(2);
  expect(pastInWords(quick, past)).toMatch(/after 1 try and 0\.5 s: 0\.5 s in calls\.$/);
  const atOnce = ended({ settledAt: AT + 4 });
  expect(pastInWords(atOnce, pastOf(atOnce, [tried(1, 1, 4)], []))).toMatch(/, after 1 try\.$/);
});

test('scheduled for later; a live text that had its turn sooner than it would have gone by itself', () => {
  const attempts = [tried(1, 61_000, 61_100)];
  const later = ended({ enterAt: AT + 60_000, settledAt: AT + 61_100 });
  expect(brief(pastOf(later, attempts, []))).toEqual([
    '0-60000 scheduled: it was scheduled for later',
    '60000-61000 turn: its turn',
    '61000-61100 call: try 1, sent',
  ]);
  const live = ended({ live: true, enterAt: AT + 90_000, settledAt: AT + 61_100 });
  expect(brief(pastOf(live, attempts, []))[0]).toBe('0-61000 turn: its session’s turn');
  const cancelled = ended({ state: 'cancelled', enterAt: AT + 90_000, settledAt: AT + 50_000 });
  expect(brief(pastOf(cancelled, [], []))).toEqual([
    '0-50000 scheduled: it was scheduled for later',
  ]);
});

test('a live text that had its turn says what it waited for then', () => {
  const frozen = { kind: 'freeze', ago: 40_000, ms: 40_000, detail: 'its chat is frozen' } as const;
  const attempts = [tried(1, 61_000, 61_100, { waitedFor: writeWaited([frozen]) })];
  const live = ended({ live: true, enterAt: AT + 90_000, settledAt: AT + 61_100 });
  expect(brief(pastOf(live, attempts, []))).toEqual([
    '0-21000 turn: its session’s turn',
    '21000-61000 freeze: its chat is frozen',
    '61000-61100 call: try 1, sent',
  ]);
});

test('a final text that took the place of one that was held was not scheduled', () => {
  const final = ended({ final: true, enterAt: AT + 30_000, settledAt: AT + 2100 });
  expect(brief(pastOf(final, [tried(1, 2000, 2100)], []))).toEqual([
    '0-2000 turn: its turn',
    '2000-2100 call: try 1, sent',
  ]);
});

test('what held it in the queue, each with its time; before a retry too', () => {
  const held = {
    kind: 'held' as const,
    ago: 60_000,
    ms: 50_000,
    detail: 'its account is held: paused',
  };
  const window = {
    kind: 'window' as const,
    ago: 10_000,
    ms: 9000,
    detail: 'one a second, and 40 others',
  };
  const again = {
    kind: 'held' as const,
    ago: 5000,
    ms: 5000,
    detail: 'its account is held: paused',
  };
  const unsent = { outcome: 'failed', reason: 'unsent', detail: null } as const;
  const attempts = [
    tried(1, 70_000, 70_100, { ...unsent, waitedFor: writeWaited([held, window]) }),
    tried(2, 76_100, 76_200, { waitedFor: writeWaited([again]) }),
  ];
  const delivery = ended({ settledAt: AT + 76_200, attempts: 2 });
  const past = pastOf(delivery, attempts, []);
  expect(brief(past)).toEqual([
    '0-10000 turn: its turn',
    '10000-60000 held: its account is held: paused',
    '60000-69000 window: one a second, and 40 others',
    '69000-70000 turn: its turn',
    '70000-70100 call: try 1, failed: unsent',
    '70100-71100 retry: the retry after try 1, failed: unsent',
    '71100-76100 held: its account is held: paused',
    '76100-76200 call: try 2, sent',
  ]);
  expect(pastInWords(delivery, past)).toContain(
    '55 s while its account was held, 11 s until its turn, 9 s for limits, 1 s before retries',
  );
});

test('what is on record and cannot be read says nothing', () => {
  const delivery = ended({ settledAt: AT + 4100 });
  for (const waitedFor of ['', '{}', 'no', '[1]', '[["x",1,1,"y"]]', '[["held","1",1,"y"]]']) {
    expect(brief(pastOf(delivery, [tried(1, 4000, 4100, { waitedFor })], []))).toEqual([
      '0-4000 turn: its turn',
      '4000-4100 call: try 1, sent',
    ]);
  }
});

test('dead until it was retried by hand; cancelled before its turn came', () => {
  const attempts = [
    tried(1, 0, 100, { outcome: 'refused', reason: 'chat_not_found' }),
    tried(2, 7000, 7100),
  ];
  const move = { seq: 1, reason: 'by_hand', by: 'admin' } as const;
  const moves = [{ ...move, at: AT + 6000, from: 'dead', to: 'queued' } as const];
  const retried = ended({ settledAt: AT + 7100, attempts: 2 });
  expect(brief(pastOf(retried, attempts, moves))).toEqual([
    '0-100 call: try 1, refused: chat_not_found',
    '100-6000 rest: dead, then queued (by_hand) by admin',
    '6000-7000 turn: its turn',
    '7000-7100 call: try 2, sent',
  ]);
  const cancelled = ended({ state: 'cancelled', settledAt: AT + 500, attempts: 0 });
  const withdrawn = [{ ...move, at: AT + 500, from: 'queued', to: 'cancelled' } as const];
  const past = pastOf(cancelled, [], withdrawn);
  expect(brief(past)).toEqual(['0-500 turn: queued, then cancelled (by_hand) by admin']);
  expect(pastInWords(cancelled, past)).toContain('it is cancelled since 2026-01-01T00:00:00.500Z');
});
