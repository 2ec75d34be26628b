// New posts go on to where their source says: in order, one at a time for each source, sources side by side. What is to
// go is noted in the commit that stored it, and said to be gone after it was taken: a crash in between hands it over
// once more, under the same id. A receiver that does not take it is tried again, and holds up its own source alone.

import type { IngestStore, StoredPost } from '../store/ports/ingest.ts';
import type { Clock, Timer } from '../system/clock.ts';
import type { Random } from '../system/random.ts';
import { drained, type Service } from '../system/service.ts';
import type { ForwardTarget, SourceView } from './tracked.ts';

// `later`: not taken, or not now. `dropped`: it never will be; someone was told.
export type Handed = 'taken' | 'later' | 'dropped';

export interface ForwardingParts {
  readonly store: Pick<IngestStore, 'unforwarded' | 'forwarded'>;
  readonly clock: Clock;
  readonly random: Random;
  sources(): readonly SourceView[];
  // One try.
  hand(target: ForwardTarget, source: SourceView, post: StoredPost): Promise<Handed>;
  readonly onFailure: (source: number, error: unknown) => void;
}

const READ_TOGETHER = 50;
const BACKOFF_MS = 1_000;
const BACKOFF_MS_MAX = 60_000;

interface Line {
  work: Promise<void> | null;
  rest: Timer | null;
  failures: number;
  // Something came while it was at work.
  isWanted: boolean;
}

export class Forwarding implements Service {
  readonly #parts: ForwardingParts;
  readonly #lines = new Map<number, Line>();
  #life: 'new' | 'running' | 'stopped' = 'new';

  constructor(parts: ForwardingParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    if (this.#life !== 'new') return;
    this.#life = 'running';
    for (const { id } of this.#parts.sources()) this.wake(id);
  }

  async stop(deadlineMs: number): Promise<void> {
    this.#life = 'stopped';
    const work: Promise<void>[] = [];
    for (const line of this.#lines.values()) {
      line.rest?.cancel();
      if (line.work !== null) work.push(line.work);
    }
    await drained(this.#parts.clock, work, deadlineMs);
  }

  // There may be something to forward.
  wake(source: number): void {
    if (this.#life !== 'running') return;
    const line = this.#lines.get(source) ?? {
      ...{ work: null, rest: null, failures: 0, isWanted: false },
    };
    this.#lines.set(source, line);
    line.isWanted = true;
    if (line.work !== null || line.rest !== null) return;
    line.work = this.#run(source, line).finally(() => {
      line.work = null;
      if (line.rest !== null) return;
      if (line.isWanted) this.wake(source);
      else this.#lines.delete(source);
    });
  }

  // Never rejects.
  async #run(source: number, line: Line): Promise<void> {
    while (line.isWanted && this.#life === 'running') {
      line.isWanted = false;
      try {
        if (!(await this.#forwardAll(source))) {
          this.#restLater(source, line);
          return;
        }
        line.failures = 0;
      } catch (error) {
        this.#parts.onFailure(source, error);
        this.#restLater(source, line);
        return;
      }
    }
  }

  // Whether all of it is gone.
  async #forwardAll(source: number): Promise<boolean> {
    const { store, sources, hand } = this.#parts;
    for (;;) {
      const posts = await store.unforwarded({ source, max: READ_TOGETHER });
      if (posts.length === 0) return true;
      for (const post of posts) {
        if (this.#life !== 'running') return true;
        const view = sources().find(({ id }) => id === source);
        const target = view?.settings.forwardTo ?? null;
        // Nobody wants it any more.
        const handed =
          view === undefined || target === null ? 'dropped' : await hand(target, view, post);
        if (handed === 'later') return false;
        await store.forwarded({ source, ids: [post.id] });
      }
    }
  }

  #restLater(source: number, line: Line): void {
    if (this.#life !== 'running') return;
    const { clock, random } = this.#parts;
    const ms = Math.min(BACKOFF_MS * 2 ** line.failures, BACKOFF_MS_MAX) * (1 + random.next() / 4);
    line.failures += 1;
    line.rest = clock.schedule(clock.now() + ms, () => {
      line.rest = null;
      this.wake(source);
    });
  }
}
