// What is promised of Sluice, line by line; the best peer stands beside it.

import type { Row } from '../row.ts';
import { SLUICE, SLUICE_STEADY } from './names.ts';
import { efficiencyOf, type Line } from './table.ts';

// Least possible time ÷ time taken, by scenario in order; live answers are bound by their finals instead.
const EFFICIENCY_MIN: Readonly<Record<string, number>> = {
  '900 people once': 0.95,
  'a group 40 times': 0.97,
  '150 people × 4, 5 groups × 10': 0.95,
};
const STEADY_EFFICIENCY_MIN = 0.98;

export function rowsOf(lines: readonly Line[]): Row[] {
  const ours = lines.filter(({ contestant }) => isOurs(contestant));
  return ours.flatMap((line) => {
    const peers = lines.filter((l) => l.scenario === line.scenario && !isOurs(l.contestant));
    return [noneWrong(line, peers), bound(line, peers)];
  });
}

function isOurs(contestant: string): boolean {
  return contestant === SLUICE || contestant === SLUICE_STEADY;
}

// 429s, lost, twice, out of order: together nothing.
function noneWrong(line: Line, peers: readonly Line[]): Row {
  const wrong = wrongsOf(line);
  const theirs = bestOf(peers, (ones) => String(Math.min(...ones.map(wrongsOf))));
  return {
    name: `${nameOf(line)}: 429s + lost + twice + disordered`,
    ours: String(wrong),
    theirs,
    ratio: wrong,
    bound: '= 0',
    holds: wrong === 0,
  };
}

function wrongsOf({ verdict }: Line): number {
  return verdict.earned429 + verdict.lost + verdict.duplicated + verdict.outOfOrder;
}

function bound(line: Line, peers: readonly Line[]): Row {
  const { finals, leastMs } = line.verdict;
  if (leastMs === null) {
    const share = ({ verdict }: Line) =>
      Math.min(verdict.finals.delivered, verdict.finals.last, verdict.finals.inTime);
    const ratio = share(line) / finals.asked;
    return {
      name: `${nameOf(line)}: finals arrived, last, in time`,
      ours: `${share(line)} of ${finals.asked}`,
      theirs: bestOf(peers, (ones) => String(Math.max(...ones.map(share)))),
      ratio,
      bound: '= 1',
      holds: ratio === 1,
    };
  }
  const least = line.contestant === SLUICE ? EFFICIENCY_MIN[line.scenario]! : STEADY_EFFICIENCY_MIN;
  const ratio = efficiencyOf(line.verdict);
  const best = (ones: readonly Line[]) =>
    Math.max(...ones.map(({ verdict }) => efficiencyOf(verdict))).toFixed(3);
  return {
    name: `${nameOf(line)}: least possible ÷ taken`,
    ours: ratio.toFixed(3),
    theirs: bestOf(peers, best),
    ratio,
    bound: `≥ ${least}`,
    holds: ratio >= least,
  };
}

function nameOf({ scenario, contestant }: Line): string {
  return contestant === SLUICE ? scenario : `${scenario} (no jitter)`;
}

function bestOf(peers: readonly Line[], best: (peers: readonly Line[]) => string): string {
  return peers.length === 0 ? '–' : `${best(peers)} (best peer)`;
}
