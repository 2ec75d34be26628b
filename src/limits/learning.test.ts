// What is learned when the true limits are not the priors: how soon it settles, how many refusals it
// costs, how much of the true budget is used then, and how it comes back.

import { describe, expect, test } from 'vitest';
import { seededRandom } from '../system/random.ts';
import { FACTOR_MIN, factorAt, LEARNING, newRate, refuse, slow } from './learning.ts';
import { AccountLimits } from './limits.ts';
import { type Judged, jitter, run, TrueLimit, type WorldVerdict } from './pacing.world.ts';
import type { Charge, Rule } from './words.ts';

const MINUTE_MS = 60_000;
const HIDDEN_MS_MAX = 8000;
const SPACING: Rule = { name: 'chat_second', scope: 'chat', count: 1, perMs: 1000 };
const GROUP: Rule = { name: 'group_minute', scope: 'chat', count: 20, perMs: MINUTE_MS };
const BULK: Rule = { name: 'account_second', scope: 'account', count: 30, perMs: 1000 };

interface Trial {
  readonly chats: number;
  readonly account: readonly Rule[];
  readonly chat: readonly Rule[];
  readonly minutes: number;
  judgeOf(): (charge: Charge, now: number) => WorldVerdict;
}

function attempt(trial: Trial) {
  const plan = { account: trial.account, chat: trial.chat };
  const limits = new AccountLimits({ account: 'a', priors: { planOf: () => plan } });
  const charges = Array.from({ length: trial.chats }, (_, n): Charge => {
    return { chat: `c${n}`, user: null, family: 'send', gate: 'broadcast', live: false, cost: 1 };
  });
  const random = seededRandom(3);
  const world = { limits, charges, random, trip: jitter(random, 30, 15) };
  const judged = run({ ...world, judge: trial.judgeOf() }, 0, trial.minutes * MINUTE_MS);
  const factors = limits.view(trial.minutes * MINUTE_MS, 1000).flatMap(({ rules }) => rules);
  return { judged, factors };
}

function perChat<T>(make: () => T): (charge: Charge) => T {
  const made = new Map<string, T>();
  return ({ chat }) => {
    const one = made.get(chat) ?? make();
    made.set(chat, one);
    return one;
  };
}

function refusals(judged: readonly Judged[]): Judged[] {
  return judged.filter(({ signal }) => signal.kind === 'limited');
}

function refusalsOfWorstChat(judged: readonly Judged[]): number {
  const chats = Map.groupBy(refusals(judged), ({ charge }) => charge.chat);
  return Math.max(0, ...[...chats.values()].map(({ length }) => length));
}

function sentAfter(judged: readonly Judged[], since: number): number {
  return judged.filter(({ at, signal }) => at >= since && signal.kind === 'ok').length;
}

describe('true limits of half the priors, over ten minutes', () => {
  test('a group of 10 a minute', () => {
    const { judged } = attempt({
      chats: 5,
      account: [],
      chat: [SPACING, GROUP],
      minutes: 10,
      judgeOf() {
        const limitOf = perChat(() => new TrueLimit(10, MINUTE_MS, HIDDEN_MS_MAX));
        return (charge, now) => limitOf(charge).judge(now);
      },
    });
    expect(refusalsOfWorstChat(judged)).toBeLessThanOrEqual(3);
    expect(refusals(judged).filter(({ at }) => at > 5 * MINUTE_MS)).toEqual([]);
    expect(sentAfter(judged, 5 * MINUTE_MS)).toBeGreaterThan(0.85 * 5 * 50);
  });

  test('a chat of one in two seconds, whose short waits are hidden as latency', () => {
    const { judged, factors } = attempt({
      chats: 5,
      account: [],
      chat: [SPACING],
      minutes: 10,
      judgeOf() {
        const limitOf = perChat(() => new TrueLimit(1, 2000, HIDDEN_MS_MAX));
        return (charge, now) => limitOf(charge).judge(now);
      },
    });
    expect(refusals(judged)).toEqual([]);
    expect(sentAfter(judged, 5 * MINUTE_MS)).toBeGreaterThan(0.85 * 5 * 150);
    for (const { learned } of factors) expect(learned).toBeLessThan(0.65);
  });

  test.each([
    ['refused at once', 0],
    ['hidden as latency', HIDDEN_MS_MAX],
  ])('an account of 15 a second, the excess %s', (_, hiddenMsMax) => {
    const { judged, factors } = attempt({
      chats: 150,
      account: [BULK],
      chat: [SPACING],
      minutes: 10,
      judgeOf() {
        const limit = new TrueLimit(15, 1000, hiddenMsMax);
        return (_charge, now) => limit.judge(now);
      },
    });
    expect(refusalsOfWorstChat(judged)).toBeLessThanOrEqual(3);
    expect(refusals(judged).filter(({ at }) => at > 5 * MINUTE_MS)).toEqual([]);
    expect(sentAfter(judged, 5 * MINUTE_MS)).toBeGreaterThan(0.8 * 15 * 300);
    expect(factors.find(({ scope }) => scope === 'account')?.learned).toBeLessThan(0.75);
  });
});

