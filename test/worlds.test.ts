// Sixty short worlds, two long ones, and a few that never rest. A world that breaks a
// promise prints the command that runs it again.

import { describe, expect, test } from 'vitest';
import { worldEngine } from '../src/app/simulated.ts';
import { LARGE } from '../src/cli/sim/world.ts';
import { formatReport, runWorld, type WorldOptions, type WorldReport } from '../src/sim/sim.ts';
import { intBelow, seededRandom } from '../src/system/random.ts';
import { TEST_SEED } from './seed.ts';

const FIXED = 45;
// Of seeds that follow from the run's.
const DRAWN = 15;
const SEED_MAX = 2 ** 31;
const EDITS = ['shared', 'separate', 'free'] as const;
// One world in so many has a platform that allows half of what we believe.
const HALF_EVERY = 5;
const SIZE = { minutes: 10, accounts: 6, chats: 60, crashes: 3 };
// As large as the command plays them.
const LONG = { minutes: 120, accounts: LARGE.accounts, chats: LARGE.chats, crashes: LARGE.crashes };

type Plan = Required<
  Pick<WorldOptions, 'seed' | 'minutes' | 'accounts' | 'chats' | 'crashes' | 'truth' | 'edits'>
>;

function planOf(seed: number, i: number): Plan {
  return { ...SIZE, seed, truth: i % HALF_EVERY === 0 ? 0.5 : 1, edits: EDITS[i % EDITS.length]! };
}

function commandOf(plan: Plan): string {
  const flags = Object.entries(plan).map(([name, value]) => `--${name} ${value}`);
  return `npx sluice sim world ${flags.join(' ')}`;
}

async function runPlan(plan: Plan): Promise<WorldReport> {
  const report = await runWorld({ ...plan, makeEngine: worldEngine });
  expect(report.ok, `${formatReport(report)}\nagain: ${commandOf(plan)}\n`).toBe(true);
  return report;
}

describe('sixty worlds', () => {
  const fixed = Array.from({ length: FIXED }, (_, i) => i + 1);
  const random = seededRandom(TEST_SEED);
  const drawn = Array.from({ length: DRAWN }, () => intBelow(random, SEED_MAX));
  const plans = [...fixed, ...drawn].map(planOf);
  const reports: WorldReport[] = [];

  test.each(plans)('seed $seed, truth $truth, edits $edits', async (plan) => {
    reports.push(await runPlan(plan));
  });

  test('in which everything happened that can', () => {
    const sum = (of: (report: WorldReport) => number | undefined) =>
      reports.reduce((total, report) => total + (of(report) ?? 0), 0);
    for (const state of ['sent', 'dead', 'superseded', 'expired', 'cancelled'] as const) {
      expect(sum(({ counts }) => counts.states[state])).toBeGreaterThan(reports.length);
    }
    expect(sum(({ counts }) => counts.faults)).toBeGreaterThan(reports.length);
    expect(sum(({ counts }) => counts.duplicates)).toBeGreaterThan(0);
    expect(sum(({ counts }) => counts.flood)).toBeGreaterThan(0);
  });

  test('the same seed is the same world', async () => {
    const plan = planOf(7, 7);
    expect(await runPlan(plan)).toEqual(await runPlan(plan));
  });
});

const NEVER_RESTS = {
  accounts: 1,
  faults: {},
  traffic: 'saturated',
  makeEngine: worldEngine,
} as const;
// Chats enough to use up their own budgets, or that of the bot.
const FEW = 14;
const MANY = 200;

describe('chats that always have more to say', () => {
  // The least number of calls: nearly all that the platform grants in the time that the engine is up.
  test.each([
    [FEW, 1, 3_000],
    [MANY, 2, 15_000],
  ])('%i of them: no window is exceeded, none is left unused', async (chats, seed, least) => {
    const options = { ...NEVER_RESTS, seed, chats, minutes: 10, crashes: 4 };
    const report = await runWorld(options);
    expect(report.ok, formatReport(report)).toBe(true);
    expect(report.counts.crashes).toBe(4);
    expect(report.counts.calls).toBeGreaterThan(least);
  });
});

// Stray refusals teach little: a chat that met a few of them must not be far behind two hours later.
describe('two hours', () => {
  test.each([2, 3])('seed %i', async (seed) => {
    await runPlan({ ...LONG, seed, truth: 1, edits: 'shared' });
  });
});

// After a fall more is tried, gently, every few minutes.
describe('limits that are half of what is believed are learned within ten minutes', () => {
  const SETTLED_MINUTE = 1;
  const TRIES_MORE_MINUTE = 10;
  const GROUP_PER_S = 10 / 60;
  const PRIVATE_PER_S = 0.5;
  const BROADCAST_PER_S = 15;
  // What the platform makes us wait for less than a second does not show, and costs nothing but that wait.
  const UNSEEN_MS_MAX = 1000;
  const UNSEEN_EXCESS_MAX = 1.15;

  test.each([
    [FEW, 1],
    [FEW, 2],
    [FEW, 3],
    [MANY, 4],
  ])('%i chats, seed %i', async (chats, seed) => {
    const length = { minutes: 25, crashes: 0, learnedAtMinute: TRIES_MORE_MINUTE };
    const report = await runWorld({ ...NEVER_RESTS, ...length, seed, chats, truth: 0.5 });
    expect(report.ok, formatReport(report)).toBe(true);

    const between = (from: number, until: number) =>
      report.floods.flatMap(({ chat, minutes }) => {
        const earned = minutes.filter((minute) => minute >= from && minute < until);
        return earned.length === 0 ? [] : [{ chat, count: earned.length }];
      });
    expect(between(SETTLED_MINUTE, TRIES_MORE_MINUTE)).toEqual([]);
    // A try for more may fail, once; the next one waits twice as long.
    const failed = between(TRIES_MORE_MINUTE, 2 * TRIES_MORE_MINUTE);
    expect(failed.filter(({ count }) => count > 1)).toEqual([]);
    const hidden = report.hiddenMsMax.slice(SETTLED_MINUTE, TRIES_MORE_MINUTE);
    expect(Math.max(...hidden)).toBeLessThan(UNSEEN_MS_MAX);

    const rates = (rule: string, isPrivate: boolean) =>
      report.learned
        .filter((each) => each.rule === rule && /^\d/.test(each.chat) === isPrivate)
        .map(({ perSecond }) => perSecond);
    const groups = rates('group_minute', false);
    const others = [
      ...rates('chat_second', true).map((rate) => rate / PRIVATE_PER_S),
      ...rates('account_broadcast', false).map((rate) => rate / BROADCAST_PER_S),
    ];
    for (const rate of groups) {
      expect(rate).toBeGreaterThanOrEqual(0.5 * GROUP_PER_S);
      expect(rate).toBeLessThanOrEqual(GROUP_PER_S);
    }
    for (const share of others) {
      expect(share).toBeGreaterThanOrEqual(0.5);
      expect(share).toBeLessThanOrEqual(UNSEEN_EXCESS_MAX);
    }
    expect(groups.length).toBeGreaterThanOrEqual(chats === FEW ? 3 : 0);
    expect(others.length).toBeGreaterThanOrEqual(1);
  });
});
