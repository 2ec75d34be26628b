// A broadcast as a form: the part `message` is the order as JSON, the part `recipients` the list. The list goes into
// its audience as it arrives; whichever part comes first.

import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import type { AudienceDraft } from '../../broadcast/broadcast.ts';
import { type Problem, problem } from '../../domain/errors.ts';
import { LIST_TYPES, listFormatOf } from '../../domain/recipient-list.ts';
import { parseJson } from '../../system/json.ts';
import { codeOf } from '../edge.ts';
import { type BroadcastOptions, draftFrom } from './calls.ts';

const MESSAGE_BYTES_MAX = 262_144;
const PARTS_MAX = 4;

export type BroadcastForm =
  | { kind: 'read'; order: unknown; draft: AudienceDraft }
  | { kind: 'refused'; problem: Problem };

export async function readBroadcastForm(
  options: BroadcastOptions,
  source: Readable,
  headers: IncomingHttpHeaders,
): Promise<BroadcastForm> {
  let parser: BusboyInstance;
  try {
    const limits = { fieldSize: MESSAGE_BYTES_MAX, fields: PARTS_MAX, files: PARTS_MAX };
    parser = new Busboy({ headers: headers as BusboyHeaders, limits });
  } catch {
    source.resume();
    return refused(broken());
  }
  const parts = new FormParts(options);
  parts.listen(parser);
  try {
    const ended = once(parser, 'finish');
    ended.catch(() => {});
    for await (const chunk of source.iterator({ destroyOnReturn: false })) {
      if (!parser.write(chunk)) await once(parser, 'drain');
    }
    parser.end();
    await ended;
  } catch {
    parts.breakOff();
  }
  source.resume();
  return parts.finish();
}

class FormParts {
  readonly #options: BroadcastOptions;
  readonly #streams: Readable[] = [];
  #message: Promise<string> | null = null;
  #list: Promise<AudienceDraft | Problem> | null = null;
  #isBroken = false;

  constructor(options: BroadcastOptions) {
    this.#options = options;
  }

  listen(parser: BusboyInstance): void {
    parser.on('error', () => this.breakOff());
    parser.on('field', (name, value) => {
      if (name === 'message') this.#message ??= Promise.resolve(value);
    });
    parser.on('file', (name, stream, fileName, _encoding, type) => {
      this.#streams.push(stream);
      // Whoever reads it is told as well; nobody reading it must not end the process.
      stream.on('error', () => {});
      if (name === 'message' && this.#message === null) {
        this.#message = textOf(stream);
        this.#message.catch(() => {});
      } else if (name === 'recipients' && this.#list === null) {
        this.#list = this.#read(stream, type, fileName);
        // Told by `finish`.
        this.#list.catch(() => {});
      } else stream.resume();
    });
  }

  // What was being read of it ends here.
  breakOff(): void {
    this.#isBroken = true;
    for (const stream of this.#streams) stream.destroy(new Error('cut off'));
  }

  async finish(): Promise<BroadcastForm> {
    const draft = await (this.#list ?? missing('recipients'));
    if ('code' in draft) return refused(this.#isBroken ? broken() : draft);
    const order = await this.#order();
    if (order.kind === 'read' && !this.#isBroken) return { ...order, draft };
    await draft.drop();
    return order.kind === 'read' ? refused(broken()) : order;
  }

  async #order(): Promise<
    { kind: 'read'; order: unknown } | { kind: 'refused'; problem: Problem }
  > {
    if (this.#message === null) return refused(missing('message'));
    const parsed = parseJson(await this.#message);
    if (parsed.kind === 'value') return { kind: 'read', order: parsed.value };
    return refused(problem(codeOf(parsed), `The part \`message\` is ${parsed.detail}.`));
  }

  async #read(source: Readable, type: string, fileName: string): Promise<AudienceDraft | Problem> {
    const format = listFormatOf(type, fileName);
    if (format === null) {
      source.resume();
      const known = Object.keys(LIST_TYPES).join(', ');
      return problem('unsupported_media_type', `The part \`recipients\` must be one of ${known}.`);
    }
    return draftFrom(this.#options, null, { source, format });
  }
}

async function textOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += (chunk as Buffer).length;
    if (bytes <= MESSAGE_BYTES_MAX) chunks.push(chunk as Buffer);
  }
  return bytes > MESSAGE_BYTES_MAX ? '' : Buffer.concat(chunks).toString();
}

function refused(refusal: Problem): { kind: 'refused'; problem: Problem } {
  return { kind: 'refused', problem: refusal };
}

function broken(): Problem {
  return problem('invalid_recipients', 'The form broke off, or cannot be read.');
}

function missing(part: string): Problem {
  return problem('invalid_message', `The form has no part \`${part}\`.`);
}
