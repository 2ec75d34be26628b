// Whatever the text: every part fits, nothing is lost, and the markup goes on where it was cut.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseHtml } from '../platforms/telegram/text/html.ts';
import { parseMarkdown, parseMarkdownV2 } from '../platforms/telegram/text/markdown.ts';
import { Coverage } from '../system/coverage.fixture.ts';
import { parseCommonMark } from './commonmark.ts';
import { entityProblems, isInsidePair, placeProblems } from './entities.fixture.ts';
import type { Entity, RichText } from './rich-text.ts';
import { splitText } from './split.ts';
import { validEntities } from './valid-entities.ts';

const plain = (text: string): RichText => ({ text, entities: [] });
const texts = (parts: RichText[]) => parts.map(({ text }) => text);

const JOINED = ['👩‍👩‍👧‍👦', '🇩🇪', 'e\u0301', '\u200d', '\u0301', '👍🏽', '\ufe0f'];
const ODD = ['\ud83d', '\ude00', 'مرحبا', '\u202e', 'שלום', '\u200f', '한국'];
// With what breaks naive cutting: pairs and halves of them, characters of many, marks on marks, both directions.
const ofAnything = (size: 'small' | 'max') =>
  fc.string({
    size,
    unit: fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom('a', 'word', ' ', '\n', '\n\n', '. ', 'ß', '😀') },
      { weight: 2, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }) },
      { weight: 1, arbitrary: fc.constantFrom(...JOINED) },
      { weight: 1, arbitrary: fc.constantFrom(...ODD) },
    ),
    maxLength: 120,
  });
// Left to itself the generator makes strings of ten units, which are rarely cut and never at Telegram's real length.
const anyText = fc.oneof(ofAnything('small'), ofAnything('max'));
const anyUnitsMax = fc.oneof(
  fc.integer({ min: 2, max: 12 }),
  fc.integer({ min: 12, max: 60 }),
  fc.constant(4096),
);
const types = fc.constantFrom(
  ...['bold', 'italic', 'url', 'text_link', 'code', 'pre', 'blockquote', 'custom_emoji', 'spoiler'],
);

// Nested as markup is: each lies within the one before it, or after it.
const anyNested = fc
  .tuple(anyText, fc.array(fc.tuple(types, fc.nat(120), fc.nat(60)), { maxLength: 10 }))
  .map(([text, drawn]): RichText => {
    const entities: Entity[] = [];
    for (const [type, drawnOffset, length] of drawn) {
      const offset = drawnOffset % Math.max(1, text.length);
      const entity = { type, offset, length: length + 1 };
      const isIn = offset + entity.length <= text.length;
      if (isIn && placeProblems({ text, entities: [entity] }).length === 0) {
        if (entities.every((other) => !isCrossing(entity, other))) entities.push(entity);
      }
    }
    return { text, entities };
  });

const MARKED = [
  '<b>',
  '</b>',
  '<i>',
  '</i>',
  '<pre>',
  '</pre>',
  '&lt;',
  '*',
  '_',
  '||',
  '`',
  '```',
  '[',
  '](u)',
];
const COMMON = [
  '**',
  '~~',
  '\n- ',
  '\n# ',
  '\n> ',
  '](https://a.b)',
  '\\.',
  'word',
  ' ',
  '\n',
  '東',
  '😀',
  'a',
  'b',
];
const anySource = fc.string({
  unit: fc.constantFrom(...MARKED, ...COMMON),
  maxLength: 60,
  size: 'max',
});
const anyRead = fc
  .tuple(anySource, fc.constantFrom(parseHtml, parseMarkdownV2, parseMarkdown, common))
  .map(([source, parse]): RichText => parse(source) ?? plain(source));

function common(source: string): RichText {
  return parseCommonMark(source, true);
}

