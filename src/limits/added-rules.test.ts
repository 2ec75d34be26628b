// Rules that an operator adds: they hold beside the platform's own, whatever is sent by whom.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LimitRule } from '../domain/limit-rule.ts';
import { seededRandom } from '../system/random.ts';
import { AccountLimits, withRules } from './limits.ts';
import { jitter, most, run } from './pacing.world.ts';
import type { Charge, Plan, Priors } from './types.ts';

const START = 1_700_000_000_000;
const OWN: Plan = Object.freeze<Plan>({
  account: [{ name: 'all_second', scope: 'account', count: 8, perMs: 1000 }],
  chat: [{ name: 'chat_second', scope: 'chat', count: 2, perMs: 1000 }],
});
const OWN_PRIORS: Priors = { planOf: () => OWN };

function charge(changes: Partial<Charge> = {}): Charge {
  const usual = { chat: 'c', user: null, family: 'send', budget: 'open', live: false, cost: 1 };
  return { ...(usual as Charge), ...changes };
}

function rule(changes: Partial<LimitRule> = {}): LimitRule {
  return {
    name: 'fair share',
    scope: 'user',
    platform: null,
    families: ['send', 'edit'],
    amount: { kind: 'window', count: 3, perMs: 5000 },
    ...changes,
  };
}

function limitsOf(...rules: LimitRule[]): AccountLimits {
  return new AccountLimits({ account: 'p:a', priors: withRules(OWN_PRIORS, rules) });
}

// One call, answered at once.
function send(limits: AccountLimits, call: Charge, now: number): void {
  const ticket = limits.take(call, now);
  limits.departed(ticket, now);
  limits.settled(ticket, { kind: 'ok' }, now);
}

describe('plans', () => {
  test('without rules the priors stay as they are', () => {
    expect(withRules(OWN_PRIORS, [])).toBe(OWN_PRIORS);
  });

  test('are made once per kind of call, and hold only what counts it', () => {
    const { planOf } = withRules(OWN_PRIORS, [rule(), rule({ name: 'all', scope: 'account' })]);
    const plan = planOf(charge());
    expect(planOf(charge())).toBe(plan);
    expect(plan.chat.map(({ name }) => name)).toEqual(['chat_second', 'fair share']);
    expect(plan.account.map(({ name }) => name)).toEqual(['all_second', 'all']);
    expect(planOf(charge({ family: 'delete' }))).toBe(OWN);
  });

  test('say whether users are paced, and how far back a start must look', () => {
    expect(withRules(OWN_PRIORS, [rule({ scope: 'chat' })]).pacesUsers).toBe(false);
    const debt = rule({ amount: { kind: 'debt', burst: 45, everyMs: 6000 } });
    expect(withRules(OWN_PRIORS, [debt])).toMatchObject({ pacesUsers: true, longestMs: 270_000 });
  });
});

describe('no window is exceeded, the strictest decides', () => {
  const amount = fc.record({
    kind: fc.constant('window' as const),
    count: fc.integer({ min: 1, max: 9 }),
    perMs: fc.constantFrom(500, 1000, 5000, 20_000),
  });
  const rules = fc
    .tuple(amount, amount, amount)
    .map(([one, two, three]) => [
      rule({ amount: one }),
      rule({ name: 'one chat', scope: 'chat', amount: two }),
      rule({ name: 'everything', scope: 'account', amount: three }),
    ]);

  test('in any span, by user, chat and account', () => {
    fc.assert(
      fc.property(rules, fc.integer({ min: 0, max: 2 ** 31 }), (rules, seed) => {
        const random = seededRandom(seed);
        const charges = Array.from({ length: 9 }, (_, n) =>
          charge({ chat: `c${n % 4}`, user: n % 3 === 0 ? null : `u${n % 3}` }),
        );
        const judge = () => ({ holdMs: 0, signal: { kind: 'ok' as const } });
        const world = { limits: limitsOf(...rules), charges, random, judge };
        const judged = run({ ...world, trip: jitter(random, 20, 0) }, START, 60_000);
        const [user, chat, all] = rules.map(
          ({ amount }) => amount as { count: number; perMs: number },
        );
        const timesOf = (key: 'chat' | 'user') =>
          [...Map.groupBy(judged, (each) => each.charge[key])]
            .filter(([name]) => name !== null)
            .map(([, some]) => some.map(({ at }) => at));
        for (const times of timesOf('user')) {
          expect(most(times, user!.perMs)).toBeLessThanOrEqual(user!.count);
        }
        for (const times of timesOf('chat')) {
          expect(most(times, chat!.perMs)).toBeLessThanOrEqual(chat!.count);
          expect(most(times, 1000)).toBeLessThanOrEqual(2);
        }
        expect(
          most(
            judged.map(({ at }) => at),
            all!.perMs,
          ),
        ).toBeLessThanOrEqual(all!.count);
        expect(judged.length).toBeGreaterThan(0);
      }),
      { numRuns: 30 },
    );
  });
});

