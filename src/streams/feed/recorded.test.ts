// A sample of every shape, cut wherever a network can cut it.

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fed, sum } from './feed.fixture.ts';
import { type Feed, feedOf } from './feed.ts';
import { SHAPES } from './shape-table.ts';

const FOLDER = new URL('../../../test/recorded/', import.meta.url);
const recorded = (name: string) => readFileSync(new URL(name, FOLDER));
// What each kind of file is sent as; the others say nothing of what they are.
const TYPES: Readonly<Record<string, string>> = {
  sse: 'text/event-stream',
  ndjson: 'application/x-ndjson',
};

const SAMPLES = readdirSync(FOLDER)
  .filter((name) => !/\.(txt|md)$/.test(name))
  .map((name) => name.split('.') as [string, string]);

// Cut at every byte with CRLF, too; for the others LF has to do, as it is the same reader of lines.
const BOTH_LINE_ENDS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'ollama-chat'];
// After the call of a tool such a body may end, or go on.
const MAY_END_BETWEEN = ['openai-chat-tools'];

test('every shape has a sample, and every sample a shape', () => {
  const samples = SAMPLES.map(([name]) => name);
  // Ollama's is the plain one.
  const names = SHAPES.map(({ name }) => (name === 'plain' ? 'ollama-chat' : name));
  const known = (sample: string) => names.some((name) => `${sample}-`.startsWith(`${name}-`));
  expect(
    names.filter((name) => !samples.some((each) => `${each}-`.startsWith(`${name}-`))),
  ).toEqual([]);
  expect(samples.filter((sample) => !known(sample))).toEqual([]);
});

describe.each(SAMPLES)('%s', (name, ending) => {
  const feed = (): Feed => feedOf(TYPES[ending])!;
  const body = recorded(`${name}.${ending}`);
  const whole = { text: recorded(`${name}.txt`).toString(), end: { kind: 'done' } };
  const variants: [string, Buffer][] = [
    ['LF', body],
    ['CRLF', Buffer.from(body.toString().replaceAll(/\r?\n/g, '\r\n'))],
    ['CR', Buffer.from(body.toString().replaceAll(/\r?\n/g, '\r'))],
    ['a byte order mark', Buffer.concat([Buffer.from('\ufeff'), body])],
  ];

  const cutVariants = variants.slice(0, BOTH_LINE_ENDS.includes(name) ? 2 : 1);
  test.each(cutVariants)('gives the same text cut at every byte (%s)', (_, variant) => {
    const different: number[] = [];
    for (let cut = 0; cut <= variant.length; cut++) {
      const present = feed();
      const got = sum(fed(present, [variant.subarray(0, cut), variant.subarray(cut)]));
      const isSame = got.text === whole.text && got.end.kind === 'done' && present.broken === 0;
      if (!isSame) different.push(cut);
    }
    expect(different).toEqual([]);
  });

  test.each(variants)('gives the same text byte by byte (%s)', (_, variant) => {
    const single = Array.from(variant, (_byte, at) => variant.subarray(at, at + 1));
    expect(sum(fed(feed(), single))).toEqual(whole);
  });

  test('is recognised without its type, cut anywhere', () => {
    for (let cut = 0; cut <= 80; cut++) {
      const pieces = [body.subarray(0, cut), body.subarray(cut)];
      expect(sum(fed(feedOf(undefined)!, pieces))).toEqual(whole);
    }
  });

  test('that breaks off says so, and never shows what is not in the text', () => {
    for (let cut = 0; cut < body.length; cut += 7) {
      const got = sum(fed(feed(), [body.subarray(0, cut)]));
      expect(whole.text.startsWith(got.text), `${cut}: ${got.text}`).toBe(true);
      const isPart = got.text !== '' && got.text !== whole.text;
      if (isPart && !MAY_END_BETWEEN.includes(name)) expect(got.end.kind, `${cut}`).toBe('error');
    }
  });
});
