import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LIVE_OUTPUT } from './live-output.ts';
import { CONTENT_UNITS_MAX } from './markdown.ts';

const shown = (text: string, isFinal = true) =>
  LIVE_OUTPUT.render(text, 'markdown', isFinal).map(({ content }) => content);

describe('what language models write', () => {
  test.each([
    ['**bold** and *italic*', '**bold** and *italic*'],
    ['~~gone~~ ||secret||', '~~gone~~ ||secret||'],
    ['`code` and ``a`b``', '`code` and `` a`b ``'],
    ['[words](https://a.example/x)', '[words](<https://a.example/x>)'],
    ['snake_case and 2 \\* 3', 'snake\\_case and 2 \\* 3'],
    ['# Title\n\ntext', '**Title**\n\ntext'],
    ['> quoted', '> quoted'],
    ['```js\nlet a = `*`;\n```', '```js\nlet a = `*`;\n```'],
  ])('%j is shown as %j', (source, written) => {
    expect(shown(source)).toEqual([written]);
  });

  test('what is begun is shown as begun', () => {
    expect(shown('a **bold wo', false)).toEqual(['a **bold wo**']);
    expect(shown('```py\nprint(', false)).toEqual(['```py\nprint(\n```']);
  });

  test('plain text means no markup', () => {
    const [part] = LIVE_OUTPUT.render('*not* _this_\n# nor this\n1. nor', 'plain', true);
    expect(part!.content).toBe('\\*not\\* \\_this\\_\n\\# nor this\n1\\. nor');
  });

  test('no part is longer than a message, whatever is written', () => {
    const text = fc.string({
      unit: fc.constantFrom('*', 'word ', '\n', '`', '_', '> ', '||', 'ü'),
    });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 200 }), fc.boolean(), (parts, isFinal) => {
        for (const format of ['markdown', 'plain'] as const) {
          for (const { content } of LIVE_OUTPUT.render(parts.join(''), format, isFinal)) {
            expect(String(content).length).toBeLessThanOrEqual(CONTENT_UNITS_MAX);
          }
        }
      }),
      { numRuns: 100 },
    );
    const long = shown(`${'**word** '.repeat(600)}`);
    expect(long.length).toBeGreaterThan(1);
    expect(long.join(' ').match(/word/g)).toHaveLength(600);
  });
});
