// What language models write, whole and cut anywhere: what is shown, and that it can always be shown.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCommonMark, readCommonMark } from './commonmark.ts';
import { entityProblems } from './entities.fixture.ts';

// As `type:covered text`, so that a test can be read.
function shown(source: string, isFinal = true): { text: string; marks: string[] } {
  const { text, entities } = parseCommonMark(source, isFinal);
  const marks = entities.map(({ type, offset, length, url, language }) =>
    [type, text.slice(offset, offset + length), url ?? language]
      .filter((each) => each !== undefined)
      .join(':'),
  );
  return { text, marks };
}

describe('whole texts', () => {
  test.each<[string, string, string[]]>([
    [
      '**b** *i* _i_ ~~s~~ `c` ||p||',
      'b i i s c p',
      ['bold:b', 'italic:i', 'italic:i', 'strikethrough:s', 'code:c', 'spoiler:p'],
    ],
    ['***both*** **a *b***', 'both a b', ['bold:both', 'italic:both', 'bold:a b', 'italic:b']],
    ['***a** b* **c*d**', 'a b c*d', ['italic:a b', 'bold:a', 'bold:c*d']],
    ['**重要：**后面', '重要：后面', ['bold:重要：']],
    ['un*frigging*believable', 'unfriggingbelievable', ['italic:frigging']],
    ['東京~~大阪~~です', '東京大阪です', ['strikethrough:大阪']],
    [
      'snake_case_name, 2 * 3 * 4, 5*3, ~5, a || b',
      'snake_case_name, 2 * 3 * 4, 5*3, ~5, a || b',
      [],
    ],
    ['\\*no\\* \\# \\a', '*no* # \\a', []],
    ['a &lt; b &amp;&nbsp;c<br>d', 'a < b & c\nd', []],
    [
      '&copy;&#8364;&#x1F600;&Omega;&omega;&sigma;&szlig; &nope; &#0; AT&T',
      '©€😀Ωωσß &nope; \ufffd AT&T',
      [],
    ],
    ['`` a`b `` and `*x*`', 'a`b and *x*', ['code:a`b', 'code:*x*']],
    ['**a `b` c**', 'a b c', ['bold:a', 'code:b', 'bold:c']],
    ['** not bold ** **', '** not bold ** **', []],
  ])('inline: %s', (source, text, marks) => {
    expect(shown(source)).toEqual({ text, marks });
  });

  test.each<[string, string, string[]]>([
    ['[x](https://a.b/c_(d)_e "t")!', 'x!', ['text_link:x:https://a.b/c_(d)_e']],
    [
      '[**x** `y`](https://a.b?a=1&amp;b=2)',
      'x y',
      ['text_link:x y:https://a.b?a=1&b=2', 'bold:x'],
    ],
    ['![alt](https://a.b/i.png)', 'alt', ['text_link:alt:https://a.b/i.png']],
    ['[![alt](https://i.png)](https://a.b)', 'alt', ['text_link:alt:https://a.b']],
    ['*a [b* c](https://a.b)', '*a b* c', ['text_link:b* c:https://a.b']],
    [
      '[readme](docs/a.md) [mail](mailto:a@b.c) [top](#top)',
      'readme (docs/a.md) mail (a@b.c) top',
      [],
    ],
    [
      '<https://a.b> https://a.b/x_y_z_ [1] [a][b] [',
      'https://a.b https://a.b/x_y_z_ [1] [a][b] [',
      [],
    ],
    [
      '[a][B b] [b  B][] [b b] [1] [none][no]\n\n[b b]: https://a.b "t"\n[1]: <https://c.d>',
      'a b  B b b [1] [none][no]',
      [
        'text_link:a:https://a.b',
        'text_link:b  B:https://a.b',
        'text_link:b b:https://a.b',
        'text_link:[1]:https://c.d',
      ],
    ],
    [
      'a\n[b]: https://c.d\n\n```\n[e]: https://c.d\n```\n[b] [e]',
      'a\n[b]: https://c.d\n\n[e]: https://c.d\n[b] [e]',
      ['pre:[e]: https://c.d'],
    ],
    ['<me@a.bc> <a>', 'me@a.bc <a>', []],
    ['[user](tg://user?id=1)', 'user (tg://user?id=1)', []],
  ])('links: %s', (source, text, marks) => {
    expect(shown(source)).toEqual({ text, marks });
  });

  test.each<[string, string, string[]]>([
    ['# A **b** c #\ntext', 'A b c\ntext', ['bold:A b c']],
    ['#no heading', '#no heading', []],
    ['a\n\n\n\nb\n\n---\nc', 'a\n\nb\n\n──────────\nc', []],
    ['a\nb\n---\nc', 'a\nb\n──────────\nc', []],
    [
      '- a\n- b\n  - c\n    1) d\n\n  more\n\nend',
      '• a\n• b\n  ◦ c\n    1) d\n\n  more\n\nend',
      [],
    ],
    ['* [ ] a\n* [x] **b**', '☐ a\n☑ b', ['bold:b']],
    ['- **a\n  b** c', '• a\n  b c', ['bold:a\n  b']],
    ['> a\n>\n> > **b**\n\nc', 'a\n\nb\n\nc', ['blockquote:a\n\nb', 'bold:b']],
    ['> ```js\n> x\n> ```\n> - y', 'x\n• y', ['blockquote:x\n• y', 'pre:x:js']],
    ['> ```\n> > x\n> ```\n> > y', '> x\ny', ['blockquote:> x\ny', 'pre:> x']],
    ['```ts {1}\na *b*\n\n  c\n```\nd', 'a *b*\n\n  c\nd', ['pre:a *b*\n\n  c:ts']],
    ['1. a\n   ```\n   x\n     y\n   ```', '1. a\nx\n  y', ['pre:x\n  y']],
    ['~~~\n```\n~~~', '```', ['pre:```']],
    ['````md\n```\n````', '```', ['pre:```:md']],
    ['```\n```\nx', 'x', []],
    [
      '| A | B |\n|:--|--:|\n| 1 | `x\\|y` |\n| **2** |',
      'A | B\n1 | x|y\n2',
      ['bold:A | B', 'code:x|y', 'bold:2'],
    ],
    [
      'A | B\n--- | ---\n1 | 2\n\n|x| is positive',
      'A | B\n1 | 2\n\n|x| is positive',
      ['bold:A | B'],
    ],
    ['1. ```bash\n   a\n   ```\n2. **b**', '1. a\n2. b', ['pre:a:bash', 'bold:b']],
    ['- [x] ```\na\n```\nb', '☑ a\nb', ['pre:a']],
    ['- - a\n  - # b\n- > c\n  > d', '• ◦ a\n  ◦ b\n• c\nd', ['bold:b', 'blockquote:c\nd']],
    ['> - ```\n>   > x\n>   ```\n> y', '• > x\ny', ['blockquote:• > x\ny', 'pre:> x']],
    ['- a\n  - b\n    > c\n  - d', '• a\n  ◦ b\nc\n  ◦ d', ['blockquote:c']],
    ['-\n  a\n- b', '• a\n• b', []],
    ['> a\nb\n- c', 'a\nb\n• c', ['blockquote:a\nb']],
    ['> ```\n> a\n> ```\nb', 'a\nb', ['pre:a', 'blockquote:a']],
    ['A **b**\n===\nc\nd\n---\n- e\n---', 'A b\nc\nd\n──────────\n• e\n──────────', ['bold:A b']],
    ['A\n---\nb', 'A\nb', ['bold:A']],
    ['    a\n\n      *b*\nc', 'a\n\n  *b*\nc', ['pre:a\n\n  *b*']],
    ['a\n    b', 'a\nb', []],
    ['- a\n\n|b|\n|-|\n\n    c', '• a\n\nb\n\nc', ['bold:b', 'pre:c']],
    ['- a\n\n    b', '• a\n\n  b', []],
    ['a\r\n\r\n**b**\r\n', 'a\n\nb', ['bold:b']],
    ['a  \nb\\\nc', 'a\nb\nc', []],
  ])('blocks: %j', (source, text, marks) => {
    expect(shown(source)).toEqual({ text, marks });
  });
});

