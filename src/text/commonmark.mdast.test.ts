// What we read against what mdast reads, over the part of Markdown that both mean alike. Texts are made so that these
// differences, which are on purpose, do not come up; commonmark.examples.test.ts has them by example:
//
// * A marker beside punctuation or another marker opens and closes: models write `**重要：**后面` and mean bold.
// * Markers that cross: a single star leaves a pair of them alone, so that `*a **b* c**` keeps what is surely meant.
// * The end of a text: what is begun there counts as begun, because its writer was cut off.
// * `||spoiler||` is marked; `~one~` is not struck.
// * Addresses that stand alone are plain text: platforms find them by themselves.
// * Links to what nobody can open are shown beside their label; HTML is text, but for `<br>`.
// * Quotations within quotations are one: no platform nests them.
// * An item is deeper by two columns, not by where the text of the one above begins: models indent carelessly.
// * Any number begins an item, not only one: a list that goes on after a remark is still a list.
// * Tables are rows of text.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCommonMark } from './commonmark.ts';
import { readByMdast } from './mdast.fixture.ts';

const RUNS = 400;
// Of what is long, and mostly mdast's time.
const LONG_RUNS = 120;
// Whatever comes last counts as cut off; so nothing that is tested comes last.
const LAST = '\n\nend';

// fast-check prints the seed of what fails.
function compare(sources: fc.Arbitrary<string>, numRuns = RUNS): void {
  fc.assert(
    fc.property(sources, (source) => {
      const whole = source + LAST;
      expect(shown(parseCommonMark(whole, true))).toEqual(shown(readByMdast(whole)));
    }),
    { numRuns },
  );
}

function shown({ text, entities }: ReturnType<typeof parseCommonMark>) {
  const marks = entities.map((entity) => JSON.stringify(entity, Object.keys(entity).sort()));
  return { text, marks: marks.sort() };
}

const word = fc.constantFrom('a', 'bc', 'Wort', '東京', 'й', '7', '👩‍👩‍👧', 'snake_case', '5');
const words = fc.array(word, { minLength: 1, maxLength: 3 }).map((all) => all.join(' '));
const escaped = fc.constantFrom('\\*', '\\_', '\\`', '\\[', '\\\\', '\\~', '\\#');
const code = fc.constantFrom('`c`', '`*c*`', '`` c`d ``', '`c d`', '`[c](d)`', '`\\`');
const address = fc.constantFrom('https://a.b', 'https://a.b/c_d_(e)', '<https://a.b/c>');
const title = fc.constantFrom('', ' "t"', " 't'");

// Within a mark no other of the same character, and no link within a link.
function phrase(depth: number, marks: string): fc.Arbitrary<string> {
  const leaf = fc.oneof({ arbitrary: words, weight: 3 }, code, escaped);
  if (depth === 0) return leaf;
  const within = (mark: string) => phrases(depth - 1, marks.replace(mark, ''));
  const styled = [...marks.replace('[', '')].flatMap((mark) =>
    (mark === '~' ? ['~~'] : [mark, mark + mark]).map((run) =>
      within(mark).map((inner) => `${run}${inner}${run}`),
    ),
  );
  const link = fc
    .tuple(within('['), address, title)
    .map(([label, to, more]) => `[${label}](${to}${more})`);
  return fc.oneof(
    { arbitrary: leaf, weight: 2 },
    ...styled,
    ...(marks.includes('[') ? [link] : []),
  );
}

// Begins and ends with a word, so that whatever surrounds it is beside a letter.
function phrases(depth: number, marks: string, breaks: readonly string[] = []) {
  const gap = fc.constantFrom(' ', ' ', ...breaks);
  const rest = fc.array(fc.tuple(gap, phrase(depth, marks)), { maxLength: 4 });
  return fc
    .tuple(words, rest, gap, words)
    .map(([first, more, last, end]) => `${first}${more.flat().join('')}${last}${end}`);
}

const MARKS = '*_~[';
const paragraph = phrases(3, MARKS, ['\n', '  \n', '\\\n']);
const heading = fc
  .tuple(fc.integer({ min: 1, max: 6 }), phrases(2, MARKS), fc.constantFrom('', ' #', ' ##'))
  .map(([level, text, closing]) => `${'#'.repeat(level)} ${text}${closing}`);
const rule = fc.constantFrom('---', '***', '_ _ _');
const codeLine = fc.constantFrom(
  'x = *y*',
  '  indented',
  '',
  '> said',
  '- no item',
  '# none',
  '``',
);
const fenced = fc
  .tuple(
    fc.constantFrom('```', '````', '~~~'),
    fc.constantFrom('', 'ts', 'c++', 'py title'),
    fc.array(codeLine, { maxLength: 3 }),
  )
  .map(([fence, info, lines]) => [fence + info, 'first', ...lines, 'last', fence].join('\n'));

const indented = (text: string, by: number) => text.replace(/\n(?!\n)/g, `\n${' '.repeat(by)}`);

function list(depth: number): fc.Arbitrary<string> {
  const sign = fc.constantFrom('- ', '* ', '+ ', '1. ', '1) ', '- [ ] ', '- [x] ');
  const under = depth === 0 ? fc.constant(null) : fc.option(list(depth - 1));
  const further = fc.option(fc.oneof(phrases(1, MARKS), fenced), { freq: 4 });
  const item = fc.tuple(phrases(2, MARKS, ['\n']), further, under);
  return fc
    .tuple(sign, fc.array(item, { minLength: 1, maxLength: 3 }), fc.constantFrom('\n', '\n\n'))
    .map(([mark, items, between]) => {
      const columns = mark.indexOf(' ') + 1;
      const inside = (block: string | null, gap: string) => (block === null ? '' : gap + block);
      return items
        .map(([text, more, below]) => text + inside(more, '\n\n') + inside(below, '\n'))
        .map((whole) => mark + indented(whole, columns))
        .join(between);
    });
}

const plainBlock = fc.oneof(paragraph, heading, fenced, list(2), rule);
const quote = fc
  .array(plainBlock, { minLength: 1, maxLength: 3 })
  .map((blocks) => blocks.join('\n\n').replace(/^/gm, '> '));
const blocks = fc
  .array(fc.oneof({ arbitrary: plainBlock, weight: 4 }, quote), { minLength: 1, maxLength: 5 })
  .map((all) => all.join('\n\n'));

describe('as mdast reads it', () => {
  test('a paragraph with marks in one another', () => compare(paragraph));
  test('headings', () => compare(heading));
  test('code', () => compare(fenced));
  test('lists', () => compare(list(2), LONG_RUNS));
  test('quotations', () => compare(quote, LONG_RUNS));
  test('whole documents', () => compare(blocks, LONG_RUNS));

  test.each(['*', '**', '_', '__', '~~'])('%s anywhere between words and spaces', (run) => {
    const units = fc.array(fc.constantFrom(run, 'a', ' ', '東'), { maxLength: 14 });
    const sources = units.map((all) => `w${all.join('')}w`);
    compare(sources.filter((source) => !source.includes(run + run[0])));
  });

  test('code, brackets and backslashes in any order', () => {
    const loose = ['`', '``', 'a', ' ', '[', ']', '](<https://a.b>)', '\na', ' *a', 'a* '];
    const unit = fc.constantFrom(...loose, '\\a', '\\\\', '\\`', '\\[', '\\]');
    const sources = fc.array(unit, { maxLength: 16 }).map((all) => `w${all.join('')}w`);
    // Spaces before the end of a line are nothing to us, in code, too.
    compare(sources.filter((source) => !source.includes(' \n')));
  });
});
