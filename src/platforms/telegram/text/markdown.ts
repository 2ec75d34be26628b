// Telegram's two Markdowns, read into text and entities. null: Telegram would not parse it either, or it uses
// something rare that we do not read; then the text is left to Telegram as it is.

import { type RichText, RichTextBuilder } from '../../../text/rich-text.ts';

// Longest first.
const MARKERS: readonly (readonly [string, string])[] = [
  ['__', 'underline'],
  ['||', 'spoiler'],
  ['*', 'bold'],
  ['_', 'italic'],
  ['~', 'strikethrough'],
];
const RESERVED = /[_*[\]()~`>#+\-=|{}.!]/;
// What says nothing but itself, as much of it as there is.
const PLAIN_RUN = /[^_*[\]()~`>#+\-=|{}.!\\\n]+/y;
// The word right after a fence, unless the block is that word alone.
const LANGUAGE = /[^\s`]+(?=\s)/y;
const QUOTE_END = /\|\|(?:\n(?!>)|$)/y;
const EMOJI_URL = /^tg:\/\/emoji\?id=(\d+)$/;

// Of a text that grows, what is open ends with it, and half a marker at its end is not shown.
export function parseMarkdownV2(source: string, isGrowing = false): RichText | null {
  if (!isGrowing) return readV2(source, false);
  for (let half = 0; half <= HALF_UNITS_MAX; half++) {
    const read = readV2(source.slice(0, Math.max(0, source.length - half)), true);
    if (read !== null) return read;
  }
  return null;
}

// The longest marker of which half would be refused has two characters.
const HALF_UNITS_MAX = 2;

function readV2(source: string, isGrowing: boolean): RichText | null {
  const built = new RichTextBuilder();
  // Half an escape.
  const last = isGrowing && source.endsWith('\\') ? source.length - 1 : source.length;
  let at = 0;
  while (at < last) {
    const plain = matchAt(PLAIN_RUN, source, at)?.[0];
    if (plain !== undefined) {
      built.text += plain;
      at += plain.length;
      continue;
    }
    if (built.isFull) return null;
    const step = code(built, source, at, isGrowing) ?? link(built, source, at, isGrowing);
    const next = step ?? marker(built, source, at) ?? quote(built, source, at);
    const end = next ?? character(built, source, at);
    if (end === null) return null;
    at = end;
  }
  if (isGrowing) built.closeAll(LINK);
  if (built.marker === QUOTE) built.close();
  return built.done();
}

function matchAt(sticky: RegExp, source: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(source);
}

// Each of these answers where to read on, or null when it is not its matter.
function code(
  built: RichTextBuilder,
  source: string,
  at: number,
  isGrowing: boolean,
): number | null {
  if (source[at] !== '`') return null;
  const fence = source.startsWith('```', at) ? '```' : '`';
  const from = at + fence.length;
  const language = fence === '```' ? matchAt(LANGUAGE, source, from)?.[0] : undefined;
  const named = from + (language?.length ?? 0);
  // One line's end at the beginning is not part of a block.
  const start = fence === '```' && source[named] === '\n' ? named + 1 : named;
  const body = closing(source, start, fence) ?? (isGrowing ? rest(source, start, fence) : null);
  if (body === null) return null;
  built.open(fence, fence === '```' ? 'pre' : 'code', language === undefined ? {} : { language });
  built.text += body.text;
  built.close();
  return body.end;
}

// The text up to an unescaped closing mark.
function closing(source: string, from: number, mark: string) {
  const end = source.indexOf(mark, from);
  if (end < 0) return null;
  let text = '';
  let read = from;
  for (let at = from; at < source.length; at++) {
    if (source[at] === '\\' && isEscapable(source[at + 1])) {
      text += source.slice(read, at);
      at += 1;
      read = at;
    } else if (at >= end && source.startsWith(mark, at)) {
      return { text: text + source.slice(read, at), end: at + mark.length };
    }
  }
  return null;
}

// Code whose end is still to come. One word may be its language.
function rest(source: string, from: number, fence: string) {
  const isLanguage = fence === '```' && /^[^\s`\\]*$/.test(source.slice(from));
  const text = isLanguage ? '' : source.slice(from).replace(/\\([!-/:-@[-`{-~])/g, '$1');
  return { text: text.replace(/(?:`{1,2}|\\)$/, ''), end: source.length };
}

const LINK = '[';

function link(
  built: RichTextBuilder,
  source: string,
  at: number,
  isGrowing: boolean,
): number | null {
  if (source.startsWith('![', at)) {
    built.open(LINK, 'custom_emoji');
    return at + 2;
  }
  if (source[at] === '[') {
    built.open(LINK, 'text_link');
    return at + 1;
  }
  if (source[at] !== ']' || built.marker !== LINK) return null;
  const url = source[at + 1] === '(' ? closing(source, at + 2, ')') : null;
  if (url === null) {
    const isHalf = isGrowing && (source[at + 1] ?? '(') === '(';
    return isHalf ? source.length : null;
  }
  const emoji = EMOJI_URL.exec(url.text)?.[1];
  built.close(emoji === undefined ? { url: url.text } : { custom_emoji_id: emoji });
  return url.end;
}

function marker(built: RichTextBuilder, source: string, at: number): number | null {
  const found = MARKERS.find(([mark]) => source.startsWith(mark, at));
  if (found === undefined) return null;
  const [mark, type] = found;
  // The end of an expandable quotation.
  if (mark === '||' && built.marker === QUOTE && matchAt(QUOTE_END, source, at) !== null) {
    built.close({ type: 'expandable_blockquote' });
    return at + mark.length;
  }
  if (built.marker === mark) built.close();
  else if (built.isOpen(mark)) return null;
  else built.open(mark, type);
  return at + mark.length;
}

const QUOTE = '>';

function quote(built: RichTextBuilder, source: string, at: number): number | null {
  const isLineStart = at === 0 || source[at - 1] === '\n';
  if (source[at] === '>' && isLineStart) {
    if (!built.isOpen(QUOTE)) built.open(QUOTE, 'blockquote');
    return at + 1;
  }
  if (source[at] !== '\n' || built.marker !== QUOTE || source[at + 1] === '>') return null;
  built.close();
  built.text += '\n';
  return at + 1;
}

function character(built: RichTextBuilder, source: string, at: number): number | null {
  const next = source[at + 1];
  if (source[at] === '\\' && isEscapable(next)) {
    built.text += next;
    return at + 2;
  }
  // A quotation ends with its line, and what is open in it would not.
  const isCut = source[at] === '\n' && next !== '>' && built.isOpen(QUOTE);
  if (isCut || RESERVED.test(source[at]!)) return null;
  built.text += source[at];
  return at + 1;
}

// A backslash before any character of ASCII stands for that character.
function isEscapable(character: string | undefined): character is string {
  return character !== undefined && character > '\0' && character < '\x7f';
}

// The old one: no nesting, and only four characters can be escaped. What never ends ends the reading, so no text is
// searched twice for the same end.
const PLAIN_MARKS: Readonly<Record<string, string>> = { '`': 'code', '*': 'bold', _: 'italic' };
const PLAIN_SPECIAL = /\\?[_*`[]/g;

export function parseMarkdown(source: string): RichText | null {
  const built = new RichTextBuilder();
  let read = 0;
  for (let at = nextSpecial(source, 0); at !== null; at = nextSpecial(source, read)) {
    built.text += source.slice(read, at);
    const end = source[at] === '\\' ? escaped(built, source, at) : plainSpan(built, source, at);
    if (end === null || built.isFull) return null;
    read = end;
  }
  built.text += source.slice(read);
  return built.done();
}

function nextSpecial(source: string, from: number): number | null {
  PLAIN_SPECIAL.lastIndex = from;
  return PLAIN_SPECIAL.exec(source)?.index ?? null;
}

function escaped(built: RichTextBuilder, source: string, at: number): number {
  built.text += source[at + 1];
  return at + 2;
}

// Where to read on; null: it has no end.
function plainSpan(built: RichTextBuilder, source: string, at: number): number | null {
  if (source[at] === '[') return plainLink(built, source, at);
  if (source.startsWith('```', at)) {
    return plainBlock(built, source, at + 3);
  }
  const mark = source[at]!;
  const end = source.indexOf(mark, at + 1);
  if (end < 0) return null;
  span(built, PLAIN_MARKS[mark]!, source.slice(at + 1, end));
  return end + 1;
}

function plainBlock(built: RichTextBuilder, source: string, from: number): number | null {
  const language = matchAt(LANGUAGE, source, from)?.[0];
  const named = from + (language?.length ?? 0);
  const start = source[named] === '\n' ? named + 1 : named;
  const end = source.indexOf('```', start);
  if (end < 0) return null;
  span(built, 'pre', source.slice(start, end), language === undefined ? {} : { language });
  return end + 3;
}

function plainLink(built: RichTextBuilder, source: string, at: number): number | null {
  const middle = source.indexOf(']', at);
  if (middle < 0 || source[middle + 1] !== '(') return null;
  const end = source.indexOf(')', middle);
  if (end < 0) return null;
  const url = source.slice(middle + 2, end);
  span(built, 'text_link', source.slice(at + 1, middle), { url });
  return end + 1;
}

function span(built: RichTextBuilder, type: string, text: string, more: object = {}): void {
  built.open(type, type, more);
  built.text += text;
  built.close();
}
