// How wide a text is on a terminal, and texts cut to a width: between characters as people see them, never within one.

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });
const SCRIPTS = ['Han', 'Hiragana', 'Katakana', 'Hangul'].map((name) => `\\p{Script=${name}}`);
const WIDE = new RegExp(
  `^[\\p{Emoji_Presentation}${SCRIPTS.join('')}\\u3000-\\u303f\\uff01-\\uff60]`,
  'u',
);
const ASCII = /^[\x20-\x7e]*$/;
const CUT = '…';

export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of GRAPHEMES.segment(text)) width += widthOfOne(segment);
  return width;
}

// As many rows as it takes.
export function rowsOf(line: string, room: number): string[] {
  if (line.length * 2 <= room) return [line];
  const rows: string[] = [];
  let [row, width] = ['', 0];
  for (const { segment } of GRAPHEMES.segment(line)) {
    const more = widthOfOne(segment);
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

function widthOfOne(grapheme: string): number {
  return WIDE.test(grapheme) ? 2 : 1;
}
