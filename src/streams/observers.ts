// Streams with observers: one stream for each of them, fed by the changes that the origin's has taken. The origin is
// what counts: nobody waits for an observer's platform, and what goes wrong with one ends its following and nothing
// else. Each observer's stream names the one it follows in its record, so that a new process takes it up again: it gets
// the text that its origin has on disk, and the end if that has come meanwhile.

import { HOLDERS, ownKey } from '../domain/idempotency.ts';
import { JournalUnavailable } from '../store/ports/unavailable.ts';
import { type Clock, sleep } from '../system/clock.ts';
import { drained } from '../system/service.ts';
import {
  CUT_REASONS,
  type Fed,
  type Live,
  type NewStream,
  type OpenedStream,
  type StreamChange,
  type StreamView,
} from './streams.ts';

// Changes that may wait until an observer's stream is open.
const BACKLOG_MAX = 1000;
// How much longer an opening may take so that its observers are on disk as well.
const OPENING_MS_MAX = 100;
// A full queue, or a store that cannot be written, is so for a while.
const AGAIN_MS = 1000;

export interface LostObserver {
  // The stream it followed, and its place among the observers.
  readonly origin: string;
  readonly observer: number;
  readonly reason: string;
}

export interface ObserverPorts {
  readonly clock: Clock;
  onLost(lost: LostObserver): void;
}

export interface ObservedLive extends Live {
  // After the streams are known again, and before anybody feeds one.
  resume(): Promise<void>;
  stop(): void;
}

type Step = (id: string) => Promise<Fed>;
type Opening = (follower: Follower) => Promise<StreamView | null>;

export function withObservers(live: Live, ports: ObserverPorts): ObservedLive {
  const groups = new Map<string, Map<number, Follower>>();
  const running = { isStopped: false };
  const portsOf = (origin: string, observer: number): FollowerPorts => {
    const lose = (reason: string) => ports.onLost({ origin, observer, reason });
    return { clock: ports.clock, running, lose };
  };
  const add = (origin: StreamView, observer: number, opening: Opening): Follower => {
    const follower = new Follower(live, portsOf(origin.id, observer), opening, origin.text);
    const group = groups.get(origin.id) ?? new Map<number, Follower>();
    groups.set(origin.id, group.set(observer, follower));
    return follower;
  };
  // However it ended: by its producer, by the watchdog, or by an exception.
  live.listen((origin) => {
    if (origin.state === 'open') return;
    const followers = groups.get(origin.id);
    groups.delete(origin.id);
    for (const each of followers?.values() ?? []) each.end(origin);
  });
  return {
    async open({ observers = [], ...stream }): Promise<OpenedStream> {
      const opened = await live.open(stream);
      if (observers.length === 0 || opened.kind === 'conflict' || opened.kind === 'full') {
        return opened;
      }
      // One that was opened before may have grown since, or ended.
      const { view } = opened;
      const origin = opened.kind === 'opened' ? view : live.list().find(({ id }) => id === view.id);
      if (origin?.state !== 'open') return opened;
      const known = groups.get(origin.id);
      const added = observers.flatMap((coming, observer) => {
        if (known?.has(observer)) return [];
        return [add(origin, observer, (one) => one.open(observerOf(origin, observer, coming)))];
      });
      const openings = added.map((each) => each.opened);
      if (added.length > 0) await drained(ports.clock, openings, OPENING_MS_MAX);
      return opened;
    },
    // Only what the origin has taken is told on.
    async change(id: string, change: StreamChange, lazy?: 'lazy'): Promise<Fed> {
      const taken = await live.change(id, change, lazy);
      if (taken.kind !== 'taken') return taken;
      for (const each of groups.get(id)?.values() ?? []) {
        each.follow((own) => live.change(own, change, 'lazy'));
      }
      return taken;
    },
    final: (id, change, cut) => live.final(id, change, cut),
    cancel: (id) => live.cancel(id),
    get: (id) => live.get(id),
    list: () => live.list(),
    get openCount() {
      return live.openCount;
    },
    ended: (id, signal) => live.ended(id, signal),
    listen: (listener) => live.listen(listener),
    async resume() {
      const { led, orphans } = followingOf(live.list());
      for (const { origin, view, observer } of led) add(origin, observer, async () => view);
      for (const { stream, view, observer } of orphans) {
        const origin = await live.get(stream);
        // One that is forgotten says no more: the watchdog ends its observers.
        if (origin === null) continue;
        new Follower(live, portsOf(stream, observer), async () => view, null).end(origin);
      }
    },
    stop() {
      running.isStopped = true;
    },
  };
}