describe('unfinished texts', () => {
  test.each<[string, string, string[]]>([
    ['**bo', 'bo', ['bold:bo']],
    ['**bold*', 'bold', ['bold:bold']],
    ['a *', 'a', []],
    ['a **', 'a', []],
    ['a ~', 'a', []],
    ['a ~~b', 'a b', ['strikethrough:b']],
    ['a ||b|', 'a b', ['spoiler:b']],
    ['a `b', 'a b', ['code:b']],
    ['a ``b`', 'a b', ['code:b']],
    ['a [lab', 'a lab', []],
    ['a [lab]', 'a lab', []],
    ['a [lab](', 'a lab', []],
    ['a [**lab**](https://a.b/c', 'a lab', ['bold:lab']],
    ['a ![', 'a', []],
    ['a [1]', 'a [1]', []],
    ['a \\', 'a', []],
    ['a &am', 'a', []],
    ['a <htt', 'a', []],
    ['a <https://a.b', 'a https://a.b', []],
    ['a\n-', 'a', []],
    ['a\n- [', 'a', []],
    ['a\n##', 'a', []],
    ['a\n``', 'a', []],
    ['a\n```', 'a', []],
    ['a\n```py', 'a', []],
    ['```py\nx = 1', 'x = 1', ['pre:x = 1:py']],
    ['```py\nx = 1\n``', 'x = 1', ['pre:x = 1:py']],
    ['| A | B', 'A | B', ['bold:A | B']],
    ['| A | B |\n|-', 'A | B', ['bold:A | B']],
    ['> **a', 'a', ['blockquote:a', 'bold:a']],
    ['a [lab][', 'a lab', []],
    ['a [lab][nam', 'a lab', []],
    ['a [lab][name] and x[i][j]', 'a lab and x[i][j]', []],
    ['a\n\n[name', 'a', []],
    ['a\n\n[name]: https', 'a', []],
    ['a &co', 'a', []],
    ['1. ``', '1.', []],
    ['1. ```ba', '1.', []],
    ['1. ```bash\nx\n``', '1. x', ['pre:x:bash']],
    // What is over is over.
    ['5 *apples\n\nmore', '5 *apples\n\nmore', []],
    ['5*3 and snake_case', '5*3 and snake_case', []],
  ])('%j', (source, text, marks) => {
    expect(shown(source, false)).toEqual({ text, marks });
  });

  test.each<[string, string, string[]]>([
    ['a **b', 'a b', ['bold:b']],
    ['* note', '• note', []],
    ['a *b', 'a *b', []],
    ['a *', 'a *', []],
    ['a `b', 'a `b', []],
    ['__init', '__init', []],
    ['a [b](https://c', 'a [b](https://c', []],
  ])('cut off for good: %j', (source, text, marks) => {
    expect(shown(source, true)).toEqual({ text, marks });
  });

  const DOCUMENT = [
    '# Plan for **today** 🌤️',
    'Some *emphasis*, **strong**, ***both***, ~~gone~~ and `co*de`; see [the docs](https://a.b/c_d "t").',
    '- first\n- **second**: [x](https://x.y)\n  - inner `a`\n- [x] done\n1. one\n2. two',
    '> quoted **text**\n> goes on',
    '```ts\nconst a = `**$b**`;\n\nif (a) return;\n```',
    '| Name | Value |\n| --- | --- |\n| **a** | 1 |\n| b | `2` |',
    '---',
    'Setup\n=====',
    '1. ```bash\n   npm install\n   ```\n2. Then **run** it:\n   > a *note*\n   > of two\n3. ```ts\nconst a = 1;\n```',
    'Read [the guide][guide], note [1] &mdash; a[i][j] stays &copy;.',
    '> a quotation\nthat goes on',
    '    indented *code*\n\n      more',
    '[guide]: https://a.b/guide "Guide"\n[1]: https://a.b/1',
    '東京は**晴れ**です。 مرحبا *يا* 👩‍👩‍👧‍👦 ||secret|| end &amp; <https://e.f>.',
  ].join('\n\n');

  test('every prefix shows a beginning of the end, and never a marker', () => {
    const whole = shown(DOCUMENT).text;
    for (let cut = 0; cut <= DOCUMENT.length; cut++) {
      const { text } = shown(DOCUMENT.slice(0, cut), false);
      expect(whole.startsWith(text), `${cut}: ${JSON.stringify(text)}`).toBe(true);
    }
  });
});

