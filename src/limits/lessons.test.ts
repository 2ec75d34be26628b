// Single lessons: which rule a refusal is about, and what a try proves.

import { describe, expect, test } from 'vitest';
import { countRefusal, earlyMs, LEARNING, newRate, refuse } from './learning.ts';
import { AccountLimits } from './limits.ts';
import { countOf, perMsOf } from './slot.ts';
import type { Charge, Rule, Signal } from './types.ts';

const MINUTE_MS = 60_000;
const SPACING: Rule = { name: 'chat_second', scope: 'chat', count: 1, perMs: 1000 };
const GROUP: Rule = { name: 'group_minute', scope: 'chat', count: 20, perMs: MINUTE_MS };
const BULK: Rule = { name: 'all_second', scope: 'account', count: 30, perMs: 1000 };
const OK: Signal = { kind: 'ok' };
const CALL: Charge = {
  chat: 'c',
  user: null,
  family: 'send',
  budget: 'broadcast',
  live: false,
  cost: 1,
};

function chatWith(window: Rule) {
  const plan = { account: [], chat: [SPACING, window] };
  const limits = new AccountLimits({ account: 'p:a', priors: { planOf: () => plan } });
  // Answered at once.
  const send = (now: number, signal: Signal = OK): void => {
    const ticket = limits.take(CALL, now);
    limits.departed(ticket, now);
    limits.settled(ticket, signal, now);
  };
  const share = (name: string, now: number) =>
    limits.view(now, 9)[1]!.rules.find((rule) => rule.name === name)!.learned;
  return { send, share, opensAt: (now: number) => limits.earliestChat(CALL, now) };
}

const refusedFor = (retryAfterMs: number): Signal => ({
  kind: 'limited',
  retryAfterMs,
  scope: 'chat',
});

describe('a refusal', () => {
  test('of a try is about what was tried, not about what it also fits', () => {
    const { send, share, opensAt } = chatWith({ ...GROUP, count: 4, perMs: 20_000 });
    for (const at of [0, 1000, 2000]) send(at);
    send(3000, refusedFor(17_000));
    expect(share('group_minute', 3000)).toBe(0.75);
    const from = 3000 + LEARNING.pauseMs;
    for (const at of [from, from + 17_000, from + 18_200]) send(at);
    // It goes a little early, as a try, and a second after another: both windows would explain the wait.
    const early = opensAt(from + 18_200);
    expect(early).toBe(from + 19_200);
    send(early, refusedFor(1000));
    expect(share('chat_second', early)).toBe(1);
    expect(share('group_minute', early)).toBe(0.75);
  });

  test('whose wait ends with a later call says how many count by now', () => {
    const { send, share } = chatWith(GROUP);
    for (let n = 0; n < 19; n++) send(n * 3000);
    // Until the fourth leaves: those from there on are sixteen.
    send(56_000, refusedFor(13_000));
    expect(share('group_minute', 56_000)).toBe(0.8);
  });
});

test('a call that a long window takes proves what was in it, not all that was tried', () => {
  const { send, share, opensAt } = chatWith(GROUP);
  for (let n = 0; n < 5; n++) send(n * 1000);
  send(5000, refusedFor(55_000));
  expect(share('group_minute', 5000)).toBe(0.25);
  let now = 5000;
  const shares: number[] = [];
  while (now < LEARNING.pauseMs + 4 * MINUTE_MS && shares.length < 12) {
    now = opensAt(now);
    send(now);
    if (share('group_minute', now) > 0.25) shares.push(share('group_minute', now));
  }
  // The sixth within the minute is taken: then twice six are tried, twice seven, and so on.
  expect(shares.filter((each) => each > 0.5).slice(0, 3)).toEqual([0.6, 0.7, 0.8]);
});

test('three refusals within ten minutes are followed by no try', () => {
  const rate = newRate();
  refuse(rate, { estimate: 0.5, fits: true, isTry: false, used: 1, tooMuch: null }, 0, LEARNING);
  const due = LEARNING.pauseMsMax;
  expect(earlyMs(rate, MINUTE_MS, due, LEARNING)).toBeGreaterThan(0);
  for (let n = 0; n < 3; n++) countRefusal(rate, n);
  expect(earlyMs(rate, MINUTE_MS, due, LEARNING)).toBe(0);
  expect(earlyMs(rate, MINUTE_MS, LEARNING.ceilingMs, LEARNING)).toBeGreaterThan(0);
});

describe('whole calls', () => {
  test('in a short window never more than the platform counts in one', () => {
    for (let calls = 2; calls <= 29; calls++) {
      // A little less than the truth is believed.
      const share = (0.96 * calls) / BULK.count;
      expect(countOf(BULK, share)).toBeLessThanOrEqual(calls);
      expect(perMsOf(BULK, share)).toBeGreaterThanOrEqual(BULK.perMs);
      const perSecond = (countOf(BULK, share) * 1000) / perMsOf(BULK, share);
      expect(perSecond).toBeGreaterThan(0.9 * calls);
    }
  });

  test('in a long one as much on average', () => {
    expect([countOf(GROUP, 0.48), perMsOf(GROUP, 0.48)]).toEqual([9, 56_250]);
  });
});
