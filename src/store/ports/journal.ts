// The only durable truth: the port that memory, SQLite (and later Redis) implement alike.
// A promise of this port resolves only when its effect is durable. Every move is conditional on the state
// it expects, so a late or repeated command changes nothing and says so.
// `memory.ts` is the specification; `journal.contract.ts` holds every implementation to it.

import type { Delivery, NewDelivery, Queued, State } from '../../domain/delivery.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { Broadcasts } from './broadcasts.ts';
import type { Callers } from './callers.ts';
import type { Incoming } from './incoming.ts';
import type { Audit, Keys } from './keys.ts';
import type { Streams } from './streams.ts';

export interface Journal {
  // Drawn at random when the store was made; see domain/ids.ts.
  readonly tag: string;

  // Everything queued or sending, in order of seq. To be read once, before anything is appended.
  recover(): AsyncIterable<Recovered>;

  append(delivery: NewDelivery, bounds: AppendBounds): Promise<Appended>;
  // queued → sending, with the attempt recorded: after this a crash is known to be in doubt.
  begin(seq: number, startedAt: number): Promise<Begun>;
  // sending → what the attempt came to, with the attempt, the limits and the history in one transaction. It outlives
  // the process when it resolves, and is forced to the disk soon after: a power cut in between leaves it in doubt.
  settle(settlement: Settlement): Promise<Settled>;
  // Moves that are not an attempt's: cancel, expire, retry by hand, discard.
  move(command: MoveCommand): Promise<Moved>;

  saveLimits(records: readonly StoredLimit[]): Promise<void>;
  limits(): Promise<StoredLimit[]>;
  // Attempts begun at or after `since`, oldest first.
  callsSince(since: number): Promise<StoredCall[]>;
  // When the last attempt began, or ended if it has; 0: there was none.
  lastCallAt(): Promise<number>;
  // The wall clock has been set: times that were written by it as it was become times as it is, all of it in one
  // transaction. To be done before anything is read.
  shiftTimes(shift: TimeShift): Promise<void>;

  saveAccount(account: StoredAccount): Promise<void>;
  // What is kept of it elsewhere (deliveries, limits) stays. An id that is not there is no error.
  removeAccount(id: string): Promise<void>;
  accounts(): Promise<StoredAccount[]>;
  // Other ids for accounts, in everything that names them, all of it in one transaction. To be done before anything is
  // read. Answers those of the new ids that something in the store names already, an account or what one that was
  // removed has left behind: then nothing is changed, as the two could not be told apart again.
  renameAccounts(renames: readonly AccountRename[]): Promise<readonly string[]>;

  // Who holds the line for an answer.
  readonly callers: Callers;
  // What comes in, the other direction.
  readonly incoming: Incoming;
  // One message, many chats.
  readonly broadcasts: Broadcasts;
  // Live output: texts that grow.
  readonly streams: Streams;
  // Who may do what, and what was done.
  readonly keys: Keys;
  readonly audit: Audit;

  // Files of the spool that a delivery may still need: it waits, is being sent, or may be retried by hand.
  // What belonged to the others is forgotten.
  filesInUse(): Promise<string[]>;

  // Removes what ended long ago, at most `max` deliveries; says how many.
  prune(command: PruneCommand): Promise<number>;
  // A consistent copy of the whole store in one file, openable as a store.
  snapshot(path: string): Promise<void>;
  close(): Promise<void>;
}

// The store cannot be written now (disk full, I/O error). Nothing of the command took effect.
export class JournalUnavailable extends Error {
  override readonly name = 'JournalUnavailable';
  readonly code: 'disk_full' | 'journal_failed';
  constructor(code: 'disk_full' | 'journal_failed', message: string) {
    super(message);
    this.code = code;
  }
}

export type Recovered =
  | { kind: 'queued'; queued: Queued }
  // In flight when the process ended: attempt `n` is in doubt.
  | { kind: 'sending'; queued: Queued; n: number; record: Record };

// What settling needs to know of a delivery's past.
export interface Record {
  readonly acceptedAt: number;
  readonly failures: number;
  readonly doubts: number;
  readonly cures: readonly string[];
}

export interface AppendBounds {
  readonly queueMax: number;
  // A plain message (see isPlain) is begun in the same commit, to go at once. It may leave as soon as it is written,
  // which is told first: from then on it outlives the process. As ever, the promise waits for the disk; a power cut
  // before that knows nothing of a message that nobody was told is accepted.
  readonly begin?: { readonly at: number; written(queued: Queued): void };
}

export type Appended =
  // `replaced`: the waiting delivery of the same slot whose place it took.
  // `begun`: its first attempt has begun, as asked.
  | { kind: 'accepted'; queued: Queued; replaced: number | null; begun?: true }
  // A final of the same slot waits: the late preview ends as superseded at once.
  | { kind: 'superseded'; seq: number; by: number }
  // Same idempotency key, same content: the earlier delivery stands.
  | { kind: 'repeated'; seq: number; state: State }
  // Same idempotency key, other content.
  | { kind: 'conflict'; seq: number }
  | ({ kind: 'full' } & QueueFull);

