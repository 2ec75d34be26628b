// What kind of call a delivery makes; the limits are told apart by these.

// send and edit share a chat's window unless learned otherwise; cosmetic calls are never queued.
export const FAMILIES = ['send', 'edit', 'delete', 'reaction', 'typing', 'draft', 'free'] as const;
export type Family = (typeof FAMILIES)[number];

// The account-wide budgets of a platform, by its own words: which one a call spends, its platform says. Where one is
// used up the others go on.
export interface Budgets {
  // Few and short. In sentences `messages` follows: "the account, for broadcast messages,".
  readonly names: readonly string[];
  // Of messages that nobody asked for.
  readonly unsolicited: string;
  // Of answers to people who wrote, as the updates seen tell; left out: the platform does not tell them apart.
  readonly reply?: string;
}

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
  // One of its platform's.
  readonly budget: string;
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
