// Telegram's HTML, read into text and entities. null: Telegram would not parse it either.
// Of a text that grows, what is open ends with it, and half a tag is not shown.

import { type Entity, type RichText, RichTextBuilder } from '../../../text/rich-text.ts';

const TOKEN =
  /<(\/?)([a-zA-Z0-9-]*)(?![a-zA-Z0-9-])([^<>]*)>|&(#x[0-9a-fA-F]+|#\d+|[a-zA-Z]+);?|[<]/g;
const CHARACTER = /&(#x[0-9a-fA-F]+|#\d+|[a-zA-Z]+);?/g;
// Values in quotes, or words of letters, digits, periods and hyphens.
const ATTRIBUTES = /^(?:\s+[^\s=/"']+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[a-z0-9.-]+(?=\s|$)))?)*\s*$/i;
const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };
const TYPES: Readonly<Record<string, string>> = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  ins: 'underline',
  s: 'strikethrough',
  strike: 'strikethrough',
  del: 'strikethrough',
  span: 'spoiler',
  'tg-spoiler': 'spoiler',
  a: 'text_link',
  code: 'code',
  pre: 'pre',
  blockquote: 'blockquote',
  'tg-emoji': 'custom_emoji',
};
const CODE_POINT_MAX = 0x10ffff;
const DIGITS_MAX = 9;
const HALF_TAG = /<(?:\/|\/?[a-z][a-z0-9-]*(?:\s[^<>]*)?)?$/i;
const HALF_CHARACTER = /&[#a-z0-9]{0,8}$/i;

export function parseHtml(given: string, isGrowing = false): RichText | null {
  const source = isGrowing ? given.replace(HALF_TAG, '').replace(HALF_CHARACTER, '') : given;
  const built = new RichTextBuilder();
  let read = 0;
  for (const match of source.matchAll(TOKEN)) {
    built.text += source.slice(read, match.index);
    read = match.index + match[0].length;
    const [whole, slash, name, attributes, character] = match;
    if (character !== undefined) built.text += decoded(character) ?? whole;
    else if (name === undefined || built.isFull) return null;
    else if (slash === '/') {
      if (built.marker !== name.toLowerCase() || attributes!.trim() !== '') return null;
      built.close();
    } else if (!ATTRIBUTES.test(attributes!)) return null;
    else if (!open(built, name.toLowerCase(), attributes!)) return null;
  }
  built.text += source.slice(read);
  if (isGrowing) built.closeAll();
  const rich = built.done();
  return rich === null ? null : { ...rich, entities: named(rich.entities) };
}

// Code with a language that fills a block, or is filled by one, names the block's language.
function named(entities: readonly Entity[]): Entity[] {
  const place = ({ offset, length }: Entity) => `${offset}+${length}`;
  const blocks = new Set(entities.filter(({ type }) => type === 'pre').map(place));
  const languages = new Map<string, unknown>();
  for (const entity of entities) {
    if (entity.type === 'code' && entity.language !== undefined && blocks.has(place(entity))) {
      languages.set(place(entity), entity.language);
    }
  }
  return entities.flatMap((entity) => {
    const language = languages.get(place(entity));
    if (entity.type === 'pre' && language !== undefined) return [{ ...entity, language }];
    if (entity.type !== 'code') return [entity];
    const { language: _language, ...bare } = entity;
    return language === undefined ? [bare as Entity] : [];
  });
}

function open(built: RichTextBuilder, name: string, attributes: string): boolean {
  const type = TYPES[name];
  if (type === undefined) return false;
  const value = (attribute: string) => attributeOf(attributes, attribute);
  switch (name) {
    case 'a': {
      // A link without an address is its text.
      const url = value('href');
      built.open(name, url === null ? '' : type, { url });
      return true;
    }
    case 'tg-emoji':
      built.open(name, type, { custom_emoji_id: value('emoji-id') });
      return value('emoji-id') !== null;
    case 'span':
      built.open(name, type);
      return value('class') === 'tg-spoiler';
    case 'blockquote':
      built.open(
        name,
        /(?:^|\s)expandable(?=[\s=]|$)/.test(attributes) ? 'expandable_blockquote' : type,
      );
      return true;
    case 'code': {
      const language = /^language-(.+)$/s.exec(value('class') ?? '')?.[1];
      built.open(name, type, language === undefined ? {} : { language });
      return true;
    }
    default:
      built.open(name, type);
      return true;
  }
}

function attributeOf(attributes: string, name: string): string | null {
  const pattern = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i');
  const match = pattern.exec(attributes);
  const raw = match === null ? undefined : (match[1] ?? match[2] ?? match[3]);
  if (raw === undefined) return null;
  const text = match![3] === undefined ? raw : raw.toLowerCase();
  return text.replace(CHARACTER, (whole, name: string) => decoded(name) ?? whole);
}

// Names that Telegram does not know stay as they are.
function decoded(name: string): string | null {
  if (!name.startsWith('#')) return Object.hasOwn(NAMED, name) ? NAMED[name]! : null;
  const isHex = name[1] === 'x';
  const code = Number.parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10);
  const isCode = code > 0 && code < CODE_POINT_MAX && name.length < DIGITS_MAX;
  return isCode ? String.fromCodePoint(code) : null;
}
