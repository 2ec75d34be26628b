// What happened: the reading side. Attempts and history are written by the journal, in the transaction of the
// move they tell of; the ledger only reads, on a connection of its own, so that no search ever delays a commit.

import type { Delivery, State } from '../domain/delivery.ts';
import type { AccountId } from '../domain/ids.ts';
import type { Attempt } from '../domain/outcome.ts';

export interface Ledger {
  get(seq: number): Promise<Delivery | null>;
  // Several at once, in the order asked; missing ones left out (no N+1).
  getMany(seqs: readonly number[]): Promise<Delivery[]>;
  attempts(seq: number): Promise<Attempt[]>;
  history(seq: number): Promise<HistoryEntry[]>;
  search(filter: Filter, page: DeliveryPage): Promise<Delivery[]>;
  // What observers got of a delivery's message, in the order accepted; and whether anyone ever got a copy.
  copiesOf(origin: number): Promise<Delivery[]>;
  hasCopies(): Promise<boolean>;
  deadByCause(filter: Filter): Promise<DeadGroup[]>;
  countByState(): Promise<{ account: AccountId; state: State; count: number }[]>;
  // Bytes of the store's files.
  size(): Promise<number>;
  close(): Promise<void>;
}

export const SEARCH_LIMIT_MAX = 1000;
export const TEXT_LOOKED_MAX = 100_000;

// Newest first, older than `before`; or oldest first, newer than `after`. At most `limit` ≤ SEARCH_LIMIT_MAX.
export type DeliveryPage =
  | { readonly limit: number; readonly before: number | null }
  | { readonly limit: number; readonly after: number };

export interface Filter {
  readonly account?: string;
  readonly chat?: string;
  readonly session?: string;
  readonly state?: State;
  // As its caller named it; or the id of one that nobody named.
  readonly correlation?: string;
  // As the platform numbers it; unique only within a chat.
  readonly messageId?: string;
  readonly reason?: string;
  // Accepted at or after / before, ms since the epoch.
  readonly since?: number;
  readonly until?: number;
  // Anywhere in its content, upper and lower case of ASCII letters alike. Where nothing else leads the search, only the
  // newest TEXT_LOOKED_MAX are looked at.
  readonly text?: string;
}

// As it stands in the content, which is JSON.
export function needleOf(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

// A move that no attempt explains: by hand, by time, or by a newer text.
export interface HistoryEntry {
  readonly seq: number;
  readonly at: number;
  readonly from: State;
  readonly to: State;
  readonly reason: string;
  readonly by: string;
}

export interface DeadGroup {
  readonly account: AccountId;
  readonly reason: string;
  readonly count: number;
  readonly oldestAt: number;
  readonly newestAt: number;
  // One of them, to look at.
  readonly example: number;
}
