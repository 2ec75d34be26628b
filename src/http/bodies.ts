// Bodies that the framework leaves alone: streams, compressed ones, and those of a GET. All within the same bounds as
// any other: what counts is what a body comes to when it is unpacked.

import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { createGunzip, createInflate, type Gunzip, type Inflate } from 'node:zlib';
import { parseJson } from '../system/json.ts';
import { JsonBodyError } from './edge.ts';

// What a stream may still hold when its reader has stopped it: a chunk or two.
const UNREAD_BYTES_MAX = 65_536;

// What the error handler gets of a body that cannot be taken.
export class BodyError extends Error {
  readonly statusCode: 400 | 413 | 415;

  constructor(statusCode: 400 | 413 | 415) {
    super('a body that cannot be taken');
    this.statusCode = statusCode;
  }
}

// A body that is no JSON, and read as it arrives.
export function isStream(body: unknown): body is Readable {
  return body instanceof Readable;
}

// Of a name that is given twice the first counts.
export function formParams(text: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(text)) fields[name] ??= value;
  return fields;
}

export function isForm(contentType: string): boolean {
  return /^multipart\/form-data\b/i.test(contentType);
}

export function isCompressed(headers: IncomingHttpHeaders): boolean {
  const encoding = headers['content-encoding'];
  return encoding !== undefined && encoding !== '' && !/^identity$/i.test(encoding);
}

export type Inflated = Readable & { receivedEncodedLength: number };

// The body as it was before it was packed; it breaks off where it comes to more than `bytesMax`.
export function inflated(
  headers: IncomingHttpHeaders,
  packed: Readable,
  bytesMax: number,
): Inflated | BodyError {
  const unpacking = unpackerOf(headers['content-encoding'] ?? '');
  if (unpacking === null) return new BodyError(415);
  const unpacked = Object.assign(unpacking, { receivedEncodedLength: 0 });
  let bytes = 0;
  const stop = (error: Error) => {
    packed.unpipe(unpacked);
    packed.resume();
    unpacked.destroy(error);
  };
  packed.on('data', (chunk: Buffer) => {
    unpacked.receivedEncodedLength += chunk.length;
  });
  packed.once('error', stop);
  packed.once('close', () => {
    if (!packed.readableEnded) stop(new BodyError(400));
  });
  unpacked.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bytesMax + UNREAD_BYTES_MAX) stop(new BodyError(413));
  });
  // Whoever reads it hears of it too; when nobody reads any more it is nobody's.
  unpacked.on('error', () => packed.unpipe(unpacked));
  unpacked.pause();
  return packed.pipe(unpacked);
}

function unpackerOf(encoding: string): Gunzip | Inflate | null {
  switch (encoding.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    default:
      return null;
  }
}

export function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

// As the parsers of other methods would give it: an object, a stream that is a form, or nothing.
export async function bodyOfGet(
  headers: IncomingHttpHeaders,
  raw: Readable,
  { bytesMax, formBytesMax }: { bytesMax: number; formBytesMax: number },
): Promise<unknown> {
  const type = headers['content-type'] ?? '';
  const inflatedMax = isForm(type) ? formBytesMax : bytesMax;
  const source = isCompressed(headers) ? inflated(headers, raw, inflatedMax) : raw;
  if (source instanceof BodyError) throw source;
  if (isForm(type)) return source;
  const text = await textOf(source, bytesMax).catch((error: unknown) => {
    throw error instanceof BodyError ? error : new BodyError(400);
  });
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) return formParams(text);
  if (!/^application\/json\b/i.test(type) || text === '') return undefined;
  const parsed = parseJson(text);
  if (parsed.kind === 'value') return parsed.value;
  throw new JsonBodyError(parsed);
}

async function textOf(source: Readable, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of source.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).length;
    if (bytes > bytesMax) throw new BodyError(413);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}
