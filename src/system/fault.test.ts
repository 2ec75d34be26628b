import { expect, test } from 'vitest';
import { faultInWords, placeOf } from './fault.ts';

test('an exception is told with its place', () => {
  expect(faultInWords(new TypeError('x is not a function'))).toMatch(
    /^TypeError at system\/fault\.test\.ts:\d+: x is not a function$/,
  );
});

test('a message that looks like frames does not become the place', () => {
  const error = new Error('a\n    at evil (/a/b.ts:1:1)\n    at worse (/c/d.ts:2:2)');
  expect(placeOf(error)).toMatch(/^system\/fault\.test\.ts:\d+$/);
});

test('neither tokens nor the text that could not be parsed are told', () => {
  const token = `123456:${'A'.repeat(35)}`;
  expect(faultInWords(new Error(`failed for ${token}`))).not.toContain('AAAA');
  try {
    JSON.parse('{"secret": nonsense');
  } catch (error) {
    expect(faultInWords(error)).not.toContain('nonsense');
  }
  expect(faultInWords(new Error('x'.repeat(10_000))).length).toBeLessThan(400);
});

test('whatever else is thrown is told too', () => {
  expect(faultInWords('text')).toBe('something other than an error was thrown');
  expect(faultInWords(undefined)).toBe('something other than an error was thrown');
  const bare = new Error('bare');
  bare.stack = '';
  expect(faultInWords(bare)).toBe('Error at an unknown place: bare');
});
