// The part of a Markdown link after its label: `(address "title")`.

import { characterAt } from './named-characters.ts';
import type { Steps } from './steps.ts';

export interface Destination {
  readonly kind: 'whole';
  // null: nothing that a chat would open; then it is shown as a text beside the label.
  readonly url: string | null;
  readonly text: string;
  readonly end: number;
}

// So much may stand between the round brackets, and so many of them in one another. Bounds, so that a wall of brackets
// costs no more than it is long.
const DESTINATION_UNITS_MAX = 2048;
const DEPTH_MAX = 8;
// A label that is still being written; longer ones are rather a bracket that never closes.
const LABEL_UNITS_MAX = 200;
const NAMED = /&[#\w]{2,33};/g;
const OPENABLE = /^https?:\/\/\S/i;

// `half`: the source ends before it does.
export function destinationAt(
  source: string,
  at: number,
  steps: Steps,
): Destination | { kind: 'half' } | { kind: 'none' } {
  if (source[at] !== '(') return { kind: 'none' };
  const from = at + 1;
  const last = Math.min(source.length, from + DESTINATION_UNITS_MAX);
  let depth = 1;
  let quote = '';
  for (let end = from; end < last; end++) {
    steps.count += 1;
    const character = source[end]!;
    if (character === '\n' || depth > DEPTH_MAX) return { kind: 'none' };
    if (character === '\\') end += 1;
    else if (quote !== '') quote = character === quote ? '' : quote;
    else if (/["']/.test(character) && source[end - 1] === ' ') quote = character;
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    if (depth === 0) return whole(source.slice(from, end), end + 1);
  }
  return { kind: last === source.length ? 'half' : 'none' };
}

function whole(inside: string, end: number): Destination {
  const [address = ''] = inside.trim().split(/\s/, 1);
  return linkTo(address, end);
}

export function linkTo(address: string, end: number): Destination {
  const bare = address.replace(/^<(.*)>$/, '$1');
  const target = bare
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(NAMED, (name) => characterAt(name, 0)?.text ?? name);
  if (OPENABLE.test(target)) return { kind: 'whole', url: target, text: '', end };
  const shown = target.replace(/^(mailto|tel):/i, '');
  const isWorthy = shown !== '' && !shown.startsWith('#');
  return { kind: 'whole', url: null, text: isWorthy ? ` (${shown})` : '', end };
}

// Of a link that is being written. Numbers in brackets are notes, not labels.
export function isLabel(text: string): boolean {
  return text.length <= LABEL_UNITS_MAX && !/^\d+$/.test(text);
}
