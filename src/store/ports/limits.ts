// The port of what is known of an account's limits: freezes, learned rates, other ids of chats. Each is a record that
// its owner reads; here it is text.

export interface LimitStore {
  saveLimits(records: readonly StoredLimit[]): Promise<void>;
  limits(): Promise<StoredLimit[]>;
}

export interface StoredLimit {
  readonly account: string;
  readonly key: string;
  // JSON text; '' deletes the record.
  readonly value: string;
  readonly updatedAt: number;
}
