import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { harmless, harmlessJson } from './harmless.ts';

describe('text of a message', () => {
  test.each([
    ['plain text, Ünïcödé, 日本語, 👩‍👩‍👧', 'plain text, Ünïcödé, 日本語, 👩‍👩‍👧'],
    ['\u001b[2Jcleared', '␛[2Jcleared'],
    ['\u001b]0;title\u0007', '␛]0;title␇'],
    ['\u009b31mred by C1', '\ufffd31mred by C1'],
    ['over\rwritten\r\nline\u2028end', 'over\nwritten\nline\nend'],
    ['rub\u0008\u007fout', 'rub␈␡out'],
    ['a\tb\u0000', 'a    b␀'],
    ['safe\u202egnirts\u2066', 'safe\ufffdgnirts\ufffd'],
    ['half \ud83d pair', 'half \ufffd pair'],
  ])('%j is shown as %j', (text, shown) => {
    expect(harmless(text)).toBe(shown);
  });

  test('whatever it is, a terminal finds nothing to obey', () => {
    const hostile = fc.string({
      unit: fc.oneof(
        fc.constantFrom('\u001b', '[', ']', '\u009d', '\r', '\u0007'),
        fc.nat(0x2100).map((code) => String.fromCharCode(code)),
      ),
    });
    fc.assert(
      fc.property(hostile, (text) => {
        for (const one of harmless(text)) {
          const code = one.codePointAt(0)!;
          expect(code === 0x0a || (code >= 0x20 && (code < 0x7f || code > 0x9f))).toBe(true);
        }
      }),
    );
  });
});

test('JSON for programs stays the same JSON, and is as harmless', () => {
  const value = { text: 'a\u001b[2J\u009b31m\u007f\u202e\u2028' };
  const said = harmlessJson(value);
  expect(JSON.parse(said)).toEqual(value);
  expect(said).toMatch(/^[\u0020-\u007e]+$/);
});
