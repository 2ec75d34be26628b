// How much of the budget the care for the network costs, and whether it is care enough: the true
// limits equal the priors, every chat is always hungry, and each way takes as long as it likes.

import { describe, expect, test } from 'vitest';
import { type Random, seededRandom } from '../system/random.ts';
import { AccountLimits } from './limits.ts';
import { jitter, most, run } from './pacing.world.ts';
import type { Charge, Rule } from './types.ts';

const MINUTE_MS = 60_000;

function charge(chat: string): Charge {
  return { chat, user: null, family: 'send', budget: 'broadcast', live: false, cost: 1 };
}

function pace(rule: Rule, chats: number, ms: number, network: { oneWay: number; jitter: number }) {
  const random = seededRandom(7);
  const rules = [rule];
  const plan =
    rule.scope === 'account' ? { account: rules, chat: [] } : { account: [], chat: rules };
  const judged = run(
    {
      limits: new AccountLimits({ account: 'p:a', priors: { planOf: () => plan } }),
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

// Nobody can be sooner without a risk: a call leaves as soon as even the fastest way there keeps the window, by one who
// knows both the fastest way and, at once, when each call arrived.
function knowsTheLine(rule: Rule, messages: number, jitterMs: number, random: Random): number {
  const onTheWay: number[] = [];
  const send = (at: number) => {
    const arrives = at + jitterMs * random.next();
    const place = onTheWay.findIndex((other) => other < arrives);
    onTheWay.splice(place === -1 ? onTheWay.length : place, 0, arrives);
  };
  for (let n = 0; n < rule.count; n++) send(0);
  const arrived: number[] = [];
  while (onTheWay.length > 0) {
    const at = onTheWay.pop()!;
    arrived.push(at);
    if (arrived.length + onTheWay.length < messages) send(at + rule.perMs);
  }
  return arrived.at(-1)! - arrived[0]!;
}

test('4,000 at 80 a second, 40 ms of jitter: at least 0.97, and 0.995 of what knowing the line gives', () => {
  const rule: Rule = { name: 'r', scope: 'account', count: 80, perMs: 1000 };
  const [messages, jitterMs, seeds] = [4000, 40, 5];
  const leastMs = ((messages - rule.count) / rule.count) * rule.perMs;
  let [ours, best] = [0, 0];
  for (let seed = 1; seed <= seeds; seed++) {
    const random = seededRandom(seed);
    const limits = new AccountLimits({
      account: 'p:a',
      priors: { planOf: () => ({ account: [rule], chat: [] }) },
    });
    const trip = () => ({ thereMs: 40 + jitterMs * random.next(), backMs: 40 });
    const judge = () => ({ holdMs: 0, signal: { kind: 'ok' } }) as const;
    const charges = Array.from({ length: rule.count }, (_, n) => charge(`c${n}`));
    const judged = run({ limits, random, charges, trip, judge }, 0, 52_000);
    const times = judged.slice(0, messages).map(({ at }) => at);
    expect(most(times, rule.perMs)).toBeLessThanOrEqual(rule.count);
    expect(leastMs / (times.at(-1)! - times[0]!)).toBeGreaterThan(0.97);
    ours += times.at(-1)! - times[0]!;
    best += knowsTheLine(rule, messages, jitterMs, random);
  }
  expect(best / ours).toBeGreaterThan(0.995);
  // Which is what jitter costs.
  expect((seeds * leastMs) / best).toBeLessThan(0.978);
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