describe('right priors', () => {
  test('nothing is refused and nothing is learned', () => {
    const { judged, factors } = attempt({
      chats: 40,
      account: [BULK],
      chat: [SPACING, GROUP],
      minutes: 10,
      judgeOf() {
        const account = new TrueLimit(30, 1000, 0);
        const minuteOf = perChat(() => new TrueLimit(20, MINUTE_MS, 0));
        const secondOf = perChat(() => new TrueLimit(1, 1000, 0));
        return (charge, now) => {
          const verdicts = [account, minuteOf(charge), secondOf(charge)].map((l) => l.judge(now));
          return verdicts.find(({ signal }) => signal.kind === 'limited') ?? verdicts[0]!;
        };
      },
    });
    expect(refusals(judged)).toEqual([]);
    expect(factors.map(({ learned }) => learned)).toEqual(factors.map(() => 1));
  });
});

describe('a rate', () => {
  const HOUR_MS = 60 * MINUTE_MS;

  test('stays as it fell for the quiet time, then rises in steps to where it was', () => {
    const rate = newRate();
    refuse(rate, 0, 0, LEARNING);
    expect(factorAt(rate, 9.9 * MINUTE_MS, LEARNING)).toBe(0.5);
    expect(factorAt(rate, 10 * MINUTE_MS, LEARNING)).toBeCloseTo(0.55);
    expect(factorAt(rate, 15.5 * MINUTE_MS, LEARNING)).toBeCloseTo(0.8);
    expect(factorAt(rate, HOUR_MS, LEARNING)).toBe(1);
  });

  test('falls back to what held before, and waits longer after each offence', () => {
    const rate = newRate();
    refuse(rate, 0, 0, LEARNING);
    refuse(rate, 10.5 * MINUTE_MS, 10.5 * MINUTE_MS, LEARNING);
    expect(factorAt(rate, 30 * MINUTE_MS, LEARNING)).toBe(0.5);
    expect(factorAt(rate, 40 * MINUTE_MS, LEARNING)).toBeCloseTo(0.75);
    refuse(rate, 40 * MINUTE_MS, 40 * MINUTE_MS, LEARNING);
    expect(factorAt(rate, 79 * MINUTE_MS, LEARNING)).toBeCloseTo(0.65);
  });

  test('forgets its offences over days, and waits a day at the most', () => {
    const rate = newRate();
    for (let n = 0; n < 30; n++) refuse(rate, n, n, LEARNING);
    expect(rate.factor).toBe(FACTOR_MIN);
    expect(factorAt(rate, 25 * HOUR_MS, LEARNING)).toBeGreaterThan(FACTOR_MIN);
    refuse(rate, 30 * 24 * HOUR_MS, 30 * 24 * HOUR_MS, LEARNING);
    expect(rate.offences).toBe(1);
  });

  test('slowness lowers it once per window and never far', () => {
    const rate = newRate();
    expect(slow(rate, 1000, 0, 0, LEARNING)).toBe(true);
    expect(slow(rate, 1000, 500, 900, LEARNING)).toBe(false);
    for (let n = 1; n < 50; n++) slow(rate, 1000, n * 2000, n * 2000, LEARNING);
    expect(rate.factor).toBe(0.4);
  });
});
