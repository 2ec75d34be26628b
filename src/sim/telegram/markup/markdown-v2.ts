// Telegram's MarkdownV2 as its core reads it, character by character. Offsets in its complaints are of bytes.

import type { ParsedMarkup, SimEntity } from './entities.ts';
import { linkEntity } from './links.ts';

type Kind =
  | 'Bold'
  | 'Italic'
  | 'Underline'
  | 'Strikethrough'
  | 'Spoiler'
  | 'Code'
  | 'Pre'
  | 'PreCode'
  | 'TextUrl'
  | 'CustomEmoji'
  | 'BlockQuote';

interface Open {
  readonly kind: Kind;
  readonly language: string;
  readonly from: number;
  readonly at: number;
}

const TYPES: Readonly<Record<Kind, string>> = {
  Bold: 'bold',
  Italic: 'italic',
  Underline: 'underline',
  Strikethrough: 'strikethrough',
  Spoiler: 'spoiler',
  Code: 'code',
  Pre: 'pre',
  PreCode: 'pre',
  TextUrl: 'text_link',
  CustomEmoji: 'custom_emoji',
  BlockQuote: 'blockquote',
};
const MARKS: Readonly<Record<Kind, string>> = {
  Bold: '*',
  Italic: '_',
  Underline: '__',
  Strikethrough: '~',
  Spoiler: '||',
  Code: '`',
  Pre: '```',
  PreCode: '```',
  TextUrl: ']',
  CustomEmoji: ']',
  BlockQuote: '',
};
// Longest first.
const STYLES: readonly (readonly [string, Kind])[] = [
  ['__', 'Underline'],
  ['||', 'Spoiler'],
  ['_', 'Italic'],
  ['*', 'Bold'],
  ['~', 'Strikethrough'],
];
const RESERVED = '_*[]()~`>#+-=|{}.!\n';

// Why it will not be read is thrown within, and answered.
class Broken extends Error {}

class Reader {
  readonly source: string;
  at = 0;
  text = '';
  readonly entities: SimEntity[] = [];
  readonly open: Open[] = [];
  isQuoted = false;
  canQuote = true;

  constructor(source: string) {
    this.source = source;
  }

  get last(): Open | undefined {
    return this.open.at(-1);
  }

  has(mark: string): boolean {
    return mark !== '' && this.source.startsWith(mark, this.at);
  }

  begin(kind: Kind, width: number, language = ''): void {
    this.open.push({ kind, language, from: this.text.length, at: this.at });
    this.at += width;
  }

  unended({ kind, at }: Open): Broken {
    const place = Buffer.byteLength(this.source.slice(0, at));
    return new Broken(`Can't find end of ${kind} entity at byte offset ${place}`);
  }

  add(from: number, entity: { readonly type: string }): void {
    const length = this.text.length - from;
    if (length > 0) this.entities.push({ ...entity, offset: from, length });
  }
}

export function readMarkdownV2(source: string): ParsedMarkup {
  const reader = new Reader(source);
  try {
    while (reader.at < source.length) step(reader);
    finish(reader);
  } catch (error) {
    if (error instanceof Broken) return { kind: 'broken', why: error.message };
    throw error;
  }
  return { kind: 'text', text: reader.text, entities: reader.entities };
}

function step(reader: Reader): void {
  const { source, at, last } = reader;
  const c = source[at]!;
  if (c === '\\' && isEscapable(source[at + 1])) {
    reader.text += source[at + 1];
    reader.canQuote = source[at + 1] === '\n';
    reader.at += 2;
    return;
  }
  const isCode = last !== undefined && MARKS[last.kind].startsWith('`');
  if (!(isCode ? c === '`' : RESERVED.includes(c))) {
    reader.text += c;
    reader.canQuote = false;
    reader.at += 1;
  } else if (last !== undefined && isEnd(reader, last)) end(reader, last);
  else begin(reader, c);
}

function isEscapable(c: string | undefined): boolean {
  return c !== undefined && c > '\0' && c <= '~';
}

function isEnd(reader: Reader, last: Open): boolean {
  const { source, at } = reader;
  if (reader.isQuoted && source[at] === '\n' && source[at + 1] !== '>') return true;
  if (last.kind === 'Italic' && reader.has('__')) return false;
  return reader.has(MARKS[last.kind]);
}

