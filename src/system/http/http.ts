// The wire over HTTP/1.1: pooled keep-alive connections, one deadline for the whole answer, a bound
// on its size. The hard thing is to know whether a failed request was written. undici calls
// `onRequestStart` when a live socket is at hand and writes the request to it in the same turn:
// before that call nothing left (`unsent`), after it something may have (`lost`). HTTP/2 is off
// because its streams blur that line, pipelining because undici writes again what stood behind a
// broken answer.

import type { buildConnector, Dispatcher } from 'undici';
import { assert } from '../assert.ts';
import { streamOver } from './http-stream.ts';
import { explain, flatten } from './http-words.ts';
import type { HttpRequest, Reply, Transport } from './transport.ts';
import { Pool } from './undici.ts';

const CONNECTIONS_MAX_DEFAULT = 64;
const CONNECT_TIMEOUT_MS_DEFAULT = 5_000;
// Shorter than a front server's idle time-out: a socket about to be closed loses answers.
const KEEP_ALIVE_MS_DEFAULT = 20_000;
// An answer to a send is a few kilobytes; more is a mistake or an attack.
const ANSWER_BYTES_MAX_DEFAULT = 4 * 1024 * 1024;

export interface HttpOptions {
  // Scheme, host, port, and a path prefix if there is one.
  readonly baseUrl: string;
  readonly connectionsMax?: number;
  readonly connectTimeoutMs?: number;
  readonly keepAliveMs?: number;
  readonly answerBytesMax?: number;
  // For upstreams behind a private certificate authority.
  readonly tls?: Partial<buildConnector.BuildOptions>;
}

export function undiciTransport(options: HttpOptions): Transport {
  const base = new URL(options.baseUrl);
  const prefix = base.pathname.replace(/(?<!\/)\/+$/, '');
  const answerBytesMax = options.answerBytesMax ?? ANSWER_BYTES_MAX_DEFAULT;
  const connectTimeoutMs = options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS_DEFAULT;
  const pool = new Pool(base.origin, {
    connections: options.connectionsMax ?? CONNECTIONS_MAX_DEFAULT,
    connect: { ...options.tls, timeout: connectTimeoutMs },
    keepAliveTimeout: options.keepAliveMs ?? KEEP_ALIVE_MS_DEFAULT,
    pipelining: 1,
    allowH2: false,
    // The deadline of each request rules; undici's own time-outs would be a second opinion.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    request(request) {
      return new Promise((resolve) => {
        const { method, headers, body } = request;
        const exchange = new Exchange(request, answerBytesMax, resolve);
        pool.dispatch({ path: prefix + request.path, method, headers, body }, exchange);
      });
    },
    stream: (request, hangUp) => streamOver(pool, prefix, request, hangUp),
    // Cuts off what is in flight: it ends as lost. Whoever closes has waited for as long as it would.
    close: () => pool.destroy(),
  };
}

// One request and its answer, as undici reports them. The first end counts; later ones are ignored.
class Exchange implements Dispatcher.DispatchHandler {
  readonly #path: string;
  readonly #answerBytesMax: number;
  readonly #timer: NodeJS.Timeout;
  #resolve: ((reply: Reply) => void) | null;
  #controller: Dispatcher.DispatchController | null = null;
  #status = 0;
  #headers: Readonly<Record<string, string>> = {};
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(request: HttpRequest, answerBytesMax: number, resolve: (reply: Reply) => void) {
    this.#path = request.path;
    this.#answerBytesMax = answerBytesMax;
    this.#resolve = resolve;
    const { deadlineMs } = request;
    this.#timer = setTimeout(() => {
      this.#giveUp('timeout', `no complete answer within ${deadlineMs} ms`);
    }, deadlineMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Given up while it queued for a connection. Throwing drops the request and keeps the socket;
    // `controller.abort` would close a good connection for nothing.
    if (this.#resolve === null) throw new Error('given up before it was written');
    // Started twice would be written twice. The throw ends it as lost.
    assert(this.#controller === null, 'a request is written once');
    this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = status;
    this.#headers = flatten(headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes <= this.#answerBytesMax) this.#chunks.push(chunk);
    else this.#giveUp('answer_too_large', `the answer exceeds ${this.#answerBytesMax} bytes`);
  }

  onResponseEnd(): void {
    const body = Buffer.concat(this.#chunks, this.#bytes).toString('utf8');
    this.#end({ kind: 'answered', status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    const { reason, detail } = explain(error);
    this.#fail(reason, detail);
  }

  #giveUp(reason: string, detail: string): void {
    this.#fail(reason, detail);
    this.#controller?.abort(new Error(reason));
  }

  #fail(reason: string, detail: string): void {
    const written = this.#controller !== null;
    // The path holds a token: whatever an error's text may quote, it does not go on from here.
    const safe = detail.replaceAll(this.#path, '<path>');
    this.#end({ kind: written ? 'lost' : 'unsent', reason, detail: safe });
  }

  #end(reply: Reply): void {
    const resolve = this.#resolve;
    if (resolve === null) return;
    this.#resolve = null;
    this.#chunks = [];
    clearTimeout(this.#timer);
    resolve(reply);
  }
}
