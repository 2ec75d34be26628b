import { expect, test } from 'vitest';
import { type Choice, firstChoice, press, SECTIONS } from './keys.ts';

function pressed(keys: readonly string[]): Choice {
  return keys.reduce<Choice>((choice, key) => {
    const next = press(choice, key);
    if (next === 'quit') throw new Error('it quit');
    return next;
  }, firstChoice());
}

test.each(['q', 'Q', '\u0003', '\u0004'])('%j quits', (key) => {
  expect(press(firstChoice(), key)).toBe('quit');
});

test('s goes through the orders, tab through the tables and back', () => {
  expect(['', 's', 'ss', 'sss'].map((keys) => pressed([...keys]).sort)).toEqual([
    'trouble',
    'waiting',
    'name',
    'trouble',
  ]);
  expect(pressed(['\t']).only).toBe(SECTIONS[0]);
  expect(pressed(['\u001b[Z']).only).toBe(SECTIONS.at(-1));
  expect(pressed(Array(SECTIONS.length + 1).fill('\t')).only).toBe(null);
});

test('a filter is typed, corrected, kept and cleared; q is a letter in it', () => {
  expect(pressed([...'/qx', '\u007f', '\r', 's'])).toMatchObject({ filter: 'q', sort: 'waiting' });
  expect(pressed([...'/abc', '\r', '\u001b']).filter).toBe('');
  expect(pressed([...'/abc', '\u001b'])).toEqual(firstChoice());
  expect(pressed(['/', '\u001b[A', '\u0007', 'a']).filter).toBe('a');
  expect(press(pressed([...'/a']), '\u0003')).toBe('quit');
});

test('space holds and lets go; other keys do nothing', () => {
  expect(pressed([' ']).isHeld).toBe(true);
  expect(pressed([' ', ' '])).toEqual(firstChoice());
  expect(pressed(['x', '\u001b[A', 'ß'])).toEqual(firstChoice());
});
