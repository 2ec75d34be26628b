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
  const byPath = new Map<string, Trouble[]>();
  for (const error of validator.Errors(value) as SchemaError[]) {
    for (const trouble of readError(error)) {
      const { path, expected } = trouble;
      const sofar = byPath.get(path);
      if (sofar === undefined) byPath.set(path, [trouble]);
      else if (!sofar.some((each) => each.expected === expected)) sofar.push(trouble);
    }
  }
  return Array.from(byPath.values(), joined).slice(0, TROUBLES_MAX);
}

// Of one place: any of them would be right.
function joined(troubles: readonly Trouble[]): Trouble {
  const [first] = troubles;
  const path = first!.path === '' ? '/' : first!.path;
  if (troubles.length === 1) return { ...first!, path };
  return { path, expected: troubles.map(({ expected }) => expected).join(', or ') };
}

function readError(error: SchemaError): Trouble[] {
  const { keyword, instancePath, message } = error;
  const params = error.params as Readonly<Record<string, unknown>>;
  switch (keyword) {
    case 'additionalProperties':
      return namesOf(params.additionalProperties).map((name) => ({
        path: `${instancePath}/${name}`,
        expected: 'no such field',
        detail: 'unknown field',
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
