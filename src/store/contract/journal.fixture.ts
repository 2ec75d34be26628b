// What tests of a store start from: a store that can be reopened, and deliveries and settlements
// that are valid, small, and open to change.

import { aDelivery } from '../../domain/delivery.fixture.ts';
import type { NewDelivery } from '../../domain/delivery.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { CheckedRow } from '../../system/databases/row-check.ts';
import type { MoveCommand, Settlement } from '../ports/delivery.ts';
import type { Recovered } from '../ports/recovery.ts';
import type { Store } from '../ports/store.ts';
import { type OwnedStore, soleOwner } from './sole-owner.fixture.ts';

export interface Harness {
  // As who owns every account.
  journal: OwnedStore;
  ledger: Ledger;
  // Another handle on the same store, as another node's; always the same one.
  second(): Store;
  // Ends the process and starts the next one on the same store.
  reopen(): Promise<void>;
  // Changes what stands on the disk, behind the store's back.
  damage(seq: number, change: Damage): Promise<void>;
  dispose(): Promise<void>;
}

export type Damage = Partial<Pick<CheckedRow, 'chat' | 'method' | 'body'>>;

export type Alive = Exclude<Recovered, { kind: 'not_owner' }>;

// A store that is not in anybody's hands yet is taken into the one owner's.
function owned(journal: OwnedStore | Store): OwnedStore {
  return 'store' in journal ? journal : soleOwner(journal);
}

export async function recovered(journal: OwnedStore | Store): Promise<Alive[]> {
  const all: Alive[] = [];
  for await (const one of owned(journal).recover()) {
    if (one.kind === 'not_owner') throw new Error(`${one.account} is another's`);
    all.push(one);
  }
  return all;
}

export { aDelivery };

export const ROOM = { queueMax: 1_000 };

export function aSettlement(changes: Partial<Settlement> = {}): Settlement {
  return {
    seq: 1,
    n: 1,
    endedAt: 3_000,
    outcome: 'sent',
    reason: null,
    detail: null,
    retryAfterMs: null,
    to: 'sent',
    dueAt: 0,
    failed: false,
    doubted: false,
    cure: null,
    messageId: null,
    result: null,
    limits: [],
    ...changes,
  };
}

export function aMove(changes: Partial<MoveCommand> = {}): MoveCommand {
  return {
    seq: 1,
    to: 'cancelled',
    at: 4_000,
    reason: 'asked',
    by: 'operator',
    body: null,
    queueMax: ROOM.queueMax,
    ...changes,
  };
}

export const REFUSED = {
  outcome: 'refused',
  to: 'dead',
  reason: 'chat_not_found',
  detail: 'Bad Request: chat not found',
} as const satisfies Partial<Settlement>;

export const RETRIED = {
  outcome: 'failed',
  to: 'queued',
  reason: 'bad_gateway',
  detail: '502',
  dueAt: 9_000,
  failed: true,
} as const satisfies Partial<Settlement>;

// Accepted; its number.
export async function accepted(
  journal: OwnedStore | Store,
  changes: Partial<NewDelivery> = {},
): Promise<number> {
  const appended = await owned(journal).append(aDelivery(changes), ROOM);
  if (appended.kind !== 'accepted') throw new Error(`not accepted: ${appended.kind}`);
  return appended.queued.seq;
}

// Accepted, tried once, and settled.
export async function delivered(
  store: OwnedStore | Store,
  changes: Partial<NewDelivery>,
  settlement: Partial<Settlement>,
  startedAt = 2_000,
): Promise<number> {
  const journal = owned(store);
  const seq = await accepted(journal, changes);
  await journal.begin(seq, startedAt);
  await journal.settle(aSettlement({ seq, ...settlement }));
  return seq;
}
