// The port of the road: a delivery is accepted, begun, settled, moved. Every move is conditional on the state it
// expects, so a late or repeated command changes nothing and says so; and every write is made as the owner of the
// account, so that one who is not changes nothing either. A promise resolves only when its effect is
// durable, unless it says otherwise; it rejects with JournalUnavailable when the store cannot be written.

import type { NewDelivery, Queued, State } from '../../domain/delivery.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { StoredLimit } from './limits.ts';
import type { NotOwner, Owner } from './ownership.ts';

export interface DeliveryStore {
  // Drawn at random when the store was made; see domain/ids.ts.
  readonly tag: string;
  append(owner: Owner, delivery: NewDelivery, bounds: AppendBounds): Appending;
  // queued → sending, with the attempt recorded: after this a crash is known to be in doubt.
  // `waitedFor`: see domain/waited.ts.
  begin(owner: Owner, seq: number, startedAt: number, waitedFor?: string): Promise<Begun>;
  // sending → what the attempt came to, with the attempt, the limits and the history in one transaction. It outlives
  // the process when it resolves, and is forced to the disk soon after: a power cut in between leaves it in doubt.
  settle(owner: Owner, settlement: Settlement): Promise<Settled>;
  // Moves that are not an attempt's: cancel, expire, retry by hand, discard.
  move(owner: Owner, command: MoveCommand): Promise<Moved>;
  // What the platform told of a message after it had taken it. However often and in whatever order receipts come, the
  // delivery ends the same: `read` outdoes `delivered`, that `failed`, and that `sent`.
  receipt(owner: Owner, command: ReceiptCommand): Promise<ReceiptEffect>;
}

// What settling needs to know of a delivery's past.
export interface DeliveryPast {
  readonly acceptedAt: number;
  readonly failures: number;
  readonly doubts: number;
  readonly cures: readonly string[];
}

export interface AppendBounds {
  readonly queueMax: number;
  // Of its body, by whoever has counted them already.
  readonly bytes?: number;
  // A plain message (see isPlain) is begun at this time, in the same commit, to go at once.
  readonly beginAt?: number;
  // Who writes it does not own the account: in the same transaction it is left for the owner, who may live and does not
  // know of it (see ports/hand-over.ts). In a store of one process it changes nothing.
  readonly isStray?: true;
}

// Both resolve to the same. They are one promise unless a message was to begin.
export interface Appending {
  // It outlives the process, and what has begun may leave: a power cut before the disk has it knows nothing of a
  // message that nobody was told is accepted. Rejects only together with `durable`.
  readonly written: Promise<Appended>;
  // It is on the disk, so that its caller may be told.
  readonly durable: Promise<Appended>;
}

export type Appended =
  // `replaced`: the waiting delivery of the same slot whose place it took.
  // `begun`: its first attempt has begun, as asked.
  // `spilled`: the store is away; it is on this node's own disk, and was not begun whatever was asked.
  | { kind: 'accepted'; queued: Queued; replaced: number | null; begun?: true; spilled?: true }
  // A final of the same slot waits: the late preview ends as superseded at once.
  | { kind: 'superseded'; seq: number; by: number }
  // Same idempotency key, same content: the earlier delivery stands.
  | { kind: 'repeated'; seq: number; state: State }
  // Same idempotency key, other content.
  | { kind: 'conflict'; seq: number }
  | ({ kind: 'full' } & QueueFull)
  | NotOwner;

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
  | { kind: 'begun'; n: number; body: string; past: DeliveryPast }
  // Begun, and not to be sent: what the store holds of it is not what was written. To be settled as dead.
  | { kind: 'damaged'; n: number; past: DeliveryPast }
  // Cancelled, superseded or expired meanwhile: nothing to send.
  | { kind: 'gone'; state: State }
  | NotOwner;

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
  | { kind: 'stale'; state: State }
  | NotOwner;

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
  // With `to: queued`; see AppendBounds.
  readonly isStray?: true;
}

export type Moved =
  | { kind: 'moved'; from: State; queued: Queued | null }
  | { kind: 'illegal'; state: State }
  | { kind: 'unknown' }
  // The payload is gone (retention) and none was given.
  | { kind: 'no_body' }
  // What the store holds of it is not what was written: it is neither sent as it is, nor with another body.
  | { kind: 'damaged' }
  | ({ kind: 'full' } & QueueFull)
  | NotOwner;

export interface ReceiptCommand {
  readonly seq: number;
  readonly status: ReceiptStatus;
  readonly messageId: string;
  readonly at: number;
  // Of one that failed.
  readonly reason: string | null;
  readonly detail: string | null;
  // The platform's answer, kept where none was; null: nobody can tell.
  readonly result: string | null;
}

export type ReceiptStatus = 'sent' | 'delivered' | 'read' | 'failed';

export type ReceiptEffect =
  | { kind: 'moved'; from: State; to: State; queued: Queued }
  // It is in the delivery's history, whose state stays.
  | { kind: 'noted' }
  // Nothing new, or of another message than the delivery's.
  | { kind: 'ignored'; state: State }
  // Its attempt is not settled: to be told again when it is.
  | { kind: 'in_flight' }
  | { kind: 'unknown' }
  | NotOwner;
