// A node of a fleet for tests: the store on Postgres with a spill in a folder of its own, and what it says.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../system/clock.ts';
import { Periodic } from '../../system/periodic.ts';
import { aDelivery, ROOM } from '../contract/journal.fixture.ts';
import type { Appended } from '../ports/delivery.ts';
import type { Owner } from '../ports/ownership.ts';
import type { Store } from '../ports/store.ts';
import { openPostgresJournal } from '../postgres/postgres.ts';
import type { StoreNote } from '../store-note.ts';
import { openSpilling, type SpillingStore, type StoreBehind } from './store.ts';

export interface Node {
  readonly store: SpillingStore;
  readonly notes: StoreNote[];
  // Resolves when the database is back and has everything.
  direct(): Promise<void>;
  close(): Promise<void>;
}

interface NodeOptions {
  readonly url: string;
  readonly dir: string;
  readonly node?: string;
  readonly deliveriesMax?: number;
  readonly bytesMax?: number;
  readonly around?: (store: StoreBehind) => StoreBehind;
}

export function spillFolder(): string {
  return mkdtempSync(join(tmpdir(), 'sluice-spill-'));
}

export async function openNode(options: NodeOptions): Promise<Node> {
  const { url, dir, node = 'a', deliveriesMax = 1_000, bytesMax = 1 << 20 } = options;
  const notes: StoreNote[] = [];
  const listeners = new Set<() => void>();
  const onNote = (note: StoreNote) => {
    notes.push(note);
    for (const listener of listeners) listener();
  };
  const postgres = await openPostgresJournal({ url, node });
  const behind = options.around?.(postgres) ?? postgres;
  const periodic = new Periodic(systemClock());
  const bounds = { dir, deliveriesMax, bytesMax, periodic, onNote };
  const store = await openSpilling(behind, bounds);
  return {
    store,
    notes,
    direct() {
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = () => {
        if (store.standing.mode === 'direct') resolve();
      };
      listeners.add(look);
      look();
      return promise;
    },
    close: () => store.close(),
  };
}

// `name`: also its text and, if none is given, its chat.
export function put(store: Store, owner: Owner, name: string, changes = {}): Promise<Appended> {
  const body = JSON.stringify({ text: name });
  const delivery = aDelivery({ account: owner.account, body, ...changes });
  return store.append(owner, delivery, ROOM).durable;
}

// What waits, in the order it will be sent.
export async function texts(store: Store, owner: Owner): Promise<string[]> {
  const waiting = [];
  for await (const page of store.recover([owner]))
    for (const one of page) {
      if (one.kind === 'queued') waiting.push(one.queued);
    }
  waiting.sort((a, b) => a.enterAt - b.enterAt || a.rank - b.rank);
  const found = [];
  for (const { seq } of waiting) {
    const begun = await store.begin(owner, seq, 1);
    found.push(begun.kind === 'begun' ? JSON.parse(begun.body).text : begun.kind);
  }
  return found;
}
