import { describe, expect, test } from 'vitest';
import {
  asExact,
  attachedTo,
  bodyOf,
  filesOf,
  hasFiles,
  isExact,
  NO_FILES,
  readBody,
  summaryOf,
  withoutExact,
} from './body.ts';

const FILE = { id: 'a'.repeat(43), name: 'a.png', type: 'image/png', size: 3 };

describe('a body with files', () => {
  test('is told by its beginning, and read back as it was', () => {
    const body = bodyOf({ chat_id: 1, photo: 'attach://p' }, { p: FILE });
    expect(hasFiles(body)).toBe(true);
    expect(filesOf(body)).toEqual({ p: FILE });
    expect(readBody(body)).toEqual({
      params: { chat_id: 1, photo: 'attach://p' },
      files: { p: FILE },
    });
  });

  test('is told by its beginning also beside parameters that are numbers', () => {
    const body = bodyOf({ 0: 'attach://0', 17: 'x', '1a': 'y', media: 'attach://0' }, { 0: FILE });
    expect(hasFiles(body)).toBe(true);
    expect(readBody(body)).toEqual({
      params: { '1a': 'y', media: 'attach://0' },
      files: { 0: FILE },
    });
  });

  test('is not taken for one because someone says so', () => {
    const body = bodyOf({ 'sluice:files': { p: FILE }, 'sluice:parts': 1, text: 'a' }, NO_FILES);
    expect(body).toBe('{"text":"a"}');
    const quoted = bodyOf({ text: '{"sluice:files":{"p":1}}' }, NO_FILES);
    expect(hasFiles(quoted)).toBe(false);
    expect(filesOf(quoted)).toBe(NO_FILES);
    expect(filesOf(null)).toBe(NO_FILES);
  });

  test.each(['../../etc/passwd', 'a'.repeat(42), 7])('names no file of the disk: %s', (id) => {
    const body = JSON.stringify({ 'sluice:files': { p: { ...FILE, id }, q: FILE } });
    expect(filesOf(body)).toEqual({ q: FILE });
  });
});

test('parts are referred to at any depth, also in JSON text', () => {
  const params = {
    photo: 'attach://a',
    media: '[{"media":"attach://b"},{"media":"attach://b"}]',
    list: [{ deep: 'attach://c' }],
    text: 'no attachment: see attach://d and attach://e',
  };
  expect(Object.fromEntries(attachedTo(params))).toEqual({ a: 1, b: 2, c: 1 });
});

test.each(['{}', '{"a":1}', '{"sluice:files":{},"a":"}"}'])(
  '%s is marked and read back',
  (body) => {
    const marked = asExact(body);
    expect(JSON.parse(marked)).toEqual({ ...JSON.parse(body), 'sluice:exact': true });
    expect([isExact(body), isExact(marked)]).toEqual([false, true]);
    expect(withoutExact(marked)).toBe(body);
    expect(withoutExact(body)).toBe(body);
  },
);

test('is found wherever it stands', () => {
  const { text, ...rest } = JSON.parse(asExact('{"text":"a","b":1}')) as Record<string, unknown>;
  const moved = JSON.stringify({ ...rest, text });
  expect(isExact(moved)).toBe(true);
  expect(JSON.parse(withoutExact(moved))).toEqual({ text: 'a', b: 1 });
});

test('nobody says it in a text', () => {
  const body = JSON.stringify({ text: 'a,"sluice:exact":true}' });
  expect(isExact(body)).toBe(false);
  expect(withoutExact(body)).toBe(body);
});

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
