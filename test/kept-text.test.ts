// The answer to a live edit that is given early says what Telegram's will: the same text, the same entities. Compared
// with the simulator, which reads markup in its own way, over random markup, whole and broken.

import { describe, expect, test } from 'vitest';
import { keptText } from '../src/platforms/telegram/text/kept-text.ts';
import { createTelegramModel } from '../src/sim/telegram/model.ts';
import { intBelow, type Random, seededRandom } from '../src/system/random.ts';
import { TEST_SEED } from './seed.ts';

const TEXTS = 1000;

const WORDS = ['a', 'no', ' ', '  ', '\n', 'é', '👍', 'a b', '1', 'z\n'];
const STYLES_HTML = ['b', 'strong', 'i', 'em', 'u', 's', 'del', 'tg-spoiler', 'code', 'pre'];
const STYLES_V2 = ['*', '_', '__', '~', '||', '`'];
const LINKS = ['https://a.org', 'http://A.org/b?c=d', 'x.y', 'nowhere', 'https://a.org/(b)'];

type Grammar = (random: Random, depth: number) => string;

function oneOf<T>(random: Random, list: readonly T[]): T {
  return list[intBelow(random, list.length)]!;
}

function some(random: Random, depth: number, piece: Grammar): string {
  const count = 1 + intBelow(random, 4);
  return Array.from({ length: count }, () => piece(random, depth)).join('');
}

const html: Grammar = (random, depth) => {
  const kind = depth === 0 ? 0 : intBelow(random, 9);
  if (kind < 4) return oneOf(random, [...WORDS, '&lt;', '&amp;', '&#65;', '&unknown;']);
  const inner = some(random, depth - 1, html);
  if (kind === 4) return `<a href="${oneOf(random, LINKS)}">${inner}</a>`;
  if (kind === 5) return `<blockquote${oneOf(random, ['', ' expandable'])}>${inner}</blockquote>`;
  if (kind === 6) return `<pre><code class="language-ts">${inner}</code></pre>`;
  const tag = oneOf(random, STYLES_HTML);
  return `<${tag}>${inner}</${tag}>`;
};

const v2: Grammar = (random, depth) => {
  const kind = depth === 0 ? 0 : intBelow(random, 9);
  if (kind < 4) return oneOf(random, [...WORDS, '\\.', '\\*', '\\\\']);
  const inner = some(random, depth - 1, v2);
  if (kind === 4) return `[${inner}](${oneOf(random, LINKS).replace(/[()]/g, '\\$&')})`;
  if (kind === 5) return `\n>${inner}${oneOf(random, ['', '||'])}\n`;
  if (kind === 6) return `\`\`\`${oneOf(random, ['', 'ts\n', '\n'])}x${oneOf(random, WORDS)}\`\`\``;
  const mark = oneOf(random, STYLES_V2);
  return `${mark}${inner}${mark}`;
};

const v1: Grammar = (random) => {
  const word = oneOf(random, WORDS);
  const mark = oneOf(random, ['', '', '*', '_', '`', '```']);
  return intBelow(random, 6) === 0 ? `[${word}](${oneOf(random, LINKS)})` : `${mark}${word}${mark}`;
};

// A character is lost or put in.
function damaged(random: Random, text: string): string {
  if (intBelow(random, 4) > 0) return text;
  const at = intBelow(random, text.length + 1);
  const put = oneOf(random, ['', '<', '>', '*', '_', '`', '&', '|', '[', ')', '\\']);
  return text.slice(0, at) + put + text.slice(at + intBelow(random, 2));
}

function told(text: string, parse_mode: string) {
  const model = createTelegramModel({});
  const call = model.call('42:sandbox', 'sendMessage', { chat_id: 7, text, parse_mode }, 0);
  const { result, description } = JSON.parse(call.answer.body);
  if (result === undefined) return { refused: description as string };
  return { text: result.text, entities: result.entities ?? [] };
}

describe.each<[string, Grammar]>([
  ['HTML', html],
  ['MarkdownV2', v2],
  ['Markdown', v1],
])('%s', (mode, grammar) => {
  test.each([1, 2, 1_775_829_734, TEST_SEED])('as Telegram tells it, seed %i', (seed) => {
    const random = seededRandom(seed);
    let foretold = 0;
    let taken = 0;
    for (let i = 0; i < TEXTS; i++) {
      const text = damaged(random, some(random, 3, grammar)).toWellFormed();
      const kept = keptText({ text, parse_mode: mode }, 'text');
      const answer = told(text, mode);
      if (!('refused' in answer)) taken += 1;
      if (kept === null) continue;
      foretold += 1;
      expect(answer, JSON.stringify(text)).toEqual({ text: kept.text, entities: kept.entities });
    }
    // Nearly all that Telegram takes.
    expect(taken).toBeGreaterThan(TEXTS / 4);
    expect(foretold / taken).toBeGreaterThan(0.8);
  });
});

test('entities that are given are told as they are kept', () => {
  const bold = { type: 'bold', offset: 0, length: 2 };
  const entities = [
    bold,
    { type: 'bold', offset: 2, length: 1 },
    { type: 'url', offset: 0, length: 1 },
  ];
  expect(keptText({ text: 'abc ', entities }, 'text')).toEqual({
    text: 'abc',
    entities: [{ ...bold, length: 3 }],
  });
  expect(keptText({ text: 'ab', entities: [{ ...bold, length: 9 }] }, 'text')).toBeNull();
});