function begin(reader: Reader, c: string): void {
  const { source, at } = reader;
  const style = STYLES.find(([mark]) => reader.has(mark));
  if (style !== undefined) reader.begin(style[1], style[0].length);
  else if (reader.has('```')) beginBlock(reader);
  else if (c === '`') reader.begin('Code', 1);
  else if (c === '[') reader.begin('TextUrl', 1);
  else if (c === '!' && source[at + 1] === '[') reader.begin('CustomEmoji', 2);
  else if (c === '\n') {
    reader.text += c;
    reader.canQuote = true;
    reader.at += 1;
  } else if (c === '>' && reader.canQuote) {
    if (reader.isQuoted) reader.at += 1;
    else reader.begin('BlockQuote', 1);
    reader.isQuoted = true;
  } else {
    throw new Broken(`Character '${c}' is reserved and must be escaped with the preceding '\\'`);
  }
}

function beginBlock(reader: Reader): void {
  const after = reader.source.slice(reader.at + 3);
  const word = /^[^\s`]+/.exec(after)?.[0] ?? '';
  const isLanguage = word !== '' && word.length < after.length && after[word.length] !== '`';
  const language = isLanguage ? word : '';
  const line = after[language.length] === '\n' ? 1 : 0;
  reader.begin(isLanguage ? 'PreCode' : 'Pre', 3 + language.length + line, language);
}

function end(reader: Reader, last: Open): void {
  if (reader.source[reader.at] === '\n' && reader.isQuoted) {
    endQuote(reader);
    return;
  }
  reader.open.pop();
  const before = reader.text.slice(last.from);
  reader.at += MARKS[last.kind].length;
  switch (last.kind) {
    case 'TextUrl': {
      const link = linkEntity(reader.source[reader.at] === '(' ? address(reader) : before);
      if (link !== null) reader.add(last.from, link);
      return;
    }
    case 'CustomEmoji': {
      if (reader.source[reader.at] !== '(') {
        throw new Broken('The entity must contain a tg://emoji or tg://time URL');
      }
      const id = /^tg:\/\/emoji\?id=(\d+)$/.exec(address(reader))?.[1];
      if (id === undefined) throw new Broken('Invalid tg://emoji or tg://time URL specified');
      reader.add(last.from, { type: 'custom_emoji', ...{ custom_emoji_id: id } });
      return;
    }
    case 'PreCode':
      reader.add(last.from, { type: 'pre', ...{ language: last.language } });
      return;
    default:
      reader.add(last.from, { type: TYPES[last.kind] });
  }
}

// In brackets, from where the reader is.
function address(reader: Reader): string {
  const from = reader.at + 1;
  let url = '';
  let at = from;
  for (; at < reader.source.length && reader.source[at] !== ')'; at++) {
    if (reader.source[at] === '\\' && isEscapable(reader.source[at + 1])) at += 1;
    url += reader.source[at];
  }
  if (at >= reader.source.length) {
    const place = Buffer.byteLength(reader.source.slice(0, from));
    throw new Broken(`Can't find end of a URL at byte offset ${place}`);
  }
  reader.at = at + 1;
  return url;
}

// A quotation ends with its line; two bars before that make it expandable.
function endQuote(reader: Reader): void {
  const isExpandable = takeBars(reader, reader.at);
  const { last } = reader;
  if (last?.kind !== 'BlockQuote') throw reader.unended(last!);
  reader.open.pop();
  reader.text += '\n';
  reader.at += 1;
  reader.isQuoted = false;
  reader.canQuote = true;
  reader.add(last.from, { type: isExpandable ? 'expandable_blockquote' : 'blockquote' });
}

function takeBars(reader: Reader, end: number): boolean {
  const isBars = reader.last?.kind === 'Spoiler' && reader.last.at === end - 2;
  if (isBars) reader.open.pop();
  return isBars;
}

function finish(reader: Reader): void {
  if (reader.isQuoted) {
    const isExpandable = takeBars(reader, reader.source.length);
    const { last } = reader;
    if (last?.kind === 'BlockQuote') {
      reader.open.pop();
      reader.add(last.from, { type: isExpandable ? 'expandable_blockquote' : 'blockquote' });
    }
  }
  if (reader.last !== undefined) throw reader.unended(reader.last);
}
