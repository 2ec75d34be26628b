// A debt as a platform would count it, and as a rule of an account.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AccountLimits } from './account-limits.ts';
import { DebtSlot } from './slot.ts';
import type { Charge, Plan, Rule } from './types.ts';

const COUNT = 45;
const EACH_MS = 6000;
const PAIR: Rule = {
  name: 'pair',
  scope: 'chat',
  kind: 'debt',
  count: COUNT,
  perMs: COUNT * EACH_MS,
};
const PLAN: Plan = { account: [], chat: [PAIR] };
const CHARGE: Charge = {
  ...{ chat: 'c', user: null, family: 'send', budget: 'open', live: false, cost: 1 },
};

describe('a debt', () => {
  test('never lets more pass than the platform does, whatever the times', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 300 }), (gaps) => {
        const debt = new DebtSlot(PAIR);
        let now = 0;
        let paidAt = 0;
        for (const gap of gaps) {
          now = Math.max(now + gap, debt.freeAt(1, COUNT, PAIR.perMs, now + gap, now));
          debt.enter(1, now, PAIR.perMs);
          paidAt = Math.max(paidAt, now) + EACH_MS;
          expect(paidAt - now).toBeLessThanOrEqual(COUNT * EACH_MS);
        }
      }),
    );
  });

  test('what nobody has answered keeps its room', () => {
    const debt = new DebtSlot(PAIR);
    debt.enter(COUNT - 1, 0, PAIR.perMs);
    const free = () => debt.freeAt(1, COUNT, PAIR.perMs, 0, Number.POSITIVE_INFINITY);
    expect(free()).toBe(0);
    debt.hold(1);
    expect(free()).toBe(EACH_MS);
    debt.hold(COUNT - 1);
    expect(free()).toBe(Number.POSITIVE_INFINITY);
  });

  test('is paid back one after the other', () => {
    const debt = new DebtSlot(PAIR);
    debt.enter(3, 1000, PAIR.perMs);
    expect([1000, 7000, 13_000, 19_000].map((at) => debt.used(PAIR.perMs, at))).toEqual([
      3, 2, 1, 0,
    ]);
  });
});

describe('an account with a debt', () => {
  function sent(limits: AccountLimits, at: number): void {
    const ticket = limits.take(CHARGE, at);
    limits.departed(ticket, at);
    limits.settled(ticket, { kind: 'ok' }, at);
  }

  test('sends all it may borrow at once, then one at a time', () => {
    const limits = new AccountLimits({ account: 'p:a', priors: { planOf: () => PLAN } });
    for (let i = 0; i < COUNT; i++) sent(limits, 0);
    expect(limits.earliestChat(CHARGE, 0)).toBe(EACH_MS);
    sent(limits, EACH_MS);
    expect(limits.earliestChat(CHARGE, EACH_MS)).toBe(2 * EACH_MS);
    const [cause] = limits.explain(CHARGE, EACH_MS);
    expect(cause).toMatchObject({ name: 'pair', until: 2 * EACH_MS });
  });

  test('tells when a call goes that has others before it, and no later than it does', () => {
    const limits = new AccountLimits({ account: 'p:a', priors: { planOf: () => PLAN } });
    expect(limits.project(CHARGE, 50, 0)).toBe(6 * EACH_MS);
    for (let i = 0; i < 40; i++) sent(limits, 0);
    expect(limits.project(CHARGE, 4, 0)).toBe(0);
    expect(limits.project(CHARGE, 10, 0)).toBe(6 * EACH_MS);
  });

  test('is forgotten when everything is paid back', () => {
    const limits = new AccountLimits({ account: 'p:a', priors: { planOf: () => PLAN } });
    sent(limits, 0);
    expect(limits.forgetIdle(EACH_MS - 1, 10)).toBe(0);
    expect(limits.forgetIdle(EACH_MS, 10)).toBe(1);
  });
});
