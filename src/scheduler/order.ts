// Where a delivery queues, by the order its account keeps. `lane`: in its own chat and lane, by priority. `platform`:
// with all others of the account in one queue, in the order they were accepted, whatever their chat or priority; what
// must wait makes all behind it wait. The stored lane stays as it is, so the setting can be changed at any start.

import { COSMETIC_FAMILIES } from '../domain/call.ts';
import type { Queued } from '../domain/delivery.ts';
import { PRIORITY_RANK } from '../domain/priority.ts';

export type Order = 'lane' | 'platform';

// The chat that stands for the one queue of an account. No platform has a chat without a name.
export const QUEUE = '';

// Typing signs and drafts keep out of it: no message waits behind one.
export function isInOneQueue(queued: Pick<Queued, 'family'>, order: Order): boolean {
  return order === 'platform' && !COSMETIC_FAMILIES.includes(queued.family);
}

export function chatOf(queued: Pick<Queued, 'chat' | 'family'>, order: Order): string {
  return isInOneQueue(queued, order) ? QUEUE : queued.chat;
}

export function laneOf(queued: Queued, order: Order): string {
  return isInOneQueue(queued, order) ? '' : queued.lane;
}

export function rankOf(queued: Queued, order: Order): number {
  return isInOneQueue(queued, order) ? PRIORITY_RANK.normal : PRIORITY_RANK[queued.priority];
}
