// The port of what was done, by whom: a log that only grows and is forgotten by age.

export interface AuditStore {
  note(entry: NewAuditEntry): Promise<void>;
  // Newest first, from just before that one; null: from the newest.
  page(page: { before: number | null; max: number }): Promise<AuditEntry[]>;
  prune(command: { endedBefore: number; max: number }): Promise<number>;
}

export interface NewAuditEntry {
  readonly at: number;
  // The key's name, and its id where it has one.
  readonly by: string;
  readonly key: string | null;
  // What was asked for, and of what.
  readonly action: string;
  readonly target: string;
  readonly result: string;
}

export interface AuditEntry extends NewAuditEntry {
  readonly n: number;
}
