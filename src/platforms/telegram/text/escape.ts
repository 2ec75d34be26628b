// How a value is written into a string of a call so that it stays a value: a name like `<b>` must not become markup,
// and one with a `&` must not become a second parameter of a link. Whether a string is marked up is said beside it:
// `parse_mode` for text and caption, `question_parse_mode` for question, and so on.

import type { Escape } from '../../platform.ts';

const MARKED_UP = ['text', 'caption'];

const ESCAPES: Readonly<Record<string, Escape>> = {
  html: (value) => value.replace(/[&<>"]/g, (sign) => `&${ENTITIES[sign]};`),
  markdownv2: (value) => value.replace(/[_*[\]()~`>#+\-=|{}.!\\]/g, '\\$&'),
  markdown: (value) => value.replace(/[_*`[]/g, '\\$&'),
};
const ENTITIES: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
};

// For the string under `key` of that object.
export function escapeFor(
  holder: Readonly<Record<string, unknown>>,
  key: string,
  isWhole: boolean,
): Escape {
  // A link that comes whole is a link already.
  if (key === 'url') return isWhole ? String : encodeURIComponent;
  const named = MARKED_UP.includes(key) ? holder.parse_mode : holder[`${key}_parse_mode`];
  return (typeof named === 'string' && ESCAPES[named.toLowerCase()]) || ((value) => value);
}
