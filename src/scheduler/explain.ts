// Where does a waiting delivery stand, when will it go, and why has it not gone yet?
// Position is exact within its lane; the time is an estimate from what the limits would allow.

import { PRIORITIES } from '../domain/priority.ts';
import type { Cause } from '../limits/limits.ts';
import type { Account } from './account.ts';
import type { Chat } from './chat.ts';
import type { Entry, Flow } from './flow.ts';

export interface Placed {
  // 1: next in its lane.
  readonly position: number;
  // null when nothing can be said: the account is held without an end.
  readonly eta: number | null;
}

export type Held =
  | Cause
  | {
      kind: 'ahead' | 'due' | 'held' | 'in_flight';
      name: string;
      until: number | null;
      detail: string;
    };

export interface Explained extends Placed {
  readonly causes: readonly Held[];
}

export function place(account: Account, entry: Entry, now: number): Placed {
  const { queued, flow } = entry;
  if (flow === null) return { position: 1, eta: queued.enterAt };
  const position = flow.aheadOf(entry) + 1;
  if (account.heldUntil === Number.POSITIVE_INFINITY) return { position, eta: null };
  const chat = account.chats.get(queued.chat)!;
  const ahead = aheadInChat(chat, flow, position);
  const waiting = account.waiting.reduce((a, b) => a + b);
  const aheadInAccount = Math.min(waiting - 1, (ahead + 1) * account.chats.size - 1);
  const eta = Math.max(
    now,
    account.heldUntil,
    flow.head!.queued.dueAt,
    queued.dueAt,
    account.limits.project(queued, ahead, now),
    account.limits.projectAccount(queued, aheadInAccount, now),
  );
  return { position, eta };
}

// Lanes of its class take turns with it; higher classes go first; lower ones are a few percent and left out.
function aheadInChat(chat: Chat, flow: Flow, position: number): number {
  let ahead = position - 1;
  for (const lane of chat.lanes.values()) {
    for (const other of lane.flows) {
      if (other === undefined || other === flow || other.length === 0) continue;
      if (other.rank < flow.rank) ahead += other.length;
      else if (other.rank === flow.rank) ahead += Math.min(other.length, position);
    }
  }
  return ahead;
}

export function explain(account: Account, entry: Entry, now: number): Explained {
  const { queued, flow } = entry;
  const placed = place(account, entry, now);
  const causes: Held[] = [];
  if (account.heldUntil > now) causes.push(held(account));
  if (flow === null) {
    causes.push({
      kind: 'due',
      name: 'scheduled',
      until: queued.enterAt,
      detail: 'scheduled for later',
    });
    return { ...placed, causes };
  }
  if (placed.position > 1) causes.push(aheadCause(flow, placed.position));
  if (flow.lane.busy) {
    const detail = 'a call of its lane is in flight; order is kept by sending one at a time';
    causes.push({ kind: 'in_flight', name: 'lane', until: null, detail });
  }
  const head = flow.head!.queued;
  if (head.dueAt > now) {
    const whose = head.seq === queued.seq ? 'its own retry' : 'the retry of the one ahead of it';
    causes.push({ kind: 'due', name: 'retry', until: head.dueAt, detail: `waits for ${whose}` });
  }
  causes.push(...account.limits.explain(queued, now));
  if (account.inFlight >= account.inFlightMax) {
    const detail = `${account.inFlight} calls of the account are in flight, the bound is ${account.inFlightMax}`;
    causes.push({ kind: 'in_flight', name: 'account', until: null, detail });
  }
  return { ...placed, causes };
}

export function held(account: Account): Held {
  const until = account.heldUntil === Number.POSITIVE_INFINITY ? null : account.heldUntil;
  return { kind: 'held', name: 'account', until, detail: account.heldWhy };
}

function aheadCause(flow: Flow, position: number): Held {
  const ahead = position - 1;
  const detail = `${ahead} of priority ${PRIORITIES[flow.rank]} before it in its lane`;
  return { kind: 'ahead', name: 'lane', until: null, detail };
}
