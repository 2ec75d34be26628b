// All contestants in one table: a line per scenario and contestant.

import type { Verdict } from './judge.ts';

export interface Line {
  readonly scenario: string;
  readonly contestant: string;
  readonly verdict: Verdict;
}

const HEADER = [
  ...['scenario', 'contestant', '429s', 'took', 'least ÷ took'],
  ...['lost', 'twice', 'disordered', 'finals: arrived', 'last', 'in time'],
];

export function printLines(lines: readonly Line[]): void {
  const rows = [HEADER, ...lines.map(cellsOf)];
  const widths = HEADER.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  for (const row of rows) {
    console.log(
      row
        .map((cell, i) => (i < 2 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
        .join('  '),
    );
  }
  console.log('');
}

function cellsOf({ scenario, contestant, verdict }: Line): string[] {
  const { earned429, tookMs, lost, duplicated, outOfOrder, finals } = verdict;
  const of = (count: number) => (finals.asked === 0 ? '–' : `${count}/${finals.asked}`);
  return [
    scenario,
    contestant,
    String(earned429),
    tookMs === null ? 'gave up' : `${(tookMs / 1000).toFixed(1)} s`,
    verdict.leastMs === null ? '–' : efficiencyOf(verdict).toFixed(3),
    ...[lost, duplicated, outOfOrder].map(String),
    ...[finals.delivered, finals.last, finals.inTime].map(of),
  ];
}

// What is lost took for ever.
export function efficiencyOf({ leastMs, tookMs, lost }: Verdict): number {
  return leastMs === null || tookMs === null || lost > 0 ? 0 : leastMs / tookMs;
}
