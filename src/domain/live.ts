// The words of live output that folders share: how a growing text is written, how it is shown, and who decides when.

// `markdown` is what language models write; the others are the platform's own markups, named as it names them.
export const FORMATS = ['plain', 'markdown', 'html', 'markdownv2'] as const;
export type Format = (typeof FORMATS)[number];

// open → finishing (the final is on disk) → done or failed; open → cancelled.
export const STREAM_STATES = ['open', 'finishing', 'done', 'failed', 'cancelled'] as const;
export type StreamState = (typeof STREAM_STATES)[number];

// Of a request whose body is a stream; the first name of each form, the one to show to people.
export const FEED_TYPES = ['text/plain', 'application/x-ndjson', 'text/event-stream'] as const;

// Header of the AI SDK 4, whose protocol calls itself plain text.
export const DATA_STREAM_HEADER = 'x-vercel-ai-data-stream';

// How a growing text is shown: a draft that vanishes when the message comes, one message that is edited, or a few
// messages of finished paragraphs.
export const TRANSPORTS = ['draft', 'edit', 'chunks'] as const;
export type LiveTransport = (typeof TRANSPORTS)[number];

// Who decides when it is shown. `strict`: a budget shared by the sessions of a chat, in turns. `coalesce_only`: the
// newest text, in turns, as soon as the limits allow. `chunks`: the same as strict, in few messages. `off`: each
// stream for itself.
export const STRATEGIES = ['strict', 'coalesce_only', 'chunks', 'off'] as const;
export type Strategy = (typeof STRATEGIES)[number];

// What live output tells about itself: the metrics and the cadence summary are folds over these.
export type LiveEvent =
  // A text that waited for `staleMs` is on the screen.
  | { kind: 'shown'; platform: string; session: string; staleMs: number }
  // A newer text took the place of one that was not shown.
  | { kind: 'superseded'; platform: string }
  // Its final is on disk. `reason`: why it was ended, if not by its producer.
  | { kind: 'final'; platform: string; reason: string | null };

export type LiveListener = (event: LiveEvent) => void;

// How things stand on one platform, read when asked for.
export interface LiveReading {
  readonly platform: string;
  readonly streams: number;
  readonly activeSessions: number;
  readonly finalsWaiting: number;
  // Of the chat where a session waits longest between two showings; 0: nothing is shown anywhere.
  readonly tickMsMax: number;
  // Sessions with something to show, and since when; the longest-waiting first.
  readonly waits: readonly { session: string; since: number }[];
}
