// The wire, as the platforms see it: a request, and what came of it.
// The one distinction that matters to delivery is kept: did the request reach the wire before it failed?

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  // Path and query below the upstream's base URL. It may hold a token: never log it.
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  // Give up after this long without a complete answer.
  readonly deadlineMs: number;
}

export type Reply =
  | { kind: 'answered'; status: number; headers: Readonly<Record<string, string>>; body: string }
  // Nothing was written: repeating it cannot duplicate.
  | { kind: 'unsent'; reason: string; detail: string }
  // Written (at least in part), and no complete answer came.
  | { kind: 'lost'; reason: string; detail: string };

export interface Transport {
  request(request: HttpRequest): Promise<Reply>;
  close(): Promise<void>;
}
