// Text from strangers on a person's terminal. A terminal obeys control characters: they move its cursor, change its
// title, answer as if typed. So none gets through: each is shown as the picture of itself, and marks that turn the
// direction of what follows are shown as unknown. Line breaks stay; whoever lays the text out decides about them.

const PICTURES = 0x2400;
const PICTURE_OF_DELETE = '␡';
const UNKNOWN = '\ufffd';
const TAB = '    ';
const LINE_ENDS = /\r\n|[\r\u0085\u2028\u2029]/g;
// All but the line feed: C0, delete, C1 (some terminals obey those too), and what turns the direction.
const CONTROLS = /(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;
// A line feed in JSON stands between its parts, never within a text.
const BEYOND_JSON = /(?!\n)[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

export function harmless(text: string): string {
  return text.toWellFormed().replace(LINE_ENDS, '\n').replace(CONTROLS, pictureOf);
}

// JSON escapes C0 itself; the rest is escaped here, so that it is still the same JSON.
export function harmlessJson(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent).replace(
    BEYOND_JSON,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function pictureOf(control: string): string {
  const code = control.charCodeAt(0);
  if (control === '\t') return TAB;
  if (code < 0x20) return String.fromCharCode(PICTURES + code);
  return code === 0x7f ? PICTURE_OF_DELETE : UNKNOWN;
}
