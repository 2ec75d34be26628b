import { describe, expect, test } from 'vitest';
import type { Finding } from './evidence.ts';
import { honestEngine, type Sabotage } from './honest-engine.fixture.ts';
import { formatReport, type WorldReport } from './report.ts';
import { runWorld } from './world.ts';

const small = { minutes: 10, accounts: 3, chats: 24, crashes: 3 };

describe('an engine that keeps the promises', () => {
  test.each([1, 2, 3, 4, 5])('passes every checker, seed %i', async (seed) => {
    const report = await runWorld({ ...small, seed, makeEngine: honestEngine(null) });
    expect(report.ok, formatReport(report)).toBe(true);
    expect(report.counts.accepted).toBeGreaterThan(200);
    expect(report.counts.faults).toBeGreaterThan(0);
    expect(report.counts.crashes).toBe(3);
    expect(report.counts.states.superseded).toBeGreaterThan(0);
    expect(report.counts.states.dead).toBeGreaterThan(0);
    expect(report.counts.states.cancelled).toBeGreaterThan(0);
  });

  test('the same seed is the same world', async () => {
    const run = () => runWorld({ ...small, seed: 9, makeEngine: honestEngine(null) });
    expect(await run()).toEqual(await run());
  });
});

// Which promise in words, its check, which chat, why.
function expectOneLine(report: WorldReport, finding: Finding): void {
  const [line] = formatReport({ ...report, findings: [finding] }).split('\n');
  expect(line).toMatch(/ BROKEN, promise "[^"]+ [^"]+" \(\w+\): .*\b(chat|to) @?-?\w+/);
  expect(line).toContain(`(${finding.check}): ${finding.facts} · virtualMinutes `);
}

describe('an engine that breaks one', () => {
  test.each<[Sabotage, string]>([
    ['drops', 'loss'],
    ['lies', 'loss'],
    ['loses the disk', 'loss'],
    ['buries', 'loss'],
    ['reorders', 'order'],
    ['bursts', 'windows'],
    ['ignores freezes', 'freezes'],
    ['ignores revocation', 'freezes'],
    ['repeats', 'duplicates'],
    ['hides doubts', 'duplicates'],
    ['freezes all', 'isolation'],
    ['buries', 'ends'],
    ['sends the cancelled', 'ends'],
    ['cancels unasked', 'ends'],
  ])('%s: %s', async (sabotage, check) => {
    const broken: string[] = [];
    for (let seed = 11; seed < 16 && !broken.includes(check); seed++) {
      const report = await runWorld({ ...small, seed, makeEngine: honestEngine(sabotage) });
      broken.push(...Object.keys(report.broken));
      if (report.ok) continue;
      expect(formatReport(report)).toContain(`with seed ${seed}`);
      // Whichever it broke first is told; here each has its turn.
      for (const finding of report.findings) expectOneLine(report, finding);
    }
    expect(broken).toContain(check);
  });

  test('limits that are half of what it believes: each chat earns too many', async () => {
    const options = { ...small, seed: 21, truth: 0.2, faults: {}, crashes: 0 };
    const report = await runWorld({ ...options, makeEngine: honestEngine(null) });
    expect(Object.keys(report.broken)).toEqual(['windows']);
    expect(report.floods[0]!.count).toBeGreaterThan(3);
  });
});
