// What a simulated platform is to whoever stands in front of it: the wire in this process, the HTTP server, the people
// in its chats. Each platform's own folder says what its requests mean; faults, latency and counting are the same for
// all.

import type { Clock } from '../system/clock.ts';
import type { SimParams } from './params.ts';

export interface SimAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SimRequest {
  readonly verb: string;
  // Path and query.
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // Its body; null: it is not what its type says.
  readonly params: SimParams | null;
}

// What became of one call, for those who check.
export interface SimCall {
  readonly token: string;
  readonly method: string;
  readonly chat: string | null;
  readonly arrivedAt: number;
  // When it took effect; null: it did not.
  readonly acceptedAt: number | null;
  readonly holdMs: number;
  readonly status: number;
  // Why it was told to wait: `flood` was earned by calling too fast, all else was not.
  readonly cause: string | null;
  readonly retryAfterS: number | null;
  readonly messageIds: readonly (number | string)[];
}

export interface SimVerdict<Call extends SimCall = SimCall> {
  readonly answer: SimAnswer;
  // The answer leaves this much later.
  readonly holdMs: number;
  readonly call: Call;
}

// A call that faults may strike on its way.
export interface SimAskedCall<Call extends SimCall = SimCall> {
  readonly kind: 'call';
  readonly token: string;
  readonly method: string;
  readonly chat: string;
  readonly params: SimParams;
  judge(now: number): SimVerdict<Call>;
}

export type SimAsked<Call extends SimCall = SimCall> =
  | SimAskedCall<Call>
  // No call: a file, a path that is none.
  | { readonly kind: 'plain'; readonly answer: SimAnswer }
  // A long poll.
  | { readonly kind: 'held'; readonly answer: Promise<SimAnswer> };

export interface SimServing<Call extends SimCall = SimCall> {
  receive(request: SimRequest): SimAsked<Call>;
  // Everyone who is held is answered.
  close(): void;
}

export interface SimModel<Call extends SimCall = SimCall> {
  readonly platform: string;
  serve(clock: Clock): SimServing<Call>;
  // Everyone is sent away until then.
  restart(until: number): void;
  // What its front says in its place.
  readonly broken: Readonly<Record<'badGateway' | 'internalError' | 'tooLarge', SimAnswer>>;
  // Its own routes below /sim/; null: no such route.
  control(route: string, params: SimParams, now: number): unknown;
}

// What anyone can read in a browser, beside the API.
export interface SimWebPages {
  // null: it is not the address of such a page.
  page(path: string): SimAnswer | null;
}

// Its chats, for those who look at them and write in them.
export interface SimPeople {
  readonly platform: string;
  // How an account learns of an update that is posted nowhere.
  readonly pulledBy: string;
  newestByChat(max: number): readonly SimMessage[];
  messagesOf(chat: string): readonly SimMessage[];
  inject(token: string, chat: string, text: string, now: number): SimInjected;
  setChat(chat: string, state: { kind: 'open' } | { kind: 'blocked' }): void;
  isBlocked(chat: string): boolean;
  freeze(token: string, chat: string, seconds: number, now: number): void;
}

export interface SimInjected {
  // As it is posted to a webhook.
  readonly posted: object;
  readonly messageId: number | string;
}

export interface SimMessage {
  // Its account, as its credential claims it.
  readonly bot: string;
  readonly chat: string;
  readonly thread: string | null;
  readonly id: number | string;
  // Seconds since the epoch.
  readonly date: number;
  readonly fromBot: boolean;
  readonly text: string;
  readonly isDeleted: boolean;
}

// One of the simulators there are.
export interface SimulatorKind<
  Options = object,
  Call extends SimCall = SimCall,
  Model extends SimModel<Call> = SimModel<Call>,
> {
  // What it simulates, for people, and the setting by which a gateway finds it.
  readonly title: string;
  readonly setting: string;
  create(given: { options?: Partial<Options>; onCall?: (call: Call) => void }): Model;
  peopleOf(model: Model): SimPeople;
  // Left out: it has no pages beside its API.
  pagesOf?(ports: { readonly clock: Clock }): SimWebPages;
  // What can be set by a number, by the name that the command line has for it.
  readonly limits: Readonly<Record<string, (value: number) => Partial<Options>>>;
  // The ways in which it can count edits; left out: there is one.
  readonly edits?: readonly string[];
}
