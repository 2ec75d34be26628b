// What a call brought, by name and kind. A client that sends something else is answered as the platform answers it.

import { isObject, type TlObject } from './tl/tl.ts';

// An answer of the API that is a refusal; thrown by methods, caught where calls are judged.
export class RpcRefusal extends Error {
  override readonly name = 'RpcRefusal';
  readonly code: number;
  readonly text: string;

  constructor(code: number, text: string) {
    super(text);
    this.code = code;
    this.text = text;
  }
}

const UNREADABLE = { code: 400, text: 'INPUT_FETCH_ERROR' };

export function intOf(from: TlObject, field: string): number {
  const value = from[field];
  return typeof value === 'number' ? value : unreadable();
}

export function longOf(from: TlObject, field: string): bigint {
  const value = from[field];
  return typeof value === 'bigint' ? value : unreadable();
}

export function textOf(from: TlObject, field: string): string {
  const value = from[field];
  return typeof value === 'string' ? value : unreadable();
}

export function bytesIn(from: TlObject, field: string): Buffer {
  const value = from[field];
  return Buffer.isBuffer(value) ? value : unreadable();
}

export function objectIn(from: TlObject, field: string): TlObject {
  const value = from[field];
  return isObject(value) ? value : unreadable();
}

export function objectsIn(from: TlObject, field: string): readonly TlObject[] {
  const value = from[field];
  return Array.isArray(value) && value.every(isObject) ? value : unreadable();
}

export function longsIn(from: TlObject, field: string): readonly bigint[] {
  const value = from[field];
  const isRight = Array.isArray(value) && value.every((item) => typeof item === 'bigint');
  return isRight ? value : unreadable();
}

function unreadable(): never {
  throw new RpcRefusal(UNREADABLE.code, UNREADABLE.text);
}
