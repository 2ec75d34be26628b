import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { virtualClock } from '../../system/virtual-clock.ts';
import { LIVE_OUTPUT } from './live-output.ts';
import { createTerminal, Screens } from './terminal.ts';

const text = fc.string({
  unit: fc.constantFrom('a', ' ', '\n', 'é', '👩', '\ud83d'),
  maxLength: 60,
});
const long = fc.array(text, { maxLength: 60 }).map((words) => words.join('x'.repeat(500)));

describe('a growing text', () => {
  test('is cut into messages that together are the text', () => {
    fc.assert(
      fc.property(long, (whole) => {
        const parts = LIVE_OUTPUT.render(whole, 'markdown', true).map((part) => String(part.text));
        expect(parts.every((part) => part.length <= 8192 && part.trim() !== '')).toBe(true);
        expect(parts.join('').replace(/\s/g, '')).toBe(whole.replace(/\s/g, ''));
      }),
    );
  });

  test('what is shown in full stays as it is', () => {
    fc.assert(
      fc.property(long, fc.nat(), (whole, at) => {
        const some = LIVE_OUTPUT.render(whole.slice(0, at % (whole.length + 1)), 'plain', false);
        const all = LIVE_OUTPUT.render(whole, 'plain', true);
        expect(all.slice(0, Math.max(0, some.length - 1))).toEqual(some.slice(0, -1));
      }),
    );
  });

  test('half a character is not shown before the other half is there', () => {
    expect(LIVE_OUTPUT.render('a\ud83d', 'plain', false)).toEqual([{ text: 'a' }]);
    expect(LIVE_OUTPUT.render('', 'plain', true)).toEqual([]);
  });
});

test('its calls are those the terminal takes', async () => {
  const screens = new Screens(virtualClock(1e12));
  const terminal = createTerminal(screens);
  const place = { chat: 'c', thread: 't', params: {}, isFirst: true, isLast: true };
  const make = async ({ method, params }: { method: string; params: object }) => {
    expect(terminal.calls.describe(method, { ...params })).toMatchObject({
      kind: 'call',
      chat: 'c',
    });
    const body = JSON.stringify(params);
    const reply = await terminal.wire.send({ credential: 'local', method, body, deadlineMs: 1000 });
    return terminal.wire.classify(method, reply);
  };
  const shown = () => screens.watch('local', 'c', () => {}).shown.map((each) => each.text);
  const sent = await make(LIVE_OUTPUT.open({ text: 'gro' }, place));
  const id = sent.kind === 'sent' ? sent.messageId! : '';
  await make(LIVE_OUTPUT.edit!({ text: 'growing' }, place, id));
  expect(shown()).toEqual(['growing']);
  await make(LIVE_OUTPUT.typing!(place)!);
  await make(LIVE_OUTPUT.remove!(place, id));
  expect(shown()).toEqual([]);
  // What it would ask of the limits is asked before there is a text.
  expect(terminal.calls.describe('sendMessage', LIVE_OUTPUT.open({}, place).params).kind).toBe(
    'call',
  );
});