// Which bound of the queue is reached, and how much waits.
export interface QueueFull {
  readonly waiting: number;
  readonly queueMax: number;
  // What the bound counts; left out: deliveries.
  readonly unit?: 'bytes';
  // The bound is that of all accounts of a platform.
  readonly platform?: string;
  // Of all accounts, or of those that nobody has configured; left out: see `platform`, or the account’s own.
  readonly whose?: 'all' | 'unconfigured';
}

export type Begun =
  | { kind: 'begun'; n: number; body: string; record: Record }
  // Begun, and not to be sent: what the store holds of it is not what was written. To be settled as dead.
  | { kind: 'damaged'; n: number; record: Record }
  // Cancelled, superseded or expired meanwhile: nothing to send.
  | { kind: 'gone'; state: State };

export interface Settlement {
  readonly seq: number;
  // The attempt that is being settled; a settlement of an older attempt is stale.
  readonly n: number;
  readonly endedAt: number;
  readonly outcome: Outcome['kind'];
  readonly reason: string | null;
  readonly detail: string | null;
  readonly retryAfterMs: number | null;
  readonly to: 'sent' | 'queued' | 'uncertain' | 'dead';
  // With `to: queued`: not before this time; 0: at once.
  readonly dueAt: number;
  readonly failed: boolean;
  readonly doubted: boolean;
  // A cure applied to the call: its name and the changed call. Null fields stay as they were.
  readonly cure: { name: string; chat: string | null; body: string | null } | null;
  readonly messageId: string | null;
  readonly result: string | null;
  readonly limits: readonly StoredLimit[];
}

export type Settled =
  // `queued` when it waits again. Superseded: a newer one of its slot waits, so it is not tried again.
  | { kind: 'settled'; state: State; queued: Queued | null; supersededBy: number | null }
  | { kind: 'stale'; state: State };

export interface MoveCommand {
  readonly seq: number;
  readonly to: 'queued' | 'cancelled' | 'expired';
  readonly at: number;
  readonly reason: string;
  // Who asked: a key's name, or `sluice`.
  readonly by: string;
  // With `to: queued`: the edited payload; null keeps it. Failures start at 0 again.
  readonly body: string | null;
  readonly queueMax: number;
}

export type Moved =
  | { kind: 'moved'; from: State; queued: Queued | null }
  | { kind: 'illegal'; state: State }
  | { kind: 'unknown' }
  // The payload is gone (retention) and none was given.
  | { kind: 'no_body' }
  // What the store holds of it is not what was written: it is neither sent as it is, nor with another body.
  | { kind: 'damaged' }
  | ({ kind: 'full' } & QueueFull);

export interface PruneCommand {
  // Of what was sent, superseded, expired or cancelled.
  readonly endedBefore: number;
  // Of what is dead or uncertain, and may be wanted again; taken after the others.
  readonly deadBefore: number;
  readonly max: number;
}

export interface StoredLimit {
  readonly account: string;
  readonly key: string;
  // JSON text; '' deletes the record.
  readonly value: string;
  readonly updatedAt: number;
}

export interface TimeShift {
  readonly now: number;
  // Of attempts begun at or after `since`, and of those begun after them; what is older is only read by people.
  readonly calls: { readonly since: number; readonly byMs: number };
  // Of what is queued or being sent: when it is tried again, when it expires, and when it came, which is not after now.
  // A time its caller gave (see isScheduled) stays. No try is later than `dueAtMax`.
  readonly waiting: { readonly byMs: number; readonly dueAtMax: number };
  // Saved with it.
  readonly limits: readonly StoredLimit[];
}

export interface StoredCall {
  readonly account: string;
  readonly chat: string;
  readonly user: string | null;
  readonly family: Queued['family'];
  readonly gate: Queued['gate'];
  readonly live: boolean;
  readonly cost: number;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly outcome: Outcome['kind'] | null;
}

export interface AccountRename {
  readonly from: string;
  // As it is kept from now on; its id is the new one, and was nobody's before.
  readonly account: StoredAccount;
}

export interface StoredAccount {
  // `<platform>:<the platform's own id of it>`.
  readonly id: string;
  readonly platform: string;
  // The credential, sealed; see accounts/.
  readonly sealed: string;
  readonly paused: boolean;
  // Why the platform refuses the account itself (revoked token); null: it does not.
  readonly refused: string | null;
  readonly createdAt: number;
}

export { fingerprintOf } from '../fingerprint.ts';
export type {
  BlockedChat,
  BroadcastState,
  Broadcasts,
  Changed,
  CountedState,
  Created,
  FedCommand,
  Member,
  NewBroadcast,
  Recipient,
  RecipientState,
  SettleCommand,
  StoredAudience,
  StoredBroadcast,
} from './broadcasts.ts';
export { RECIPIENT_STATES } from './broadcasts.ts';
export type { Callers, Unanswered, UnansweredBounds } from './callers.ts';
export { answersRepeat } from './callers.ts';
export type { Incoming, NewIncoming, WaitingIncoming } from './incoming.ts';
export type { Audit, AuditEntry, Keys, KeyUse, NewAuditEntry, StoredKey } from './keys.ts';
export { NEVER } from './keys.ts';
export type { StoredStream, Streams } from './streams.ts';
export type { Delivery };
