// Rich text written in a markup of signs: what opens before a piece and what closes behind it. Pieces lie within each
// other or apart (text/valid-entities.ts), so that signs never cross.

import type { Format } from '../../domain/live.ts';
import { parseCommonMark } from '../../text/commonmark.ts';
import { type Entity, isBlank, type RichText, wellFormed } from '../../text/rich-text.ts';
import { splitText } from '../../text/split.ts';
import { validEntities } from '../../text/valid-entities.ts';

export interface Signs {
  // Around that piece of text; two empty ones: it has no markup.
  around(entity: Entity, inside: string): readonly [opens: string, closes: string];
  // What the text itself says, so that it is not taken for markup; left out: as it is.
  escape?(text: string): string;
}

// The markup that several platforms share: *bold*, _italic_, ~struck~, `code` and ```blocks```. Links are each one's.
const SHARED: Readonly<Record<string, string>> = {
  ...{ bold: '*', italic: '_', strikethrough: '~', code: '`', pre: '```' },
};

export function sharedSigns(link: (url: string, inside: string) => readonly [string, string]) {
  return ({ type, url }: Entity, inside: string): readonly [opens: string, closes: string] => {
    const sign = SHARED[type];
    if (sign !== undefined) return [sign, sign];
    return type === 'text_link' && typeof url === 'string' ? link(url, inside) : ['', ''];
  };
}

interface Mark {
  readonly at: number;
  readonly text: string;
  // What closes comes before what opens; the innermost closes first, the outermost opens first.
  readonly rank: number;
}

export interface PartSize {
  // Of a message, with its markup.
  readonly unitsMax: number;
  // Where its text alone is cut: markup rarely takes more than what is left.
  readonly partUnits: number;
}

// What a text, as far as it has grown, says in messages of that size; none where it shows nothing.
export function writtenParts(
  text: string,
  { format, isFinal }: { readonly format: Format; readonly isFinal: boolean },
  signs: Signs,
  size: PartSize,
): string[] {
  const source = wellFormed(text, isFinal).replace(/\r\n?/g, '\n');
  if (format !== 'markdown') return partsOf({ text: source, entities: [] }, signs, size);
  return partsOf(validEntities(parseCommonMark(source, isFinal)), signs, size);
}

// Shorter where signs make a part too long.
function partsOf(rich: RichText, signs: Signs, { unitsMax, partUnits }: PartSize): string[] {
  return splitText(rich, partUnits)
    .filter((part) => !isBlank(part.text))
    .flatMap((part) => {
      const written = inMarkup(part, signs).trim();
      if (written.length <= unitsMax || partUnits < 2) return [written];
      return partsOf(part, signs, { unitsMax, partUnits: Math.ceil(partUnits / 2) });
    });
}

function inMarkup({ text, entities }: RichText, signs: Signs): string {
  const escaped = signs.escape ?? String;
  const marks = entities.flatMap((entity) => marksOf(text, entity, signs));
  marks.sort((a, b) => a.at - b.at || a.rank - b.rank);
  let written = '';
  let from = 0;
  for (const { at, text: mark } of marks) {
    written += escaped(text.slice(from, at)) + mark;
    from = at;
  }
  return written + escaped(text.slice(from));
}

function marksOf(text: string, entity: Entity, signs: Signs): Mark[] {
  const inside = text.slice(entity.offset, entity.offset + entity.length);
  // A sign beside white space marks nothing.
  const from = entity.offset + inside.length - inside.trimStart().length;
  const to = entity.offset + inside.trimEnd().length;
  if (from >= to) return [];
  if (entity.type.endsWith('blockquote')) return quoted(text, from, to);
  const [opens, closes] = signs.around(entity, text.slice(from, to));
  if (opens === '' && closes === '') return [];
  return [
    { at: from, text: opens, rank: text.length + 1 - (to - from) },
    { at: to, text: closes, rank: to - from - text.length },
  ];
}

function quoted(text: string, from: number, to: number): Mark[] {
  const marks: Mark[] = [{ at: from, text: '> ', rank: 1 }];
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) {
    marks.push({ at: at + 1, text: '> ', rank: 1 });
  }
  return marks;
}
