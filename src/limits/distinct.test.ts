import { expect, test } from 'vitest';
import { AccountLimits } from './account-limits.ts';
import { DistinctChats } from './distinct.ts';
import type { Charge, Plan, Rule } from './types.ts';

const DAY_MS = 86_400_000;
const TIER: Rule = { name: 'tier', scope: 'account', kind: 'chats', count: 3, perMs: DAY_MS };
const PLAN: Plan = { account: [TIER], chat: [] };
const to = (chat: string): Charge => ({
  ...{ chat, user: null, family: 'send', budget: 'broadcast', live: false, cost: 1 },
});

function setUp() {
  const limits = new AccountLimits({ account: 'p:a', priors: { planOf: () => PLAN } });
  const send = (chat: string, at: number) => {
    const ticket = limits.take(to(chat), at);
    limits.departed(ticket, at);
    limits.settled(ticket, { kind: 'ok' }, at);
  };
  return { limits, send };
}

test('so many chats in a span, each as often as one likes', () => {
  const { limits, send } = setUp();
  for (const [i, chat] of ['a', 'b', 'c'].entries()) send(chat, i * 1000);
  expect(limits.earliestAccount(to('d'), 5000)).toBe(DAY_MS);
  for (let i = 0; i < 10; i++) send('a', 5000 + i);
  // What was called again counts from then.
  expect(limits.earliestAccount(to('d'), 6000)).toBe(1000 + DAY_MS);
  expect(limits.earliestAccount(to('b'), 6000)).toBe(6000);
});

test('calls without an answer keep their room, and what never left gives it back', () => {
  const { limits } = setUp();
  const tickets = ['a', 'b', 'c'].map((chat) => limits.take(to(chat), 0));
  expect(limits.earliestAccount(to('d'), 0)).toBe(Number.POSITIVE_INFINITY);
  expect(limits.earliestAccount(to('a'), 0)).toBe(0);
  limits.settled(tickets[0]!, { kind: 'unjudged' }, 0);
  expect(limits.earliestAccount(to('d'), 0)).toBe(0);
});

test('a new process counts the chats of the day before', () => {
  const { limits } = setUp();
  const past = (chat: string, at: number) => ({
    ...{ ...to(chat), account: 'p:a' as const, startedAt: at, endedAt: at, counted: true },
  });
  limits.restore([], [past('a', 0), past('b', 1000), past('c', 2000)], 10_000);
  expect(limits.earliestAccount(to('d'), 10_000)).toBe(DAY_MS);
});

test('chats are forgotten when their span is over', () => {
  const chats = new DistinctChats();
  chats.enter('a', 0);
  chats.enter('b', 500);
  expect([chats.used(1000, 999), chats.used(1000, 1000), chats.used(1000, 1500)]).toEqual([
    2, 1, 0,
  ]);
});
