// The rows of a Markdown table.

import type { Steps } from './steps.ts';

export function isRow(line: string): boolean {
  return line.includes('|') && !/^\s*\|\|/.test(line);
}

// The row under the header.
export function isDelimiterRow(line: string): boolean {
  if (!line.includes('|') || !/^[ \t|:-]*$/.test(line)) return false;
  const cells = line.trim().replace(/^\|/, '').replace(/\|$/, '').split('|');
  return cells.every((cell) => /^:?-+:?$/.test(cell.trim()));
}

export function isHalfDelimiterRow(line: string): boolean {
  return /^[ \t|:-]*$/.test(line);
}

// A bar with a backslash before it belongs to its cell.
export function cellsOf(line: string, steps: Steps): string[] {
  const row = line.trim();
  const cells: string[] = [];
  let from = row.startsWith('|') ? 1 : 0;
  for (let at = from; at < row.length; at++) {
    steps.count += 1;
    if (row[at] === '\\') at += 1;
    else if (row[at] === '|') {
      cells.push(row.slice(from, at).trim());
      from = at + 1;
    }
  }
  if (from < row.length) cells.push(row.slice(from).trim());
  return cells.map((cell) => cell.replaceAll('\\|', '|'));
}
