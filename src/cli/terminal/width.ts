// Texts cut to a width on a terminal: between characters as people see them, never within one. How wide one is, the
// library knows; texts come here without escape sequences, so none are looked for.

import { createRequire } from 'node:module';
import { lazily } from '../../system/lazily.ts';

// Tables of Unicode, which most commands do without.
const GRAPHEMES = lazily(() => new Intl.Segmenter('en', { granularity: 'grapheme' }));
const stringWidth = lazily(
  () => (createRequire(import.meta.url)('string-width') as typeof import('string-width')).default,
);
const CUT = '…';

// Most of what is shown; each of these is one column.
const PLAIN = /^[ -~]*$/;

export function widthOf(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth()(text, { countAnsiEscapeCodes: true });
}

// The same few come again and again, and to measure one costs more than to find it.
const WIDTHS_KEPT_MAX = 4_096;
const widths = new Map<string, number>();

function widthOfCharacter(character: string): number {
  const known = widths.get(character);
  if (known !== undefined) return known;
  const width = widthOf(character);
  if (widths.size >= WIDTHS_KEPT_MAX) widths.clear();
  widths.set(character, width);
  return width;
}

// As many rows as it takes.
export function rowsOf(line: string, room: number): string[] {
  if (line.length * 2 <= room) return [line];
  return [...rows(line, room)];
}

// One after the other, so that who needs the first does not pay for all.
function* rows(line: string, room: number): Generator<string> {
  let [row, width] = ['', 0];
  for (const { segment } of GRAPHEMES().segment(line)) {
    const more = widthOfCharacter(segment);
    if (width + more > room) {
      yield row;
      [row, width] = ['', 0];
    }
    row += segment;
    width += more;
  }
  yield row;
}

// Exactly so wide: filled with spaces, or cut, which the last character says.
export function fitted(text: string, room: number): string {
  const [whole = '', isCut] = rows(text, room);
  if (isCut === undefined) return whole + ' '.repeat(Math.max(0, room - widthOf(whole)));
  if (room <= 0) return '';
  const [first = ''] = rows(whole, room - 1);
  return first + CUT + ' '.repeat(Math.max(0, room - 1 - widthOf(first)));
}
