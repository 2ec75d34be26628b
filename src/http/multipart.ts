// multipart/form-data, read as it arrives: fields into memory, files into the spool, both within bounds.
// The hard thing is to leave nothing behind: whatever goes wrong in the middle (cut off, too large, disk full),
// what was kept of it is let go again, and the rest of the request is read and thrown away, so that the
// sender hears why instead of losing the connection.

import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { type Files, NO_FILES, type SpooledFile } from '../domain/body.ts';
import type { ReceivedFile, Receiving } from '../spool/spool.ts';
import type { Claimant } from '../system/shares.ts';

// As the platform's own server.
const FILES_MAX = 50;
const FIELDS_MAX = 256;
const NAME_LENGTH_MAX = 256;
const PART_HEADER_BYTES_MAX = 16_384;

export interface FormBounds {
  // Of all fields together.
  readonly fieldBytesMax: number;
  // Of all files together.
  readonly fileBytesMax: number;
}

export type Form =
  // Its files are pinned in the spool.
  | { kind: 'read'; fields: Record<string, string>; files: Files }
  | { kind: 'too_large' }
  | Exclude<ReceivedFile, { kind: 'kept' | 'broken' }>
  | { kind: 'broken'; detail: string };

type Failure = Exclude<Form, { kind: 'read' }>;

export async function readForm(
  source: Readable,
  headers: IncomingHttpHeaders,
  spool: Receiving,
  bounds: FormBounds,
  owner: Claimant,
): Promise<Form> {
  if (Number(headers['content-length'] ?? 0) > bounds.fieldBytesMax + bounds.fileBytesMax) {
    source.resume();
    return { kind: 'too_large' };
  }
  const parts = new Parts(spool, bounds, owner);
  const failure = await pour(source, headers, parts, bounds);
  source.resume();
  return parts.finish(failure);
}

async function pour(
  source: Readable,
  headers: IncomingHttpHeaders,
  parts: Parts,
  bounds: FormBounds,
): Promise<Failure | null> {
  const bytesMax = bounds.fieldBytesMax + bounds.fileBytesMax;
  let parser: BusboyInstance;
  try {
    parser = parserOf(headers, bounds);
  } catch {
    return broken('boundary not found');
  }
  parts.listen(parser);
  const ended = once(parser, 'finish');
  ended.catch(() => {});
  try {
    let bytes = 0;
    for await (const chunk of source.iterator({ destroyOnReturn: false })) {
      bytes += (chunk as Buffer).length;
      if (bytes > bytesMax) return { kind: 'too_large' };
      if (parts.failure !== null) return parts.failure;
      if (!parser.write(chunk)) await once(parser, 'drain');
    }
    // A form of nothing is not broken.
    if (bytes === 0) return null;
    parser.end();
    await ended;
    return null;
  } catch {
    return broken("can't parse form data");
  }
}

function parserOf(headers: IncomingHttpHeaders, bounds: FormBounds): BusboyInstance {
  return new Busboy({
    headers: headers as BusboyHeaders,
    isPartAFile: (_field, _type, fileName) => fileName !== undefined,
    limits: {
      fieldNameSize: NAME_LENGTH_MAX,
      fieldSize: bounds.fieldBytesMax,
      fields: FIELDS_MAX,
      fileSize: bounds.fileBytesMax,
      files: FILES_MAX,
      headerSize: PART_HEADER_BYTES_MAX,
    },
  });
}

class Parts {
  readonly #spool: Receiving;
  readonly #bounds: FormBounds;
  readonly #owner: Claimant;
  readonly #fields: Record<string, string> = {};
  readonly #files = new Map<string, Promise<SpooledFile | null>>();
  readonly #streams: Readable[] = [];
  #fieldBytes = 0;
  #fileBytes = 0;
  failure: Failure | null = null;

  constructor(spool: Receiving, bounds: FormBounds, owner: Claimant) {
    this.#spool = spool;
    this.#bounds = bounds;
    this.#owner = owner;
  }

  listen(parser: BusboyInstance): void {
    const tooLarge = () => this.#fail({ kind: 'too_large' });
    parser.on('error', () => this.#fail(broken("can't parse form data")));
    parser.on('filesLimit', tooLarge);
    parser.on('fieldsLimit', tooLarge);
    parser.on('field', (name, value, _nameCut, isCut) => {
      if (isCut) tooLarge();
      else this.#field(name, value);
    });
    parser.on('file', (name, stream, fileName, _encoding, type) => {
      this.#streams.push(stream);
      stream.on('limit', tooLarge);
      if (this.#files.has(name)) stream.resume();
      else this.#files.set(name, this.#file(stream, fileName, type));
    });
  }

  // Waits for what is still being written; after a failure nothing of it stays.
  async finish(failure: Failure | null): Promise<Form> {
    if (failure !== null) this.#fail(failure);
    if (this.failure !== null) {
      for (const stream of this.#streams) stream.destroy(new Error('cut off'));
    }
    const kept = await Promise.all(
      Array.from(this.#files, async ([name, file]) => [name, await file] as const),
    );
    const files = kept.filter((each): each is [string, SpooledFile] => each[1] !== null);
    if (this.failure !== null) {
      for (const [, { id }] of files) this.#spool.discard(id);
      return this.failure;
    }
    const named = files.length === 0 ? NO_FILES : Object.fromEntries(files);
    return { kind: 'read', fields: this.#fields, files: named };
  }

  #field(name: string | undefined, value: string): void {
    if (name === undefined || name === '' || name.length > NAME_LENGTH_MAX) {
      this.#fail(broken('field name in multipart/form-data not found'));
      return;
    }
    this.#fieldBytes += name.length + value.length;
    // The first of a name counts, as it does for the platform.
    if (this.#fieldBytes <= this.#bounds.fieldBytesMax) this.#fields[name] ??= value;
    else this.#fail({ kind: 'too_large' });
  }

  async #file(stream: Readable, name: string, type: string): Promise<SpooledFile | null> {
    const received = await this.#spool.receive(stream, this.#owner);
    if (received.kind === 'kept') {
      const { id, size } = received;
      this.#fileBytes += size;
      if (this.#fileBytes > this.#bounds.fileBytesMax) this.#fail({ kind: 'too_large' });
      return { id, name, type, size };
    }
    this.#fail(received.kind === 'broken' ? broken("can't parse form data") : received);
    return null;
  }

  #fail(failure: Failure): void {
    this.failure ??= failure;
  }
}

function broken(detail: string): Failure {
  return { kind: 'broken', detail };
}
