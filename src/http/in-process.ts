// A dialect's call from inside the process: the same dropIn and answers as over HTTP, without a request.
// So a library user and a client elsewhere can never be told different things.

import { EventEmitter } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ReadableStream } from 'node:stream/web';
import type { Caller } from '../accept/callers.ts';
import type { ValueAnswer } from '../platforms/platform.ts';
import { faultOf, parseJson } from '../system/json.ts';
import {
  answerNotFound,
  answerStopping,
  answerTooLarge,
  answerUnknown,
} from './dialects/answers.ts';
import type { Dialects } from './dialects/dialects.ts';
import type { DropIn } from './dialects/drop-in.ts';
import { JsonBodyError } from './edge.ts';

export interface InProcessCall {
  readonly platform: string;
  readonly token: string;
  readonly method: string;
  // A form carries files.
  readonly params: Readonly<Record<string, unknown>> | FormData;
  // Ends the waiting, never the delivery.
  readonly signal?: AbortSignal | undefined;
}

const NO_HEADERS: IncomingHttpHeaders = Object.freeze({});
// A caller over HTTP may be told by the status alone, one in the process has nothing else than a body.
const TOO_LARGE = 'Request Entity Too Large';
// It is not counted by where it comes from.
const FROM_HERE = '';

// The platform's own answer, or Sluice's in the platform's words. Throws when the signal ends the waiting.
export async function callInProcess(dialects: Dialects, call: InProcessCall): Promise<unknown> {
  const dropIn = dialects.get(call.platform);
  if (dropIn === undefined) throw new TypeError(`${call.platform} has no dialect`);
  const { signal } = call;
  const caller = new Signalled(signal);
  try {
    if (caller.destroyed) throw reasonOf(signal);
    const answer = await answered(dropIn, call, caller).catch((error: Error) =>
      dropIn.failed(error),
    );
    if (caller.destroyed) throw reasonOf(signal);
    return await shown(dropIn, answer);
  } finally {
    caller.release();
  }
}

async function answered(
  dropIn: DropIn,
  { token, method, params }: InProcessCall,
  caller: Caller,
): Promise<ValueAnswer> {
  const { dialect } = dropIn.platform;
  const fault = params instanceof FormData ? null : faultOf(params);
  if (fault !== null) return dialect.unreadable(`it is ${fault.detail}`);
  if (dropIn.isStoppingFor(NO_HEADERS)) return answerStopping(dialect);
  const located = dialect.located(token, method);
  if (located === null) return answerNotFound(dialect);
  const speaker = await dropIn.speaker(located.credential, FROM_HERE);
  if (speaker.kind !== 'speaker') return answerUnknown(dialect, speaker);
  const made = { speaker, call: located, query: {} };
  if (params instanceof FormData) return dropIn.call({ ...made, ...encoded(params) }, caller);
  // By way of its JSON: what a message says is what could have come over the wire.
  const json = JSON.stringify(params);
  if (Buffer.byteLength(json) > dropIn.bodyBytesMax) return answerTooLarge(dialect);
  const parsed = parseJson(json);
  if (parsed.kind !== 'value') throw new JsonBodyError(parsed);
  return dropIn.call({ ...made, headers: NO_HEADERS, body: parsed.value }, caller);
}

function encoded(form: FormData): { headers: IncomingHttpHeaders; body: Readable } {
  const { body, headers } = new Response(form);
  const type = headers.get('content-type') ?? '';
  return { headers: { 'content-type': type }, body: Readable.fromWeb(body as ReadableStream) };
}

async function shown({ platform }: DropIn, { status, body: said }: ValueAnswer): Promise<unknown> {
  const body = said ?? platform.dialect.refused(status, TOO_LARGE).body ?? '{}';
  return JSON.parse(typeof body === 'string' ? body : await text(body)) as unknown;
}

// Leaves when its signal says so.
class Signalled extends EventEmitter {
  readonly #signal: AbortSignal | undefined;
  readonly #leave = () => void this.emit('close');

  constructor(signal: AbortSignal | undefined) {
    super();
    this.#signal = signal;
    signal?.addEventListener('abort', this.#leave);
  }

  get destroyed(): boolean {
    return this.#signal?.aborted === true;
  }

  release(): void {
    this.#signal?.removeEventListener('abort', this.#leave);
  }
}

function reasonOf(signal: AbortSignal | undefined): unknown {
  return signal?.reason ?? new DOMException('The call was given up.', 'AbortError');
}

// Of a form only what is text: files are not what decides where a call goes.
export function textParams(params: InProcessCall['params']): Readonly<Record<string, unknown>> {
  if (!(params instanceof FormData)) return params;
  return Object.fromEntries([...params].filter(([, value]) => typeof value === 'string'));
}
