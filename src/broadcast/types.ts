// What others ask of broadcasts, and what they are told.

import type { Readable } from 'node:stream';
import type { AccountId } from '../domain/ids.ts';
import type { Priority } from '../domain/priority.ts';
import type { ListFormat } from '../domain/recipient-list.ts';
import type {
  BroadcastState,
  Changed,
  CreatedBroadcast,
  Recipient,
  RecipientState,
  StoredAudience,
  StoredBroadcast,
} from '../store/ports/broadcasts.ts';
import type { Service } from '../system/service.ts';

export interface NewMember {
  readonly chat: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface BroadcastRequest {
  // An account the gateway knows, and its platform.
  readonly account: AccountId;
  readonly platform: string;
  // Saved under a name, or filled for this broadcast alone.
  readonly audience: { kind: 'named'; name: string } | { kind: 'own'; draft: AudienceDraft };
  readonly name: string | null;
  readonly correlation: string | null;
  readonly method: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly priority: Priority;
  // 0: at once.
  readonly notBefore: number;
  readonly key: string | null;
}

export type Made =
  | { kind: 'created' | 'repeated'; view: BroadcastView }
  | { kind: 'conflict'; id: string }
  | Extract<CreatedBroadcast, { kind: 'full' | 'no_audience' }>
  // It names fields that nobody in the audience has.
  | { kind: 'unknown_fields'; fields: readonly string[]; known: readonly string[] }
  // Not a call that sends.
  | { kind: 'invalid'; detail: string };

export type Steered =
  | { kind: 'steered'; view: BroadcastView }
  | Exclude<Changed, { kind: 'changed' }>;

export interface BroadcastView
  extends Pick<
    StoredBroadcast,
    | 'account'
    | 'platform'
    | 'name'
    | 'correlation'
    | 'method'
    | 'priority'
    | 'state'
    | 'total'
    | 'createdAt'
    | 'endedAt'
    | 'notBefore'
  > {
  readonly id: string;
  // How many are in each state; they add up to the total.
  readonly progress: Readonly<Record<RecipientState, number>>;
  // Who came to their end in the last minute, per second; null: nothing was measured.
  readonly perSecond: number | null;
  // When it will be done; null: it is, or nobody knows (paused, or frozen without an end).
  readonly eta: number | null;
}

// Members as they come; nobody is in it twice. Durable when `add` resolves.
export interface AudienceDraft {
  readonly id: number;
  readonly count: number;
  readonly repeated: number;
  readonly fields: readonly string[];
  // Of all that was added.
  readonly digest: string;
  // At most MEMBERS_MAX at a time.
  add(members: readonly NewMember[]): Promise<'added' | 'too_many'>;
  // Resolves when all that was added is durable.
  filled(): Promise<void>;
  // Ends it: sealed under its name, given to a broadcast, or dropped.
  seal(): Promise<StoredAudience | null>;
  given(): void;
  drop(): Promise<void>;
}

export interface BadLine {
  readonly line: number;
  readonly expected: string;
}

// Of a list of recipients, in its order.
export interface Piece {
  readonly members: readonly NewMember[];
  readonly bad: readonly BadLine[];
}

// Reads what stands in requests.
export interface RequestReading {
  // Piece by piece as it arrives.
  list(source: Readable, format: ListFormat): AsyncIterable<Piece>;
  recipient(chat: unknown, fields: unknown, line: number): NewMember | BadLine;
  // In the platform's own form, its fields open.
  text(
    text: string,
    textParams: (text: string) => Readonly<Record<string, unknown>>,
  ): Record<string, unknown>;
}

// Promises reject with JournalUnavailable when the store cannot be written.
export interface Broadcasting extends Service {
  readonly reading: RequestReading;

  // Whether this process has a broadcast of the account that is not over.
  isBusy(account: AccountId): boolean;
  // null: as many audiences as may be are kept, or being filled.
  openAudience(name: string | null): Promise<AudienceDraft | null>;
  audiences(query: { after: string; max: number }): Promise<StoredAudience[]>;
  forgetAudience(name: string): Promise<boolean>;

  create(request: BroadcastRequest): Promise<Made>;
  // Of a fleet: the account is this node's from now on, or something of it came to the store; or it is not any more.
  take(account: AccountId): Promise<void>;
  leave(account: AccountId): Promise<void>;
  get(id: string): Promise<BroadcastView | null>;
  // Resolves when it is over, and nothing of it is on the road.
  ended(id: string): Promise<BroadcastView | null>;
  // Newest first.
  list(query: { before: string | null; max: number }): Promise<BroadcastView[]>;
  steer(id: string, to: 'running' | 'paused' | 'cancelled'): Promise<Steered>;
  // null: no such broadcast.
  recipients(query: {
    id: string;
    state: RecipientState | null;
    after: number;
    max: number;
  }): Promise<Recipient[] | null>;

  // Someone wrote from this chat: it does not refuse the account any more.
  onUpdate(account: AccountId, chat: string): void;
  // How many run or are paused, by platform.
  live(): readonly { platform: string; state: BroadcastState }[];
}

export const MEMBERS_MAX = 500;

// `b-<tag>-<number>`: recognised as a broadcast's, and as of this store.
const ID = /^b-([0-9a-z]{5})-([0-9a-z]{1,11})$/;

export function formatBroadcastId(tag: string, id: number): string {
  return `b-${tag}-${id.toString(36)}`;
}

export function parseBroadcastId(tag: string, id: string): number | null {
  const match = ID.exec(id);
  return match === null || match[1] !== tag ? null : Number.parseInt(match[2]!, 36);
}
