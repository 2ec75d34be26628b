// What language models write, in WhatsApp's own markup: *bold*, _italic_, ~struck~, `code`, ```blocks``` and quotes.
// Links have no markup there, so their address stands behind their words.

import type { Format } from '../../domain/live.ts';
import { parseCommonMark } from '../../text/commonmark.ts';
import { wellFormed } from '../../text/rich-text.ts';
import { type Signs, writtenParts } from '../markup.ts';

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

const SIGNS: Signs = {
  around({ type, url }, inside) {
    const marker = MARKERS[type];
    if (marker !== undefined) return [marker, marker];
    const isLink = type === 'text_link' && typeof url === 'string' && url !== inside;
    return ['', isLink ? ` (${url})` : ''];
  },
};

// None of a text that shows nothing.
export function renderLive(text: string, format: Format, isFinal: boolean): string[] {
  const source = wellFormed(text, isFinal);
  const rich =
    format === 'markdown' ? parseCommonMark(source, isFinal) : { text: source, entities: [] };
  return writtenParts(rich, SIGNS, { unitsMax: TEXT_CHARS_MAX, partUnits: PART_UNITS_MAX });
}
