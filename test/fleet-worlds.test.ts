// Worlds of a fleet: five nodes on one store, with the road, the membership and the line between nodes as the gateway
// has them, under freezes, crashes, cuts, lost, late and doubled messages and clocks that differ. Every promise of a
// single process is checked from outside, and that an account has one sender. A world that breaks one prints the
// command that runs it again.

import { describe, expect, test } from 'vitest';
import { type FleetMistake, fleetEngine } from '../src/app/simulated.ts';
import { formatReport, runWorld, type WorldReport } from '../src/sim/sim.ts';

// Of the 200 that `npx sluice sim world --nodes 5 --minutes 2 --seed 1 --seeds 200` plays.
const SEEDS = 40;
const SEEDS_PER_TEST = 10;
const MINUTES = 2;
const PLAN = { minutes: MINUTES, accounts: 6, chats: 40, crashes: 0 };
const MISTAKE_SEEDS_MAX = 20;

function lived(seed: number, mistake?: FleetMistake): Promise<WorldReport> {
  const pace = seed % 2 === 0 ? 'postgres' : 'redis';
  const planted = mistake === undefined ? null : { mistake };
  const makeEngine = fleetEngine({ nodes: 5, disturbedMs: MINUTES * 60_000, pace, ...planted });
  return runWorld({ ...PLAN, seed, makeEngine });
}

describe('worlds of five nodes', () => {
  const reports: WorldReport[] = [];
  for (let first = 1; first <= SEEDS; first += SEEDS_PER_TEST) {
    test(`all promises, and one sender per account: seeds ${first} to ${first + SEEDS_PER_TEST - 1}`, async () => {
      for (let seed = first; seed < first + SEEDS_PER_TEST; seed++) {
        const report = await lived(seed);
        const again = `npx sluice sim world --nodes 5 --minutes ${MINUTES} --seed ${seed}`;
        expect(report.ok, `${formatReport(report)}\nagain: ${again}\n`).toBe(true);
        reports.push(report);
      }
    });
  }

  test('in which everything happened that can', () => {
    const sum = (of: (report: WorldReport) => number | undefined) =>
      reports.reduce((total, report) => total + (of(report) ?? 0), 0);
    for (const state of ['sent', 'dead', 'superseded', 'cancelled'] as const) {
      expect(sum(({ counts }) => counts.states[state])).toBeGreaterThan(reports.length / 2);
    }
    expect(sum(({ counts }) => counts.troubles)).toBeGreaterThan(5 * reports.length);
    expect(sum(({ counts }) => counts.faults)).toBeGreaterThan(reports.length / 2);
    // What a node had in flight when it was taken over from.
    expect(sum(({ counts }) => counts.duplicates)).toBeGreaterThan(reports.length / 10);
    expect(sum(({ counts }) => counts.refused)).toBeLessThan(sum(({ counts }) => counts.said) / 10);
  });

  test('the same seed is the same world', async () => {
    expect(await lived(7)).toEqual(await lived(7));
  });
});

describe('a mistake is found', () => {
  const found = async (mistake: FleetMistake): Promise<readonly string[]> => {
    const broken = new Set<string>();
    for (let seed = 1; seed <= MISTAKE_SEEDS_MAX; seed++) {
      for (const check of Object.keys((await lived(seed, mistake)).broken)) broken.add(check);
    }
    return [...broken];
  };

  test('begin without a look at the epoch: two senders', async () => {
    expect(await found('begin_without_epoch')).toContain('senders');
  });
  test('a take-over with fresh budgets: freezes and windows', async () => {
    expect(await found('take_over_forgets_limits')).toEqual(
      expect.arrayContaining(['freezes', 'windows']),
    );
  });
  test('an owner that is not told what was written without it: loss', async () => {
    expect(await found('stray_untold')).toContain('loss');
  });
});
