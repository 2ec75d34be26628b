// Deliveries that are valid, small, and open to change; what tests and measurements start from.

import type { NewDelivery, Queued } from './delivery.ts';

const CALL = {
  account: 'telegram:1',
  chat: '42',
  user: null,
  method: 'sendMessage',
  family: 'send',
  budget: 'broadcast',
  priority: 'normal',
  cost: 1,
  live: false,
  final: false,
  slot: null,
  expiresAt: 0,
} as const;

export function aDelivery(changes: Partial<NewDelivery> = {}): NewDelivery {
  return {
    ...CALL,
    platform: 'telegram',
    thread: null,
    session: null,
    correlation: null,
    notBefore: 0,
    acceptedAt: 1_000,
    idempotencyKey: null,
    body: '{"text":"hello"}',
    ...changes,
  };
}

export function aQueued(changes: Partial<Queued> = {}): Queued {
  const own = { seq: 1, lane: '', correlation: null, enterAt: 0, rank: 1, dueAt: 0, bytes: 16 };
  return { ...CALL, ...own, ...changes };
}
