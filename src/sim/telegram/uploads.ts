// Files of a call: an id, a URL, or a part that came along. A part is kept as its name and its size.

import { type SimParams, textOf } from '../params.ts';

const ATTACHED = 'attach://';
const PART = /^file:.*:(\d+)$/;
// An id is base64 for URLs; whatever has a dot in it is taken for an address.
const FILE_ID = /^[\w-]+$/;
const FILE_BYTES = 1024;

// What is referred to must be a file: of a part, it must have come along.
export function isFile(params: SimParams, value: unknown): boolean {
  if (typeof value !== 'string' || value === '') return false;
  return value.startsWith(ATTACHED) ? isPart(params[value.slice(ATTACHED.length)]) : true;
}

export function isPart(value: unknown): boolean {
  return typeof value === 'string' && PART.test(value);
}

export function isFileId(value: string): boolean {
  return FILE_ID.test(value);
}

// Neither a part, nor an id, nor an address: what the core answers to it.
export function isWrongFile(value: unknown): boolean {
  if (typeof value !== 'string' || value.startsWith(ATTACHED) || isPart(value)) return false;
  return !FILE_ID.test(value) && !value.includes('.');
}

// Of an upload its own, of anything else the simulator knows no better.
export function sizeOf(params: SimParams, file: unknown): number {
  const isAttached = typeof file === 'string' && file.startsWith(ATTACHED);
  const value = isAttached ? textOf(params, file.slice(ATTACHED.length)) : file;
  const uploaded = typeof value === 'string' ? PART.exec(value)?.[1] : undefined;
  return uploaded === undefined ? FILE_BYTES : Number(uploaded);
}