// Those whose origin is open still, and those whose origin has ended.
function followingOf(views: readonly StreamView[]) {
  const known = new Map(views.map((view) => [view.id, view]));
  const following = views.flatMap((view) => {
    if (view.follows === null || view.state !== 'open') return [];
    return [{ ...view.follows, view, origin: known.get(view.follows.stream) }];
  });
  const led = following.flatMap(({ origin, ...each }) =>
    origin?.state === 'open' ? [{ ...each, origin }] : [],
  );
  return { led, orphans: following.filter(({ origin }) => origin?.state !== 'open') };
}

// Under a key of its own: however often it is asked for, there is one.
async function observerOf(
  origin: StreamView,
  observer: number,
  coming: Promise<NewStream | null>,
): Promise<NewStream | null> {
  const stream = await coming;
  if (stream === null) return null;
  const key = ownKey(HOLDERS.sluice, `observer:${origin.id}:${observer}`);
  return { ...stream, key, follows: { stream: origin.id, observer } };
}

interface FollowerPorts {
  readonly clock: Clock;
  readonly running: { readonly isStopped: boolean };
  lose(reason: string): void;
}

class Follower {
  readonly #live: Live;
  readonly #p: FollowerPorts;
  // Resolves when its stream is on disk, or cannot be.
  readonly opened: Promise<unknown>;
  // The steps so far, one after the other; the stream's id, or null when it is lost.
  #steps: Promise<string | null>;
  #waiting = 0;
  #isLost = false;
  #isEnding = false;

  // `text`: of the origin until now; null: only its end is to follow.
  constructor(live: Live, ports: FollowerPorts, opening: Opening, text: string | null) {
    this.#live = live;
    this.#p = ports;
    this.#steps = opening(this)
      .then((view) => this.#catchUp(view, text))
      .catch((error) => this.#fail(error));
    this.opened = this.#steps;
  }

  // null: there is none to open, which was told where it was found.
  async open(coming: Promise<NewStream | null>): Promise<StreamView | null> {
    const stream = await coming;
    const opened = stream === null ? null : await this.#live.open(stream);
    if (opened === null) this.#isLost = true;
    else if (opened.kind === 'opened' || opened.kind === 'repeated') return opened.view;
    else this.#lose(opened.kind === 'full' ? 'streams_full' : opened.kind);
    return null;
  }

  follow(step: Step): void {
    if (this.#isLost || this.#isEnding) return;
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

  // As its origin: cancelled, or final with exactly its text.
  end(origin: StreamView): void {
    if (origin.state === 'cancelled') this.follow((own) => this.#live.cancel(own));
    else this.follow(this.#finalOf(origin));
    this.#isEnding = true;
  }

  #finalOf({ text, reason }: StreamView): Step {
    const cut = CUT_REASONS.find((known) => known === reason);
    const whole: StreamChange = { kind: 'replace', text };
    return async (own) => {
      const fed = await this.#live.final(own, whole, cut);
      // Should somebody else end it before there is room: with all of its text.
      if (fed.kind === 'queue_full') await this.#live.change(own, whole, 'lazy');
      return fed;
    };
  }

  async #catchUp(view: StreamView | null, text: string | null): Promise<string | null> {
    if (view === null) return null;
    if (text === null || view.text === text) return view.id;
    return this.#step(view.id, (own) => this.#live.change(own, { kind: 'replace', text }, 'lazy'));
  }

  async #step(id: string | null, step: Step): Promise<string | null> {
    while (id !== null && !this.#isLost && !this.#p.running.isStopped) {
      const fed = await step(id).catch(whenUnavailable);
      if (fed?.kind === 'taken') return id;
      if (fed !== null && fed.kind !== 'queue_full') {
        this.#lose(fed.kind);
        return null;
      }
      await sleep(this.#p.clock, AGAIN_MS);
    }
    return null;
  }

  #lose(reason: string): void {
    if (!this.#isLost) this.#p.lose(reason);
    this.#isLost = true;
  }

  #fail(error: unknown): null {
    this.#lose(error instanceof Error ? error.message : String(error));
    return null;
  }
}

function whenUnavailable(error: unknown): null {
  if (error instanceof JournalUnavailable) return null;
  throw error;
}
