import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LIVE_OUTPUT } from './live-output.ts';
import { renderLive, TEXT_CHARS_MAX } from './live-text.ts';

test.each([
  ['**bold** and *slanted*', '*bold* and _slanted_'],
  ['~~gone~~ `code`', '~gone~ `code`'],
  ['```js\nlet a;\n```', '```let a;```'],
  ['[words](https://a.b) https://c.d', 'words (https://a.b) https://c.d'],
  ['> quoted\n> twice', '> quoted\n> twice'],
  ['plain', 'plain'],
])('%s is written as %s', (markdown, written) => {
  expect(renderLive(markdown, 'markdown', true)).toEqual([written]);
});

test('no message is longer than the platform takes, whatever its markup', () => {
  const word = fc.constantFrom('**a** ', '*b* ', '`c` ', 'words ', '[x](https://a.b) ', '\n\n');
  const long = fc.array(word, { maxLength: 3000 }).map((words) => words.join(''));
  fc.assert(
    fc.property(long, (text) => {
      const parts = renderLive(text, 'markdown', true);
      expect(parts.every((part) => part.length <= TEXT_CHARS_MAX && part.trim() !== '')).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test('a typing sign answers a message, and without one there is none', () => {
  const place = { chat: '1650', thread: null, isFirst: true, isLast: true };
  expect(LIVE_OUTPUT.typing!({ ...place, params: {} })).toBeNull();
  const params = { context: { message_id: 'wamid.IN' } };
  expect(LIVE_OUTPUT.typing!({ ...place, params })?.params).toMatchObject({
    ...{ status: 'read', message_id: 'wamid.IN', typing_indicator: { type: 'text' } },
  });
  const content = { type: 'text', text: { body: 'hi' } };
  expect(LIVE_OUTPUT.open(content, { ...place, params }).params).toMatchObject({
    ...{ to: '1650', context: params.context, ...content },
  });
  const second = LIVE_OUTPUT.open(content, { ...place, params, isFirst: false });
  expect(second.params).not.toHaveProperty('context');
});
