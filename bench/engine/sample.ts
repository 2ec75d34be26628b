// A delivery as the measurements need it.

import type { NewDelivery, Queued } from '../../src/domain/delivery.ts';

export const BODY_BYTES = 500;

export function queuedSample(overrides: Partial<Queued>): Queued {
  return {
    seq: 1,
    account: 'telegram:1',
    chat: '1',
    lane: '',
    user: null,
    method: 'sendMessage',
    family: 'send',
    gate: 'broadcast',
    priority: 'normal',
    cost: 1,
    live: false,
    final: false,
    slot: null,
    enterAt: 0,
    rank: 1,
    dueAt: 0,
    expiresAt: 0,
    ...overrides,
  };
}

export function newSample(overrides: Partial<NewDelivery>): NewDelivery {
  return {
    account: 'telegram:1',
    platform: 'telegram',
    chat: '1',
    thread: null,
    session: null,
    user: null,
    correlation: null,
    method: 'sendMessage',
    family: 'send',
    gate: 'broadcast',
    priority: 'normal',
    cost: 1,
    live: false,
    final: false,
    slot: null,
    notBefore: 0,
    expiresAt: 0,
    acceptedAt: 0,
    idempotencyKey: null,
    body: JSON.stringify({ chat_id: 1, text: 'x'.repeat(BODY_BYTES - 30) }),
    ...overrides,
  };
}
