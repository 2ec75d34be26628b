// `sluice top` as lines: a head that says how the gateway stands, then as much of each table as there is room for.
// Every line is cut to the width before it is coloured, so that the number of rows is known.

import { harmless } from '../terminal/harmless.ts';
import type { Paint, Tone } from '../terminal/style.ts';
import { duration } from '../terminal/table.ts';
import { fitted, widthOf } from '../terminal/width.ts';
import { isCritical, verdictOf } from '../verdict.ts';
import type { Choice } from './keys.ts';
import { count, sectionsOf, type TopRow, type TopSection } from './sections.ts';
import type { Snapshot } from './snapshot.ts';

export interface Picture {
  readonly snapshot: Snapshot;
  readonly choice: Choice;
  // Why what is shown is old; null: it is not.
  readonly trouble: string | null;
  readonly size: { readonly columns: number; readonly rows: number };
  readonly paint: Paint;
}

interface Line {
  readonly tone: Tone;
  readonly text: string;
}

// Rates are means over so many seconds: one alone jumps.
const RATE_S = 10;
const CURVE_S = 20;
const CURVE = '▁▂▃▄▅▆▇█';
const INCIDENTS_SHOWN_MAX = 3;
const GAP = '  ';
// Below this some columns are left out.
const COLUMNS_WIDE = 110;
// Of one cell, where another column still has to follow.
const CELL_COLUMNS_MAX = 36;
const BLANK: Line = { tone: 'plain', text: '' };

export function draw({ snapshot, choice, trouble, size, paint }: Picture): string[] {
  const wrong = incidentsOf(snapshot);
  const head = [...headOf(snapshot), ...wrong, ...(trouble === null ? [] : [warningOf(trouble)])];
  const room = size.rows - head.length - 1;
  const body = bodyOf(sectionsOf(snapshot, choice), room, size.columns).slice(0, room);
  const filling = Array.from({ length: room - body.length }, () => BLANK);
  return [...head, ...body, ...filling, footOf(choice)]
    .slice(-Math.max(1, size.rows))
    .map(({ tone, text }) => paint(tone, lineOf(tone, text, size.columns)));
}

function lineOf(tone: Tone, text: string, columns: number): string {
  const line = fitted(text, columns);
  return tone === 'bar' ? line : line.trimEnd();
}

// For a file or a pipe: all of it, as wide as it is.
export function describe(snapshot: Snapshot, choice: Choice): string {
  const lines = [...headOf(snapshot), ...incidentsOf(snapshot)];
  for (const section of sectionsOf(snapshot, choice)) {
    if (section.rows.length > 0) lines.push(BLANK, ...linesOf(section, section.rows, null));
  }
  return lines.map(({ text }) => text.trimEnd()).join('\n');
}

function headOf({ url, health, overview, streams, accounts }: Snapshot): Line[] {
  const { series, depths, at, startedAt, oldest, dead, uncertain, freezes, incidents } = overview;
  const now = Date.parse(at);
  const { critical, high, normal, low, retry, inFlight } = depths;
  const [first] = oldest;
  const waits = first === undefined ? '0 s' : duration(Math.max(0, now - Date.parse(first.since)));
  const up = duration(now - Date.parse(startedAt));
  const perSecond = (numbers: readonly number[]) => {
    const last = numbers.slice(-RATE_S);
    const mean = last.reduce((sum, n) => sum + n, 0) / Math.max(1, last.length);
    return mean >= 100 ? count(Math.round(mean)) : mean.toFixed(1);
  };
  const { accepted, sent, limited, failed } = series;
  return [
    {
      tone: health === 'ok' && !incidents.some(isCritical) ? 'strong' : 'bad',
      text: `sluice at ${url} ${verdictOf(health, incidents)}, up ${up}, ${plural(accounts.length, 'account')}`,
    },
    {
      tone: 'plain',
      text:
        `per second: in ${perSecond(accepted)}  sent ${perSecond(sent)}  429 ${perSecond(limited)}  ` +
        `failed ${perSecond(failed)}  ${curveOf(sent.slice(-CURVE_S))}`,
    },
    {
      tone: 'plain',
      text:
        `waiting ${count(critical + high + normal + low)}: critical ${count(critical)}  high ${count(high)}  ` +
        `normal ${count(normal)}  low ${count(low)}  (${count(retry)} until later)`,
    },
    {
      tone: dead + uncertain + freezes.active > 0 ? 'warning' : 'plain',
      text:
        `oldest wait ${waits}  in flight ${inFlight}  frozen ${count(freezes.active)}  ` +
        `dead ${count(dead)}  uncertain ${count(uncertain)}  ${plural(streams.length, 'stream')}`,
    },
  ];
}

