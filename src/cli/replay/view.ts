// A recorded day beside its replays, as a table.

import { PRIORITIES } from '../../domain/priority.ts';
import type { DayFigures, WaitFigures } from '../../sim/sim.ts';
import { table } from '../terminal/table.ts';

export interface ReplayedDays {
  readonly recorded: DayFigures;
  readonly asSet: DayFigures;
  // null: nothing was to be changed.
  readonly changed: DayFigures | null;
  readonly changes: readonly string[];
  // Deliveries that could not be replayed.
  readonly leftOut: number;
}

const SHARES = [
  ['p50', 'p50Ms'],
  ['p95', 'p95Ms'],
  ['p99', 'p99Ms'],
] as const;

export function describeReplay(days: ReplayedDays): string {
  const { recorded, asSet, changed, changes, leftOut } = days;
  const columns = [recorded, asSet, ...(changed === null ? [] : [changed])];
  const heads = ['', 'recorded', 'as set', ...(changed === null ? [] : ['changed'])];
  const rows = [
    row('deliveries', columns, ({ deliveries }) => String(deliveries)),
    row('sent', columns, ({ sent }) => String(sent)),
    row('429s', columns, ({ limited }) => String(limited)),
    ...waitRows('wait', columns, ({ waits }) => waits),
    ...PRIORITIES.flatMap((priority) =>
      waitRows(`wait, ${priority}`, columns, ({ classes }) => classes[priority]),
    ),
    ...waitRows('wait, finals', columns, ({ finals }) => finals),
    row('finals late', columns, ({ finals, finalsLate }) =>
      finals === null && finalsLate === 0 ? '' : String(finalsLate),
    ),
  ].filter(([, ...cells]) => cells.some((cell) => cell !== ''));
  const lines = [table(heads, rows)];
  if (changed !== null) lines.push(`changed: ${changes.join(', ')}`);
  if (leftOut > 0) lines.push(`${leftOut} deliveries were left out: they cannot be replayed`);
  return lines.join('\n');
}

function waitRows(
  name: string,
  days: readonly DayFigures[],
  waitsOf: (day: DayFigures) => WaitFigures | null,
): string[][] {
  return SHARES.map(([share, key]) =>
    row(`${name}, ${share}`, days, (day) => {
      const waits = waitsOf(day);
      return waits === null ? '' : seconds(waits[key]);
    }),
  );
}

function row(name: string, days: readonly DayFigures[], cellOf: (day: DayFigures) => string) {
  return [name, ...days.map(cellOf)];
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
