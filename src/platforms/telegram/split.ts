// Cuts a text that is too long into parts that are not, on the best boundary there is: a blank line, a line, a
// sentence, a word, else between characters as people see them. An entity across a cut goes on in the next part.
// Nothing is lost: the parts, put together, are the text.

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
const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' });

export function splitText(rich: RichText, unitsMax: number): RichText[] {
  const parts: RichText[] = [];
  const whole = rich.entities.filter(isWhole);
  let from = 0;
  while (from < rich.text.length) {
    const to =
      rich.text.length - from <= unitsMax
        ? rich.text.length
        : cutAt(rich.text, whole, from, unitsMax);
    parts.push(slice(rich, from, to));
    from = to;
  }
  return parts;
}

// Where the part that begins at `from` ends.
function cutAt(text: string, whole: readonly Entity[], from: number, unitsMax: number): number {
  const window = text.slice(from, from + unitsMax);
  for (const { pattern, from: share } of BOUNDARIES) {
    const least = Math.floor(unitsMax * share);
    let best = 0;
    for (const match of window.matchAll(pattern)) {
      const end = match.index + match[0].length;
      if (end >= least && isBetween(whole, from + end)) best = end;
    }
    if (best > 0) return from + best;
  }
  return hardCut(text, whole, from, unitsMax);
}

function hardCut(text: string, whole: readonly Entity[], from: number, unitsMax: number): number {
  const end = from + unitsMax;
  const around = whole.find((entity) => isInside(entity, end));
  if (around !== undefined && around.offset > from) return around.offset;
  // From the part's beginning, which is a boundary: from the middle of a row of flags, others would be found.
  const nearby = text.slice(from, end + WHOLE_UNITS_MAX);
  const { index } = SEGMENTER.segment(nearby).containing(unitsMax)!;
  if (index > 0) return from + index;
  // One character longer than a part: only its code points can be kept.
  const unit = text.charCodeAt(end - 1);
  const isSplitPair = unit >= 0xd800 && unit <= 0xdbff && unitsMax > 1;
  return isSplitPair ? end - 1 : end;
}

function isBetween(whole: readonly Entity[], at: number): boolean {
  return !whole.some((entity) => isInside(entity, at));
}

function isInside({ offset, length }: Entity, at: number): boolean {
  return offset < at && at < offset + length;
}

function isWhole({ type, length }: Entity): boolean {
  return WHOLE.includes(type) && length <= WHOLE_UNITS_MAX;
}

function slice({ text, entities }: RichText, from: number, to: number): RichText {
  const kept: Entity[] = [];
  for (const entity of entities) {
    const start = Math.max(entity.offset, from);
    const end = Math.min(entity.offset + entity.length, to);
    if (end > start) kept.push({ ...entity, offset: start - from, length: end - start });
  }
  return { text: text.slice(from, to), entities: kept };
}
