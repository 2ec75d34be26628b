// What Telegram makes of a text and its markup: the text as it is shown, with its entities, or why it will not parse
// it, in the words it uses. Written from TDLib's source; links and mentions that it finds by itself are left out.

import { asObject, jsonOf, objectOf, type SimParams, textOf } from '../../params.ts';
import { argOf, integerProblem } from '../args.ts';
import { type BrokenMarkup, fixed, type ParsedMarkup, type SimEntity } from './entities.ts';
import { readHtml } from './html.ts';
import { readMarkdown } from './markdown.ts';
import { readMarkdownV2 } from './markdown-v2.ts';

const TEXT_BYTES_MAX = 32_768;

// `name` is the parameter with the entities. They count only where no parse mode is given.
export function parsed(params: SimParams, text: string, name: string): ParsedMarkup {
  if (Buffer.byteLength(text) > TEXT_BYTES_MAX) return broken('text is too long');
  const mode = argOf(params, 'parse_mode').toLowerCase();
  const read = mode === '' || mode === 'none' || text === '' ? null : readAs(mode, text);
  if (read?.kind === 'broken') return read;
  const given = read ?? withGiven(text, jsonOf(params, name));
  return given.kind === 'broken' ? given : { kind: 'text', ...fixed(given) };
}

function readAs(mode: string, text: string): ParsedMarkup {
  if (mode === 'html') return inWords(readHtml(text));
  if (mode === 'markdownv2') return inWords(readMarkdownV2(text));
  if (mode === 'markdown') return inWords(readMarkdown(text));
  return broken('unsupported parse_mode');
}

function inWords(read: ParsedMarkup): ParsedMarkup {
  return read.kind === 'broken' ? broken(`can't parse entities: ${read.why}`) : read;
}

// Of a type that Telegram finds by itself: passed over.
const FOUND = new Set(
  'mention hashtag cashtag bot_command url email phone_number bank_card_number'.split(' '),
);
const KNOWN = new Set(
  [
    'bold italic underline strikethrough spoiler code pre text_link text_mention custom_emoji',
    'blockquote expandable_blockquote date_time',
  ]
    .join(' ')
    .split(' '),
);

function withGiven(text: string, value: unknown): ParsedMarkup {
  const entities: SimEntity[] = [];
  for (const item of Array.isArray(value) ? value : []) {
    const problem = entityProblem(item);
    if (problem !== null) return broken(`can't parse MessageEntity: ${problem}`);
    const { type, offset, length, ...more } = asObject(item);
    if (FOUND.has(String(type))) continue;
    const place = { offset: Number(offset), length: Number(length) };
    const end = place.offset + place.length;
    if (place.offset < 0 || place.length < 0) {
      const which = place.offset < 0 ? `offset ${place.offset}` : `length ${place.length}`;
      return broken(`receive an entity with incorrect ${which}`);
    }
    if (end > text.length) {
      const place = `ends after the end of the text at UTF-16 offset ${end}`;
      return broken(`entity beginning at UTF-16 offset ${Number(offset)} ${place}`);
    }
    entities.push({ type: String(type), ...place, ...more });
  }
  return { kind: 'text', text, entities };
}

function entityProblem(item: unknown): string | null {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return 'expected an Object';
  const entity = item as SimParams;
  const place = integerProblem(entity, 'offset') ?? integerProblem(entity, 'length');
  if (place !== null) return place;
  if (typeof entity.type !== 'string') {
    return entity.type === undefined
      ? `Can't find field "type"`
      : 'Field "type" must be of type String';
  }
  if (!KNOWN.has(entity.type) && !FOUND.has(entity.type)) return 'Unsupported type specified';
  if (entity.type === 'text_link' && entity.url === undefined) return `Can't find field "url"`;
  return null;
}

export function broken(why: string): BrokenMarkup {
  return { kind: 'broken', why };
}

// A rich message is exactly one of markdown, html or blocks; its text is what the reader would see.
export function richText(params: SimParams): string {
  const rich = objectOf(params, 'rich_message');
  const blocks = rich.blocks === undefined ? '' : JSON.stringify(rich.blocks);
  return textOf(rich, 'markdown') || textOf(rich, 'html') || blocks;
}
