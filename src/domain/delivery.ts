// The life of one delivery: its states and the only legal moves between them.
// MOVES is the truth; docs/reference/states.md and the CHECKs of the SQLite schema are tested against it.

import { COSMETIC_FAMILIES, type Family } from './call.ts';
import type { AccountId } from './ids.ts';
import type { Priority } from './priority.ts';

export const STATES = [
  'queued',
  'sending',
  'sent',
  'uncertain',
  'dead',
  'superseded',
  'expired',
  'cancelled',
] as const;
export type State = (typeof STATES)[number];

// From `dead` and `uncertain` nothing moves on its own: both moves are made by hand (retry, discard).
export const MOVES: Readonly<Record<State, readonly State[]>> = {
  queued: ['sending', 'superseded', 'expired', 'cancelled'],
  sending: ['sent', 'queued', 'uncertain', 'dead'],
  sent: [],
  uncertain: ['queued', 'cancelled'],
  dead: ['queued', 'cancelled'],
  superseded: [],
  expired: [],
  cancelled: [],
};

// Moves by a receipt, with which some platforms report later what became of a message: it could not be delivered after
// all, or was sent although the answer was lost (also if the delivery waits to be sent again).
export const RECEIPT_MOVES: Readonly<Partial<Record<State, readonly State[]>>> = {
  queued: ['sent'],
  sent: ['dead'],
  uncertain: ['sent', 'dead'],
  dead: ['sent'],
};

// Why what waits in an account is cancelled when the account is removed.
export const ACCOUNT_REMOVED = 'account_removed';
// Why a delivery is cancelled that is given back to its caller, whose idempotency key is then free. What may have been
// sent is never given back: a repeat would send it twice.
export const WITHDRAWN = 'withdrawn';
export const WITHDRAWN_AT_STOP = 'withdrawn_at_stop';

export function isWithdrawal(reason: string | null): boolean {
  return reason === WITHDRAWN || reason === WITHDRAWN_AT_STOP;
}

// States in which a delivery takes a place in its account's bounded queue.
export const LIVE_STATES = ['queued', 'sending'] as const satisfies readonly State[];

export function canMove(from: State, to: State): boolean {
  return MOVES[from].includes(to);
}

export function canMoveByReceipt(from: State, to: State): boolean {
  return RECEIPT_MOVES[from]?.includes(to) ?? false;
}

export function statesBefore(to: State): State[] {
  return STATES.filter((from) => canMove(from, to));
}

// What the scheduler keeps in memory of a waiting delivery. No payload: that stays on disk.
export interface Queued {
  readonly seq: number;
  readonly account: AccountId;
  readonly chat: string;
  // Order and fairness are per lane: the session if there is one, else the thread; '' is the chat itself.
  readonly lane: string;
  // On whose behalf, for limits per user; null: nobody's.
  readonly user: string | null;
  // As its caller named it; null: by its own id.
  readonly correlation: string | null;
  readonly method: string;
  readonly family: Family;
  readonly budget: string;
  readonly priority: Priority;
  // How many messages it counts for (an album of N counts N).
  readonly cost: number;
  // Live output (previews of a session) leaves the chat's reserve untouched.
  readonly live: boolean;
  readonly final: boolean;
  // Deliveries of one slot replace each other while they wait; null: never.
  readonly slot: string | null;
  // Order within (lane, priority): first by enterAt, then by rank. A replacement inherits both, but enters at its own
  // time if that is later. Ranks are drawn per account, and compared within it alone; neither they nor `seq` order what
  // two accounts have.
  readonly enterAt: number;
  readonly rank: number;
  // Not before this time (a retry, or scheduled); 0: at once.
  readonly dueAt: number;
  // A final that was not tried: `dueAt` is its slot. Not kept.
  readonly inSlot?: true;
  // 0: never.
  readonly expiresAt: number;
  // Of its payload on disk.
  readonly bytes: number;
}

