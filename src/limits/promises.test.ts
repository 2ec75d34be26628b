// The promises of the limits under arbitrary use, checked from outside by naive means.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Random, seededRandom } from '../system/random.ts';
import { AccountLimits, type LearningSettings } from './limits.ts';
import { type Judged, most, type PacingWorld, run, type WorldVerdict } from './pacing.world.ts';
import type { Charge, LimitRecord, PastCall, Plan, Rule, Signal } from './types.ts';

const START = 1_700_000_000_000;
const PERIODS_MS = [200, 1000, 5000, 20_000];

const rule = (name: string, scope: Rule['scope']) =>
  fc.record({
    name: fc.constant(name),
    scope: fc.constant(scope),
    count: fc.integer({ min: 1, max: 12 }),
    perMs: fc.constantFrom(...PERIODS_MS),
  });
const plan = fc.record({
  account: fc.tuple(rule('account', 'account')),
  chat: fc.tuple(rule('chat', 'chat'), rule('other', 'chat'), rule('user', 'user')),
});
const seed = fc.integer({ min: 0, max: 2 ** 32 - 1 });

function chargesOf(random: Random, plan: Plan): Charge[] {
  const costMax = Math.min(3, ...[...plan.account, ...plan.chat].map(({ count }) => count));
  return Array.from(
    { length: 6 },
    (_, n): Charge => ({
      chat: `c${n % 4}`,
      user: n % 3 === 0 ? null : `u${n % 2}`,
      family: n === 5 ? 'edit' : 'send',
      budget: 'broadcast',
      live: false,
      cost: 1 + Math.floor(random.next() * costMax),
    }),
  );
}

// Each way takes what it likes, but never less than the first trip took.
function wildTrips(random: Random): PacingWorld['trip'] {
  const [there, back] = [20 * random.next(), 20 * random.next()];
  let isFirst = true;
  return () => {
    const wild = isFirst ? 0 : random.next() ** 8 * 4000;
    isFirst = false;
    return { thereMs: there + wild * random.next(), backMs: back + wild * random.next() };
  };
}

function worldOf(
  random: Random,
  plan: Plan,
  judge: () => WorldVerdict,
  learning: Partial<LearningSettings> = {},
): PacingWorld {
  const limits = new AccountLimits({ account: 'p:a', priors: { planOf: () => plan }, learning });
  return { limits, random, charges: chargesOf(random, plan), trip: wildTrips(random), judge };
}

function answer(signal: Signal): WorldVerdict {
  return { holdMs: 0, signal };
}

function timesOf(judged: readonly Judged[], isIn: (charge: Charge) => boolean): number[] {
  const taken = judged.filter(({ signal, charge }) => signal.kind !== 'unjudged' && isIn(charge));
  return taken.flatMap(({ at, charge }) => Array.from({ length: charge.cost }, () => at));
}

