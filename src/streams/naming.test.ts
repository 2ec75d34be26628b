import { expect, test } from 'vitest';
import { seededRandom } from '../system/random.ts';
import { isSame, nameOfKey, newName } from './naming.ts';
import { aNewStream } from './stream-state.fixture.ts';

test('a key names one stream of its account', () => {
  expect(nameOfKey('telegram:1', 'k')).toBe(nameOfKey('telegram:1', 'k'));
  expect(nameOfKey('telegram:1', 'k')).not.toBe(nameOfKey('telegram:2', 'k'));
  expect(nameOfKey('telegram:1', 'k')).not.toBe(nameOfKey('telegram:1', 'l'));
  expect(nameOfKey('telegram:1', 'a secret-looking key')).not.toContain('secret');
});

test('a name that is taken is not given again', () => {
  const given = new Set<string>();
  for (let i = 0; i < 3; i++) given.add(newName(1, seededRandom(1), (name) => given.has(name)));
  expect(given.size).toBe(3);
});

test('what makes two requests the same', () => {
  const one = aNewStream();
  expect(isSame(one, aNewStream({ idleMs: 5, correlation: 'other', key: 'k' }))).toBe(true);
  expect(isSame(one, aNewStream({ chat: '5' }))).toBe(false);
  expect(isSame(one, aNewStream({ params: { reply_markup: {} } }))).toBe(false);
});
