// What a stream shows, at every moment of its life.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FORMATS, type Format } from '../../../domain/live.ts';
import { entityProblems } from '../../../text/entities.fixture.ts';
import { renderLive } from './live-text.ts';

const bold = (offset: number, length: number) => ({ type: 'bold', offset, length });

describe('a text in its format', () => {
  test.each<[Format, string]>([
    ['markdown', '**hello** world'],
    ['html', '<b>hello</b> world'],
    ['markdownv2', '*hello* world'],
  ])('%s', (format, source) => {
    expect(renderLive(source, format, true)).toEqual([
      { text: 'hello world', entities: [bold(0, 5)] },
    ]);
  });

  test('plain is shown as it is', () => {
    expect(renderLive('**a** <b>', 'plain', true)).toEqual([{ text: '**a** <b>' }]);
  });

  test.each<[Format, string]>([
    ['html', 'a < b, <b>c</b>'],
    ['markdownv2', 'one. two*'],
  ])('%s that is none is shown as it is', (format, source) => {
    for (const isFinal of [true, false]) {
      expect(renderLive(source, format, isFinal)).toEqual([{ text: source }]);
    }
  });

  test.each(FORMATS)('nothing to show makes no message (%s)', (format) => {
    for (const text of ['', ' \n\t', '\u200b\u2800', '\u00a0']) {
      expect(renderLive(text, format, true)).toEqual([]);
      expect(renderLive(text, format, false)).toEqual([]);
    }
  });

  test('white space at the ends is not sent, as Telegram would not show it', () => {
    expect(renderLive('\n\n a \n', 'plain', false)).toEqual([{ text: 'a' }]);
    expect(renderLive('<pre>  a</pre>\n', 'html', true)).toEqual([
      { text: '  a', entities: [{ type: 'pre', offset: 0, length: 3 }] },
    ]);
  });

  test('half a character is not shown while more may come', () => {
    expect(renderLive('a\ud83d', 'plain', false)).toEqual([{ text: 'a' }]);
    expect(renderLive('a\ud83d', 'plain', true)).toEqual([{ text: 'a\ufffd' }]);
  });
});

describe('the platform’s own markup, while it is written', () => {
  test.each<[Format, string, string, string[]]>([
    ['html', '<b>a <i>b', 'a b', ['bold', 'italic']],
    ['html', '<b>a</', 'a', ['bold']],
    ['html', 'a <a href="https://x', 'a', []],
    ['html', 'a <a href="https://x.y">la', 'a la', ['text_link']],
    ['html', 'a &am', 'a', []],
    ['html', '<pre><code class="language-ts">x', 'x', ['pre']],
    ['markdownv2', '*a _b', 'a b', ['bold', 'italic']],
    ['markdownv2', 'a ||b|', 'a b', ['spoiler']],
    ['markdownv2', 'a [la', 'a la', []],
    ['markdownv2', 'a [la]', 'a la', []],
    ['markdownv2', 'a [la](https://x', 'a la', []],
    ['markdownv2', 'a `b\\`c', 'a b`c', ['code']],
    ['markdownv2', '```ts\nx = 1\n``', 'x = 1', ['pre']],
    ['markdownv2', 'a \\', 'a', []],
    ['markdownv2', 'a !', 'a', []],
    ['markdownv2', '>a\n>*b', 'a\nb', ['blockquote', 'bold']],
  ])('%s %j', (format, source, text, types) => {
    const [part, ...more] = renderLive(source, format, false);
    expect(more).toEqual([]);
    expect(part!.text).toBe(text);
    expect((part!.entities ?? []).map(({ type }) => type)).toEqual(types);
  });

  const WHOLE: readonly (readonly [Format, string])[] = [
    [
      'html',
      'Hi <b>bold <i>both</i></b> &amp; <a href="https://a.b/?x=1&amp;y=2">link</a>\n<pre><code class="language-py">if a &lt; b:\n  pass</code></pre>\n<blockquote>q <code>c</code></blockquote> <tg-spoiler>s</tg-spoiler> 😀',
    ],
    [
      'markdownv2',
      'Hi *bold _both_* \\& [link](https://a.b/\\)x)\n```py\nif a < b:\n  pass\n```\n>q `c`\n||s|| ~st~ __u__ 1\\.5\\! 😀',
    ],
  ];

  test.each(WHOLE)('%s shows a beginning of the end at every character', (format, source) => {
    const whole = renderLive(source, format, true)[0]!.text;
    for (let cut = 1; cut <= source.length; cut++) {
      const text = renderLive(source.slice(0, cut), format, false)[0]?.text ?? '';
      expect(whole.startsWith(text), `${cut}: ${JSON.stringify(text)}`).toBe(true);
    }
  });
});

describe('any text in any format', () => {
  const unit = fc.constantFrom(
    ...[
      '**',
      '*',
      '_',
      '`',
      '```\n',
      '~',
      '||',
      '[',
      '](https://a.b)',
      '<b>',
      '</b>',
      '<i>',
      '</i>',
    ],
    ...[
      '<pre>',
      '</pre>',
      '<',
      '&',
      '\\',
      '\n',
      '\n\n',
      '\n> ',
      '\n- ',
      ' ',
      '. ',
      '😀',
      '👩‍👩‍👧‍👦',
      '\ud83d',
      '\u200b',
    ],
    ...['word', 'مرحبا', '東京', 'x'.repeat(900)],
  );
  const anyText = fc.string({ unit, maxLength: 60, size: 'max' });

  test('makes messages that Telegram takes', () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom(...FORMATS), fc.boolean(), (text, format, isFinal) => {
        for (const { text: shown, entities = [] } of renderLive(text, format, isFinal)) {
          expect(shown.length).toBeLessThanOrEqual(4096);
          expect(shown.trim()).not.toBe('');
          expect(shown.isWellFormed()).toBe(true);
          expect(entityProblems({ text: shown, entities })).toEqual([]);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('a style that would cross the border of a quotation is cut there', () => {
    expect(renderLive('||\n> a\nb', 'markdownv2', false)).toEqual([
      {
        text: ' a\nb',
        entities: [
          { type: 'blockquote', offset: 0, length: 2 },
          { type: 'spoiler', offset: 1, length: 1 },
          { type: 'spoiler', offset: 3, length: 1 },
        ],
      },
    ]);
  });

  test('keeps the messages before the last while it grows', () => {
    const paragraph = `A **paragraph** with \`code\`, *and* [a link](https://a.b). ${'word '.repeat(40)}\n\n`;
    const text = paragraph.repeat(60);
    const whole = renderLive(text, 'markdown', true);
    for (let length = 0; length < text.length; length += 37) {
      const parts = renderLive(text.slice(0, length), 'markdown', false);
      expect(parts.slice(0, -1)).toEqual(whole.slice(0, Math.max(0, parts.length - 1)));
    }
    expect(whole.length).toBeGreaterThan(3);
  });
});
