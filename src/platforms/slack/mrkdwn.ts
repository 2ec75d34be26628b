// Slack's own markup: *bold*, _italic_, ~struck~, `code`, ```blocks```, > quotes, <https://…|links>. Three letters are
// escaped everywhere; nothing else can be.

import type { Signs } from '../markup.ts';

const LETTERS: readonly (readonly [string, string])[] = [
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
];
const STYLES: Readonly<Record<string, string>> = {
  ...{ bold: '*', italic: '_', strikethrough: '~', code: '`', pre: '```' },
};

export function escapeText(text: string): string {
  return LETTERS.reduce((all, [letter, written]) => all.replaceAll(letter, written), text);
}

export function plainText(text: string): string {
  return LETTERS.reduceRight((all, [letter, written]) => all.replaceAll(written, letter), text);
}

export const SIGNS: Signs = {
  escape: escapeText,
  around({ type, url }) {
    const style = STYLES[type];
    if (style !== undefined) return [style, style];
    const isLink = type === 'text_link' && typeof url === 'string' && /^https?:\/\/\S+$/.test(url);
    return isLink ? [`<${escapeText(url).replaceAll('|', '%7C')}|`, '>'] : ['', ''];
  },
};
