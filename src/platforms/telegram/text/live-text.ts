// A stream's text as the contents of its messages. Markup becomes entities here, so that no showing can fail for it;
// what cannot be read as the markup it should be is shown as it is, until it can. Parts are without the white space
// that Telegram would cut off: an edit that adds only a line's end changes nothing, and is recognised as such.

import type { Format } from '../../../domain/live.ts';
import { unreachable } from '../../../system/assert.ts';
import { parseCommonMark } from '../../../text/commonmark.ts';
import { type Entity, isBlank, type RichText, wellFormed } from '../../../text/rich-text.ts';
import { splitText } from '../../../text/split.ts';
import { validEntities } from '../../../text/valid-entities.ts';
import { TEXT_UNITS_MAX } from '../parts.ts';
import { parseHtml } from './html.ts';
import { parseMarkdownV2 } from './markdown.ts';

export type LivePart = { readonly text: string; readonly entities?: readonly Entity[] };

// None of a text that shows nothing. With `isFinal` it will not grow any more.
export function renderLive(text: string, format: Format, isFinal: boolean): LivePart[] {
  const source = wellFormed(text, isFinal).replace(/\r\n?/g, '\n');
  const rich = validEntities(read(source, format, isFinal));
  return splitText(rich, TEXT_UNITS_MAX)
    .filter((part) => !isBlank(part.text))
    .map((part) => asPart(validEntities(trimmed(part))));
}

function read(source: string, format: Format, isFinal: boolean): RichText {
  const plain = { text: source, entities: [] };
  switch (format) {
    case 'plain':
      return plain;
    case 'markdown':
      return parseCommonMark(source, isFinal);
    case 'html':
      return parseHtml(source, !isFinal) ?? plain;
    case 'markdownv2':
      return parseMarkdownV2(source, !isFinal) ?? plain;
    default:
      return unreachable(format);
  }
}

// As Telegram does it: all at the end, and at the beginning what lies before the first entity.
function trimmed({ text, entities }: RichText): RichText {
  const blank = text.length - text.trimStart().length;
  const from = Math.min(blank, ...entities.map(({ offset }) => offset));
  const moved = entities.map((entity) => ({ ...entity, offset: entity.offset - from }));
  return { text: text.slice(from).trimEnd(), entities: moved };
}

function asPart({ text, entities }: RichText): LivePart {
  return entities.length === 0 ? { text } : { text, entities };
}
