// An answer handed on while it arrives: downloads, long polls, reads of any size. Nothing is kept here; a
// reader that is slow slows the sender down, a reader that leaves ends the request. Whoever leaves while it still
// queues for a connection is told so at once: until it is written nothing of it has left, and its body is untouched.

import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { explain, flatten } from './http-words.ts';
import type { HttpRequest, StreamedReply } from './transport.ts';

export async function streamOver(
  dispatcher: Dispatcher,
  prefix: string,
  request: HttpRequest,
  hangUp: AbortSignal,
): Promise<StreamedReply> {
  const { method, headers, body, deadlineMs } = request;
  const departure = new Departure(hangUp);
  try {
    const answering = departure.over(dispatcher).request({
      path: prefix + request.path,
      method,
      headers,
      body: body instanceof Readable ? departure.bodyOf(body) : body,
      signal: hangUp,
      headersTimeout: deadlineMs,
      bodyTimeout: deadlineMs,
    });
    const answer = await Promise.race([answering, departure.cancelled]);
    // The reader may not listen yet when the line breaks.
    answer.body.on('error', () => {});
    const status = answer.statusCode;
    return { kind: 'answered', status, headers: flatten(answer.headers), body: answer.body };
  } catch (error) {
    const { reason, detail } = explain(error instanceof Error ? error : new Error(String(error)));
    // The path holds a token: whatever an error's text may quote, it does not go on from here.
    const safe = detail.replaceAll(request.path, '<path>');
    return { kind: departure.hasLeft ? 'lost' : 'unsent', reason, detail: safe };
  } finally {
    departure.end();
  }
}

// Whether a request has left its queue; rejects `cancelled` where it is given up before that, which undici would say
// only when a connection is free.
class Departure {
  hasLeft = false;
  readonly cancelled: Promise<never>;
  readonly #left = Promise.withResolvers<void>();
  readonly #hangUp: AbortSignal;
  readonly #giveUp: () => void;

  constructor(hangUp: AbortSignal) {
    this.#hangUp = hangUp;
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => {});
    this.cancelled = promise;
    this.#giveUp = () => {
      if (!this.hasLeft) reject(new DOMException('given up before it was written', 'AbortError'));
    };
    if (hangUp.aborted) this.#giveUp();
    else hangUp.addEventListener('abort', this.#giveUp, { once: true });
  }

  over(dispatcher: Dispatcher): Dispatcher {
    return dispatcher.compose((dispatch) => (options, handler) => {
      const onRequestStart: Dispatcher.DispatchHandler['onRequestStart'] = (...args) => {
        // Throwing drops the request and keeps the socket.
        if (this.#hangUp.aborted) throw new Error('given up before it was written');
        this.hasLeft = true;
        this.#left.resolve();
        handler.onRequestStart?.(...args);
      };
      return dispatch(options, {
        onRequestStart,
        onResponseStart: (...args) => handler.onResponseStart?.(...args),
        onResponseData: (...args) => handler.onResponseData?.(...args),
        onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
        onResponseError: (...args) => handler.onResponseError?.(...args),
      });
    });
  }

  // Not read before: undici looks into a body, and ends it, also where its request does not leave.
  bodyOf(body: Readable): Readable {
    // What fails before it is read says so when it is.
    body.on('error', () => {});
    return Readable.from(this.#flow(body));
  }

  async *#flow(body: Readable): AsyncGenerator<unknown> {
    await this.#left.promise;
    yield* body;
  }

  end(): void {
    this.#hangUp.removeEventListener('abort', this.#giveUp);
  }
}
