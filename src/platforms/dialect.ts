// A platform's own API, served as a drop-in: any client of the platform works by its base URL alone. What only the
// platform knows is here, and all of it is values: which paths there are, whose credential a request carries and what
// it calls, and how each thing Sluice has to say is put in the platform's words. Everything else is the same for all
// platforms, and is done by http/dialects: who may, the body, the road, waiting, passing on.

import type { Readable } from 'node:stream';
import type { Files } from '../domain/body.ts';
import type { DescribedCall } from '../domain/call.ts';
import type { State } from '../domain/delivery.ts';
import type { Problem } from '../domain/errors.ts';

export type Params = Readonly<Record<string, unknown>>;
export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
// Names in lower case.
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;
export type AnswerHeaders = Readonly<Record<string, string | number>>;

// An answer as a value: over HTTP it is sent as it is; in process its body is read.
export interface ValueAnswer {
  readonly status: number;
  // Left out: there is nothing to say beside the body.
  readonly headers?: AnswerHeaders;
  // A text is JSON; null: there is none; a stream has its type among the headers.
  readonly body: string | Readable | null;
}

export interface DialectRoute {
  // The first stands for the route where it is listed.
  readonly verbs: readonly Verb[];
  // `:name` is one segment or its end, `*` whatever follows.
  readonly url: string;
}

export interface Dialect extends DialectReading, DialectAnswers {
  readonly routes: readonly DialectRoute[];
  // Matches the URLs that are its own, those among them that no route takes: whose words a refusal is said in when the
  // URL is all that is known. Data, because it is asked where an exception would end the process.
  readonly own: RegExp;
  // Headers of an answer that is passed on, beside those of every HTTP server.
  readonly headersPassed?: readonly string[];
}

// How requests are read.
export interface DialectReading {
  // By its head alone: nothing of a body is read for a credential that is not valid. null: no such thing is here.
  locate(head: RequestHead): LocatedRequest | null;
  // A call from inside the process, as if it had come with the head that says the same.
  located(credential: string, method: string): LocatedCall | null;
  // When the body is there.
  read(call: LocatedCall, given: GivenParams): ReadCall;
  // How long the platform itself may keep such a call open before it answers (long polls); 0: it answers at once.
  heldMs(params: Params): number;
  // The part of a credential that is secret: what holders of a virtual one must not see.
  secretOf(credential: string): string;
}

export interface RequestHead {
  readonly verb: string;
  // Path and query as they came. They may hold a credential: never to be logged or echoed.
  readonly url: string;
  readonly headers: RequestHeaders;
}

export type LocatedRequest =
  | LocatedCall
  | LocatedFile
  // Told to those whose credential is valid; others are told that theirs is not.
  | { readonly kind: 'refused'; readonly credential: string; readonly answer: ValueAnswer };

export interface LocatedCall {
  readonly kind: 'call';
  readonly credential: string;
  // As `calls.describe` takes it; '': it stands among the parameters.
  readonly method: string;
  // What the path says of the call: its chat, its message.
  readonly params: Params;
}

export interface LocatedFile {
  readonly kind: 'file';
  readonly credential: string;
  // The call that a key with bounds must be allowed for a download.
  readonly method: string;
  // Safe to stand in a path.
  readonly path: string;
  // What there is to say of it, without it.
  readonly isHead?: boolean;
}

export interface GivenParams {
  // Of a name that is given twice there is a list.
  readonly query: unknown;
  // JSON as it was read, or the fields of a form; undefined: there is none.
  readonly body: unknown;
  // By the name of the part each came in.
  readonly files: Files;
}

export type ReadCall =
  | { readonly kind: 'call'; readonly method: string; readonly params: Params }
  | { readonly kind: 'refused'; readonly answer: ValueAnswer };

// How a delivery came to rest.
export interface DeliveryEnding {
  readonly state: State;
  readonly reason: string | null;
  readonly detail: string | null;
  // The platform's answer (JSON text), also when it refused; null when there was none.
  readonly result: string | null;
}

// What Sluice says, in the platform's words.
export interface DialectAnswers {
  // A no of HTTP's, or one that the platform gave: its detail is the whole of it.
  refused(status: number, detail: string): ValueAnswer;
  // What came cannot be understood.
  unreadable(detail: string): ValueAnswer;
  // It may have been done already: nothing that a client would repeat on its own.
  conflict(detail: string): ValueAnswer;
  // One of the catalogue; `retryAfterS`: when to come again, for those that pass with time.
  problem(refusal: Problem, retryAfterS: number): ValueAnswer;
  // Too much for now.
  later(seconds: number): ValueAnswer;
  tooLarge(): ValueAnswer;
  // To a caller who waited.
  ended(call: DescribedCall, params: Params, ending: DeliveryEnding, now: number): ValueAnswer;
  // To one who does not wait: messages that do not exist yet, with ids that later calls may use.
  provisional(call: DescribedCall, params: Params, seq: number, now: number): ValueAnswer;
  // Whether that says of an edit what the platform will; if not, live edits wait for its answer too. Left out: always.
  isForetold?(call: DescribedCall, params: Params): boolean;
  // A typing sign or a draft; null: the platform has said nothing about it.
  cosmetic(result: string | null): ValueAnswer;
}

// Of platforms whose clients ask for updates. Where they come by webhook instead and are kept here, they are answered
// from the store.
export interface UpdatePolling {
  // null: the call is about something else.
  asked(method: string, params: Params): PollCall | null;
  // Each update is JSON text.
  polled(updates: readonly string[]): ValueAnswer;
  // Another one has begun to poll.
  conflict(): ValueAnswer;
  // The webhook is what fills the store, so it stays; the client is told that it is gone.
  webhookRemoved(): ValueAnswer;
  // Those in an answer of the platform's.
  updatesIn(answer: string): readonly unknown[];
}

export type PollCall =
  | { readonly kind: 'poll' }
  // `drop`: the poll that takes all updates away which wait; null: they stay.
  | { readonly kind: 'remove_webhook'; readonly drop: Params | null };
