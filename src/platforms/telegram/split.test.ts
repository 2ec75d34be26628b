// Whatever the text: every part fits, nothing is lost, and the markup goes on where it was cut.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseHtml } from './html.ts';
import { parseMarkdown, parseMarkdownV2 } from './markdown.ts';
import type { Entity, RichText } from './rich-text.ts';
import { splitText } from './split.ts';

const plain = (text: string): RichText => ({ text, entities: [] });
const texts = (parts: RichText[]) => parts.map(({ text }) => text);
const anyText = fc.string({
  unit: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('a', 'word', ' ', '\n', '\n\n', '. ', 'ß') },
    { weight: 2, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.constantFrom('👩‍👩‍👧‍👦', '🇩🇪', 'e\u0301') },
  ),
  maxLength: 120,
});

describe('any text', () => {
  test('is whole again when its parts are put together, and each part fits', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 12, max: 60 }), (text, unitsMax) => {
        const parts = texts(splitText(plain(text), unitsMax));
        expect(parts.join('')).toBe(text);
        for (const part of parts) expect(part.length).toBeLessThanOrEqual(unitsMax);
        for (const part of parts) expect(part.isWellFormed()).toBe(text.isWellFormed());
      }),
    );
  });

  test('keeps every entity on the characters it was on', () => {
    const entities = fc.array(
      fc.record({
        type: fc.constantFrom('bold', 'italic', 'url', 'text_link'),
        offset: fc.nat(100),
        length: fc.integer({ min: 1, max: 80 }),
      }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(anyText, entities, fc.integer({ min: 12, max: 60 }), (text, given, unitsMax) => {
        const inside = given.filter(({ offset, length }) => offset + length <= text.length);
        const parts = splitText({ text, entities: inside }, unitsMax);
        expect(marks(parts)).toEqual(marks([{ text, entities: inside }]));
        for (const part of parts) {
          for (const { offset, length } of part.entities) {
            expect(offset >= 0 && length > 0 && offset + length <= part.text.length).toBe(true);
          }
        }
      }),
    );
  });
});

// Which types lie on each unit of the text.
function marks(parts: readonly RichText[]): string[] {
  return parts.flatMap(({ text, entities }) =>
    Array.from({ length: text.length }, (_, at) =>
      entities
        .filter(({ offset, length }) => offset <= at && at < offset + length)
        .map(({ type }) => type)
        .sort()
        .join(),
    ),
  );
}

describe('the boundary', () => {
  test.each([
    ['a blank line', `${'a'.repeat(30)}\n\n${'b'.repeat(5)}\n${'c'.repeat(20)}`, 32],
    ['a line', `${'a'.repeat(30)}\n${'b c'.repeat(10)}`, 31],
    ['a sentence', `${'a'.repeat(30)}. ${'b c '.repeat(10)}`, 32],
    ['a word', `${'a'.repeat(20)} ${'b'.repeat(25)}`, 21],
  ])('is %s where there is one', (_, text, at) => {
    expect(splitText(plain(text), 40)[0]!.text).toHaveLength(at);
  });

  test('is never inside a character that people see as one', () => {
    const family = '👩‍👩‍👧‍👦';
    const parts = texts(splitText(plain(family.repeat(20)), 40));
    for (const part of parts) expect(part.length % family.length).toBe(0);
  });

  test('is never inside an address or a custom emoji', () => {
    const text = `${'a'.repeat(35)}https://example.org/`;
    const url: Entity = { type: 'url', offset: 35, length: text.length - 35 };
    expect(texts(splitText({ text, entities: [url] }, 40))).toEqual([
      'a'.repeat(35),
      text.slice(35),
    ]);
  });
});

