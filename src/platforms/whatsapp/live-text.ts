// What language models write, in WhatsApp's own markup: *bold*, _italic_, ~struck~, `code`, ```blocks``` and quotes.
// Links have no markup there, so their address stands behind their words.

import type { Format } from '../../domain/live.ts';
import { parseCommonMark } from '../../text/commonmark.ts';
import { type Entity, isBlank, type RichText, wellFormed } from '../../text/rich-text.ts';
import { splitText } from '../../text/split.ts';

// Of a message, with its markup.
export const TEXT_CHARS_MAX = 4096;
// Of its text alone: markup rarely takes more than what is left.
const PART_UNITS_MAX = 3500;

const MARKERS: Readonly<Record<string, string>> = {
  bold: '*',
  italic: '_',
  strikethrough: '~',
  code: '`',
  pre: '```',
};

// None of a text that shows nothing.
export function renderLive(text: string, format: Format, isFinal: boolean): string[] {
  const source = wellFormed(text, isFinal);
  const rich =
    format === 'markdown' ? parseCommonMark(source, isFinal) : { text: source, entities: [] };
  return partsOf(rich, PART_UNITS_MAX);
}

function partsOf(rich: RichText, unitsMax: number): string[] {
  return splitText(rich, unitsMax)
    .filter((part) => !isBlank(part.text))
    .flatMap((part) => {
      const written = inMarkup(part).trim();
      if (written.length <= TEXT_CHARS_MAX || unitsMax < 2) return [written];
      return partsOf(part, Math.ceil(unitsMax / 2));
    });
}

interface Mark {
  readonly at: number;
  readonly text: string;
  // What closes comes before what opens; the innermost closes first, the outermost opens first.
  readonly rank: number;
}

export function inMarkup({ text, entities }: RichText): string {
  const marks = entities.flatMap((entity) => marksOf(text, entity));
  marks.sort((a, b) => a.at - b.at || a.rank - b.rank);
  let written = '';
  let from = 0;
  for (const { at, text: mark } of marks) {
    written += text.slice(from, at) + mark;
    from = at;
  }
  return written + text.slice(from);
}

function marksOf(text: string, entity: Entity): Mark[] {
  const inside = text.slice(entity.offset, entity.offset + entity.length);
  // A marker beside white space marks nothing.
  const from = entity.offset + inside.length - inside.trimStart().length;
  const to = entity.offset + inside.trimEnd().length;
  if (from >= to) return [];
  const [opens, closes] = signsOf(entity, text.slice(from, to));
  if (entity.type.endsWith('blockquote')) return quoted(text, from, to);
  if (opens === '' && closes === '') return [];
  return [
    { at: from, text: opens, rank: text.length + 1 - (to - from) },
    { at: to, text: closes, rank: to - from - text.length },
  ];
}

function signsOf({ type, url }: Entity, inside: string): [string, string] {
  const marker = MARKERS[type];
  if (marker !== undefined) return [marker, marker];
  const isLink = type === 'text_link' && typeof url === 'string' && url !== inside;
  return ['', isLink ? ` (${url})` : ''];
}

function quoted(text: string, from: number, to: number): Mark[] {
  const marks: Mark[] = [{ at: from, text: '> ', rank: 1 }];
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) {
    marks.push({ at: at + 1, text: '> ', rank: 1 });
  }
  return marks;
}
