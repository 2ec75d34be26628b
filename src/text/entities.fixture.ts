// Telegram's rules for entities, written down once more and apart from the code that keeps them: what a list breaks.

import type { Entity, RichText } from './rich-text.ts';

const STYLES = ['bold', 'italic', 'underline', 'strikethrough', 'spoiler'];
const QUOTES = ['blockquote', 'expandable_blockquote'];
const CODES = ['pre', 'code'];

// Of any list: it lies within the text and cuts no character.
export function placeProblems({ text, entities }: RichText): string[] {
  return entities.flatMap((entity) => {
    const { offset, length } = entity;
    if (!(offset >= 0 && length > 0 && offset + length <= text.length))
      return [`place ${say(entity)}`];
    const isCut = isInsidePair(text, offset) || isInsidePair(text, offset + length);
    return isCut ? [`cuts a character: ${say(entity)}`] : [];
  });
}

// Of a list that is as Telegram would leave it.
export function entityProblems(rich: RichText): string[] {
  const found = placeProblems(rich);
  const { text, entities } = rich;
  for (const [at, entity] of entities.entries()) {
    const covered = text.slice(entity.offset, entity.offset + entity.length);
    if (covered.trim() === '') found.push(`blank ${say(entity)}`);
    else if (covered !== covered.trim() && ![...CODES, ...QUOTES].includes(entity.type)) {
      found.push(`white space at an end of ${say(entity)}`);
    }
    for (const other of entities.slice(at + 1)) found.push(...pairProblems(entity, other));
  }
  return found;
}

function pairProblems(a: Entity, b: Entity): string[] {
  const isApart = a.offset + a.length <= b.offset || b.offset + b.length <= a.offset;
  if (isApart) return [];
  const pair = `${say(a)} and ${say(b)}`;
  const [outer, inner] = contains(a, b) ? [a, b] : [b, a];
  if (!contains(outer, inner)) return [`overlap ${pair}`];
  if (a.type === b.type) return [`twice ${pair}`];
  if (STYLES.includes(a.type) || STYLES.includes(b.type)) {
    return [a, b].some(({ type }) => CODES.includes(type)) ? [`style on code: ${pair}`] : [];
  }
  // Equal places can be read either way round.
  const isQuoted = QUOTES.includes(outer.type) || (contains(b, a) && QUOTES.includes(b.type));
  const isTwoQuotes = QUOTES.includes(a.type) && QUOTES.includes(b.type);
  return isQuoted && !isTwoQuotes ? [] : [`nesting ${pair}`];
}

function contains(outer: Entity, inner: Entity): boolean {
  const ends = inner.offset + inner.length <= outer.offset + outer.length;
  return outer.offset <= inner.offset && ends;
}

export function isInsidePair(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, at - 1), at + 1));
}

function say({ type, offset, length }: Entity): string {
  return `${type} ${offset}+${length}`;
}
