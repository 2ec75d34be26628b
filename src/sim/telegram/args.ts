// A call's arguments as the server has them: texts. What a JSON body holds as another type is its JSON text, so that a
// null is the word "null". Parameters that no method knows are never looked at.

import type { SimParams } from '../params.ts';

export function argOf(params: SimParams, name: string): string {
  const value = params[name];
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export type JsonArg =
  | { kind: 'absent' }
  | { kind: 'broken' }
  | { kind: 'value'; readonly value: unknown };

export function jsonArg(params: SimParams, name: string): JsonArg {
  const value = params[name];
  if (value === undefined || value === '') return { kind: 'absent' };
  if (typeof value !== 'string') return { kind: 'value', value };
  try {
    return { kind: 'value', value: JSON.parse(value) };
  } catch {
    return { kind: 'broken' };
  }
}

export function requiredProblem(params: SimParams, ...names: string[]): string | null {
  const missing = names.find((name) => argOf(params, name) === '');
  return missing === undefined ? null : `parameter "${missing}" is required`;
}

export function isObject(value: unknown): value is SimParams {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Fields of objects, which have types. Each of these says what is wrong, as the server says it within a sentence.
export function integerProblem(object: SimParams, name: string): string | null {
  const value = object[name];
  if (value === undefined) return `Can't find field "${name}"`;
  if (typeof value !== 'number' && typeof value !== 'string') {
    return `Field "${name}" must be of type Number`;
  }
  if (/^-?\d{1,10}$/.test(String(value))) return null;
  return `Can't parse as an integer string "${value}"`;
}

export function textProblem(object: SimParams, name: string, isRequired: boolean): string | null {
  const value = object[name];
  if (value === undefined) return isRequired ? `Can't find field "${name}"` : null;
  const isText = typeof value === 'string' || typeof value === 'number';
  return isText ? null : `Field "${name}" must be of type String`;
}

export function flagProblem(object: SimParams, ...names: string[]): string | null {
  const wrong = names.find((n) => object[n] !== undefined && typeof object[n] !== 'boolean');
  return wrong === undefined ? null : `Field "${wrong}" must be of type Boolean`;
}

// The beginning of a sentence is in lower case, unless it is a code of the core.
export function asSentence(words: string): string {
  return /^.[A-Z_]/.test(words) ? words : words[0]!.toLowerCase() + words.slice(1);
}
