// Live output: texts that grow, and end in a final. What others may ask of it.
// A stream's newest text is shown at the pace its chat affords; its final is a delivery like any other.

import type { AccountId } from '../domain/ids.ts';
import type { Format, LiveTransport, StreamState } from '../domain/live.ts';
import type { Priority } from '../domain/priority.ts';

export { FORMATS, type Format, type LiveTransport, TRANSPORTS } from '../domain/live.ts';

export interface NewStream {
  readonly account: AccountId;
  readonly platform: string;
  readonly chat: string;
  readonly thread: string | null;
  // null: the stream is a session of its own.
  readonly session: string | null;
  readonly user: string | null;
  readonly correlation: string | null;
  readonly priority: Priority;
  // Its caller named it, or may not be more urgent: it holds for previews and the final alike.
  readonly hasOwnPriority?: boolean;
  readonly format: Format;
  // null: what the chat offers, the best first.
  readonly transport: LiveTransport | null;
  // Further parameters of the message (a reply, buttons), as the platform names them.
  readonly params: Readonly<Record<string, unknown>>;
  // Without a word from its producer for so long, it is finished with what it has.
  readonly idleMs: number;
  // The same key again is the same stream, for as long as it is remembered.
  readonly key?: string;
  // Whose it is; left out: of before that was noted.
  readonly holder?: string;
  // Whether others see it as well, whatever becomes of them.
  readonly isObserved?: boolean;
  // It is an observer's: the stream it follows, and its place among the observers of that.
  readonly follows?: FollowedStream;
  // Who else is to see it, each known when its platform has said whose its account is; null: it cannot be.
  readonly observers?: readonly Promise<NewStream | null>[];
}

export interface FollowedStream {
  readonly stream: string;
  readonly observer: number;
}

// Why a text ended sooner than its producer meant it to.
export const CUT_REASONS = [
  'sender_broke_off',
  'producer_failed',
  'producer_silent',
  'stopping',
  'too_long',
] as const;
export type CutReason = (typeof CUT_REASONS)[number];

export type StreamChange = { kind: 'append'; text: string } | { kind: 'replace'; text: string };

export type Fed =
  | { kind: 'taken'; view: StreamView }
  | { kind: 'unknown' }
  // It has ended already.
  | { kind: 'ended'; view: StreamView }
  | { kind: 'too_long'; unitsMax: number }
  // A final that its account's full queue did not take: the stream stays open, nothing is lost.
  | { kind: 'queue_full'; queueMax: number };

export type OpenedStream =
  | { kind: 'opened'; view: StreamView }
  // Under this key it was opened before.
  | { kind: 'repeated'; view: StreamView }
  // Under this key another one was.
  | { kind: 'conflict'; id: string }
  // Too many streams are open.
  | { kind: 'full'; streamsMax: number };

export interface StreamView {
  readonly id: string;
  readonly state: StreamState;
  readonly reason: string | null;
  readonly account: AccountId;
  readonly platform: string;
  readonly chat: string;
  readonly thread: string | null;
  readonly session: string | null;
  // Its caller's own, else its id: that of each of its messages.
  readonly correlation: string;
  readonly transport: LiveTransport;
  readonly format: Format;
  // In UTF-16 units: of the text as known, and as last shown.
  readonly units: number;
  readonly shownUnits: number;
  // Delivery seqs and platform ids of its messages, in order.
  readonly messages: readonly { seq: number; messageId: string | null }[];
  // The final's deliveries; none while it is open.
  readonly finals: readonly number[];
  readonly openedAt: number;
  readonly changedAt: number;
  readonly endedAt: number | null;
  // Now: how long between two showings, how many texts were replaced before they were shown, and what it waits for.
  readonly cadenceMs: number | null;
  readonly superseded: number;
  readonly waitsFor: string | null;
  // Not told to the outside: who opened it (null: not known), its text, how long its producer may be silent, and which
  // stream it follows as an observer.
  readonly holder: string | null;
  readonly text: string;
  readonly idleMs: number;
  readonly follows: FollowedStream | null;
  readonly isObserved: boolean;
}

// Promises resolve when the effect is durable; they reject with JournalUnavailable when it cannot be.
export interface Live {
  open(stream: NewStream): Promise<OpenedStream>;
  // Durable when it resolves. With `lazy` it resolves at once, and what is shown is on disk by the time it is shown:
  // for producers whose own connection would break with us.
  change(id: string, change: StreamChange, lazy?: 'lazy'): Promise<Fed>;
  // `cut`: it ends sooner than its producer meant it to; the record says why.
  final(id: string, change: StreamChange | null, cut?: CutReason): Promise<Fed>;
  // What was shown stays; nothing more is.
  cancel(id: string): Promise<Fed>;
  get(id: string): Promise<StreamView | null>;
  // Those that have not ended, oldest first.
  list(): StreamView[];
  // How many those are.
  readonly openCount: number;
  // Resolves when its final has come to its end (or it was cancelled).
  ended(id: string, signal: AbortSignal): Promise<StreamView | null>;
  listen(listener: (view: StreamView) => void): () => void;
}
