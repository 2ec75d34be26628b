import { expect, test } from 'vitest';
import { asExact, isExact, withoutExact } from './exact.ts';

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
