// How a platform shows texts that grow: which ways a chat offers, how often, and what calls it takes.
// Pure, like the rest of the port: when something is shown is decided elsewhere.

import type { Format, LiveTransport, Strategy } from '../domain/live.ts';
import type { ClassedOutput, OutputClasses, Priority } from '../domain/priority.ts';

type Params = Readonly<Record<string, unknown>>;

export interface LiveOutput {
  // By which its messages are opened and edited: what a stream is judged as, for keys that are bound to methods.
  readonly methods: { readonly open: string; readonly edit: string };
  // Unless the settings say otherwise.
  readonly strategy: Strategy;
  // The best the chat is believed to offer.
  transportOf(chat: string): LiveTransport;
  // By the settings of an account, of which the platform reads its own.
  rates(settings: Params): LiveRates;
  // The class in which a call of a stream travels.
  priorityOf(classes: OutputClasses, output: ClassedOutput): Priority;

  // The messages a text makes, in order; none of an empty one. With `isFinal` it will not grow any more.
  render(text: string, format: Format, isFinal: boolean): Params[];
  open(content: Params, place: LivePlace): LiveCall;
  // Of the message of that id, which may be a provisional one. Left out: what is shown stays, so texts are shown as
  // chunks.
  edit?(content: Params, place: LivePlace, messageId: string): LiveCall;
  remove?(place: LivePlace, messageId: string): LiveCall;
  draft?(content: Params, place: LivePlace, draftId: number): LiveCall;
  // null: there is nothing that the sign could be an answer to.
  typing?(place: LivePlace): LiveCall | null;

  // A change died of this: the message is gone or not ours to change, and a new one may still be sent.
  isGone(reason: string): boolean;
  // This answer to a draft says that the chat offers none.
  lacksDrafts(result: string): boolean;
}

// Of one message of a stream.
export interface LivePlace {
  readonly chat: string;
  readonly thread: string | null;
  // What the caller gave beside the text.
  readonly params: Params;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

export interface LiveCall {
  readonly method: string;
  readonly params: Params;
}

export interface LiveRates {
  // Showings in one chat per minute; null: as many as the limits allow.
  budgetMpm(chat: string, transport: LiveTransport): number | null;
  // All messages of one chat per minute, with what live output leaves free; null: they need no slots.
  messageMpm(chat: string): number | null;
}