describe('any text', () => {
  const pieces = [
    ...[
      '*',
      '**',
      '***',
      '_',
      '__',
      '~~',
      '||',
      '|',
      '`',
      '```',
      '```ts\n',
      '~~~',
      '[',
      ']',
      '](',
      ')',
      '![',
    ],
    ...[
      '\\',
      '\n',
      '\n\n',
      '\n- ',
      '\n  - ',
      '\n1. ',
      '\n> ',
      '\n# ',
      '\n---\n',
      '\n| a | b |\n|-|-|\n',
      '<',
      '&lt;',
      '\n1. ```\n',
      '\n===\n',
      '\n    ',
      '\n\n[a]: https://a.b\n',
      '[a][',
      '&#',
    ],
    ...[
      'word',
      ' ',
      'é',
      '東京',
      '👩‍👩‍👧‍👦',
      '\ud83d',
      '\udc4d',
      'https://a.b',
      '(',
      '"',
      '\t',
      '\r',
    ],
  ];
  const anySource = fc.oneof(
    fc.string({ unit: fc.constantFrom(...pieces), maxLength: 60, size: 'max' }),
    fc.string({ unit: 'binary', maxLength: 40, size: 'max' }),
  );

  test('comes to entities that Telegram takes as they are', () => {
    fc.assert(
      fc.property(anySource, fc.boolean(), (source, isFinal) => {
        expect(entityProblems(parseCommonMark(source, isFinal))).toEqual([]);
      }),
      { numRuns: 5000 },
    );
  });

  test('loses no letter', () => {
    const letters = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '');
    const unit = fc.constantFrom(
      '*',
      '**',
      '_',
      '~~',
      '|',
      '`',
      '[',
      ']',
      '\n',
      '\n\n',
      '\n- ',
      '> ',
      ' ',
      'a',
      'ß',
      '東',
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60, size: 'max' }), (source) => {
        // The name of a fence's language is not shown.
        fc.pre(!/~~~|```/.test(source));
        expect(letters(parseCommonMark(source, true).text)).toBe(letters(source));
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    '*_[',
    '**a',
    '[](',
    '[a](b',
    '`a``',
    '```',
    '*a_b',
    '> ',
    '- ',
    '|a',
    '||',
    '<',
    '\\',
    '~~a',
    '![',
    '**a** ',
    '` ',
    '- 1. ',
    '[a]: b\n',
    '[a][a] ',
    '&a',
    '    a\n\n',
    'a\n=\n',
  ])('costs no more than it is long: %j', (unit) => {
    const steps = (count: number, isFinal: boolean) =>
      readCommonMark(unit.repeat(count), isFinal).steps;
    for (const isFinal of [true, false]) {
      const once = steps(25_000 / unit.length, isFinal);
      expect(steps(50_000 / unit.length, isFinal)).toBeLessThan(2.2 * once + 100);
      expect(once).toBeLessThan(16 * 25_000);
    }
  });
});

test('quotations in items of quotations are read to a depth, and are text beyond it', () => {
  for (const signs of ['> 1. ', '1. > ', '- > ', '> - ']) {
    const { text } = parseCommonMark(`${signs.repeat(2000)}a`, true);
    expect(text.endsWith('a'), signs).toBe(true);
  }
  const { text, entities } = parseCommonMark('> 1. > 2. > a', true);
  expect(text).not.toContain('>');
  expect(entities.every(({ type }) => type === 'blockquote')).toBe(true);
});
