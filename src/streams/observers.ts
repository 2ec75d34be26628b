// Streams with observers: one stream for each of them, fed by the changes that the origin's has taken. The origin is
// what counts: nobody waits for an observer, and what goes wrong with one ends its following and nothing else. What
// an observer's stream has by then is finished by its own watchdog, also after a restart, which ends all following.

import type { Fed, Live, NewStream, OpenedStream, StreamChange, StreamView } from './streams.ts';

// Changes that may wait until an observer's stream is open.
const BACKLOG_MAX = 1000;
const ENDED: readonly StreamView['state'][] = ['done', 'failed', 'cancelled'];

export interface LostObserver {
  // The stream it followed, and its place among the observers.
  readonly origin: string;
  readonly observer: number;
  readonly reason: string;
}

type Step = (id: string) => Promise<Fed>;

export function withObservers(live: Live, onLost: (lost: LostObserver) => void): Live {
  const groups = new Map<string, Follower[]>();
  live.listen(({ id, state }) => {
    if (ENDED.includes(state)) groups.delete(id);
  });
  // Only what the origin has taken is told on.
  const led = async (id: string, lead: () => Promise<Fed>, step: Step): Promise<Fed> => {
    // Before it is done: an end forgets them.
    const followers = groups.get(id) ?? [];
    const taken = await lead();
    if (taken.kind === 'taken') for (const each of followers) each.follow(step);
    return taken;
  };
  return {
    async open({ observers = [], ...stream }): Promise<OpenedStream> {
      const opened = await live.open(stream);
      if (opened.kind !== 'opened' || observers.length === 0) return opened;
      const origin = opened.view.id;
      const followers = observers.map(
        (coming, observer) =>
          new Follower(live, coming, (reason) => onLost({ origin, observer, reason })),
      );
      groups.set(origin, followers);
      return opened;
    },
    change: (id: string, change: StreamChange, lazy?: 'lazy') =>
      led(
        id,
        () => live.change(id, change, lazy),
        (own) => live.change(own, change, 'lazy'),
      ),
    final: (id, change, cut) =>
      led(
        id,
        () => live.final(id, change, cut),
        (own) => live.final(own, change, cut),
      ),
    cancel: (id) =>
      led(
        id,
        () => live.cancel(id),
        (own) => live.cancel(own),
      ),
    get: (id) => live.get(id),
    list: () => live.list(),
    ended: (id, signal) => live.ended(id, signal),
    listen: (listener) => live.listen(listener),
  };
}

class Follower {
  readonly #lose: (reason: string) => void;
  // The steps so far, one after the other; the stream's id, or null when it is lost.
  #steps: Promise<string | null>;
  #waiting = 0;
  #isLost = false;

  constructor(live: Live, coming: Promise<NewStream | null>, onLost: (reason: string) => void) {
    this.#lose = (reason) => {
      if (!this.#isLost) onLost(reason);
      this.#isLost = true;
    };
    this.#steps = coming
      .then((stream) => this.#open(live, stream))
      .catch((error) => this.#fail(error));
  }

  follow(step: Step): void {
    if (this.#isLost) return;
    if (this.#waiting >= BACKLOG_MAX) {
      this.#lose('too_late');
      return;
    }
    this.#waiting += 1;
    this.#steps = this.#steps
      .then((id) => this.#step(id, step))
      .catch((error) => this.#fail(error))
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  // null: there is none to open, which was told where it was found.
  async #open(live: Live, stream: NewStream | null): Promise<string | null> {
    const opened = stream === null ? null : await live.open(stream);
    if (opened?.kind === 'opened') return opened.view.id;
    if (opened === null) this.#isLost = true;
    else this.#lose('streams_full');
    return null;
  }

  async #step(id: string | null, step: Step): Promise<string | null> {
    if (id === null || this.#isLost) return null;
    const fed = await step(id);
    if (fed.kind === 'taken') return id;
    this.#lose(fed.kind);
    return null;
  }

  #fail(error: unknown): null {
    this.#lose(error instanceof Error ? error.message : String(error));
    return null;
  }
}
