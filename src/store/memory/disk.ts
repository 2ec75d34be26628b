// What the memory store calls its disk: plain maps that outlive the journal which writes them.
// A crash is dropping the journal; a restart is opening a new one on the same disk.

import type { DeliveryRow } from '../../domain/delivery.ts';
import type { AccountId } from '../../domain/ids.ts';
import type { Attempt } from '../../domain/outcome.ts';
import type { HistoryEntry } from '../../ledger/ledger.ts';
import { isIntact } from '../../system/databases/row-check.ts';
import type { StoredAccount } from '../ports/accounts.ts';
import type { AuditEntry } from '../ports/audit.ts';
import type { NewBroadcast, RecipientState, StoredBroadcast } from '../ports/broadcasts.ts';
import type { CallerHold } from '../ports/callers.ts';
import type { StoredKey } from '../ports/keys.ts';
import type { StoredLimit } from '../ports/limits.ts';
import type { MinuteSum } from '../ports/minutes.ts';
import type { StoredSession } from '../ports/sessions.ts';
import type { StoredStream } from '../ports/streams.ts';
import type { NewIncoming } from '../ports/updates.ts';
import { createIngestDisk, type IngestDisk } from './ingest-disk.ts';

type Writable<T> = { -readonly [K in keyof T]: T[K] };
export type MemoryRow = Writable<DeliveryRow>;
// And where it went: a cure may have sent the delivery elsewhere since.
export type AttemptRow = Writable<Attempt> & { readonly chat: string };

export interface IncomingRow extends Omit<NewIncoming, 'state'> {
  readonly state: NewIncoming['state'] | 'done';
  readonly attempts: number;
  readonly dueAt: number;
}

export interface AudienceRow {
  readonly id: number;
  account: AccountId | null;
  name: string | null;
  state: 'open' | 'sealed' | 'dropped';
  readonly fields: readonly string[];
  readonly createdAt: number;
  readonly members: { readonly chat: string; readonly fields: string }[];
}

export type BroadcastRow = Writable<Omit<StoredBroadcast, 'counts'>> & {
  readonly digest: NewBroadcast['digest'];
  readonly counts: Writable<StoredBroadcast['counts']>;
};

export interface OutcomeRow {
  readonly n: number;
  seq: number | null;
  state: RecipientState;
  reason: string | null;
  at: number;
}

export interface BroadcastDisk {
  audienceLast: number;
  readonly audiences: Map<number, AudienceRow>;
  idLast: number;
  readonly broadcasts: Map<number, BroadcastRow>;
  // By broadcast and number.
  readonly outcomes: Map<number, Map<number, OutcomeRow>>;
  readonly bySeq: Map<number, { id: number; n: number }>;
  // By account and chat.
  readonly blocked: Map<string, { account: AccountId; chat: string; reason: string; at: number }>;
}

export interface MemoryDisk {
  readonly tag: string;
  // Counts openings: what an older journal still had under way when this one opened never happens.
  opened: number;
  seqLast: number;
  // In order of seq.
  readonly deliveries: Map<number, MemoryRow>;
  // What each was written with; see system/row-check.ts.
  readonly checks: Map<number, number>;
  // Queued and sending.
  readonly live: Set<number>;
  // When each ended one ended, in the order they did.
  readonly ended: Map<number, number>;
  // All, in the order they began, and the same by delivery.
  attempts: AttemptRow[];
  readonly attemptsOf: Map<number, AttemptRow[]>;
  readonly historyOf: Map<number, HistoryEntry[]>;
  // By account and key.
  readonly idempotency: Map<string, { seq: number; digest: string; expiresAt: number }>;
  readonly idempotencyOf: Map<number, string>;
  // Whose callers hold the line, or did, and what they asked for.
  readonly held: Map<number, { held: CallerHold; readonly print: string }>;
  // Files by delivery.
  readonly spooled: Map<number, readonly string[]>;
  // What observers got, and of which delivery.
  readonly copies: Map<number, number>;
  readonly limits: Map<string, StoredLimit>;
  readonly accounts: Map<string, StoredAccount>;
  // Who owns an account, where anyone but the embedded process ever has; null: nobody.
  readonly owners: Map<AccountId, { node: string | null; epoch: number }>;
  // By account and update id.
  readonly incoming: Map<string, IncomingRow>;
  readonly broadcasts: BroadcastDisk;
  readonly streams: Map<string, StoredStream>;
  readonly keys: Map<string, StoredKey>;
  readonly audit: { last: number; entries: AuditEntry[] };
  readonly sessions: Map<string, StoredSession>;
  readonly ingest: IngestDisk;
  // By account, process and minute.
  readonly minutes: Map<string, MinuteSum>;
}

export function createMemoryDisk(tag = 'local'): MemoryDisk {
  return {
    tag,
    opened: 0,
    seqLast: 0,
    deliveries: new Map(),
    checks: new Map(),
    live: new Set(),
    ended: new Map(),
    attempts: [],
    attemptsOf: new Map(),
    historyOf: new Map(),
    idempotency: new Map(),
    idempotencyOf: new Map(),
    held: new Map(),
    spooled: new Map(),
    copies: new Map(),
    limits: new Map(),
    accounts: new Map(),
    owners: new Map(),
    incoming: new Map(),
    broadcasts: {
      audienceLast: 0,
      audiences: new Map(),
      idLast: 0,
      broadcasts: new Map(),
      outcomes: new Map(),
      bySeq: new Map(),
      blocked: new Map(),
    },
    streams: new Map(),
    keys: new Map(),
    audit: { last: 0, entries: [] },
    sessions: new Map(),
    ingest: createIngestDisk(),
    minutes: new Map(),
  };
}

// No account, key or slot holds a NUL: the pair is unambiguous.
export function pairKey(account: string, key: string): string {
  return `${account}\0${key}`;
}

export function listOf<V>(lists: Map<number, V[]>, seq: number): V[] {
  let list = lists.get(seq);
  if (list === undefined) {
    list = [];
    lists.set(seq, list);
  }
  return list;
}

export function isRowIntact(disk: MemoryDisk, row: MemoryRow): boolean {
  return isIntact(row, disk.checks.get(row.seq) ?? null);
}

export function freeKey(disk: MemoryDisk, seq: number): void {
  const key = disk.idempotencyOf.get(seq);
  disk.idempotencyOf.delete(seq);
  // The key may have been used again since, after it expired.
  if (key !== undefined && disk.idempotency.get(key)?.seq === seq) disk.idempotency.delete(key);
}
