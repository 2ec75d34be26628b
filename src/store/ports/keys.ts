// The port of who may do what: keys, by their hash and never themselves. A backend runs its commands beside those of
// the audit log and of the page's sessions. As everywhere in the store, a promise resolves when its effect is durable.

import type { Role } from '../../domain/role.ts';
import type { AuditStore, NewAuditEntry } from './audit.ts';
import { type SessionCommand, type SessionStore, sessionsOver } from './sessions.ts';

export interface KeyStore {
  // A new one, or all of a known one (by id) anew; what is over stays over, and an end only comes nearer: another
  // process may have ended it meanwhile.
  save(key: StoredKey): Promise<void>;
  // In order of id, from just after that one; those that are over included, until they are pruned.
  page(page: { after: string; max: number }): Promise<StoredKey[]>;
  // When each was last used; unknown ones are passed over.
  used(uses: readonly KeyUse[]): Promise<void>;
  // Forgets those that were over before a time, at most `max`, oldest first; how many.
  prune(command: { endedBefore: number; max: number }): Promise<number>;
}

// The end of what does not end. A number, so that one comparison tells whether a key is valid.
export const NEVER = Number.MAX_SAFE_INTEGER;

export interface StoredKey {
  readonly id: string;
  readonly kind: 'key' | 'virtual';
  readonly hash: string;
  readonly name: string;
  readonly role: Role;
  // JSON text; see keys/.
  readonly scope: string;
  // False: revoked.
  readonly active: boolean;
  // NEVER, or when it was or will be over.
  readonly expiresAt: number;
  readonly createdAt: number;
  // null: not yet.
  readonly usedAt: number | null;
}

export interface KeyUse {
  readonly id: string;
  readonly at: number;
}

export type KeyCommand =
  | { kind: 'save'; key: StoredKey }
  | { kind: 'page'; after: string; max: number }
  | { kind: 'used'; uses: readonly KeyUse[] }
  | { kind: 'prune'; endedBefore: number; max: number }
  | { kind: 'note'; entry: NewAuditEntry }
  | { kind: 'log'; before: number | null; max: number }
  | { kind: 'pruneLog'; endedBefore: number; max: number }
  | SessionCommand;

export interface GuardStores {
  readonly keys: KeyStore;
  readonly audit: AuditStore;
  readonly sessions: SessionStore;
}

type Run = (command: KeyCommand) => Promise<unknown>;

// All three ports over one function that runs a command, however it gets to its store.
export function keysOver(run: Run): GuardStores {
  const ask = <T>(command: KeyCommand) => run(command) as Promise<T>;
  return {
    keys: {
      save: (key) => ask({ kind: 'save', key }),
      page: (page) => ask({ kind: 'page', ...page }),
      used: (uses) => ask({ kind: 'used', uses }),
      prune: ({ endedBefore, max }) => ask({ kind: 'prune', endedBefore, max }),
    },
    sessions: sessionsOver(ask),
    audit: {
      note: (entry) => ask({ kind: 'note', entry }),
      page: (page) => ask({ kind: 'log', ...page }),
      prune: ({ endedBefore, max }) => ask({ kind: 'pruneLog', endedBefore, max }),
    },
  };
}
