// What is wrong with a request, said so that it can be put right: the place, and what belongs there.

import type { Validator } from 'typebox/compile';
import type { Trouble } from '../domain/errors.ts';

const TROUBLES_MAX = 20;

interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

export function troublesOf(validator: Pick<Validator, 'Errors'>, value: unknown): Trouble[] {
  const expectedAt = new Map<string, string[]>();
  for (const error of validator.Errors(value) as SchemaError[]) {
    for (const { path, expected } of readError(error)) {
      const sofar = expectedAt.get(path);
      if (sofar === undefined) expectedAt.set(path, [expected]);
      else if (!sofar.includes(expected)) sofar.push(expected);
    }
  }
  return Array.from(expectedAt, ([path, expected]) => ({
    path: path === '' ? '/' : path,
    expected: expected.join(', or '),
  })).slice(0, TROUBLES_MAX);
}

function readError(error: SchemaError): Trouble[] {
  const { keyword, instancePath, message } = error;
  const params = error.params as Readonly<Record<string, unknown>>;
  switch (keyword) {
    case 'additionalProperties':
      return namesOf(params.additionalProperties).map((name) => ({
        path: `${instancePath}/${name}`,
        expected: 'no such field',
      }));
    case 'required':
      return namesOf(params.requiredProperties).map((name) => ({
        path: `${instancePath}/${name}`,
        expected: 'a value: it is required',
      }));
    // Said by the errors of the parts.
    case 'boolean':
    case 'anyOf':
      return [];
    case 'type':
      return [{ path: instancePath, expected: withArticle(String(params.type)) }];
    case 'enum':
      return [
        { path: instancePath, expected: `one of ${namesOf(params.allowedValues).join(', ')}` },
      ];
    default:
      return [{ path: instancePath, expected: message.replace(/^must /, 'to ') }];
  }
}

function namesOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function withArticle(type: string): string {
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}
