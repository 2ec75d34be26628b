// The wire, as the platforms see it: a request, and what came of it.
// The one distinction that matters to delivery is kept: did the request reach the wire before it failed?

import type { Readable } from 'node:stream';

export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  // Path and query below the upstream's base URL. It may hold a token: never log it.
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  // A stream is as long as the header `content-length` says.
  readonly body: string | Readable | null;
  // Give up after this long without a complete answer.
  readonly deadlineMs: number;
}

export type Reply = Answered<string> | NoAnswer;

// `body` breaks off with an error when the line does.
export type StreamedReply = Answered<Readable> | NoAnswer;

interface Answered<Body> {
  kind: 'answered';
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Body;
}

type NoAnswer =
  // Nothing was written: repeating it cannot duplicate.
  | { kind: 'unsent'; reason: string; detail: string }
  // Written (at least in part), and no complete answer came.
  | { kind: 'lost'; reason: string; detail: string };

export interface Transport {
  request(request: HttpRequest): Promise<Reply>;
  // Resolves with the answer's head; the rest flows as fast as it is read. The deadline holds for the head, and
  // for every silence after it. `hangUp` ends it wherever it is.
  stream(request: HttpRequest, hangUp: AbortSignal): Promise<StreamedReply>;
  close(): Promise<void>;
}
