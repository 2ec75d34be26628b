import { expect, test } from 'vitest';
import { summaryOf } from './payload.ts';

test('names and lengths, never what it says', () => {
  const body = JSON.stringify({ chat_id: 5, text: 'secret', parse_mode: 'HTML' });
  expect(summaryOf(body)).toBe(
    '49 characters: chat_id, text (6 characters), parse_mode (4 characters)',
  );
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`${n}`.repeat(50), n]));
  const summary = summaryOf(JSON.stringify(many));
  expect(summary).toContain('28 more');
  expect(summary.length).toBeLessThan(500);
  expect(summaryOf('"text"')).toBe('6 characters: ');
});
