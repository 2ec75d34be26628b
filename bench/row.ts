// One line of the result: what was measured, against what, and whether the bound holds.

export interface Row {
  readonly name: string;
  readonly ours: string;
  readonly theirs: string;
  readonly ratio: number;
  // '≥ 0.5': the ratio must be at least that; '≤ 3': at most.
  readonly bound: string;
  readonly holds: boolean;
}

export function ratioRow(
  name: string,
  ours: { text: string; value: number },
  theirs: { text: string; value: number },
  bound: { atLeast: number } | { atMost: number },
): Row {
  const ratio = ours.value / theirs.value;
  const holds = 'atLeast' in bound ? ratio >= bound.atLeast : ratio <= bound.atMost;
  const text = 'atLeast' in bound ? `≥ ${bound.atLeast}` : `≤ ${bound.atMost}`;
  return { name, ours: ours.text, theirs: theirs.text, ratio, bound: text, holds };
}

export function perSecond(count: number, ms: number, what: string) {
  const value = (count / ms) * 1000;
  return { value, text: `${Math.round(value).toLocaleString('en')} ${what}/s` };
}

export function printRows(rows: readonly Row[]): void {
  const header = ['measured', 'Sluice', 'against', 'ratio', 'bound', ''];
  const lines = rows.map((row) => [
    row.name,
    row.ours,
    row.theirs,
    row.ratio.toFixed(3),
    row.bound,
    row.holds ? 'holds' : 'MISSED',
  ]);
  const widths = header.map((_, i) =>
    Math.max(...[header, ...lines].map((line) => line[i]!.length)),
  );
  const format = (line: string[]) => line.map((cell, i) => cell.padEnd(widths[i]!)).join('  ');
  console.log(format(header));
  console.log(widths.map((width) => '-'.repeat(width)).join('  '));
  for (const line of lines) console.log(format(line));
}

// The best of several runs: noise only ever adds.
export async function best<T>(
  times: number,
  run: () => Promise<T> | T,
  better: (a: T, b: T) => boolean,
): Promise<T> {
  let winner = await run();
  for (let i = 1; i < times; i++) {
    const next = await run();
    if (better(next, winner)) winner = next;
  }
  return winner;
}