describe('a debt', () => {
  const DEBT = rule({
    name: 'pair',
    scope: 'chat',
    amount: { kind: 'debt', burst: 5, everyMs: 6000 },
  });
  const only = () =>
    new AccountLimits({
      account: 'p:a',
      priors: withRules({ planOf: () => ({ account: [], chat: [] }) }, [DEBT]),
    });

  test('takes its burst at once, then one after the other, and regains with quiet', () => {
    const priors = withRules({ planOf: () => EMPTY }, [DEBT]);
    const limits = new AccountLimits({ account: 'p:a', priors });
    for (let n = 0; n < 5; n++) send(limits, charge(), START);
    expect(limits.earliestChat(charge(), START)).toBe(START + 6000);
    send(limits, charge(), START + 6000);
    expect(limits.earliestChat(charge(), START + 6000)).toBe(START + 12_000);
    // Twelve seconds of quiet give two back.
    for (let n = 0; n < 2; n++) send(limits, charge(), START + 18_000);
    expect(limits.earliestChat(charge(), START + 18_000)).toBe(START + 24_000);
  });

  test('is said in words, and foretold exactly', () => {
    const priors = withRules({ planOf: () => EMPTY }, [DEBT]);
    const limits = new AccountLimits({ account: 'p:a', priors });
    for (let n = 0; n < 5; n++) send(limits, charge(), START);
    const [cause] = limits.explain(charge(), START);
    expect(cause).toMatchObject({ kind: 'window', name: 'pair', until: START + 6000 });
    expect(cause!.detail).toBe(
      'pair: this chat takes 5 messages at once, then one every 6 s; 5 were sent',
    );
    for (let ahead = 0; ahead < 9; ahead++) {
      expect(limits.project(charge(), ahead, START)).toBe(START + 6000 * (ahead + 1));
    }
    expect(limits.project(charge({ chat: 'd' }), 7, START)).toBe(START + 3 * 6000);
  });

  test('what is in flight keeps its share until it is judged', () => {
    const limits = only();
    const tickets = Array.from({ length: 5 }, () => limits.take(charge(), START));
    expect(limits.earliestChat(charge(), START + 60_000)).toBe(Number.POSITIVE_INFINITY);
    limits.settled(tickets[0]!, { kind: 'unjudged' }, START + 60_000);
    expect(limits.earliestChat(charge(), START + 60_000)).toBe(START + 60_000);
  });

  test('never more than its burst and what came back, in any span', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 60 }), (gaps) => {
        const limits = only();
        const times: number[] = [];
        let now = START;
        for (const gap of gaps) {
          now = Math.max(now + gap, limits.earliestChat(charge(), now + gap));
          send(limits, charge(), now);
          times.push(now);
        }
        for (const [i, from] of times.entries()) {
          for (let j = i; j < times.length; j++) {
            const regained = (times[j]! - from) / 6000;
            expect(j - i + 1).toBeLessThanOrEqual(5 + regained + 1e-6);
          }
        }
      }),
    );
  });

  test('a restart gives back nothing, also of a debt that is older than what is read', () => {
    const before = only();
    for (let n = 0; n < 5; n++) send(before, charge(), START);
    const calls = Array.from({ length: 40 }, (_, n) => {
      const at = START + 6000 * n;
      return { ...charge(), account: 'p:a' as const, startedAt: at, endedAt: at, counted: true };
    });
    const now = START + 6000 * 39;
    const after = only();
    after.restore([], calls, now);
    expect(after.earliestChat(charge(), now)).toBeGreaterThanOrEqual(now + 6000);
  });
});

const EMPTY: Plan = Object.freeze({ account: [], chat: [] });

describe('what the platform refuses', () => {
  test("teaches nothing about an operator's rule", () => {
    const limits = limitsOf(
      rule({ scope: 'chat', amount: { kind: 'window', count: 20, perMs: 60_000 } }),
    );
    for (let n = 0; n < 10; n++) send(limits, charge(), START + n * 1000);
    const ticket = limits.take(charge(), START + 10_000);
    const refusal = { kind: 'limited', retryAfterMs: 50_000, scope: 'chat' } as const;
    limits.settled(ticket, refusal, START + 10_000);
    const rules = limits.view(START + 10_000, 9).flatMap((view) => view.rules);
    expect(rules.find(({ name }) => name === 'fair share')).toMatchObject({ learned: 1 });
  });
});

test('explain names the rule in words, and limits show it', () => {
  const limits = limitsOf(rule());
  for (let n = 0; n < 3; n++) send(limits, charge({ user: 'ann', chat: `c${n}` }), START);
  const says = 'fair share: one user takes 3 messages in 5 s';
  expect(limits.explain(charge({ user: 'ann', chat: 'd' }), START)).toMatchObject([
    { name: 'fair share', scope: 'user', until: START + 5000, detail: `${says}; 3 were sent` },
  ]);
  expect(limits.explain(charge({ user: 'ben', chat: 'd' }), START)).toEqual([]);
  const filled = new Map<string, number>();
  const counted = new AccountLimits({
    account: 'p:a',
    priors: withRules(OWN_PRIORS, [rule()]),
    filled,
  });
  for (let n = 0; n < 3; n++) send(counted, charge({ user: 'ann', chat: `c${n}` }), START);
  expect(filled.get('fair share')).toBe(1);
});
