// Texts cut to a width on a terminal: between characters as people see them, never within one. How wide one is, the
// library knows; texts come here without escape sequences, so none are looked for.

import stringWidth from 'string-width';

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });
const CUT = '…';

export function widthOf(text: string): number {
  return stringWidth(text, { countAnsiEscapeCodes: true });
}

// As many rows as it takes.
export function rowsOf(line: string, room: number): string[] {
  if (line.length * 2 <= room) return [line];
  const rows: string[] = [];
  let [row, width] = ['', 0];
  for (const { segment } of GRAPHEMES.segment(line)) {
    const more = widthOf(segment);
    if (width + more > room) {
      rows.push(row);
      [row, width] = ['', 0];
    }
    row += segment;
    width += more;
  }
  return [...rows, row];
}

// Exactly so wide: filled with spaces, or cut, which the last character says.
export function fitted(text: string, room: number): string {
  const width = widthOf(text);
  if (width <= room) return text + ' '.repeat(room - width);
  if (room <= 0) return '';
  const [first = ''] = rowsOf(text, room - 1);
  return first + CUT + ' '.repeat(Math.max(0, room - 1 - widthOf(first)));
}
