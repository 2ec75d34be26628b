// How much of the budget the care for the network costs, and whether it is care enough: the true
// limits equal the priors, every chat is always hungry, and each way takes as long as it likes.

import { describe, expect, test } from 'vitest';
import { seededRandom } from '../system/random.ts';
import { AccountLimits } from './limits.ts';
import { jitter, most, run } from './pacing.world.ts';
import type { Charge, Rule } from './types.ts';

const MINUTE_MS = 60_000;

function charge(chat: string): Charge {
  return { chat, user: null, family: 'send', gate: 'broadcast', live: false, cost: 1 };
}

function pace(rule: Rule, chats: number, ms: number, network: { oneWay: number; jitter: number }) {
  const random = seededRandom(7);
  const rules = [rule];
  const plan =
    rule.scope === 'account' ? { account: rules, chat: [] } : { account: [], chat: rules };
  const judged = run(
    {
      limits: new AccountLimits({ account: 'a', priors: { planOf: () => plan } }),
      random,
      charges: Array.from({ length: chats }, (_, n) => charge(`c${n}`)),
      trip: jitter(random, network.oneWay, network.jitter),
      judge: () => ({ holdMs: 0, signal: { kind: 'ok' } }),
    },
    0,
    ms,
  );
  const ideal = (rule.count * ms * (rule.scope === 'chat' ? chats : 1)) / rule.perMs;
  const times = (chat: string) => judged.filter((j) => j.charge.chat === chat).map((j) => j.at);
  const crowd =
    rule.scope === 'account'
      ? most(
          judged.map((j) => j.at),
          rule.perMs,
        )
      : Math.max(...Array.from({ length: chats }, (_, n) => most(times(`c${n}`), rule.perMs)));
  return { share: judged.length / ideal, crowd };
}

const SECOND_OF_ACCOUNT: Rule = { name: 'r', scope: 'account', count: 30, perMs: 1000 };
const SECOND_OF_CHAT: Rule = { name: 'r', scope: 'chat', count: 1, perMs: 1000 };
const MINUTE_OF_GROUP: Rule = { name: 'r', scope: 'chat', count: 20, perMs: MINUTE_MS };

describe('the cost of a network of 40 ms with up to 40 ms of jitter', () => {
  const network = { oneWay: 20, jitter: 20 };
  test.each([
    [SECOND_OF_ACCOUNT, 60, 3 * MINUTE_MS, 0.96],
    [SECOND_OF_CHAT, 1, 10 * MINUTE_MS, 0.97],
    [SECOND_OF_CHAT, 20, 3 * MINUTE_MS, 0.97],
    [MINUTE_OF_GROUP, 3, 60 * MINUTE_MS, 0.995],
  ])('%j of %i chats for %i ms: at least %d', (rule, chats, ms, least) => {
    const { share, crowd } = pace(rule, chats, ms, network);
    expect(share).toBeGreaterThanOrEqual(least);
    expect(crowd).toBeLessThanOrEqual(rule.count);
  });
});

describe('never one too many', () => {
  test.each([
    { oneWay: 0, jitter: 0 },
    { oneWay: 5, jitter: 300 },
    { oneWay: 150, jitter: 30 },
    // Slower than the window is long.
    { oneWay: 900, jitter: 900 },
  ])('over a network of %j', (network) => {
    for (const rule of [SECOND_OF_ACCOUNT, SECOND_OF_CHAT, MINUTE_OF_GROUP]) {
      expect(pace(rule, 5, 5 * MINUTE_MS, network).crowd).toBeLessThanOrEqual(rule.count);
    }
  });
});
