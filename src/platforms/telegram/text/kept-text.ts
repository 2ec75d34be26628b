// What Telegram will keep of a text: without its markup and the white space around it, with its entities as its core
// orders, joins and cuts them. Links, mentions and commands that it finds by itself are left out. null: only Telegram
// can say, because it will refuse the text, or because the answer holds what we do not know (who a mention is).

import { scalarText } from '../../../domain/scalar.ts';
import { byPlace, type Entity, isBlank, type RichText } from '../../../text/rich-text.ts';
import type { BotApiParams } from '../describe.ts';
import { readText, TEXT_UNITS_MAX } from '../parts.ts';

export const CAPTION_UNITS_MAX = 1024;

const STYLES = ['bold', 'italic', 'underline', 'strikethrough', 'spoiler'];
const QUOTES = ['blockquote', 'expandable_blockquote'];
const CODES = ['pre', 'code'];
const KEPT = [...QUOTES, ...CODES, 'text_link', ...STYLES];
// Given by some callers, and found anew by Telegram.
const FOUND = /^(mention|hashtag|cashtag|bot_command|url|email|phone_number|bank_card_number)$/;
// Signs that Telegram takes out or replaces; rare enough to leave them to it.
const ODD = /(?!\n)\p{Cc}|[\u2028-\u202e]|\u030a|\u0333|\u033f/u;

interface Range {
  readonly from: number;
  readonly to: number;
}

export function keptText(params: BotApiParams, name: 'text' | 'caption'): RichText | null {
  const source = params[name];
  if (typeof source !== 'string' || ODD.test(source)) return null;
  const marks = name === 'text' ? params.entities : params.caption_entities;
  const read = readText({ ...params, entities: marks }, source);
  if (read === null || ODD.test(read.text)) return null;
  if (read.entities.some((entity) => !isPlain(entity, read.text))) return null;
  const isV2 = /^markdownv2$/i.test(scalarText(params.parse_mode));
  if (isV2 && quotesIn(source) !== read.entities.filter(isQuote).length) return null;
  const marked = isV2 ? read.entities.map((entity) => withLine(entity, read.text)) : read.entities;
  const given = linked(marked.filter(({ type }) => !FOUND.test(type)));
  if (given.some(({ type }) => !KEPT.includes(type))) return null;
  const kept = trimmed(read.text, ordered(given));
  const max = name === 'text' ? TEXT_UNITS_MAX : CAPTION_UNITS_MAX;
  if (kept.text.length > max || (name === 'text' && isBlank(kept.text))) return null;
  return kept;
}

// A backtick in a block may have been one that Telegram takes for the beginning of code.
function isPlain({ type, offset, length }: Entity, text: string): boolean {
  if (offset < 0 || length < 0 || offset + length > text.length) return false;
  return type !== 'pre' || !text.slice(offset, offset + length).includes('`');
}

function isQuote({ type }: Entity): boolean {
  return QUOTES.includes(type);
}

// One that says nothing leaves no entity, but Telegram keeps it with the end of its line.
function quotesIn(source: string): number {
  const lines = source.split('\n').map((line) => line.startsWith('>'));
  return lines.filter((isQuoted, i) => isQuoted && lines[i - 1] !== true).length;
}

// Of a quotation of MarkdownV2 the end of its last line is part.
function withLine(entity: Entity, text: string): Entity {
  const { offset, length } = entity;
  const isLine = isQuote(entity) && text[offset + length] === '\n';
  return isLine ? { ...entity, length: length + 1 } : entity;
}

// Of the same place the first of KEPT is first.
function byRank(a: Entity, b: Entity): number {
  return byPlace(a, b) || rankOf(a) - rankOf(b);
}

// A block that names its language is another type to its core, and comes first.
function rankOf({ type, language }: Entity): number {
  return KEPT.indexOf(type) - (language === undefined ? 0 : 0.5);
}

function ordered(entities: readonly Entity[]): Entity[] {
  const sorted = entities.filter(({ length }) => length > 0).sort(byRank);
  const of = (types: readonly string[]) => sorted.filter(({ type }) => types.includes(type));
  const quotes = apart(of(QUOTES));
  const things = whole(apart(of([...CODES, 'text_link'])), quotes);
  const codes = things.filter(({ type }) => CODES.includes(type)).map(rangeOf);
  const others = [...quotes, ...things];
  const runs = STYLES.flatMap((type) =>
    without(joined(of([type])), codes).map((range) => ({ type, range })),
  );
  const cuts = [
    ...others.map(rangeOf).flatMap(({ from, to }) => [from, to]),
    ...runs.map(({ range }) => range.from),
  ].sort((a, b) => a - b);
  const styles = runs.flatMap(({ type, range }) => cutAt(type, range, cuts));
  return [...others, ...styles].sort(byRank);
}