describe('markup comes to entities', () => {
  const bold = (offset: number, length: number) => ({ type: 'bold', offset, length });
  const italic = (offset: number, length: number) => ({ type: 'italic', offset, length });

  test.each<[string, string, Entity[]]>([
    ['<b>a<i>b</i></b> &lt;&#128512;', 'ab <😀', [bold(0, 2), italic(1, 1)]],
    [
      '<a href="https://x.org/?a=1&amp;b">x</a>',
      'x',
      [{ type: 'text_link', offset: 0, length: 1, url: 'https://x.org/?a=1&b' }],
    ],
    [
      '<pre><code class="language-ts">x</code></pre>',
      'x',
      [{ type: 'pre', offset: 0, length: 1, language: 'ts' }],
    ],
    [
      '<span class="tg-spoiler">x</span>&nbsp;',
      'x&nbsp;',
      [{ type: 'spoiler', offset: 0, length: 1 }],
    ],
    [
      '<blockquote expandable>x</blockquote>',
      'x',
      [{ type: 'expandable_blockquote', offset: 0, length: 1 }],
    ],
  ])('HTML %s', (source, text, entities) => {
    expect(parseHtml(source)).toEqual({ text, entities });
  });

  test.each<[string, string, Entity[]]>([
    ['*a _b_* c\\.', 'a b c.', [bold(0, 3), italic(2, 1)]],
    [
      '__u__ ||s||',
      'u s',
      [
        { type: 'underline', offset: 0, length: 1 },
        { type: 'spoiler', offset: 2, length: 1 },
      ],
    ],
    [
      '[x](https://x.org/\\))',
      'x',
      [{ type: 'text_link', offset: 0, length: 1, url: 'https://x.org/)' }],
    ],
    [
      '![👍](tg://emoji?id=5)',
      '👍',
      [{ type: 'custom_emoji', offset: 0, length: 2, custom_emoji_id: '5' }],
    ],
    ['```ts\na*b\n```', 'a*b\n', [{ type: 'pre', offset: 0, length: 4, language: 'ts' }]],
    ['`a\\`b`', 'a`b', [{ type: 'code', offset: 0, length: 3 }]],
    ['>a\n>b\nc', 'a\nb\nc', [{ type: 'blockquote', offset: 0, length: 3 }]],
    ['>a||', 'a', [{ type: 'expandable_blockquote', offset: 0, length: 1 }]],
  ])('MarkdownV2 %s', (source, text, entities) => {
    expect(parseMarkdownV2(source)).toEqual({ text, entities });
  });

  test.each<[string, string, Entity[]]>([
    ['*a* _b_ \\*', 'a b *', [bold(0, 1), italic(2, 1)]],
    [
      '[x](u) `c`',
      'x c',
      [
        { type: 'text_link', offset: 0, length: 1, url: 'u' },
        { type: 'code', offset: 2, length: 1 },
      ],
    ],
    ['```py\nx```', 'x', [{ type: 'pre', offset: 0, length: 1, language: 'py' }]],
  ])('Markdown %s', (source, text, entities) => {
    expect(parseMarkdown(source)).toEqual({ text, entities });
  });

  test.each([
    [parseHtml, ['<b>a', 'a</b>', '<b><i>x</b></i>', '<x>a</x>', 'a < b', '<span>x</span>']],
    [parseMarkdownV2, ['*a', 'a.', '_a*b_*', '[x]', '`a', 'a > b']],
    [parseMarkdown, ['*a', '_a', '`a', '[x']],
  ] as const)('what Telegram would not parse is not guessed at', (parse, sources) => {
    for (const source of sources) expect(parse(source)).toBeNull();
  });

  test('nothing makes a parser fail', () => {
    const nasty = fc.string({ unit: fc.constantFrom(...'<>/b&;"`*_~|[]()!\\\n a>') });
    fc.assert(
      fc.property(nasty, (source) => {
        for (const parse of [parseHtml, parseMarkdownV2, parseMarkdown]) {
          const read = parse(source);
          for (const { offset, length } of read?.entities ?? []) {
            expect(offset + length).toBeLessThanOrEqual(read!.text.length);
          }
          expect(read?.text.length ?? 0).toBeLessThanOrEqual(source.length);
        }
      }),
      { numRuns: 500 },
    );
  });
});
