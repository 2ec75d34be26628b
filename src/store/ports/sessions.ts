// The port of who is logged in to the page: by the hash of what the browser has, so that nothing here opens anything.

export interface SessionStore {
  save(session: StoredSession): Promise<void>;
  // Those that are not over at that time, the oldest first.
  open(at: number): Promise<StoredSession[]>;
  remove(hash: string): Promise<void>;
  // Forgets those that were over before a time; how many.
  prune(command: { endedBefore: number }): Promise<number>;
}

export interface StoredSession {
  readonly hash: string;
  // The id of its key; null: the admin key of the settings, which is no record.
  readonly key: string | null;
  // Tells, together with what the browser has, whether the key is still the same.
  readonly proof: string;
  readonly expiresAt: number;
}

export type SessionCommand =
  | { kind: 'saveSession'; session: StoredSession }
  | { kind: 'sessions'; at: number }
  | { kind: 'removeSession'; hash: string }
  | { kind: 'pruneSessions'; endedBefore: number };

type Ask = <T>(command: SessionCommand) => Promise<T>;

export function sessionsOver(ask: Ask): SessionStore {
  return {
    save: (session) => ask({ kind: 'saveSession', session }),
    open: (at) => ask({ kind: 'sessions', at }),
    remove: (hash) => ask({ kind: 'removeSession', hash }),
    prune: ({ endedBefore }) => ask({ kind: 'pruneSessions', endedBefore }),
  };
}
