// A described call and the caller's wishes, made into the delivery that goes to the journal.
// Pure; both the REST routes and the drop-in dialects end here, so a wish means the same everywhere.

import { COSMETIC_FAMILIES } from '../domain/call.ts';
import { laneOf, type NewDelivery } from '../domain/delivery.ts';
import type { Trouble } from '../domain/errors.ts';
import type { Priority } from '../domain/priority.ts';
import type { Described } from '../platforms/platform.ts';
import { COSMETIC_TTL_MS } from './context.ts';

export type DescribedCall = Extract<Described, { kind: 'call' }>;

export interface SendOptions {
  // null: as the updates seen say, else normal.
  readonly priority: Priority | null;
  readonly session: string | null;
  readonly user: string | null;
  readonly correlation: string | null;
  // null: as the platform says.
  readonly coalesce: string | boolean | null;
  readonly final: boolean;
  // null: never expires.
  readonly ttlMs: number | null;
  // 0: at once.
  readonly notBefore: number;
  // As it is kept; see domain/idempotency.ts.
  readonly idempotencyKey: string | null;
  // Coalescing keys and sessions of one owner replace nothing of another's; '': of all who have no bounds.
  readonly owner: string;
  // The caller holds the line until the end.
  readonly held: boolean;
}

export const NO_WISHES: SendOptions = {
  priority: null,
  session: null,
  user: null,
  correlation: null,
  coalesce: null,
  final: false,
  ttlMs: null,
  notBefore: 0,
  idempotencyKey: null,
  owner: '',
  held: false,
};

export function compose(
  now: number,
  from: {
    account: string;
    platform: string;
    call: DescribedCall & { readonly priority?: Priority };
    body: string;
    files?: readonly string[];
  },
  wishes: SendOptions,
): NewDelivery | Trouble {
  const { call } = from;
  const slot = slotOf(call, wishes);
  if (slot === undefined) {
    return {
      path: '/coalesce',
      expected: 'a key: the call names neither a message to change nor a session',
    };
  }
  const expiresAt = expiryOf(now, call, wishes);
  if (expiresAt !== 0 && expiresAt <= wishes.notBefore) {
    return { path: '/ttl', expected: 'a time to live that ends after `notBefore`' };
  }
  return {
    account: from.account,
    platform: from.platform,
    chat: call.chat,
    thread: call.thread,
    session: wishes.session,
    user: wishes.user,
    correlation: wishes.correlation,
    method: call.method,
    family: call.family,
    gate: call.gate,
    priority: wishes.priority ?? call.priority ?? 'normal',
    cost: call.cost,
    // A text of a session that may still be replaced is a preview: live output.
    live: wishes.session !== null && slot !== null && !wishes.final,
    final: wishes.final,
    slot,
    notBefore: wishes.notBefore,
    expiresAt,
    acceptedAt: now,
    idempotencyKey: wishes.idempotencyKey,
    held: wishes.held && wishes.idempotencyKey === null,
    body: from.body,
    ...(from.files === undefined ? null : { files: from.files }),
  };
}

// Slots are per account in the journal: a caller's key counts within its chat and lane.
// undefined: coalescing was asked for, and there is nothing to coalesce by.
function slotOf(call: DescribedCall, wishes: SendOptions): string | null | undefined {
  const { coalesce, session, owner } = wishes;
  if (coalesce === null) return call.slot;
  if (coalesce === false) return null;
  if (coalesce === true && call.slot !== null) return call.slot;
  const lane = laneOf({ session, thread: call.thread, family: call.family });
  const chat = unambiguous(call.chat);
  const own = owner === '' ? '' : `:${owner}`;
  if (coalesce === true) return session === null ? undefined : `session${own}:${chat}:${lane}`;
  return `key${own}:${chat}:${lane}:${coalesce}`;
}

// A colon ends the chat's name: a session must not be able to go on with it.
function unambiguous(chat: string): string {
  return chat.includes(':') || chat.includes('%')
    ? chat.replaceAll('%', '%25').replaceAll(':', '%3A')
    : chat;
}

function expiryOf(now: number, call: DescribedCall, wishes: SendOptions): number {
  if (wishes.ttlMs !== null) return now + wishes.ttlMs;
  if (!COSMETIC_FAMILIES.includes(call.family)) return 0;
  return Math.max(now, wishes.notBefore) + COSMETIC_TTL_MS;
}
