// Texts with their markup as entities, written in Discord's own Markdown. What a text says without meaning markup is
// escaped, so that it is shown as it was said; and a value that is put into a text stays a value.

import type { Entity, RichText } from '../../text/rich-text.ts';

const SPECIAL = /[\\*_~`|[\]<>#-]/g;
// Only at the beginning of a line.
const LINE_START = /^([ \t]{0,8})(>{1,3}|#{1,3}|-#?|\d{1,9}\.)(?=\s)/gm;
const INLINE = /[\\*_~`|[\]<]/g;
// Shown as it stands, signs and all: an escape within would be a part of the address.
const ADDRESS = /(https?:\/\/[^\s<]+[^\s<.,:;"'\]])/;
// Code is kept as it is, or else an escape.
const CODE_OR_ESCAPE = /(```[\s\S]*?```|`[^`\n]*`)|\\([!-/:-@[-`{-~])/g;

// Of one message.
export const CONTENT_UNITS_MAX = 2000;

const MARKS: Readonly<Record<string, string>> = {
  bold: '**',
  italic: '*',
  underline: '__',
  strikethrough: '~~',
  spoiler: '||',
};

// As a part of a text whose other parts are Markdown.
export function escapeValue(text: string): string {
  return text.replace(SPECIAL, '\\$&');
}

// A whole text that means no markup.
export function escapeText(text: string): string {
  // Every second one is an address.
  return text
    .split(ADDRESS)
    .map((part, i) => (i % 2 === 1 ? part : escapeWords(part)))
    .join('');
}

function escapeWords(text: string): string {
  return text
    .replace(INLINE, '\\$&')
    .replace(LINE_START, (_, space: string, sign: string) =>
      /\d/.test(sign) ? `${space}${sign.slice(0, -1)}\\.` : `${space}\\${sign}`,
    );
}

// The parameters of a message in plain words: shown as they are, and calling nobody. One that only its escapes make too
// long goes without them.
export function plainMessage(text: string): Record<string, unknown> {
  const escaped = escapeText(text);
  const isTooLong = escaped.length > CONTENT_UNITS_MAX && text.length <= CONTENT_UNITS_MAX;
  return { content: isTooLong ? text : escaped, allowed_mentions: { parse: [] } };
}

export function withoutEscapes(text: string): string {
  return text.replace(CODE_OR_ESCAPE, (_, code: string | undefined, sign: string) => code ?? sign);
}

export function toMarkdown({ text, entities }: RichText): string {
  return render(text, entities, 0, text.length);
}

// What lies between, its entities nested properly and in order.
function render(text: string, entities: readonly Entity[], from: number, to: number): string {
  let written = '';
  let at = from;
  for (let i = 0; i < entities.length; i++) {
    const entity = entities[i]!;
    const end = entity.offset + entity.length;
    if (entity.offset < at || end > to) continue;
    const inner: Entity[] = [];
    while (i + 1 < entities.length && entities[i + 1]!.offset < end) inner.push(entities[++i]!);
    written += escapeText(text.slice(at, entity.offset)) + marked(text, entity, inner);
    at = end;
  }
  return written + escapeText(text.slice(at, to));
}

function marked(text: string, entity: Entity, inner: readonly Entity[]): string {
  const { type, offset, length } = entity;
  const raw = text.slice(offset, offset + length);
  const content = () => render(text, inner, offset, offset + length);
  const mark = MARKS[type];
  if (mark !== undefined) return `${mark}${content()}${mark}`;
  switch (type) {
    case 'code':
      return inlineCode(raw);
    case 'pre':
      return `\`\`\`${languageOf(entity)}\n${raw.replaceAll('```', '`\u200b``').replace(/\n$/, '')}\n\`\`\``;
    case 'text_link':
      return linked(content(), entity.url);
    case 'blockquote':
    case 'expandable_blockquote':
      return content().replace(/^/gm, '> ');
    default:
      // An address, a mention: shown as it is.
      return type === 'url' ? raw : content();
  }
}

function inlineCode(raw: string): string {
  if (!raw.includes('`')) return `\`${raw}\``;
  const text = raw.replaceAll('``', '`\u200b`');
  return `\`\` ${text} \`\``;
}

function languageOf({ language }: Entity): string {
  return typeof language === 'string' && /^[\w+#.-]{1,32}$/.test(language) ? language : '';
}

function linked(words: string, url: unknown): string {
  if (typeof url !== 'string' || !/^https?:\/\/\S+$/.test(url)) return words;
  return `[${words}](<${url.replace(/[<>]/g, encodeURIComponent)}>)`;
}
