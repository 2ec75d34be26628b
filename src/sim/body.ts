// Reads a request's parameters in every form the Bot API takes: JSON, url-encoded, multipart. Bounded:
// a body above BODY_BYTES_MAX is refused, and of files only the name and the size are kept.

import type { IncomingMessage } from 'node:http';
import { exactJson } from '../system/json.ts';
import { firstOf, type SimParams } from './params.ts';

export const BODY_BYTES_MAX = 64 * 1024 * 1024;
const PARTS_MAX = 200;

// null: too large.
export function readBody(request: IncomingMessage, done: (body: Buffer | null) => void): void {
  let first: Buffer | null = null;
  let more: Buffer[] | null = null;
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > BODY_BYTES_MAX) return;
    if (first === null) first = chunk;
    else if (more === null) more = [first, chunk];
    else more.push(chunk);
  });
  request.on('end', () => {
    if (size > BODY_BYTES_MAX) done(null);
    else done(more === null ? (first ?? Buffer.alloc(0)) : Buffer.concat(more));
  });
}

// null: the body is not what its type says.
export function paramsOf(contentType: string, body: Buffer): SimParams | null {
  if (body.length === 0) return {};
  if (contentType.startsWith('application/json')) return parseJson(body.toString());
  if (contentType.startsWith('multipart/form-data')) return parseMultipart(contentType, body);
  return firstOf(new URLSearchParams(body.toString()));
}

export function parseJson(text: string): SimParams | null {
  try {
    const value = exactJson(text);
    return typeof value === 'object' && value !== null ? (value as SimParams) : null;
  } catch {
    return null;
  }
}

function parseMultipart(contentType: string, body: Buffer): SimParams | null {
  const boundary = /boundary=(?:"([^"]+)"|([^;]+))/i.exec(contentType);
  if (boundary === null) return null;
  const mark = Buffer.from(`--${(boundary[1] ?? boundary[2])!.trim()}`);
  const params: Record<string, unknown> = {};
  let at = body.indexOf(mark);
  for (let i = 0; at >= 0 && i < PARTS_MAX; i++) {
    const next = body.indexOf(mark, at + mark.length);
    if (next < 0) break;
    readPart(body.subarray(at + mark.length + 2, next - 2), params);
    at = next;
  }
  return params;
}

function readPart(part: Buffer, params: Record<string, unknown>): void {
  const headEnd = part.indexOf('\r\n\r\n');
  if (headEnd < 0) return;
  const head = part.subarray(0, headEnd).toString();
  const name = paramOf(head, 'name');
  if (name === undefined) return;
  const file = paramOf(head, 'filename');
  const content = part.subarray(headEnd + 4);
  if (name in params) return;
  params[name] = file === undefined ? content.toString() : `file:${file}:${content.length}`;
}

// In quotes, as browsers write it, or bare.
function paramOf(head: string, name: string): string | undefined {
  const found = new RegExp(`[; ]${name}=(?:"([^"]*)"|([^;\\s"]+))`, 'i').exec(head);
  return found?.[1] ?? found?.[2];
}
