// Plain tables for people: columns aligned, no lines, nothing cut. A cell is one line, whatever it was made from.

import { harmless } from './harmless.ts';
import { widthOf } from './width.ts';

export function table(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const cells = [head.map((name) => name.toUpperCase()), ...rows.map((row) => row.map(oneLine))];
  const widthsOf = cells.map((row) => row.map(widthOf));
  const widths = head.map((_, column) => Math.max(...widthsOf.map((row) => row[column]!)));
  return cells
    .map((row, at) =>
      row
        .map((cell, column) => cell + ' '.repeat(widths[column]! - widthsOf[at]![column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

interface Correlated {
  readonly id: string;
  readonly correlation: string;
}

// Callers' own ids, beside ours; no column where none has one.
export function correlationColumn(items: readonly Correlated[]) {
  const own = ({ id, correlation }: Correlated) => (correlation === id ? '' : correlation);
  const isThere = items.some((item) => own(item) !== '');
  return {
    names: isThere ? ['correlation'] : [],
    of: (item: Correlated) => (isThere ? [own(item)] : []),
  };
}

// `field  value` per line; a value that is null is left out.
export function fields(pairs: readonly (readonly [string, string | number | null])[]): string {
  const shown = pairs.filter(([, value]) => value !== null);
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${oneLine(value ?? '')}`).join('\n');
}

function oneLine(value: string | number): string {
  return harmless(String(value)).replace(/(?<!\s)\s*\n\s*/g, ' ');
}

// A moment to come, as a person reads it: when, and how long that is. null: none is known.
export function until(iso: string | null, now: number): string | null {
  if (iso === null) return null;
  const left = Date.parse(iso) - now;
  return left > 0 ? `${moment(iso)} (${duration(left)} left)` : moment(iso);
}

// To the second, in the time of this machine: `2026-11-18 01:12:53`. Programs have --json.
export function moment(iso: string): string {
  return new Date(iso).toLocaleString('sv-SE');
}

// null: there was none, or there is none yet.
export function momentOrNull(iso: string | null): string | null {
  return iso === null ? null : moment(iso);
}

const ISO_TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

// What the gateway says in words, with its moments in the time of this machine.
export function inLocalTime(words: string): string {
  return words.replace(ISO_TIME, moment);
}

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}
