// Texts that mean no markup: shown on Discord as they are, and told in words as they were.

import { describe, expect, test } from 'vitest';
import { wording } from './content.ts';
import { CONTENT_UNITS_MAX, escapeText, plainMessage } from './markdown.ts';

// What Discord shows of a text in which all signs are escaped or mean nothing: an escape is the sign itself, but for
// addresses, which are taken whole before.
function shown(content: string): string {
  const parts = content.split(/(https?:\/\/[^\s<]+)/);
  return parts
    .map((part, i) => (i % 2 === 1 ? part : part.replace(/\\([^0-9A-Za-z\s])/g, '$1')))
    .join('');
}

describe('a text in plain words', () => {
  test.each([
    ['*a* _b_ __c__ ~~d~~ ||e||', '\\*a\\* \\_b\\_ \\_\\_c\\_\\_ \\~\\~d\\~\\~ \\|\\|e\\|\\|'],
    ['`code` ```block```', '\\`code\\` \\`\\`\\`block\\`\\`\\`'],
    ['[a](https://a.org)', '\\[a\\](https://a.org)'],
    ['<@1> <#2> <:x:3>', '\\<@1> \\<#2> \\<:x:3>'],
    ['# a\n> b\n- c\n-# d\n1. e', '\\# a\n\\> b\n\\- c\n\\-# d\n1\\. e'],
    ['C:\\dir \\o/', 'C:\\\\dir \\\\o/'],
    ['see https://a.org/x_y_z*, then_', 'see https://a.org/x_y_z*, then\\_'],
    ['a-b 2.5 #tag e > f', 'a-b 2.5 #tag e > f'],
  ])('%j', (text, content) => {
    expect(escapeText(text)).toBe(content);
    expect(shown(content)).toBe(text);
    expect(plainMessage(text)).toEqual({ content, allowed_mentions: { parse: [] } });
    expect(wording('createMessage', plainMessage(text))).toBe(text);
  });

  test('goes without escapes rather than not at all', () => {
    const text = '_'.repeat(CONTENT_UNITS_MAX);
    expect(plainMessage(text).content).toBe(text);
    expect(plainMessage(text.slice(1001)).content).toBe('\\_'.repeat(999));
  });
});

test('in words, escapes are gone but for those of code', () => {
  const content = 'a\\*b `c\\*d` ```\ne\\*f\n``` \\a';
  expect(wording('createMessage', { content })).toBe('a*b `c\\*d` ```\ne\\*f\n``` \\a');
});
