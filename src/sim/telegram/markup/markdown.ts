// Telegram's old Markdown as its core reads it: nothing is nested, and what begins must end.

import type { ParsedMarkup, SimEntity } from './entities.ts';
import { linkEntity } from './links.ts';

const TYPES: Readonly<Record<string, string>> = { _: 'italic', '*': 'bold', '`': 'code' };
const BLOCK = /^(?:([^\s`]+)(?=\s))?\n?/;

export function readMarkdown(source: string): ParsedMarkup {
  const entities: SimEntity[] = [];
  let text = '';
  let at = 0;
  while (at < source.length) {
    const c = source[at]!;
    if (c === '\\' && '_*`['.includes(source[at + 1] ?? ' ')) {
      text += source[at + 1];
      at += 2;
      continue;
    }
    if (!'_*`['.includes(c)) {
      text += c;
      at += 1;
      continue;
    }
    const isBlock = source.startsWith('```', at);
    const head = isBlock ? BLOCK.exec(source.slice(at + 3))! : null;
    const from = at + (head === null ? 1 : 3 + head[0].length);
    const mark = isBlock ? '```' : c === '[' ? ']' : c;
    const end = source.indexOf(mark, from);
    if (end < 0) {
      const place = Buffer.byteLength(source.slice(0, at));
      return {
        kind: 'broken',
        why: `Can't find end of the entity starting at byte offset ${place}`,
      };
    }
    const said = source.slice(from, end);
    at = end + mark.length;
    let entity: { readonly type: string } | null = { type: TYPES[c] ?? '' };
    if (head !== null)
      entity = { type: 'pre', ...(head[1] !== undefined && { language: head[1] }) };
    if (c === '[') {
      const closing = source[at] === '(' ? source.indexOf(')', at) : -1;
      const stop = closing < 0 ? source.length : closing;
      entity = linkEntity(source[at] === '(' ? source.slice(at + 1, stop) : said);
      if (source[at] === '(') at = stop + 1;
    }
    if (entity !== null && said !== '') {
      entities.push({ ...entity, offset: text.length, length: said.length });
    }
    text += said;
  }
  return { kind: 'text', text, entities };
}
