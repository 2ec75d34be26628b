// The rules about one file at a time (sizes, heads, forbidden uses, leftovers), and how many there are in a folder.

import { folderOf } from './folders.ts';
import { isTest, type Violation } from './import-rules.ts';
import type { Source } from './source.ts';

const FILE_LINES_MAX = 400;
// A suite is a list; it may be longer than a thought.
const SUITE_LINES_MAX = 500;
const FUNCTION_LINES_MAX = 70;
// Tests count apart.
const FOLDER_FILES_MAX = 25;
const LINE_CHARS_MAX = 100;
const PROSE = /^\s*(\/\/|\*|import |export .* from )/;
// The formatter keeps code within 100; prose that it does not touch gets a little more.
const PROSE_CHARS_MAX = 120;

// Time and chance enter through src/system only, so that whole worlds run on a virtual clock; on the page, which runs
// in no world, through one file.
const BROWSER = 'src/dashboard/web/lib/browser.ts';
const TIME_AND_CHANCE = [
  'Date.now',
  'performance.now',
  'process.hrtime',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'Math.random',
  'new Date()',
];
// Words that once named things here and were given up for those of the trade.
const GIVEN_UP =
  /\b(?:teller|roused?|asleep|glimpse|trespass|keepers?|imagined|unheard|flying|landed|arrivals|intake)(?=[A-Z_]|\b)/i;
// As names only: an older store and its records are still read. What a call counts for is its `budget`.
const GIVEN_UP_NAME = /^gates?(?=[A-Z_]|$)|(?:Gates?)(?=[A-Z_]|$)|^GATES?(?=_|$)/;
// Good English, and no name: what is meant is an answer, a notice, a report, or what is known.
const NO_NAME = /(?:^|_)(?:un)?(?:told|tell)(?=[A-Z_]|$)|(?:T(?:old|ell)|_TOLD|_TELL)(?=[A-Z_]|$)/;
const NO_NAME_IN = /^src\/(?:accounts|app|broadcast|cluster|http\/fleet|store\/spill)\//;
const LEFTOVER = /\b(?:TO[D]O|FIX[M]E|XX[X])\b|\b(?:test|describe|it)\.(?:only|skip|todo)\b/;
const MACHINE = /(?<![\w.])\/work\/|\bregistry\.(?:npmjs|yarnpkg)\b|\bnpm[m]irror\b/;

export function sizes(source: Source): Violation[] {
  const lines = source.text.trimEnd().split('\n');
  const linesMax = isTest(source.path) ? SUITE_LINES_MAX : FILE_LINES_MAX;
  const found: string[] = [];
  if (lines.length > linesMax) found.push(`${lines.length} lines, at most ${linesMax}`);
  for (const { name, lines: length } of isTest(source.path) ? [] : source.functions) {
    if (length > FUNCTION_LINES_MAX) {
      found.push(`${name}: ${length} lines, at most ${FUNCTION_LINES_MAX}`);
    }
  }
  for (const [number, line] of lines.entries()) {
    const isProse = PROSE.test(line) || source.unbreakable.has(number);
    const charsMax = isProse ? PROSE_CHARS_MAX : LINE_CHARS_MAX;
    if (line.length > charsMax && !/https?:\/\//.test(line)) {
      found.push(`${line.length} characters, at most ${charsMax}: ${line.trim().slice(0, 40)}…`);
    }
  }
  return found.map((detail) => ({ rule: 'size', path: source.path, detail }));
}

export function folderSizes(sources: readonly Source[]): Violation[] {
  const files = sources.filter(({ path }) => path.startsWith('src/') && !isTest(path));
  const folders = Map.groupBy(files, ({ path }) => path.slice(0, path.lastIndexOf('/')));
  return [...folders]
    .filter(([, inside]) => inside.length > FOLDER_FILES_MAX)
    .map(([folder, inside]) => ({
      rule: 'folder-size',
      path: inside[0]!.path,
      detail: `${folder} has ${inside.length} files, at most ${FOLDER_FILES_MAX}`,
    }));
}

// What a test is about, its name and the file beside it say.
export function head(source: Source): Violation[] {
  const first = source.text.replace(/^#!.*\n/, '');
  if (/^\/\/ \S/.test(first) || source.path.endsWith('.test.ts')) return [];
  const detail = 'begins without its head: what is this, what may it assume, what is hard';
  return [{ rule: 'head', path: source.path, detail }];
}

export function timeAndChance(source: Source): Violation[] {
  const isPlace = folderOf(source.path) === 'system' || source.path === BROWSER;
  if (isPlace || !source.path.startsWith('src/')) return [];
  return usesOf(source, TIME_AND_CHANCE).map((use) => ({
    rule: 'time',
    path: source.path,
    detail: `${use} belongs to src/system; take a Clock or a Random`,
  }));
}

export function environment(source: Source): Violation[] {
  if (['config', 'cli'].includes(folderOf(source.path) ?? '') || !source.path.startsWith('src/')) {
    return [];
  }
  return usesOf(source, ['process.env']).map((use) => ({
    rule: 'environment',
    path: source.path,
    detail: `${use} belongs to src/config; take a setting`,
  }));
}

function usesOf(source: Source, names: readonly string[]): string[] {
  const used = source.uses.flatMap((use) => use.split(','));
  return names.filter((name) => used.some((use) => use === name || use.startsWith(`${name}.`)));
}

export function noDefaultExport(source: Source): Violation[] {
  if (!source.hasDefaultExport || source.path === 'vitest.config.ts') return [];
  return [{ rule: 'default-export', path: source.path, detail: 'exports a default' }];
}

export function noGivenUpWord(source: Source): Violation[] {
  if (!source.path.startsWith('src/') || isTest(source.path)) return [];
  const word = GIVEN_UP.exec(source.text)?.[0];
  const names = [...source.names];
  const name = NO_NAME_IN.test(source.path) ? names.find((each) => NO_NAME.test(each)) : undefined;
  const found = word ?? names.find((each) => GIVEN_UP_NAME.test(each)) ?? name;
  const detail = `${found} was given up: use the noun of the trade`;
  return found === undefined ? [] : [{ rule: 'words', path: source.path, detail }];
}

export function noLeftover(path: string, text: string): Violation[] {
  const match = LEFTOVER.exec(text);
  return match === null ? [] : [{ rule: 'leftover', path, detail: match[0] }];
}

// Nothing of the machine it was written on.
export function noMachine(path: string, text: string): Violation[] {
  const match = MACHINE.exec(text);
  return match === null ? [] : [{ rule: 'machine', path, detail: match[0] }];
}
