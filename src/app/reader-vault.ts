// The sessions of accounts that channels are read with: sealed in the store as tokens are, opened once, and shown to
// their reader alone.

import { createSealer, type Sealer } from '../accounts/seal.ts';
import type { ReaderAccount } from '../platforms/history.ts';
import type { IngestStore, StoredReader } from '../store/ports/ingest.ts';
import type { Clock } from '../system/clock.ts';

export interface ReaderVaultParts {
  readonly store: Pick<IngestStore, 'readers' | 'saveReader' | 'removeReader'>;
  readonly clock: Clock;
  readonly secret: string;
  readonly secretPrevious: string | null;
  // Sealed with another secret: it has to log in again.
  readonly onUnreadable: (kind: string, account: string) => void;
}

interface OpenedReader extends ReaderAccount {
  readonly kind: string;
  readonly name: string;
}

export class ReaderVault {
  readonly #parts: ReaderVaultParts;
  readonly #sealer: Sealer;
  readonly #opened = new Map<string, OpenedReader>();

  constructor(parts: ReaderVaultParts) {
    this.#parts = parts;
    this.#sealer = createSealer(parts.secret);
  }

  async load(): Promise<void> {
    const { store, secretPrevious, onUnreadable } = this.#parts;
    const before = secretPrevious === null ? null : createSealer(secretPrevious);
    for (const stored of await store.readers()) {
      const { readerKind: kind, account: id, name, sealed } = stored;
      const own = this.#sealer.open(boundTo(kind, id), sealed);
      const session = own ?? before?.open(boundTo(kind, id), sealed) ?? null;
      if (session === null) onUnreadable(kind, id);
      else this.#opened.set(boundTo(kind, id), { kind, id, name, session });
      if (own === null && session !== null) await store.saveReader(this.#sealed(stored, session));
    }
  }

  of(kind: string): OpenedReader[] {
    return [...this.#opened.values()].filter((each) => each.kind === kind);
  }

  async save(account: OpenedReader): Promise<void> {
    const { kind: readerKind, id, name, session } = account;
    const createdAt = this.#parts.clock.now();
    await this.#parts.store.saveReader(
      this.#sealed({ readerKind, account: id, name, createdAt }, session),
    );
    this.#opened.set(boundTo(readerKind, id), account);
  }

  remove(kind: string, id: string): Promise<boolean> {
    this.#opened.delete(boundTo(kind, id));
    return this.#parts.store.removeReader({ readerKind: kind, account: id });
  }

  #sealed(reader: Omit<StoredReader, 'sealed'>, session: string): StoredReader {
    const { readerKind, account, name, createdAt } = reader;
    const sealed = this.#sealer.seal(boundTo(readerKind, account), session);
    return { readerKind, account, name, sealed, createdAt };
  }
}

// What a seal is bound to; no account of the road has such an id.
function boundTo(kind: string, id: string): string {
  return `reader ${kind}:${id}`;
}
