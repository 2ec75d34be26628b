// What kind of call a delivery makes; the limits are told apart by these.

// send and edit share a chat's window unless learned otherwise; cosmetic calls are never queued.
export const FAMILIES = ['send', 'edit', 'delete', 'reaction', 'typing', 'draft', 'free'] as const;
export type Family = (typeof FAMILIES)[number];

// Which account-wide budget a call spends: unsolicited messages, answers to people who wrote, paid messages, or none.
export const GATES = ['broadcast', 'reply', 'paid', 'open'] as const;
export type Gate = (typeof GATES)[number];

export const COSMETIC_FAMILIES: readonly Family[] = ['typing', 'draft'];

// A platform's call, read once: a delivery of that chat, something else that is passed straight through (reads,
// settings), or nothing that could be sent anywhere.
export type Described =
  | DescribedCall
  | { readonly kind: 'pass'; readonly method: string }
  | { readonly kind: 'invalid'; readonly detail: string };

export interface DescribedCall {
  readonly kind: 'call';
  // Canonical spelling (`sendMessage` for `SENDMESSAGE`).
  readonly method: string;
  readonly chat: string;
  readonly thread: string | null;
  readonly family: Family;
  readonly gate: Gate;
  readonly cost: number;
  // A newer call of the same slot replaces a waiting one (edits of one message).
  readonly slot: string | null;
  // The message of its chat that it changes; left out or null: none, or nobody can tell.
  readonly about?: string | null;
  // Too late it means nothing: it is made within so long of what it answers, or not at all. Left out: never too late.
  readonly answers?: AnswersWithin;
}

export interface AnswersWithin {
  readonly ms: number;
  // When that was, by the platform's clock; null: when the call came is all that is known.
  readonly since: number | null;
}
