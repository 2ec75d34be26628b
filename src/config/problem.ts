// A setting that stops the start: its name, where it was found, its value (unless secret) and what would be
// right. All of them are collected, so that one start tells everything.

export interface SettingProblem {
  // As the person wrote it: SLUICE_PORT, --port, limits.group_mpm.
  readonly name: string;
  // null: secret, or there is none.
  readonly value: string | null;
  readonly expected: string;
}

const SUGGESTION_DISTANCE_MAX = 3;

export function describeProblem(problem: SettingProblem): string {
  const value = problem.value === null ? '' : ` = ${problem.value}`;
  return `${problem.name}${value}: ${problem.expected}`;
}

export function unknownName(name: string, known: readonly string[]): SettingProblem {
  const near = nearest(name, known);
  const hint = near === null ? '`sluice config` lists all of them' : `did you mean ${near}?`;
  return { name, value: null, expected: `no such setting; ${hint}` };
}

export function nearest(name: string, known: readonly string[]): string | null {
  const ranked = known
    .map((each) => ({ each, distance: editDistance(name, each) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= SUGGESTION_DISTANCE_MAX ? best.each : null;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
