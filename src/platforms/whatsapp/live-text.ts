// What language models write, in WhatsApp's own markup: *bold*, _italic_, ~struck~, `code`, ```blocks``` and quotes.
// Links have no markup there, so their address stands behind their words.

import type { Format } from '../../domain/live.ts';
import { type PartSize, type Signs, sharedSigns, writtenParts } from '../shared/markup.ts';

// Of a message, with its markup.
export const TEXT_CHARS_MAX = 4096;
const SIZE: PartSize = { unitsMax: TEXT_CHARS_MAX, partUnits: 3500 };

const SIGNS: Signs = {
  around: sharedSigns((url, inside) => ['', url === inside ? '' : ` (${url})`]),
};

// None of a text that shows nothing.
export function renderLive(text: string, format: Format, isFinal: boolean): string[] {
  return writtenParts(text, { format, isFinal }, SIGNS, SIZE);
}
