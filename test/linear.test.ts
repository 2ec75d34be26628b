// No text of a stranger costs more than its length: every regular expression of src/ and every parser is fed with its
// own worst case, ten times as long at each step, up to a megabyte. Patterns are found in the sources, so a new one is
// tried without being listed.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { growthOf, least, RATIO_MAX, repeated, type Work } from './linear/growth.ts';
import { COMPOSED, NO_PARSERS, PARSERS } from './linear/parsers.ts';
import { attacksOn } from './linear/pattern.ts';
import { findReaders } from './linear/sources.ts';
import { exists, readTree } from './tidy/tree.ts';

// Long enough that what is too steep stands out.
const PATTERN_SELECTION_CHARS = 2_000;
const PARSER_SELECTION_CHARS = 3_000;
const LONG_CHARS = 1_000_000;
const MIDDLE_CHARS = 100_000;
// For machines that have more to do.
const MS_MAX = 300_000;
const SLOWEST = 4;
// As they stood in the readers of HTML, of the log, of lists, of addresses, of Telegram's answers and of Markdown.
const QUADRATIC = [
  /<(\/?)([a-z0-9-]*)([^<>]*)>|&(#x?[0-9a-f]+|[a-z]+);|[<]/gi,
  /\d+(?::|%3A)(?:sandbox[\w-]*|[A-Za-z0-9_-]{20,})/,
  /^[+]?(-?)0*(\d+)$/,
  /\/+$/,
  /\s*\n\s*/g,
  /CHAT_(WRITE|SEND_\w+)_FORBIDDEN/i,
  /^([ \t]*)(`{3,}|~{3,})([^`]*)$/,
];

const CODE = /^src\/.*\.tsx?$/;
const TESTS = /\.(?:test|fixture|contract|world)\.tsx?$/;
// Folders behind the wall, which see what others have read already.
const INSIDE = /^src\/(?:store|ledger|telemetry|dispatch|scheduler|limits)\//;
const found = findReaders(readTree((path) => CODE.test(path) && !TESTS.test(path)));

test(
  'every regular expression of src/ takes time in proportion to its text',
  async () => {
    expect(found.patterns.length).toBeGreaterThan(200);
    const slow: string[] = [];
    for (const { place, pattern } of found.patterns) {
      const worst = await steepest(searchAll(pattern), textsFor(pattern), PATTERN_SELECTION_CHARS);
      if (worst !== null) slow.push(`${place} ${pattern}: ${worst}`);
    }
    expect(slow).toEqual([]);
  },
  MS_MAX,
);

test(
  'patterns that share a text in many ways are found',
  async () => {
    for (const pattern of QUADRATIC) {
      expect(
        await steepest(searchAll(pattern), textsFor(pattern), PATTERN_SELECTION_CHARS),
        String(pattern),
      ).not.toBeNull();
    }
  },
  MS_MAX,
);

test.each(Object.entries(PARSERS))(
  '%s: time in proportion to the text',
  async (_, parser) => {
    expect(await steepest(parser.work, textsOf(parser.words), PARSER_SELECTION_CHARS)).toBeNull();
  },
  MS_MAX,
);

test('the table of parsers holds every file that reads text by hand', () => {
  const listed = new Set(Object.values(PARSERS).flatMap(({ files }) => files));
  const missing = [...found.scanning].filter(
    (path) => !INSIDE.test(path) && !listed.has(path) && !(path in NO_PARSERS),
  );
  expect(missing, 'neither in PARSERS nor in NO_PARSERS').toEqual([]);
  expect(
    [...found.composed].filter((path) => !(path in COMPOSED)),
    'not in COMPOSED',
  ).toEqual([]);
  const gone = [...listed, ...Object.keys(NO_PARSERS), ...Object.keys(COMPOSED)];
  expect(gone.filter((path) => !exists(path))).toEqual([]);
});

// What is refused by an exception is not slower for the length of the stack.
const { stackTraceLimit } = Error;
beforeAll(() => {
  Error.stackTraceLimit = 0;
});
afterAll(() => {
  Error.stackTraceLimit = stackTraceLimit;
});

type TextOf = (chars: number) => string;

// Everything it finds: the search from every place, and what follows a match.
function searchAll(pattern: RegExp): Work {
  // One that stays where it is put is tried there.
  if (pattern.sticky)
    return (text) => new RegExp(`^(?:${pattern.source})`, pattern.flags).test(text);
  const flags = `${pattern.flags.replace(/[gy]/g, '')}g`;
  const everywhere = new RegExp(pattern.source, flags);
  return (text) => {
    let from = 0;
    everywhere.lastIndex = 0;
    while (everywhere.test(text)) {
      // A match of nothing leaves its place as it is.
      if (everywhere.lastIndex === from) everywhere.lastIndex += 1;
      from = everywhere.lastIndex;
    }
  };
}

function textsFor(pattern: RegExp): Map<string, TextOf> {
  const texts = attacksOn(pattern).map((attack): [string, TextOf] => {
    const { prefix, pump, suffix } = attack;
    return [JSON.stringify(attack), (chars) => prefix + repeated(pump, chars) + suffix];
  });
  return new Map(texts);
}

// Each word many times, each two in turn, and each once or many times before another many times.
function textsOf(words: readonly string[]): Map<string, TextOf> {
  const texts = new Map<string, TextOf>();
  for (const a of words) {
    texts.set(`${a} many times`, (chars) => repeated(a, chars));
    for (const b of words) {
      if (a === b) continue;
      texts.set(`${a} and ${b} in turn`, (chars) => repeated(a + b, chars));
      texts.set(`${a} once, then ${b}`, (chars) => a + repeated(b, chars));
      texts.set(`${a} before ${b}`, (chars) => repeated(a, chars / 2) + repeated(b, chars / 2));
    }
  }
  return texts;
}

// The steepest of those that cost most; null: none is too steep.
async function steepest(
  work: Work,
  texts: ReadonlyMap<string, TextOf>,
  selectionChars: number,
): Promise<string | null> {
  const timed: { name: string; textOf: TextOf; ms: number }[] = [];
  for (const [name, textOf] of texts) {
    timed.push({ name, textOf, ms: await least(work, textOf(selectionChars), 1) });
  }
  timed.sort((a, b) => b.ms - a.ms);
  for (const [rank, { name, textOf }] of timed.slice(0, SLOWEST).entries()) {
    const charsMax = rank === 0 ? LONG_CHARS : MIDDLE_CHARS;
    const { ratio, chars, ms } = await growthOf(work, textOf, charsMax);
    if (ratio <= RATIO_MAX) continue;
    return `${ratio.toFixed(0)} times at ${chars} characters (${ms.toFixed(0)} ms): ${name}`;
  }
  return null;
}