// The whole record, as the ledger returns it.
export interface Delivery extends Omit<Queued, 'bytes' | 'correlation'> {
  readonly id: string;
  readonly platform: string;
  readonly thread: string | null;
  readonly session: string | null;
  // As its caller named it, else its own id: what log lines, events and receipts of one message have in common.
  readonly correlation: string;
  readonly state: State;
  // Why it is in this state, as a stable code (`chat_not_found`, `expired`, …), and in words.
  readonly reason: string | null;
  readonly detail: string | null;
  readonly acceptedAt: number;
  readonly settledAt: number | null;
  // All tries; those that count against the bound (not: limited, breaker probes); those whose answer was lost.
  readonly attempts: number;
  readonly failures: number;
  readonly doubts: number;
  readonly cures: readonly string[];
  readonly messageId: string | null;
  // The platform's answer, as the caller would have got it (JSON text).
  readonly result: string | null;
  readonly supersededBy: number | null;
  // The delivery that this one may repeat: its caller may have had no answer to that one.
  readonly repeats: number | null;
  // Payload (JSON text of the call's parameters); null when retention has removed it.
  readonly body: string | null;
  // The store's record of it is not what was written: neither its content nor where it goes can be trusted.
  readonly damaged: boolean;
}

// What accepting hands to the store: a parsed, bounded message, accepted when it is durable.
export interface NewDelivery {
  readonly account: AccountId;
  readonly platform: string;
  readonly chat: string;
  readonly thread: string | null;
  readonly session: string | null;
  readonly user: string | null;
  readonly correlation: string | null;
  readonly method: string;
  readonly family: Family;
  readonly budget: string;
  readonly priority: Priority;
  readonly cost: number;
  readonly live: boolean;
  readonly final: boolean;
  readonly slot: string | null;
  // 0: at once / never.
  readonly notBefore: number;
  readonly expiresAt: number;
  readonly acceptedAt: number;
  readonly idempotencyKey: string | null;
  // A caller waits for its answer, and gave no idempotency key by which its repeat would be known.
  readonly held?: boolean;
  // Of a held one: whose call it is (see idempotency.ts). Left out: the bot's, by its own token.
  readonly holder?: string;
  // See Delivery.
  readonly repeats?: number | null;
  // The delivery whose message it shows to an observer: changes of that one follow to this.
  readonly copyOf?: number;
  // Whoever asked may reach this account alone, or not all of it: no observer follows. Not kept.
  readonly isBounded?: true;
  // The slot that its chat has for a final, by our own clock. Not kept: a new process has slots of its own.
  readonly slotAt?: number;
  readonly body: string;
  // Ids of the files in the spool that its body names.
  readonly files?: readonly string[];
}

const CHANGING: readonly Family[] = ['edit', 'delete', 'reaction'];

// Whether it is about a message that is there already.
export function changesMessage({ family }: Pick<NewDelivery, 'family'>): boolean {
  return CHANGING.includes(family);
}

// What a payload takes on disk.
export function bytesOf(body: string): number {
  return Buffer.byteLength(body);
}

// How the lane of a session begins.
export const SESSION_LANE = 's:';
// And of a thread.
export const THREAD_LANE = 't:';

// Typing signs and drafts have a lane of their own: a message must not wait behind one.
export function laneOf(to: {
  family: Family;
  session: string | null;
  thread: string | null;
}): string {
  if (COSMETIC_FAMILIES.includes(to.family)) return `c:${to.family}`;
  if (to.session !== null) return `${SESSION_LANE}${to.session}`;
  return to.thread === null ? '' : `${THREAD_LANE}${to.thread}`;
}

// A message without any send options, as most are.
export function isPlain(d: NewDelivery): boolean {
  return (
    d.slot === null &&
    d.idempotencyKey === null &&
    d.files === undefined &&
    d.thread === null &&
    d.session === null &&
    d.user === null &&
    d.correlation === null &&
    d.notBefore === 0 &&
    d.expiresAt === 0 &&
    d.cost === 1 &&
    (d.repeats ?? null) === null &&
    d.copyOf === undefined &&
    d.holder === undefined &&
    !d.live &&
    !d.final
  );
}

