// Finds what Telegram would not parse, in the words it uses, and the text that remains when it does.
// Deliberately simple: tags and markers are balanced or they are not; entities are not built.

import { listOf, objectOf, type SimParams, textOf } from '../params.ts';

export type ParsedMarkup = { kind: 'plain'; text: string } | { kind: 'broken'; why: string };

export function parsed(params: SimParams, text: string, entities: string): ParsedMarkup {
  const mode = textOf(params, 'parse_mode').toLowerCase();
  if (mode === '' || listOf(params, entities).length > 0) return { kind: 'plain', text };
  if (mode === 'html') return parseHtml(text);
  if (mode === 'markdownv2') return parseMarkdownV2(text);
  if (mode === 'markdown') return parseMarkdown(text);
  return { kind: 'broken', why: 'unsupported parse_mode' };
}

const TAGS = new Set(
  'b strong i em u ins s strike del span tg-spoiler tg-emoji tg-time a code pre blockquote'.split(
    ' ',
  ),
);
const TAG = /<(\/?)([a-zA-Z-]*)(?![a-zA-Z-])([^<>]*)>|</g;
const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };

function parseHtml(text: string): ParsedMarkup {
  const open: string[] = [];
  for (const match of text.matchAll(TAG)) {
    const name = match[2]?.toLowerCase() ?? '';
    if (match[1] === '/') {
      const expected = open.pop();
      if (expected === undefined) {
        return broken(`Unexpected end tag at byte offset ${bytes(text, match.index)}`);
      }
      if (expected !== name) {
        const found = `expected "</${expected}>", found "</${name}>"`;
        return broken(`Unmatched end tag at byte offset ${bytes(text, match.index)}, ${found}`);
      }
    } else if (!TAGS.has(name)) {
      return broken(`Unsupported start tag "${name}" at byte offset ${bytes(text, match.index)}`);
    } else open.push(name);
  }
  const unclosed = open.pop();
  if (unclosed !== undefined) {
    return broken(`Can't find end tag corresponding to start tag "${unclosed}"`);
  }
  const plain = text.replace(TAG, '').replace(/&(lt|gt|amp|quot);/g, (_, n: string) => NAMED[n]!);
  return { kind: 'plain', text: plain };
}

const MARKERS: Readonly<Record<string, string>> = {
  '*': 'Bold',
  _: 'Italic',
  __: 'Underline',
  '~': 'Strikethrough',
  '||': 'Spoiler',
  '`': 'Code',
  '```': 'Pre',
};
const RESERVED = '#+-={}.!()>|]';

function parseMarkdownV2(text: string): ParsedMarkup {
  const open: { marker: string; at: number }[] = [];
  let plain = '';
  for (let i = 0; i < text.length; ) {
    const inCode = open.at(-1)?.marker.startsWith('`') ?? false;
    const c = text[i]!;
    const marker = markerAt(text, i, inCode);
    if (c === '\\' && i + 1 < text.length) {
      plain += text[i + 1];
      i += 2;
    } else if (marker !== null) {
      if (open.at(-1)?.marker === marker) open.pop();
      else open.push({ marker, at: i });
      i += marker.length;
    } else if (!inCode && c === '[') {
      const link = /^\[([^\]]*)\]\([^)]*\)/.exec(text.slice(i));
      if (link === null)
        return broken(`Can't find end of Url entity at byte offset ${bytes(text, i)}`);
      plain += link[1];
      i += link[0].length;
    } else if (!inCode && RESERVED.includes(c) && !isQuote(text, i)) {
      return broken(`Character '${c}' is reserved and must be escaped with the preceding '\\'`);
    } else {
      plain += c;
      i += 1;
    }
  }
  const left = open.pop();
  if (left === undefined) return { kind: 'plain', text: plain };
  return broken(
    `Can't find end of ${MARKERS[left.marker]} entity at byte offset ${bytes(text, left.at)}`,
  );
}

function markerAt(text: string, i: number, inCode: boolean): string | null {
  for (const marker of ['```', '`', '||', '__', '_', '*', '~']) {
    if (inCode && !marker.startsWith('`')) continue;
    if (text.startsWith(marker, i)) return marker;
  }
  return null;
}

function isQuote(text: string, i: number): boolean {
  return text[i] === '>' && (i === 0 || text[i - 1] === '\n');
}

function parseMarkdown(text: string): ParsedMarkup {
  let plain = '';
  for (let i = 0; i < text.length; ) {
    const c = text[i]!;
    if (c === '\\' && '_*`['.includes(text[i + 1] ?? ' ')) {
      plain += text[i + 1];
      i += 2;
    } else if ('_*`['.includes(c)) {
      const marker = text.startsWith('```', i) ? '```' : c;
      const end = text.indexOf(marker === '[' ? ']' : marker, i + marker.length);
      if (end < 0) {
        return broken(`Can't find end of the entity starting at byte offset ${bytes(text, i)}`);
      }
      plain += text.slice(i + marker.length, end);
      i = end + marker.length;
      if (marker === '[' && text[i] === '(') i = text.indexOf(')', i) + 1 || text.length;
    } else {
      plain += c;
      i += 1;
    }
  }
  return { kind: 'plain', text: plain };
}

function bytes(text: string, end: number): number {
  return Buffer.byteLength(text.slice(0, end));
}

function broken(why: string): ParsedMarkup {
  return { kind: 'broken', why: `can't parse entities: ${why}` };
}

// A rich message is exactly one of markdown, html or blocks; its text is what the reader would see.
export function richText(params: SimParams): string {
  const rich = objectOf(params, 'rich_message');
  const blocks = rich.blocks === undefined ? '' : JSON.stringify(rich.blocks);
  return textOf(rich, 'markdown') || textOf(rich, 'html') || blocks;
}