function rangeOf({ offset, length }: Entity): Range {
  return { from: offset, to: offset + length };
}

// Those that begin where the last one kept has ended.
function apart(sorted: readonly Entity[]): Entity[] {
  let end = 0;
  return sorted.filter(({ offset, length }) => {
    const isApart = offset >= end;
    if (isApart) end = offset + length;
    return isApart;
  });
}

// Those that a quotation holds whole, or does not touch. Both lists are sorted and disjoint.
function whole(things: readonly Entity[], quotes: readonly Entity[]): Entity[] {
  let at = 0;
  return things.filter((thing) => {
    const { from, to } = rangeOf(thing);
    while (at < quotes.length && rangeOf(quotes[at]!).to <= from) at += 1;
    const quote = quotes[at] === undefined ? null : rangeOf(quotes[at]!);
    if (quote === null || to <= quote.from) return true;
    return quote.from <= from && to <= quote.to;
  });
}

// Styles that meet or touch are one.
function joined(sorted: readonly Entity[]): Range[] {
  const ranges: Range[] = [];
  for (const { from, to } of sorted.map(rangeOf)) {
    const last = ranges.at(-1);
    if (last === undefined || from > last.to) ranges.push({ from, to });
    else if (to > last.to) ranges[ranges.length - 1] = { from: last.from, to };
  }
  return ranges;
}

// Code carries no style. Both lists are sorted and disjoint.
function without(ranges: readonly Range[], codes: readonly Range[]): Range[] {
  const left: Range[] = [];
  let at = 0;
  for (const { from, to } of ranges) {
    let start = from;
    while (at < codes.length && codes[at]!.to <= start) at += 1;
    for (let i = at; i < codes.length && codes[i]!.from < to; i++) {
      if (codes[i]!.from > start) left.push({ from: start, to: codes[i]!.from });
      start = codes[i]!.to;
    }
    if (start < to) left.push({ from: start, to });
  }
  return left;
}

function cutAt(type: string, { from, to }: Range, cuts: readonly number[]): Entity[] {
  const pieces: Entity[] = [];
  let start = from;
  for (let i = firstAbove(cuts, from); i < cuts.length && cuts[i]! < to; i++) {
    if (cuts[i]! === start) continue;
    pieces.push({ type, offset: start, length: cuts[i]! - start });
    start = cuts[i]!;
  }
  pieces.push({ type, offset: start, length: to - start });
  return pieces;
}

function firstAbove(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

// All white space at the end; at the beginning what lies before the first entity.
function trimmed(text: string, entities: readonly Entity[]): RichText {
  const isSpace = (at: number) => text[at] === ' ' || text[at] === '\n';
  let to = text.length;
  while (to > 0 && isSpace(to - 1)) to -= 1;
  let from = 0;
  const first = Math.min(to, entities[0]?.offset ?? to);
  while (from < first && isSpace(from)) from += 1;
  const inside = entities.filter(({ offset }) => offset < to);
  const moved = inside.map((entity) => ({
    ...entity,
    offset: entity.offset - from,
    length: Math.min(entity.offset + entity.length, to) - entity.offset,
  }));
  return { text: text.slice(from, to), entities: moved.sort(byRank) };
}

const ADDRESS = /^(?:(https?):\/\/)?([^/?#\s@:]+)(:\d+)?([/?#].*)?$/is;

// A link without an address that Telegram takes is only its text; one to a person or a place of Telegram's own is for
// it to say, and stays of a type that is not kept.
function linked(entities: readonly Entity[]): Entity[] {
  return entities.flatMap((entity) => {
    if (entity.type !== 'text_link') return [entity];
    const url = typeof entity.url === 'string' ? entity.url.trim() : '';
    if (/^(?:tg|ton|tonsite):/i.test(url)) return [{ ...entity, type: 'own_link' }];
    const found = ADDRESS.exec(url);
    if (found === null)
      return url === '' || url.includes('.') ? [{ ...entity, type: 'own_link' }] : [];
    const [, protocol = 'http', host, port = '', rest = ''] = found;
    if (!host!.includes('.')) return [];
    const path = rest.startsWith('/') ? rest : `/${rest}`;
    const whole = `${protocol.toLowerCase()}://${host!.toLowerCase()}${port}${path}`;
    return [{ ...entity, url: whole }];
  });
}
