import { expect, test } from 'vitest';
import { virtualClock } from '../../system/virtual-clock.ts';
import type { ScreenEvent } from '../platform.ts';
import { Screens } from './screens.ts';

const BOUNDS = { screensMax: 3, messagesMax: 4, unitsMax: 20 };

function setUp() {
  const clock = virtualClock(1e12);
  const screens = new Screens(clock, BOUNDS);
  const shown = (chat = 'c') => screens.watch('a', chat, () => {}).shown.map(({ text }) => text);
  return { clock, screens, shown };
}

test('a watcher gets what is there, then every change, until it leaves', () => {
  const { screens } = setUp();
  const { id } = screens.write('a', 'c', 'before', null);
  const seen: ScreenEvent[] = [];
  const { shown, leave } = screens.watch('a', 'c', (event) => seen.push(event));
  expect(shown).toMatchObject([{ id, text: 'before', editedAt: null }]);
  screens.write('a', 'c', 'after', 't');
  screens.edit('a', 'c', id, 'changed');
  screens.typing('a', 'c');
  screens.erase('a', 'c', id);
  screens.write('a', 'other', 'not for it', null);
  screens.write('b', 'c', 'nor this', null);
  leave();
  screens.write('a', 'c', 'too late', null);
  expect(seen).toMatchObject([
    { kind: 'message', message: { text: 'after', thread: 't' } },
    { kind: 'edited', message: { id, text: 'changed', at: 1e12, editedAt: 1e12 } },
    { kind: 'typing' },
    { kind: 'deleted', id },
  ]);
});

test('ids count up, also within a moment, and over a restart', async () => {
  const { screens, clock } = setUp();
  const ids = [1, 2, 3].map((n) => screens.write('a', 'c', String(n), null).id);
  expect(ids).toEqual(['1000000000000', '1000000000001', '1000000000002']);
  await clock.run(1e12 + 1000);
  const after = new Screens(clock, BOUNDS).write('a', 'c', 'x', null).id;
  expect(Number(after)).toBeGreaterThan(Number(ids[2]));
});

test('an edit of what has scrolled off comes back at the end under its id', () => {
  const { screens, shown } = setUp();
  const { id } = screens.write('a', 'c', 'first', null);
  for (const text of ['2', '3', '4', '5']) screens.write('a', 'c', text, null);
  expect(shown()).toEqual(['2', '3', '4', '5']);
  expect(screens.edit('a', 'c', id, 'again')).toMatchObject({ id, text: 'again' });
  expect(shown()).toEqual(['3', '4', '5', 'again']);
  expect(screens.edit('a', 'c', String(1e12 + 100), 'never was')).toBeNull();
});

test('the text of a screen is bounded, however few its messages', () => {
  const { screens, shown } = setUp();
  const { id } = screens.write('a', 'c', 'x'.repeat(12), null);
  screens.write('a', 'c', 'y'.repeat(8), null);
  expect(shown()).toHaveLength(2);
  screens.write('a', 'c', 'z', null);
  expect(shown()).toEqual(['y'.repeat(8), 'z']);
  screens.erase('a', 'c', id);
  screens.edit('a', 'c', id, 'w'.repeat(11));
  expect(shown()).toEqual(['y'.repeat(8), 'z', 'w'.repeat(11)]);
});

test('the longest untouched screen is forgotten, a watched one is not', () => {
  const { screens } = setUp();
  const texts = (chat: string) => {
    const { shown, leave } = screens.watch('a', chat, () => {});
    leave();
    return shown.map(({ text }) => text);
  };
  screens.write('a', 'watched', 'w', null);
  screens.watch('a', 'watched', () => {});
  for (const chat of ['old', 'newer', 'newest']) screens.write('a', chat, chat, null);
  expect(texts('watched')).toEqual(['w']);
  expect(texts('newest')).toEqual(['newest']);
  expect(texts('old')).toEqual([]);
});

test('an account is meant by its id, by its name, or by nothing', () => {
  const screens = new Screens(virtualClock(0));
  const other = { id: 'terminal:other', name: 'other' };
  expect([screens.named('terminal:other'), screens.named('other')]).toEqual([other, other]);
  expect(screens.named()).toEqual({ id: 'terminal:local', name: 'local' });
});
