// A dialect's call from inside the process: the same door and answers as over HTTP, without a request.
// So a library user and a client elsewhere can never be told different things.

import { EventEmitter } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ReadableStream } from 'node:stream/web';
import type { Caller } from '../accept/receipt.ts';
import { faultOf, parseJson } from '../system/json.ts';
import type { ValueAnswer } from './answer.ts';
import { callAddress } from './dialects/address.ts';
import { answerNo, answerStopping, answerTooLarge } from './dialects/answer.ts';
import type { Dialects } from './dialects/dialects.ts';
import { answerUnknown, type TelegramDoor } from './dialects/door.ts';
import { JsonBodyError } from './json-body.ts';

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
// The one answer that has no body.
const TOO_LARGE = 'Request Entity Too Large';
// It is not counted by where it comes from.
const FROM_HERE = '';

// The platform's own answer, or Sluice's in the platform's words. Throws when the signal ends the waiting.
export async function callInProcess(dialects: Dialects, call: InProcessCall): Promise<unknown> {
  const door = dialects.get(call.platform);
  if (door === undefined) throw new TypeError(`${call.platform} has no dialect`);
  const { signal } = call;
  const caller = new Signalled(signal);
  try {
    if (caller.destroyed) throw reasonOf(signal);
    const answer = await answered(door, call, caller).catch((error: Error) => door.failed(error));
    if (caller.destroyed) throw reasonOf(signal);
    return await shown(answer);
  } finally {
    caller.release();
  }
}

async function answered(
  door: TelegramDoor,
  { token, method, params }: InProcessCall,
  caller: Caller,
): Promise<ValueAnswer> {
  const fault = params instanceof FormData ? null : faultOf(params);
  if (fault !== null) return answerNo(400, `Bad Request: it is ${fault.detail}`);
  if (door.isStoppingFor(NO_HEADERS)) return answerStopping();
  // As the path would say it, so that the same is a token and a method.
  const path = `/bot${encodeURIComponent(token)}/${encodeURIComponent(method)}`;
  const address = callAddress(path);
  if (address === null) return answerNo(404, 'Not Found');
  const speaker = await door.speaker(address.credential, FROM_HERE);
  if (speaker.kind !== 'speaker') return answerUnknown(speaker);
  const made = { speaker, address, query: {} };
  if (params instanceof FormData) return door.call({ ...made, ...encoded(params) }, caller);
  // By way of its JSON: what a message says is what could have come over the wire.
  const json = JSON.stringify(params);
  if (Buffer.byteLength(json) > door.bodyBytesMax) return answerTooLarge();
  const parsed = parseJson(json);
  if (parsed.kind !== 'value') throw new JsonBodyError(parsed);
  return door.call({ ...made, headers: NO_HEADERS, body: parsed.value }, caller);
}

function encoded(form: FormData): { headers: IncomingHttpHeaders; body: Readable } {
  const { body, headers } = new Response(form);
  const type = headers.get('content-type') ?? '';
  return { headers: { 'content-type': type }, body: Readable.fromWeb(body as ReadableStream) };
}

async function shown({ status, body }: ValueAnswer): Promise<unknown> {
  if (body === null) return { ok: false, error_code: status, description: TOO_LARGE };
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
