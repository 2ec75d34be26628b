// The sessions of accounts that channels are read with: sealed in the store as tokens are, opened once, and shown to
// their reader alone.

import { createSealer, type Sealer } from '../../accounts/seal.ts';
import type { ReaderAccount } from '../../platforms/history.ts';
import type { IngestStore, StoredReader } from '../../store/ports/ingest.ts';
import type { Clock } from '../../system/clock.ts';

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
  // As the store has them, by which changes are known; also those that cannot be opened.
  readonly #known = new Map<string, string>();

  constructor(parts: ReaderVaultParts) {
    this.#parts = parts;
    this.#sealer = createSealer(parts.secret);
  }

  // Also what other processes have changed since. Answers whose session is another now, or gone.
  async load(): Promise<Pick<OpenedReader, 'kind' | 'id'>[]> {
    const { store, secretPrevious, onUnreadable } = this.#parts;
    const before = secretPrevious === null ? null : createSealer(secretPrevious);
    const gone = new Map(this.#known);
    const changed: Pick<OpenedReader, 'kind' | 'id'>[] = [];
    for (const stored of await store.readers()) {
      const { readerKind: kind, account: id, name, sealed } = stored;
      const key = boundTo(kind, id);
      gone.delete(key);
      if (this.#known.get(key) === sealed) continue;
      const own = this.#sealer.open(key, sealed);
      const session = own ?? before?.open(key, sealed) ?? null;
      const kept = own !== null || session === null ? stored : this.#sealed(stored, session);
      this.#known.set(key, kept.sealed);
      if (session === null) onUnreadable(kind, id);
      else this.#opened.set(key, { kind, id, name, session });
      changed.push({ kind, id });
      if (kept !== stored) await store.saveReader(kept);
    }
    for (const [key, sealed] of gone) {
      // Unless it was kept here meanwhile.
      if (this.#known.get(key) !== sealed) continue;
      const opened = this.#opened.get(key);
      if (opened !== undefined) changed.push({ kind: opened.kind, id: opened.id });
      this.#known.delete(key);
      this.#opened.delete(key);
    }
    return changed;
  }

  of(kind: string): OpenedReader[] {
    return [...this.#opened.values()].filter((each) => each.kind === kind);
  }

  async save(account: OpenedReader): Promise<void> {
    const { kind: readerKind, id, name, session } = account;
    const createdAt = this.#parts.clock.now();
    const kept = this.#sealed({ readerKind, account: id, name, createdAt }, session);
    await this.#parts.store.saveReader(kept);
    this.#known.set(boundTo(readerKind, id), kept.sealed);
    this.#opened.set(boundTo(readerKind, id), account);
  }

  remove(kind: string, id: string): Promise<boolean> {
    this.#opened.delete(boundTo(kind, id));
    this.#known.delete(boundTo(kind, id));
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