describe('windows', () => {
  test('are never exceeded at the platform, whatever the network does', () => {
    fc.assert(
      fc.property(seed, plan, (seed, plan) => {
        const random = seededRandom(seed);
        let calls = 0;
        const judge = () => {
          const isLost = calls++ > 0 && random.next() < 0.1;
          return answer({ kind: isLost ? 'unjudged' : 'ok' });
        };
        const judged = run(worldOf(random, plan, judge), START, 60_000);
        const [account, ...chat] = [...plan.account, ...plan.chat];
        expect(
          most(
            timesOf(judged, () => true),
            account!.perMs,
          ),
        ).toBeLessThanOrEqual(account!.count);
        for (const { scope, count, perMs } of chat) {
          for (const name of ['c0', 'c1', 'c2', 'c3', 'u0', 'u1']) {
            const isIn = (charge: Charge) =>
              (scope === 'chat' ? charge.chat : charge.user) === name;
            expect(most(timesOf(judged, isIn), perMs)).toBeLessThanOrEqual(count);
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('freezes', () => {
  test('nothing leaves inside one, and one call goes first after it', () => {
    fc.assert(
      fc.property(seed, plan, (seed, plan) => {
        const random = seededRandom(seed);
        const judge = () => {
          if (random.next() < 0.8) return answer({ kind: 'ok' });
          const retryAfterMs = Math.ceil(random.next() ** 3 * 20) * 1000;
          return answer({ kind: 'limited', retryAfterMs, scope: 'chat' });
        };
        const judged = run(worldOf(random, plan, judge), START, 60_000);
        for (const { charge, signal, toldAt } of judged) {
          if (signal.kind !== 'limited') continue;
          const until = toldAt + signal.retryAfterMs;
          const later = judged
            .filter((other) => other.charge.chat === charge.chat && other.leftAt > toldAt)
            .sort((a, b) => a.leftAt - b.leftAt);
          const [probe, second] = later;
          if (probe !== undefined) expect(probe.leftAt).toBeGreaterThanOrEqual(until);
          if (second !== undefined) expect(second.leftAt).toBeGreaterThanOrEqual(probe!.toldAt);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('learned rates', () => {
  test('stay within their bounds whatever is answered', () => {
    fc.assert(
      fc.property(seed, plan, (seed, plan) => {
        const random = seededRandom(seed);
        const world = worldOf(random, plan, () => {
          const holdMs = random.next() ** 4 * 8000;
          const scope = random.next() < 0.2 ? 'account' : 'chat';
          const isLimited = random.next() < 0.3;
          const limited: Signal = { kind: 'limited', retryAfterMs: holdMs, scope };
          return { holdMs, signal: isLimited ? limited : { kind: 'ok' } };
        });
        run(world, START, 120_000);
        for (const after of [0, 1_000_000, 100_000_000]) {
          const views = world.limits.view(START + 120_000 + after, 100);
          for (const { learned, count } of views.flatMap(({ rules }) => rules)) {
            expect(learned).toBeGreaterThanOrEqual(0.02);
            expect(learned).toBeLessThanOrEqual(1);
            expect(count).toBeGreaterThanOrEqual(1);
          }
        }
      }),
      { numRuns: 30 },
    );
  });
});

// Remembers what a journal would, and lets the test cut the process off at any point.
function witnessed(limits: AccountLimits) {
  const records = new Map<string, LimitRecord>();
  const calls: { -readonly [K in keyof PastCall]: PastCall[K] }[] = [];
  const rows = new Map<object, (typeof calls)[number]>();
  const open = new Set<ReturnType<AccountLimits['take']>>();
  const { take, settled } = limits;
  limits.take = (charge, now) => {
    const ticket = take.call(limits, charge, now);
    const row = {
      ...charge,
      account: 'p:a' as const,
      startedAt: now,
      endedAt: null,
      counted: true,
    };
    calls.push(row);
    rows.set(ticket, row);
    open.add(ticket);
    return ticket;
  };
  limits.settled = (ticket, signal, now) => {
    const learned = settled.call(limits, ticket, signal, now);
    const counted = signal.kind === 'ok' || signal.kind === 'judged';
    Object.assign(rows.get(ticket)!, { endedAt: now, counted });
    open.delete(ticket);
    for (const record of learned.records) {
      if (record.value === '') records.delete(record.key);
      else records.set(record.key, record);
    }
    return learned;
  };
  return { records, calls, open };
}

describe('a restart', () => {
  test('at any moment never allows more than going on would have', () => {
    fc.assert(
      fc.property(seed, plan, fc.integer({ min: 1, max: 40_000 }), (seed, plan, lifeMs) => {
        const random = seededRandom(seed);
        const world = worldOf(random, plan, () => {
          const limited: Signal = { kind: 'limited', retryAfterMs: 3000, scope: 'chat' };
          return answer(random.next() < 0.05 ? limited : { kind: 'ok' });
        });
        const { records, calls, open } = witnessed(world.limits);
        run(world, START, lifeMs);
        const cutAt = Math.max(
          START + lifeMs,
          ...calls.map((call) => call.endedAt ?? call.startedAt),
        );
        const past = structuredClone(calls);
        for (const ticket of [...open]) world.limits.settled(ticket, { kind: 'ok' }, cutAt);
        const restored = new AccountLimits({ account: 'p:a', priors: { planOf: () => plan } });
        restored.restore([...records.values()], past, cutAt);
        for (const after of [0, 100, 1000, 4000, 19_000, 100_000]) {
          for (const charge of world.charges) {
            const now = cutAt + after;
            const chatAt = world.limits.earliestChat(charge, now);
            expect(restored.earliestChat(charge, now)).toBeGreaterThanOrEqual(chatAt);
            const accountAt = world.limits.earliestAccount(charge, now);
            expect(restored.earliestAccount(charge, now)).toBeGreaterThanOrEqual(accountAt);
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('a projection', () => {
  test('is never too late and close to the truth', () => {
    fc.assert(
      fc.property(seed, plan, fc.integer({ min: 0, max: 60 }), (seed, plan, ahead) => {
        const random = seededRandom(seed);
        const nothing = { slowMsMax: 0 };
        const world = worldOf(random, plan, () => answer({ kind: 'ok' }), nothing);
        const { open } = witnessed(world.limits);
        run(world, START, 10_000);
        let now = START + 15_000;
        for (const ticket of [...open]) world.limits.settled(ticket, { kind: 'ok' }, now);
        const charge = { ...world.charges[0]!, user: null };
        const projected = Math.max(
          world.limits.project(charge, ahead, now),
          world.limits.projectAccount(charge, ahead, now),
        );
        const asked = now;
        for (let n = 0; n <= ahead; n++) {
          while (openAt(world.limits, charge, now) > now) now = openAt(world.limits, charge, now);
          world.limits.settled(world.limits.take(charge, now), { kind: 'ok' }, now);
        }
        expect(projected).toBeLessThanOrEqual(now + 0.01);
        expect(now - asked).toBeLessThanOrEqual(1.5 * (projected - asked) + 20_000);
      }),
      { numRuns: 100 },
    );
  });
});

function openAt(limits: AccountLimits, charge: Charge, now: number): number {
  return Math.max(limits.earliestChat(charge, now), limits.earliestAccount(charge, now));
}
