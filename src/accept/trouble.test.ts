import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { expect, test } from 'vitest';
import { invalid } from './problems.ts';
import { troublesOf } from './trouble.ts';

const SCHEMA = Type.Object(
  {
    priority: Type.Optional(Type.Union([Type.Literal('high'), Type.Literal('low')])),
    to: Type.Union([
      Type.Object({ chat: Type.String() }, { additionalProperties: false }),
      Type.Object({ user: Type.Number() }, { additionalProperties: false }),
    ]),
  },
  { additionalProperties: false },
);
const validator = Compile(SCHEMA);
const said = (value: unknown) => invalid('invalid_message', troublesOf(validator, value)).detail;

test('a field that there is none of is told as such, and programs find its place', () => {
  const value = { priorty: 'high', to: { chat: '1' } };
  expect(said(value)).toBe('/priorty: unknown field');
  const trouble = { path: '/priorty', expected: 'no such field', detail: 'unknown field' };
  expect(troublesOf(validator, value)).toEqual([trouble]);
});

test('where one of several forms knows the field, what they expect is told', () => {
  expect(said({ to: { chat: 1 } })).toContain('/to/chat: expected a string, or no such field');
});

test('other troubles say what would be right', () => {
  expect(said({})).toContain('/to: expected a value: it is required');
  expect(said(5)).toBe('/: expected an object');
});
