// Cuts a text that is too long into parts that are not, on the best boundary there is: a blank line, a line, a
// sentence, a word, else between characters as people see them. An entity across a cut goes on in the next part.
// Nothing is lost: the parts, put together, are the text.

import { lazily } from '../system/lazily.ts';
import type { Entity, RichText } from './rich-text.ts';

// A boundary this far from the end of a part is still better than a worse one at its end.
const BOUNDARIES: readonly { readonly pattern: RegExp; readonly from: number }[] = [
  { pattern: /\n\s*\n/g, from: 0.5 },
  { pattern: /\n/g, from: 0.5 },
  { pattern: /[.!?…。！？]["')\]»”]*\s+/g, from: 0.6 },
  { pattern: /\s+/g, from: 0.25 },
];
// These mean what they say only as a whole.
const WHOLE = [
  ...['mention', 'hashtag', 'cashtag', 'bot_command', 'url', 'email', 'phone_number'],
  ...['text_mention', 'custom_emoji', 'date_time'],
];
// Longer things than this (an address, an emoji of many) are cut like others.
const WHOLE_UNITS_MAX = 256;
// Costs more to make than all else that is made at a start.
const graphemes = lazily(() => new Intl.Segmenter('en', { granularity: 'grapheme' }));

// So many entities go on from one part to the next: platforms show no more than this in one message, and more would
// cost their number times that of the parts.
const CARRIED_MAX = 100;

export function splitText(rich: RichText, unitsMax: number): RichText[] {
  const { text } = rich;
  const isWithin = insidesOf(rich);
  const ends: number[] = [];
  for (let from = 0; from < text.length; from = ends.at(-1)!) {
    const isLast = text.length - from <= unitsMax;
    ends.push(isLast ? text.length : cutAt(text, isWithin, from, unitsMax));
  }
  return shared(rich, ends);
}

// Whether a place lies within something that is not to be cut.
type IsWithin = (at: number) => boolean;

function insidesOf({ text, entities }: RichText): IsWithin {
  const whole = entities.filter(isWhole);
  if (whole.length === 0) return () => false;
  // How many more begin than end at each place, then how many are open there.
  const open = new Int32Array(text.length + 1);
  for (const { offset, length } of whole) {
    const end = offset + length;
    if (offset < 0 || end > text.length || length < 2) continue;
    open[offset + 1]! += 1;
    open[end]! -= 1;
  }
  for (let at = 1; at < open.length; at++) open[at]! += open[at - 1]!;
  return (at) => open[at]! > 0;
}

// Where the part that begins at `from` ends.
function cutAt(text: string, isWithin: IsWithin, from: number, unitsMax: number): number {
  const window = text.slice(from, from + unitsMax);
  for (const { pattern, from: share } of BOUNDARIES) {
    const least = Math.floor(unitsMax * share);
    let best = 0;
    for (const match of window.matchAll(pattern)) {
      const end = match.index + match[0].length;
      if (end >= least && !isWithin(from + end)) best = end;
    }
    if (best > 0) return from + best;
  }
  return hardCut(text, isWithin, from, unitsMax);
}

function hardCut(text: string, isWithin: IsWithin, from: number, unitsMax: number): number {
  const end = from + unitsMax;
  let before = end;
  while (before > from && isWithin(before)) before -= 1;
  if (before < end && before > from) return before;
  // From the part's beginning, which is a boundary: from the middle of a row of flags, others would be found.
  const nearby = text.slice(from, end + WHOLE_UNITS_MAX);
  const { index } = graphemes().segment(nearby).containing(unitsMax)!;
  if (index > 0) return from + index;
  // One character longer than a part: only its code points can be kept.
  const unit = text.charCodeAt(end - 1);
  const isSplitPair = unit >= 0xd800 && unit <= 0xdbff && unitsMax > 1;
  return isSplitPair ? end - 1 : end;
}

function isWhole({ type, offset, length }: Entity): boolean {
  const isPlaced = Number.isInteger(offset) && Number.isInteger(length);
  return isPlaced && WHOLE.includes(type) && length <= WHOLE_UNITS_MAX;
}

// The parts that end at `ends`, each with its share of the entities.
function shared({ text, entities }: RichText, ends: readonly number[]): RichText[] {
  const sorted = entities.toSorted((a, b) => a.offset - b.offset);
  let carried: Entity[] = [];
  let next = 0;
  let from = 0;
  return ends.map((to) => {
    const here = carried;
    for (; next < sorted.length && !(sorted[next]!.offset >= to); next++) here.push(sorted[next]!);
    const part = { text: text.slice(from, to), entities: clipped(here, from, to) };
    carried = here.filter(({ offset, length }) => offset + length > to).slice(0, CARRIED_MAX);
    from = to;
    return part;
  });
}

function clipped(entities: readonly Entity[], from: number, to: number): Entity[] {
  const kept: Entity[] = [];
  for (const entity of entities) {
    const start = Math.max(entity.offset, from);
    const end = Math.min(entity.offset + entity.length, to);
    if (end > start) kept.push({ ...entity, offset: start - from, length: end - start });
  }
  return kept;
}
