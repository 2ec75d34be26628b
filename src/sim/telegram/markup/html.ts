// Telegram's HTML as its core reads it. Offsets in its complaints are of bytes.

import type { ParsedMarkup, SimEntity } from './entities.ts';
import { linkEntity } from './links.ts';

const TYPES: Readonly<Record<string, string>> = {
  ...{ b: 'bold', strong: 'bold', i: 'italic', em: 'italic', u: 'underline', ins: 'underline' },
  ...{ s: 'strikethrough', strike: 'strikethrough', del: 'strikethrough' },
  ...{ span: 'spoiler', 'tg-spoiler': 'spoiler', a: 'text_link', code: 'code', pre: 'pre' },
  ...{ blockquote: 'blockquote', 'tg-emoji': 'custom_emoji', 'tg-time': 'date_time' },
};
const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };
const CHARACTER = /^&(?:#x([0-9a-f]*)|#(\d*)|([a-z]+));?/i;
const AND = /&/y;
const PLAIN = /[^&<]+/y;
const SPACE = /\s+/y;
const TAG = /<[^\s>]*/y;
const END_TAG = /<\/[^\s>]*/y;
const NAME = /[^\s=>/"']+/y;
const TOKEN = /[a-z0-9.-]*/iy;
const CODE_POINT_END = 0x10ffff;

interface Open {
  readonly tag: string;
  readonly value: string;
  readonly unix: string;
  readonly from: number;
}

// The same text with a reader's place in it.
class Reader {
  readonly source: string;
  at = 0;
  text = '';
  readonly entities: SimEntity[] = [];
  readonly open: Open[] = [];

  constructor(source: string) {
    this.source = source;
  }

  next(): string {
    return this.source[this.at] ?? '';
  }

  // What the sticky pattern finds here.
  take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  bytesTo(at: number): number {
    return Buffer.byteLength(this.source.slice(0, at));
  }
}

export function readHtml(source: string): ParsedMarkup {
  const reader = new Reader(source);
  while (reader.at < source.length) {
    if (reader.next() === '&') reader.text += character(reader) ?? reader.take(AND);
    else if (reader.next() !== '<') reader.text += reader.take(PLAIN);
    else {
      const why = reader.source[reader.at + 1] === '/' ? closeTag(reader) : openTag(reader);
      if (why !== null) return { kind: 'broken', why };
    }
  }
  const left = reader.open.at(-1);
  if (left !== undefined) {
    const why = `Can't find end tag corresponding to start tag "${left.tag}"`;
    return { kind: 'broken', why };
  }
  // The language of code that no block took says nothing.
  const entities = reader.entities.map(({ named: _named, ...entity }) => entity as SimEntity);
  return { kind: 'text', text: reader.text, entities };
}

function character(reader: Reader): string | null {
  const found = CHARACTER.exec(reader.source.slice(reader.at, reader.at + 12));
  if (found === null) return null;
  const [whole, hex, decimal, name] = found;
  const code = hex === undefined ? Number(decimal || 0) : Number.parseInt(hex || '0', 16);
  const isCode = code > 0 && code < CODE_POINT_END && whole.length < 11;
  const said = name === undefined ? (isCode ? String.fromCodePoint(code) : undefined) : NAMED[name];
  if (said === undefined) return null;
  reader.at += whole.length;
  return said;
}

function openTag(reader: Reader): string | null {
  const begin = reader.at;
  const why = startProblem(reader);
  return why === null ? null : why.replace('%', String(reader.bytesTo(begin)));
}

// `%` stands for where the tag begins.
function startProblem(reader: Reader): string | null {
  const tag = reader.take(TAG).slice(1).toLowerCase();
  if (reader.next() === '') return `Unclosed start tag at byte offset %`;
  if (!(tag in TYPES)) return `Unsupported start tag "${tag}" at byte offset %`;
  const values = new Map<string, string>();
  for (reader.take(SPACE); reader.next() !== '>'; reader.take(SPACE)) {
    const why = attribute(reader, tag, values);
    if (why !== null) return why;
  }
  reader.at += 1;
  const value = argumentOf(tag, values);
  if (tag === 'span' && value !== 'spoiler') {
    return 'Tag "span" must have class "tg-spoiler" at byte offset %';
  }
  const unix = values.get('unix') ?? '';
  reader.open.push({ tag, value, unix, from: reader.text.length });
  return null;
}

function attribute(reader: Reader, tag: string, values: Map<string, string>): string | null {
  const name = reader.take(NAME);
  if (reader.next() === '' && name === '') return `Unclosed start tag "${tag}" at byte offset %`;
  if (name === '') return `Empty attribute name in the tag "${tag}" at byte offset %`;
  reader.take(SPACE);
  if (reader.next() === '') return `Unclosed start tag "${tag}" at byte offset %`;
  if (reader.next() !== '=') {
    values.set(name, '1');
    return null;
  }
  reader.at += 1;
  reader.take(SPACE);
  if (reader.next() === '') return `Unclosed start tag "${tag}" at byte offset %`;
  const quote = reader.next();
  if (quote !== '"' && quote !== "'") {
    const from = reader.at;
    values.set(name, reader.take(TOKEN).toLowerCase());
    if (/^[\s>]$/.test(reader.next())) return null;
    return `Unexpected end of name token at byte offset ${reader.bytesTo(from)}`;
  }
  reader.at += 1;
  let value = '';
  while (reader.next() !== quote && reader.next() !== '') {
    value += (reader.next() === '&' ? character(reader) : null) ?? reader.source[reader.at++];
  }
  values.set(name, value);
  reader.at += reader.next() === quote ? 1 : 0;
  return reader.next() === '' ? 'Unclosed start tag at byte offset %' : null;
}

function argumentOf(tag: string, values: ReadonlyMap<string, string>): string {
  const named = values.get('class') ?? '';
  switch (tag) {
    case 'a':
      return values.get('href') ?? '';
    case 'code':
      return named.startsWith('language-') ? named.slice(9) : '';
    case 'span':
      return named.startsWith('tg-') ? named.slice(3) : '';
    case 'tg-emoji':
      return values.get('emoji-id') ?? '';
    case 'blockquote':
      return values.has('expandable') ? '1' : '';
    default:
      return values.get('format') ?? '';
  }
}

function closeTag(reader: Reader): string | null {
  const begin = reader.at;
  const place = () => reader.bytesTo(begin);
  const last = reader.open.at(-1);
  if (last === undefined) return `Unexpected end tag at byte offset ${place()}`;
  const tag = reader.take(END_TAG).slice(2).toLowerCase();
  reader.take(SPACE);
  if (reader.next() !== '>') return `Unclosed end tag at byte offset ${place()}`;
  reader.at += 1;
  if (tag !== '' && tag !== last.tag) {
    const found = `expected "</${last.tag}>", found "</${tag}>"`;
    return `Unmatched end tag at byte offset ${place()}, ${found}`;
  }
  reader.open.pop();
  const length = reader.text.length - last.from;
  return length === 0 ? null : ended(reader, last, { offset: last.from, length });
}

function ended(
  reader: Reader,
  { tag, value, unix, from }: Open,
  place: { offset: number; length: number },
): string | null {
  const add = (entity: { readonly type: string }) => reader.entities.push({ ...entity, ...place });
  const before = reader.entities.at(-1);
  const isSame = before?.offset === place.offset && before.length === place.length;
  switch (tag) {
    case 'a': {
      const link = linkEntity(value === '' ? reader.text.slice(from) : value);
      if (link !== null) add(link);
      return null;
    }
    case 'tg-emoji':
      if (!/^[1-9]\d{0,18}$/.test(value)) return 'Invalid custom emoji identifier specified';
      add({ type: 'custom_emoji', ...{ custom_emoji_id: value } });
      return null;
    case 'tg-time':
      if (Number(unix) > 0) add({ type: 'date_time', ...{ unix_time: Number(unix) } });
      return null;
    case 'pre':
      // Code with a language that fills the block names the block's.
      if (isSame && before.type === 'code' && typeof before.named === 'string') {
        reader.entities.pop();
        add({ type: 'pre', ...{ language: before.named } });
      } else add({ type: 'pre' });
      return null;
    case 'code':
      if (isSame && before.type === 'pre' && value !== '') {
        reader.entities.pop();
        add({ type: 'pre', ...{ language: value } });
      } else add({ type: 'code', ...(value !== '' && { named: value }) });
      return null;
    case 'blockquote':
      add({ type: value === '' ? 'blockquote' : 'expandable_blockquote' });
      return null;
    default:
      add({ type: TYPES[tag]! });
      return null;
  }
}
