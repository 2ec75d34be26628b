import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  faultOf,
  JSON_BOUNDS,
  type JsonBounds,
  type JsonFault,
  jsonOrUndefined,
  parseJson,
} from './json.ts';

const SMALL: JsonBounds = {
  depthMax: 4,
  itemsMax: 6,
  membersMax: 5,
  valuesMax: 20,
  stringUnitsMax: 12,
};

test('plain messages are read as JSON.parse reads them', () => {
  const text = '{"chat":"-100","payload":{"text":"a [b] {c} \\" \\\\","n":[1,2,{}]}}';
  expect(parseJson(text)).toEqual({ kind: 'value', value: JSON.parse(text) });
  expect(parseJson(`\ufeff${text}`)).toEqual({ kind: 'value', value: JSON.parse(text) });
});

test('64 levels are read, 65 are not, however they are made', () => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"a":', '}]'],
  ] as const) {
    const perOpen = open.startsWith('[{') ? 2 : 1;
    const levels = JSON_BOUNDS.depthMax / perOpen;
    const text = (n: number) => `${open.repeat(n)}1${close.repeat(n)}`;
    expect(parseJson(text(levels)).kind).toBe('value');
    expect(parseJson(text(levels + 1))).toMatchObject({ kind: 'failure', fault: 'depth' });
    expect(parseJson(text(2500))).toMatchObject({ kind: 'failure', fault: 'depth' });
  }
});

test('brackets within strings are no levels', () => {
  const text = JSON.stringify({ text: `${'['.repeat(5000)}"\\` });
  expect(parseJson(text)).toEqual({ kind: 'value', value: JSON.parse(text) });
});

test('counts and lengths are bounded each for itself', () => {
  const members = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [i, i]));
  const cases: [unknown, JsonFault | null][] = [
    [Array(6).fill(0), null],
    [Array(7).fill(0), 'items'],
    [members(5), null],
    [members(6), 'members'],
    [{ a: [members(6)] }, 'members'],
    ['a'.repeat(12), null],
    ['a'.repeat(13), 'string'],
    [Array(5).fill([1, 2, 3, 4]), 'values'],
  ];
  for (const [value, fault] of cases) {
    const parsed = parseJson(JSON.stringify(value), SMALL);
    expect(parsed.kind === 'failure' ? parsed.fault : null, JSON.stringify(value)).toBe(fault);
    expect(faultOf(value, SMALL)?.fault ?? null).toBe(fault);
  }
});

test('members that name a prototype are refused, however they are spelled', () => {
  for (const text of [
    '{"__proto__":{"a":1}}',
    '{"a":[{"\\u005f_proto__":1}]}',
    '{"constructor":{"prototype":1}}',
    '{"a":{"\\u0063onstructor":{"\\u0070rototype":{}}}}',
  ]) {
    expect(parseJson(text)).toMatchObject({ kind: 'failure', fault: 'prototype' });
  }
  expect(parseJson('{"constructor":1,"text":"__proto__"}').kind).toBe('value');
  expect(faultOf(JSON.parse('{"a":{"__proto__":1}}'))?.fault).toBe('prototype');
});

test('what is not JSON is told without anything of its text', () => {
  for (const text of ['', '{', '{"a":05}', '{"secret":+1}', 'null x', '"\u0001"', '[1,]']) {
    const parsed = parseJson(text);
    expect(parsed).toMatchObject({ kind: 'failure', fault: 'syntax' });
    expect(JSON.stringify(parsed)).not.toContain('secret');
  }
});

test('a value that contains itself, or what JSON cannot say, is refused', () => {
  const loop: Record<string, unknown> = {};
  loop.self = loop;
  expect(faultOf(loop)?.fault).toBe('depth');
  expect(faultOf({ n: 5n })?.fault).toBe('syntax');
});

// The bounds of a value, counted on the value itself.
function measure(value: unknown): { depth: number; items: number; members: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, items: 0, members: 0 };
  const inner = Object.values(value).map(measure);
  const own = Object.values(value).length;
  return {
    depth: 1 + Math.max(0, ...inner.map((each) => each.depth)),
    items: Math.max(Array.isArray(value) ? own : 0, ...inner.map((each) => each.items)),
    members: Math.max(Array.isArray(value) ? 0 : own, ...inner.map((each) => each.members)),
  };
}

test('whatever the text, it is refused exactly when a bound is exceeded', () => {
  const bounds = { ...SMALL, valuesMax: 1000, stringUnitsMax: 1000 };
  const keys = fc.string().filter((key) => key !== '__proto__' && key !== 'constructor');
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ maxDepth: 6 }, fc.string(), tie('array'), tie('object')),
    array: fc.array(tie('tree'), { maxLength: 8 }),
    object: fc.dictionary(keys, tie('tree'), { maxKeys: 7 }),
  }));
  fc.assert(
    fc.property(tree, fc.constantFrom(0, 2), (value, indent) => {
      const parsed = parseJson(JSON.stringify(value, null, indent), bounds);
      const { depth, items, members } = measure(value);
      const isWithin = depth <= 4 && items <= 6 && members <= 5;
      expect(parsed.kind).toBe(isWithin ? 'value' : 'failure');
      expect(faultOf(value, bounds) === null).toBe(isWithin);
      if (parsed.kind === 'value') expect(JSON.stringify(parsed.value)).toBe(JSON.stringify(value));
    }),
    { numRuns: 500 },
  );
});

test('integers that a number would change are kept as text', () => {
  const read = (text: string) => jsonOrUndefined(text);
  expect(read('{"id":1234567890123456789,"in":[-9007199254740993]}')).toEqual({
    ...{ id: '1234567890123456789', in: ['-9007199254740993'] },
  });
  expect(read('[9007199254740991,"9007199254740993",0.12345678901234567,1e300]')).toEqual([
    9007199254740991,
    '9007199254740993',
    Number('0.12345678901234567'),
    1e300,
  ]);
});