describe('any text, with any markup', () => {
  const anyRich = fc.oneof(anyText.map(plain), anyNested, anyRead);

  test('is whole again when its parts are put together, and each part can be sent', () => {
    fc.assert(
      fc.property(anyRich, anyUnitsMax, (rich, unitsMax) => {
        const parts = splitText(rich, unitsMax);
        expect(texts(parts).join('')).toBe(rich.text);
        for (const part of parts) {
          expect(part.text.length).toBeGreaterThan(0);
          expect(part.text.length).toBeLessThanOrEqual(unitsMax);
          expect(placeProblems(part)).toEqual([]);
        }
        expect(cutsOf(parts).filter((at) => isInsidePair(rich.text, at))).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  test('keeps every entity on the characters it was on', () => {
    const coverage = new Coverage();
    fc.assert(
      fc.property(anyRich, anyUnitsMax, (rich, unitsMax) => {
        const parts = splitText(rich, unitsMax);
        expect(marks(parts)).toEqual(marks([rich]));
        if (parts.length === 1) return;
        coverage.count('texts that were cut');
        const pieces = parts.reduce((all, { entities }) => all + entities.length, 0);
        if (pieces > rich.entities.length) coverage.count('entities that were cut');
      }),
      { numRuns: 1000 },
    );
    const least = { 'texts that were cut': 200, 'entities that were cut': 20 };
    expect(coverage.missing(least)).toEqual([]);
  });

  test('has parts as valid as it is itself', () => {
    const anyValid = anyRich.map(validEntities).map(({ text, entities }) => ({
      text,
      entities: entities.filter(({ type }) => type !== 'url' && type !== 'custom_emoji'),
    }));
    fc.assert(
      fc.property(anyValid, anyUnitsMax, (rich, unitsMax) => {
        for (const part of splitText(rich, unitsMax)) {
          expect(entityProblems(validEntities(part))).toEqual([]);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('fits Telegram at its real length', () => {
    const long = fc
      .array(ofAnything('max'), { minLength: 80, maxLength: 120 })
      .map((all) => all.join(''));
    const coverage = new Coverage();
    fc.assert(
      fc.property(long, (text) => {
        const parts = texts(splitText(plain(text), 4096));
        if (parts.length > 1) coverage.count('texts that were cut');
        expect(parts.join('')).toBe(text);
        expect(Math.max(0, ...parts.map((part) => part.length))).toBeLessThanOrEqual(4096);
      }),
      { numRuns: 20 },
    );
    expect(coverage.missing({ 'texts that were cut': 15 })).toEqual([]);
  });
});

describe('a growing text', () => {
  test('is not cut anew: a part that is followed by another stays as it is', () => {
    fc.assert(
      fc.property(
        fc.array(ofAnything('small'), { maxLength: 6 }),
        anyUnitsMax,
        (pieces, unitsMax) => {
          const text = pieces.join('');
          const whole = texts(splitText(plain(text), unitsMax));
          for (let length = 0; length < text.length; length++) {
            const cuts = cutsOf(splitText(plain(text.slice(0, length)), unitsMax));
            // Where a part ends is decided by what fits in it and one character more.
            const settled = cuts.filter((_, at) => length >= (cuts[at - 1] ?? 0) + unitsMax + 2);
            expect(settled).toEqual(cutsOf(whole.map(plain)).slice(0, settled.length));
          }
        },
      ),
    );
  });

  test('keeps its parts while Markdown is written, up to the paragraph that is', () => {
    const paragraph =
      '**Some** words [of](https://a.b) `a` paragraph, *and* some more.\n\n- x\n- **y**\n\n';
    const text = paragraph.repeat(12);
    const whole = texts(splitText(parseCommonMark(text, true), 120));
    for (let length = 0; length <= text.length; length++) {
      const parts = texts(splitText(parseCommonMark(text.slice(0, length), false), 120));
      expect(parts.slice(0, -1)).toEqual(whole.slice(0, Math.max(0, parts.length - 1)));
    }
  });
});

function isCrossing(a: Entity, b: Entity): boolean {
  const [first, second] = a.offset <= b.offset ? [a, b] : [b, a];
  const end = first.offset + first.length;
  const isApart = end <= second.offset;
  const isInside = second.offset + second.length <= end || second.offset === first.offset;
  return !isApart && !isInside;
}

// Where parts end, but for the last.
function cutsOf(parts: readonly RichText[]): number[] {
  const ends: number[] = [];
  for (const { text } of parts) ends.push((ends.at(-1) ?? 0) + text.length);
  return ends.slice(0, -1);
}

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

  test("is never inside a flag, nor between a very long character's halves", () => {
    const flags = '🇩🇪'.repeat(200);
    for (const part of texts(splitText(plain(`a${flags}`), 301)))
      expect(part.length % 4 < 2).toBe(true);
    const chain = Array(200).fill('👩').join('\u200d');
    for (const part of texts(splitText(plain(`a${chain}`), 400)))
      expect(part.isWellFormed()).toBe(true);
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