// What needs a person, the worst first: a full disk, a platform that is down.
function incidentsOf({ overview }: Snapshot): Line[] {
  return overview.incidents
    .filter(isCritical)
    .slice(0, INCIDENTS_SHOWN_MAX)
    .map(({ summary, remedy }) => warningOf(`CRITICAL ${summary} ${remedy}`));
}

function warningOf(trouble: string): Line {
  return { tone: 'bad', text: harmless(trouble).replaceAll('\n', ' ') };
}

function footOf({ sort, only, filter, isTyping, isHeld }: Choice): Line {
  if (isTyping) return { tone: 'bar', text: `filter: ${filter}▏ (enter keeps it, esc clears it)` };
  const parts = [
    'q quit',
    `s sort: ${sort}`,
    `tab ${only ?? 'all'}`,
    filter === '' ? '/ filter' : `/ filter: ${filter}`,
    isHeld ? 'space GO ON (it stands still)' : 'space hold',
  ];
  return { tone: 'bar', text: parts.join('   ') };
}

// Each table first gets its head and a row; what is left goes round.
function bodyOf(sections: readonly TopSection[], room: number, columns: number): Line[] {
  const full = sections.filter(({ rows }) => rows.length > 0);
  if (full.length === 0) return [BLANK, { tone: 'faint', text: 'nothing to show' }];
  const shown = full.slice(0, Math.max(1, Math.floor(room / 3)));
  const rowsOf = shown.map(() => 1);
  let left = room - 3 * shown.length;
  for (let gave = true; gave && left > 0; ) {
    gave = false;
    for (const [i, { rows }] of shown.entries()) {
      if (left === 0 || rowsOf[i]! >= rows.length) continue;
      rowsOf[i]! += 1;
      left -= 1;
      gave = true;
    }
  }
  return shown.flatMap((section, i) => {
    const told = columns < COLUMNS_WIDE ? narrowed(section) : section;
    return [BLANK, ...linesOf(told, told.rows.slice(0, rowsOf[i]), columns)];
  });
}

function narrowed(section: TopSection): TopSection {
  const { head, rows, spare = [] } = section;
  const kept = <T>(all: readonly T[]) => all.filter((_, i) => !spare.includes(head[i]!));
  const cut = rows.map(({ tone, cells }) => ({ tone, cells: kept(cells) }));
  return { ...section, head: kept(head), rows: cut };
}

// `columns`: of the terminal; null: there is no end to them.
function linesOf(
  { head, total }: TopSection,
  rows: readonly TopRow[],
  columns: number | null,
): Line[] {
  const [first = '', ...others] = head.map((name) => name.toUpperCase());
  const told = rows.length < total ? ` ${count(rows.length)}/${count(total)}` : '';
  const names = [`${first}${told}`, ...others];
  const max = columns === null ? Number.POSITIVE_INFINITY : CELL_COLUMNS_MAX;
  const widths = names.map((name, i) =>
    Math.min(max, Math.max(widthOf(name), ...rows.map(({ cells }) => widthOf(cells[i]!)))),
  );
  // The last one takes what the others leave: it is cut with the line.
  const lay = (cells: readonly string[]) =>
    cells.map((cell, i) => (i < cells.length - 1 ? fitted(cell, widths[i]!) : cell)).join(GAP);
  return [
    { tone: 'faint', text: lay(names) },
    ...rows.map(({ tone, cells }) => ({ tone, text: lay(cells) })),
  ];
}

function curveOf(numbers: readonly number[]): string {
  const most = Math.max(1, ...numbers);
  const step = (n: number) => Math.min(CURVE.length - 1, Math.ceil((n / most) * CURVE.length) - 1);
  return numbers.map((n) => (n === 0 ? CURVE[0] : CURVE[Math.max(0, step(n))])).join('');
}

function plural(n: number, name: string): string {
  return `${count(n)} ${name}${n === 1 ? '' : 's'}`;
}
