// Streams by their names: those that this process has, in memory, and all others on disk.

import { sharedKey } from '../domain/idempotency.ts';
import type { AccountId } from '../domain/ids.ts';
import type { StreamStore } from '../store/ports/streams.ts';
import { nameOfKey } from './naming.ts';
import { streamOf } from './record.ts';
import type { Stream } from './stream-state.ts';

export class KnownStreams {
  readonly #journal: Pick<StreamStore, 'get'>;
  readonly #here = new Map<string, Stream>();

  constructor(journal: Pick<StreamStore, 'get'>) {
    this.#journal = journal;
  }

  get size(): number {
    return this.#here.size;
  }

  here(): Iterable<Stream> {
    return this.#here.values();
  }

  has(id: string): boolean {
    return this.#here.has(id);
  }

  get(id: string): Stream | undefined {
    return this.#here.get(id);
  }

  add(stream: Stream): void {
    this.#here.set(stream.id, stream);
  }

  // Another of its name may have been taken up since.
  forget(stream: Stream): void {
    if (this.#here.get(stream.id) === stream) this.#here.delete(stream.id);
  }

  // In memory or on disk. Looked for in memory last: meanwhile another may have opened it.
  async find(id: string): Promise<Stream | null> {
    const stored = this.#here.has(id) ? null : await this.#journal.get(id);
    return this.#here.get(id) ?? (stored === null ? null : streamOf(stored));
  }

  // Under the key of its holder, or as it was opened when keys had no holder.
  async findByKey(account: AccountId, key: string): Promise<Stream | null> {
    const shared = sharedKey(key);
    const older = shared === null ? null : await this.find(nameOfKey(account, shared));
    return (await this.find(nameOfKey(account, key))) ?? older;
  }
}
