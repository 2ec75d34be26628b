import { describe, expect, test } from 'vitest';
import { AccountLimits, type Charge } from './limits.ts';

const NONE = Object.freeze([]);
const PLAN = Object.freeze({ account: NONE, chat: NONE, route: 'create' });
const OTHER = Object.freeze({ account: NONE, chat: NONE, route: 'edit' });
const CHARGE = { user: null, budget: 'open', live: false, cost: 1 } as const;
const send = (chat: string): Charge => ({ ...CHARGE, chat, family: 'send' });
const edit = (chat: string): Charge => ({ ...CHARGE, chat, family: 'edit' });

function limits() {
  return new AccountLimits({
    account: 'p:a',
    priors: { planOf: ({ family }) => (family === 'edit' ? OTHER : PLAN) },
  });
}

function call(at: AccountLimits, charge: Charge, now: number, remaining: number, ms: number) {
  const ticket = at.take(charge, now);
  at.departed(ticket, now);
  at.settled(ticket, { kind: 'ok' }, now, { limit: 5, remaining, resetAfterMs: ms });
}

test('a call that goes straight through counts for the account', () => {
  const second = { name: 'second', scope: 'account', count: 2, perMs: 1000 } as const;
  const plan = Object.freeze({ account: [second], chat: NONE });
  const at = new AccountLimits({ account: 'p:a', priors: { planOf: () => plan } });
  at.passed(send('1'), 1000);
  expect(at.earliestAccount(send('1'), 1000)).toBe(1000);
  at.passed(send('2'), 1100);
  expect(at.earliestAccount(send('1'), 1100)).toBe(2000);
});

describe('buckets that the platform tells of', () => {
  test('hold back what is not left, in their chat and on their route alone', () => {
    const at = limits();
    call(at, send('1'), 1000, 1, 4000);
    expect(at.earliestChat(send('1'), 1000)).toBe(1000);
    call(at, send('1'), 2000, 0, 3000);
    expect(at.earliestChat(send('1'), 2000)).toBe(5000);
    expect(at.earliestChat(send('2'), 2000)).toBe(2000);
    expect(at.earliestChat(edit('1'), 2000)).toBe(2000);
    expect(at.explain(send('1'), 2000)).toMatchObject([{ name: 'create', scope: 'route' }]);
    expect(at.earliestChat(send('1'), 5000)).toBe(5000);
  });

  test('count a call without an answer', () => {
    const at = limits();
    call(at, send('1'), 1000, 1, 4000);
    const ticket = at.take(send('1'), 1500);
    expect(at.earliestChat(send('1'), 1500)).toBe(5000);
    at.settled(ticket, { kind: 'unjudged' }, 1600);
    expect(at.earliestChat(send('1'), 1600)).toBe(1600);
  });

  test('believe the answer that leaves less, of two that overtake each other', () => {
    const at = limits();
    call(at, send('1'), 1000, 5, 4000);
    const [first, second] = [at.take(send('1'), 1001), at.take(send('1'), 1002)];
    at.settled(second, { kind: 'ok' }, 1050, { limit: 5, remaining: 0, resetAfterMs: 3950 });
    at.settled(first, { kind: 'ok' }, 1060, { limit: 5, remaining: 1, resetAfterMs: 3940 });
    expect(at.earliestChat(send('1'), 1060)).toBe(5000);
  });

  test('are forgotten when they are full again', () => {
    const at = limits();
    call(at, send('1'), 1000, 0, 1000);
    at.forgetIdle(1500, 10);
    expect(at.isAtRest(1500)).toBe(false);
    at.forgetIdle(2000, 10);
    at.forgetIdle(2000, 10);
    expect(at.isAtRest(2000)).toBe(true);
  });
});

describe('a bucket whose calls come back one by one', () => {
  // Five calls at `now`, whose answers come at once: each moves the reset by a second.
  function burst(at: AccountLimits, now: number): void {
    for (let used = 1; used <= 5; used++) call(at, send('1'), now, 5 - used, used * 1000);
  }

  test('is known by its reset, which calls move away: then each goes when there is room', () => {
    const at = limits();
    burst(at, 10_000);
    const next = at.earliestChat(send('1'), 10_000);
    expect(next).toBeGreaterThanOrEqual(11_000);
    expect(next).toBeLessThanOrEqual(11_005);
    call(at, send('1'), next, 0, 15_000 + 1000 - next);
    const after = at.earliestChat(send('1'), next);
    expect(after).toBeGreaterThanOrEqual(12_000);
    expect(after).toBeLessThanOrEqual(12_005);
    expect(at.explain(send('1'), next)).toMatchObject([{ name: 'create', until: after }]);
  });

  test('is known also from answers that overtake each other', () => {
    const at = limits();
    const tickets = Array.from({ length: 5 }, () => at.take(send('1'), 10_000));
    for (const used of [3, 1, 5, 2, 4]) {
      const observed = { limit: 5, remaining: 5 - used, resetAfterMs: used * 1000 };
      at.settled(tickets[used - 1]!, { kind: 'ok' }, 10_010 + used, observed);
    }
    const next = at.earliestChat(send('1'), 10_020);
    expect(next).toBeGreaterThanOrEqual(11_010);
    expect(next).toBeLessThanOrEqual(11_030);
  });

  test('counts what is under way', () => {
    const at = limits();
    burst(at, 10_000);
    const next = at.earliestChat(send('1'), 10_000);
    at.take(send('1'), next);
    expect(at.earliestChat(send('1'), next)).toBeGreaterThanOrEqual(12_000);
  });

  test('is late only once where an answer was slow', () => {
    const at = limits();
    burst(at, 10_000);
    // Judged at 11 s, answered two seconds later: the reset looks two seconds later than it is.
    const slow = at.take(send('1'), 11_005);
    at.settled(slow, { kind: 'ok' }, 13_000, { limit: 5, remaining: 0, resetAfterMs: 5000 });
    const late = at.earliestChat(send('1'), 13_000);
    expect(late).toBeGreaterThanOrEqual(14_000);
    // By then two more have come back.
    call(at, send('1'), late, 1, 17_000 - late);
    expect(at.earliestChat(send('1'), late)).toBe(late);
  });

  test('that limits a call after all is taken for a window again', () => {
    const at = limits();
    burst(at, 10_000);
    const ticket = at.take(send('1'), 11_005);
    const observed = { limit: 5, remaining: 0, resetAfterMs: 4500 };
    at.settled(ticket, { kind: 'limited', retryAfterMs: 10, scope: 'family' }, 11_005, observed);
    expect(at.earliestChat(send('1'), 12_500)).toBe(15_505);
  });

  test('is no window: that leaves its reset where it is, and begins anew with more', () => {
    const at = limits();
    for (let used = 1; used <= 5; used++) {
      // As far as the network lets it look moved.
      call(at, send('1'), 10_000 + 30 * used, 5 - used, 5000 + used);
    }
    expect(at.earliestChat(send('1'), 11_000)).toBeGreaterThanOrEqual(15_000);
    call(at, send('1'), 15_155, 4, 5000);
    call(at, send('1'), 15_155, 0, 5000);
    expect(at.earliestChat(send('1'), 15_156)).toBe(20_155);
  });
});