// A time that its caller gave, by the wall clock: a retry comes after the delivery itself did.
export function isScheduled({ dueAt, enterAt }: Pick<Queued, 'dueAt' | 'enterAt'>): boolean {
  return dueAt > 0 && dueAt <= enterAt;
}

// It was tried, and waits to be tried again.
export function isRetry({
  dueAt,
  enterAt,
  inSlot,
}: Pick<Queued, 'dueAt' | 'enterAt' | 'inSlot'>): boolean {
  return dueAt > enterAt && inSlot !== true;
}

// As it is kept.
export function withoutSlot({ slotAt: _slotAt, ...kept }: NewDelivery): NewDelivery {
  return kept;
}

// It waits for its slot in its lane, so that what was said after it comes after it. What has neither session nor thread
// shares its lane with all that is said in the chat, which does not wait for the slots of its texts.
export function slotted(queued: Queued, slotAt: number, now: number): Queued {
  if (slotAt <= now) return queued;
  if (queued.lane === '') return { ...queued, enterAt: slotAt, dueAt: slotAt };
  return { ...queued, enterAt: Math.min(queued.enterAt, now), dueAt: slotAt, inSlot: true };
}

// Its place in the order: own, or inherited from the delivery it replaces.
export interface SlotEntry {
  readonly enterAt: number;
  readonly rank: number;
}

export function ownPlace(delivery: NewDelivery, rank: number): SlotEntry {
  return { enterAt: Math.max(delivery.acceptedAt, delivery.notBefore), rank };
}

// Of one that replaces a delivery. What is not to go before a time enters then: in the place of the other it would be
// taken for a retry, which holds up all that wait behind it. Nor is there a place to take while the other's own time
// has not come.
export function inheritedPlace(
  rival: SlotEntry & Pick<Queued, 'dueAt'>,
  { acceptedAt, notBefore }: Pick<NewDelivery, 'acceptedAt' | 'notBefore'>,
): SlotEntry {
  const { enterAt, rank } = rival;
  const hasEntered = !isScheduled(rival) || enterAt <= acceptedAt;
  return { enterAt: Math.max(hasEntered ? enterAt : acceptedAt, notBefore), rank };
}

export function queuedOfNew(
  delivery: NewDelivery,
  seq: number,
  { enterAt, rank }: SlotEntry,
  bytes: number = bytesOf(delivery.body),
): Queued {
  return {
    seq,
    account: delivery.account,
    chat: delivery.chat,
    lane: laneOf(delivery),
    user: delivery.user,
    correlation: delivery.correlation,
    method: delivery.method,
    family: delivery.family,
    budget: delivery.budget,
    priority: delivery.priority,
    cost: delivery.cost,
    live: delivery.live,
    final: delivery.final,
    slot: delivery.slot,
    enterAt,
    rank,
    dueAt: delivery.notBefore,
    expiresAt: delivery.expiresAt,
    bytes,
  };
}

// As it is stored.
export type DeliveryRow = Omit<Delivery, 'damaged' | 'correlation'> & Pick<Queued, 'correlation'>;

export function queuedOf(delivery: DeliveryRow): Queued {
  return {
    seq: delivery.seq,
    account: delivery.account,
    chat: delivery.chat,
    lane: delivery.lane,
    user: delivery.user,
    correlation: delivery.correlation,
    method: delivery.method,
    family: delivery.family,
    budget: delivery.budget,
    priority: delivery.priority,
    cost: delivery.cost,
    live: delivery.live,
    final: delivery.final,
    slot: delivery.slot,
    enterAt: delivery.enterAt,
    rank: delivery.rank,
    dueAt: delivery.dueAt,
    expiresAt: delivery.expiresAt,
    bytes: bytesOf(delivery.body ?? ''),
  };
}
