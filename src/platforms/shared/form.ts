// A call with files, as multipart/form-data whose length is known before its first byte: files flow from the
// spool onto the wire and never lie in memory. The boundary is the digest of the body, and the body holds
// the digests of the files: none of them can hold it.

import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { ATTACH, type Files, type SpooledFile } from '../../domain/body.ts';
import type { FileSource } from '../platform.ts';

type Params = Readonly<Record<string, unknown>>;

// The fields of a form: what is no text is written as JSON, what is not there is left out.
export function fieldsAsText(params: Params): [string, string][] {
  return Object.entries(params)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
}

export interface OutgoingForm {
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: number;
  // Opens the files when it is read.
  open(): Readable;
}

export function formOf(params: Params, files: Files, source: FileSource): OutgoingForm {
  const boundary = `sluice-${hash('sha256', JSON.stringify([params, files]))}`;
  const pieces: (Buffer | SpooledFile)[] = [];
  for (const [name, text] of fieldsAsText(params)) {
    // The part itself stands for it.
    if (text === `${ATTACH}${name}`) continue;
    pieces.push(Buffer.from(`--${boundary}\r\n${disposition(name)}\r\n\r\n${text}\r\n`));
  }
  for (const [name, file] of Object.entries(files)) {
    const head = `${disposition(name)}; filename="${quoted(file.name)}"\r\nContent-Type: `;
    const type = /^[\w.+/-]+$/.test(file.type) ? file.type : 'application/octet-stream';
    pieces.push(Buffer.from(`--${boundary}\r\n${head}${type}\r\n\r\n`), file, Buffer.from('\r\n'));
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`));
  const bytes = pieces.reduce((sum, piece) => sum + sizeOf(piece), 0);
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(bytes),
    },
    bytes,
    open: () => Readable.from(flow(pieces, source), { objectMode: false }),
  };
}

async function* flow(pieces: readonly (Buffer | SpooledFile)[], source: FileSource) {
  for (const piece of pieces) {
    if (Buffer.isBuffer(piece)) yield piece;
    else yield* source.read(piece.id);
  }
}

function sizeOf(piece: Buffer | SpooledFile): number {
  return Buffer.isBuffer(piece) ? piece.length : piece.size;
}

function disposition(name: string): string {
  return `Content-Disposition: form-data; name="${quoted(name)}"`;
}

// As browsers do: what would end the quotation or the line is percent-encoded.
function quoted(text: string): string {
  return text.replace(/["\r\n]/g, (letter) => encodeURIComponent(letter));
}
