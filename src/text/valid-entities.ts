// Entities as a chat shows them, so that what we count, compare and cut is what will be shown: proper nesting only,
// no style on code, one link or code at a place, no quotation in another, nothing empty, no style or link that begins
// or ends with white space.

import { byPlace, type Entity, type RichText } from './rich-text.ts';

const STYLES = ['bold', 'italic', 'underline', 'strikethrough', 'spoiler'];
const QUOTES = ['blockquote', 'expandable_blockquote'];
const CODES = ['pre', 'code'];

interface Range {
  readonly from: number;
  readonly to: number;
}

export function validEntities({ text, entities }: RichText): RichText {
  const sorted = entities.toSorted(byPlace);
  const things = sorted.filter(({ type }) => !STYLES.includes(type) && !QUOTES.includes(type));
  const apart = firsts(things);
  const quotes = outside(firsts(sorted.filter(({ type }) => QUOTES.includes(type))), apart);
  const holes = apart.filter(({ type }) => CODES.includes(type)).map(rangeOf);
  const shown = (entity: Entity) => trimmed(text, entity, rangeOf(entity));
  const borders = quotes.flatMap(shown).map(rangeOf);
  const kept = [...apart, ...quotes].flatMap(shown);
  for (const style of STYLES) {
    const pieces = without(union(sorted.filter(({ type }) => type === style)), holes);
    for (const entity of nested(text, { type: style } as Entity, pieces, borders)) {
      kept.push(entity);
    }
  }
  return { text, entities: kept.sort(byPlace) };
}

function rangeOf({ offset, length }: Entity): Range {
  return { from: offset, to: offset + length };
}

// Those that do not meet an earlier one.
function firsts(sorted: readonly Entity[]): Entity[] {
  let end = 0;
  return sorted.filter(({ offset, length }) => {
    const isFirst = offset >= end;
    if (isFirst) end = offset + length;
    return isFirst;
  });
}

// A quotation holds links and code whole, not the other way round, and crosses none. Both lists are sorted and each is
// disjoint.
function outside(quotes: readonly Entity[], things: readonly Entity[]): Entity[] {
  let at = 0;
  return quotes.filter((quote) => {
    const { from, to } = rangeOf(quote);
    while (at < things.length && rangeOf(things[at]!).to <= from) at += 1;
    let isWhole = true;
    for (let i = at; i < things.length && things[i]!.offset < to; i++) {
      isWhole &&= things[i]!.offset >= from && rangeOf(things[i]!).to <= to;
    }
    return isWhole;
  });
}

function union(sorted: readonly Entity[]): Range[] {
  const ranges: Range[] = [];
  for (const { from, to } of sorted.map(rangeOf)) {
    const last = ranges.at(-1);
    if (last === undefined || from >= last.to) ranges.push({ from, to });
    else if (to > last.to) ranges[ranges.length - 1] = { from: last.from, to };
  }
  return ranges;
}

function without(ranges: readonly Range[], holes: readonly Range[]): Range[] {
  const pieces: Range[] = [];
  let at = 0;
  for (const range of ranges) {
    let from = range.from;
    while (at < holes.length && holes[at]!.to <= from) at += 1;
    for (; at < holes.length && holes[at]!.from < range.to; at++) {
      pieces.push({ from, to: holes[at]!.from });
      from = holes[at]!.to;
      if (from >= range.to) break;
    }
    pieces.push({ from, to: range.to });
  }
  return pieces;
}

// Cut where they would cross a quotation's border. The white space at its ends, which a quotation keeps and a style
// does not, can make them cross. Both lists are sorted and each is disjoint.
function nested(
  text: string,
  style: Entity,
  pieces: readonly Range[],
  quotes: readonly Range[],
): Entity[] {
  const kept: Entity[] = [];
  const left = pieces.toReversed();
  let at = 0;
  for (let piece = left.pop(); piece !== undefined; piece = left.pop()) {
    const [entity] = trimmed(text, style, piece);
    if (entity === undefined) continue;
    const { from, to } = rangeOf(entity);
    while (at < quotes.length && quotes[at]!.to <= from) at += 1;
    const border = crossed({ from, to }, quotes, at);
    if (border === null) kept.push(entity);
    else left.push({ from: border, to }, { from, to: border });
  }
  return kept;
}

function crossed({ from, to }: Range, quotes: readonly Range[], at: number): number | null {
  for (let i = at; i < quotes.length && quotes[i]!.from < to; i++) {
    const quote = quotes[i]!;
    if (quote.from < from && quote.to < to) return quote.to;
    if (from < quote.from && to < quote.to) return quote.from;
  }
  return null;
}

// Code, and the quotation around it, keep their white space, unless they are nothing else.
function trimmed(text: string, entity: Entity, { from, to }: Range): Entity[] {
  let start = from;
  let end = Math.min(text.length, to);
  while (start < end && isSpace(text[start]!)) start += 1;
  while (end > start && isSpace(text[end - 1]!)) end -= 1;
  if (start >= end) return [];
  const place = [...CODES, ...QUOTES].includes(entity.type)
    ? { offset: from, length: Math.min(text.length, to) - from }
    : { offset: start, length: end - start };
  return [{ ...entity, ...place }];
}

function isSpace(character: string): boolean {
  return /\s/.test(character);
}
