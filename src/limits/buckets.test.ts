import { describe, expect, test } from 'vitest';
import { AccountLimits, type Charge } from './limits.ts';

const NONE = Object.freeze([]);
const PLAN = Object.freeze({ account: NONE, chat: NONE, route: 'create' });
const OTHER = Object.freeze({ account: NONE, chat: NONE, route: 'edit' });
const CHARGE = { user: null, gate: 'open', live: false, cost: 1 } as const;
const send = (chat: string): Charge => ({ ...CHARGE, chat, family: 'send' });
const edit = (chat: string): Charge => ({ ...CHARGE, chat, family: 'edit' });

function limits() {
  return new AccountLimits({
    account: 'a',
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
  const at = new AccountLimits({ account: 'a', priors: { planOf: () => plan } });
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
