// The rules of the journal that every implementation shares: who gives way in a slot, which moves
// are made by hand, when two requests with one idempotency key are the same. Pure, no storage. The
// hard one is the slot: the newest text wins, except that a final never yields to a late preview.

import { createHash } from 'node:crypto';
import { MOVES, type NewDelivery, type State, statesBefore } from '../domain/delivery.ts';
import { PARTLY_SENT } from '../domain/outcome.ts';
import type { MoveCommand, ReceiptCommand, ReceiptStatus } from './ports/delivery.ts';

export const IDEMPOTENCY_MS = 24 * 60 * 60 * 1000;

// Who tells receipts.
export const BY_PLATFORM = 'platform';
// What is told of a message, in the order in which it outdoes the others.
const RECEIPTS: readonly ReceiptStatus[] = ['sent', 'failed', 'delivered', 'read'];

// The journal's own hand in the history, and the reason it gives when a newer text took the place.
export const BY_SLUICE = 'sluice';
export const SUPERSEDED = 'superseded';

// What a late command about a delivery that retention has removed is told.
export const STATE_OF_PRUNED: State = 'expired';

// From these a delivery may still be sent; its files must be at hand.
export function mayStillGo(state: State): boolean {
  return state === 'queued' || MOVES[state].includes('queued');
}

interface Contender {
  readonly seq: number;
  readonly final: boolean;
}

// Of two deliveries of one slot, does `one` yield its place to `other`?
export function yieldsTo(one: Contender, other: Contender): boolean {
  const [older, newer] = one.seq < other.seq ? [one, other] : [other, one];
  const winner = older.final && !newer.final ? older : newer;
  return winner === other;
}

// An attempt in flight ends by settling, never by hand: whoever moved it would send it twice.
export function movableFrom(to: MoveCommand['to']): State[] {
  return statesBefore(to).filter((from) => from !== 'sending');
}

// Part of it is out, or an answer about it was lost.
export function mayBeOut({ doubts, cures }: { doubts: number; cures: readonly string[] }): boolean {
  return doubts > 0 || cures.some((cure) => PARTLY_SENT.includes(cure));
}

// Two requests under one idempotency key are the same when they ask for the same call.
export function digestOf(
  delivery: Pick<NewDelivery, 'method' | 'chat' | 'thread' | 'body'>,
): string {
  const { method, chat, thread, body } = delivery;
  return createHash('sha256')
    .update(JSON.stringify([method, chat, thread, body]))
    .digest('base64');
}

interface Told {
  readonly state: State;
  readonly messageId: string | null;
  readonly doubts: number;
  // What the platform has told of it before.
  readonly told: readonly string[];
}

// What a receipt makes of a delivery: another state, a line in its history (the same state), or (null) nothing.
export function receiptMove(delivery: Told, { status, messageId }: ReceiptCommand): State | null {
  const { state, told, doubts } = delivery;
  // Of an earlier try, whose message is not the delivery's any more.
  if (delivery.messageId !== null && delivery.messageId !== messageId) return null;
  if (told.some((each) => rankOf(each) >= rankOf(status))) return null;
  const to: State = status === 'failed' ? 'dead' : 'sent';
  switch (state) {
    case 'sent':
      return status === 'sent' ? null : to;
    case 'uncertain':
      return to;
    case 'dead':
      return to === 'sent' && (delivery.messageId !== null || doubts > 0) ? to : null;
    case 'queued':
      // It waits to be tried again because an answer was lost.
      return to === 'sent' && doubts > 0 ? to : null;
    default:
      return null;
  }
}

// What a word is no news after, itself among it.
export function outdoing(status: ReceiptStatus): readonly ReceiptStatus[] {
  return RECEIPTS.slice(rankOf(status));
}

function rankOf(status: string): number {
  return RECEIPTS.indexOf(status as ReceiptStatus);
}
