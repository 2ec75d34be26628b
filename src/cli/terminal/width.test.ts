import { expect, test } from 'vitest';
import { fitted, rowsOf, widthOf } from './width.ts';

test.each([
  ['plain', 5],
  ['中文', 4],
  ['ｆｕｌｌ', 8],
  ['👩‍👩‍👧', 2],
  ['🇩🇪', 2],
  ['1️⃣', 2],
  ['e\u0301', 1],
  ['a\u200bb', 2],
  ['㈱', 2],
])('%s is %i wide', (text, width) => {
  expect(widthOf(text)).toBe(width);
});

test('texts are cut between characters as people see them', () => {
  expect(rowsOf('a中👩‍👩‍👧b', 3)).toEqual(['a中', '👩‍👩‍👧b']);
  expect(fitted('中文字', 4)).toBe('中… ');
  expect(fitted('中', 4)).toBe('中  ');
  expect(fitted('中', 0)).toBe('');
});
