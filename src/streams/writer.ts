// Writes streams down. Of one stream one save is under way at a time; who asks meanwhile shares the next, so that a
// producer faster than the disk costs one save per commit and not one per word. What another process has by now is not
// written.

import type { StreamStore } from '../store/ports/streams.ts';
import { TakenOver } from '../store/ports/unavailable.ts';
import { storedOf } from './record.ts';
import type { Stream } from './stream-state.ts';

interface Saving {
  readonly current: Promise<void>;
  // How many changes it writes.
  readonly count: number;
  next: Promise<void> | null;
}

export class StreamWriter {
  readonly #journal: Pick<StreamStore, 'save'>;
  readonly #saving = new Map<Stream, Saving>();

  // Told of a stream that the store refuses, as its account has another owner.
  readonly #lost: (stream: Stream) => void;

  constructor(journal: Pick<StreamStore, 'save'>, lost: (stream: Stream) => void) {
    this.#journal = journal;
    this.#lost = lost;
  }

  // Resolves when the stream as it is now is durable; rejects with JournalUnavailable, its changes taken back.
  save(stream: Stream): Promise<void> {
    const saving = this.#saving.get(stream);
    if (saving === undefined) return this.#start(stream);
    saving.next ??= saving.current.then(
      () => this.#start(stream),
      () => this.#start(stream),
    );
    return saving.next;
  }

  // Resolves when the text as it is now is durable.
  saveText(stream: Stream): Promise<void> {
    const saving = this.#saving.get(stream);
    if (saving === undefined && stream.ops.length === 0) return Promise.resolve();
    return saving?.count === stream.ops.length ? saving.current : this.save(stream);
  }

  // What is under way; for a stop.
  get pending(): Promise<unknown>[] {
    return [...this.#saving.values()].map(({ current, next }) => next ?? current);
  }

  #start(stream: Stream): Promise<void> {
    const count = stream.ops.length;
    const current = this.#run(stream);
    this.#saving.set(stream, { current, count, next: null });
    return current;
  }

  async #run(stream: Stream): Promise<void> {
    const count = stream.ops.length;
    const { text } = stream;
    try {
      await this.#save(stream);
      stream.settle(count, text);
    } catch (error) {
      stream.revert(count);
      throw error;
    } finally {
      if (this.#saving.get(stream)?.next === null) this.#saving.delete(stream);
    }
  }

  async #save(stream: Stream): Promise<void> {
    if (stream.isLeft) throw new TakenOver();
    const { kind } = await this.#journal.save(stream.owner, storedOf(stream));
    if (kind === 'kept') return;
    this.#lost(stream);
    throw new TakenOver();
  }
}
