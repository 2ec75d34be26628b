// Streams with observers: one stream for each of them, at the owner of its account, that shows the text of its origin.
// The origin is what counts: nobody waits for an observer's platform, and what goes wrong with one ends its following
// and nothing else. Each observer's stream names in its record the one it follows, and whoever has it looks there: at
// once where the origin is in the same process, and in the store in any case. So it goes on with what its origin
// has on disk, and ends as that did, whichever of the two owners has died.

import { HOLDERS, ownKey } from '../domain/idempotency.ts';
import type { AccountId } from '../domain/ids.ts';
import { JournalUnavailable } from '../store/ports/unavailable.ts';
import { type Clock, sleep, type Timer } from '../system/clock.ts';
import { drained } from '../system/service.ts';
import { Follower, reasonOf } from './follower.ts';
import type { Live, NewStream, OpenedStream, StreamView } from './streams.ts';

// How much longer an opening may take so that its observers are on disk as well.
const OPENING_MS_MAX = 100;
// A store that cannot be written, or an account that nobody has, is so for a while.
const AGAIN_MS = 1000;
// Between two looks at an origin that grows, and at one that does not.
const LOOK_MS = 500;
const LOOK_MS_MAX = 2000;

export interface LostObserver {
  // The stream it followed, and its place among the observers.
  readonly origin: string;
  readonly observer: number;
  // Its own; the origin's where it was lost before that was known.
  readonly account: AccountId;
  readonly correlation: string;
  readonly reason: string;
}

export interface ObserverPorts {
  readonly clock: Clock;
  onLost(lost: LostObserver): void;
  // Opens it where its account is; left out: all accounts are here.
  openAtOwner?(stream: NewStream, here: () => Promise<OpenedStream>): Promise<OpenedStream>;
}

export interface ObservedLive extends Live {
  // Observers that this process has from now on: after the start, and when it has taken accounts over.
  resume(): void;
  // Another process has the account's observers by now, or soon.
  leave(account: AccountId): void;
  stop(): void;
}

export function withObservers(live: Live, ports: ObserverPorts): ObservedLive {
  const observers = new Observers(live, ports);
  return {
    open: (stream) => observers.open(stream),
    change: (id, change, lazy) => live.change(id, change, lazy),
    final: (id, change, cut) => live.final(id, change, cut),
    cancel: (id) => live.cancel(id),
    get: (id) => live.get(id),
    list: () => live.list(),
    get openCount() {
      return live.openCount;
    },
    ended: (id, signal) => live.ended(id, signal),
    listen: (listener) => live.listen(listener),
    resume: () => observers.resume(),
    leave: (account) => observers.leave(account),
    stop: () => observers.stop(),
  };
}

// Those in this process that follow one stream.
interface Group {
  readonly followers: Map<string, Follower>;
  // Its last change, as it was last seen.
  changedAt: number;
  everyMs: number;
  // When it is looked at next.
  dueAt: number;
  // How often something was heard of it here: newer than what is being read.
  heard: number;
}

class Observers {
  readonly #live: Live;
  readonly #p: ObserverPorts;
  readonly #groups = new Map<string, Group>();
  readonly #unlisten: () => void;
  #timer: Timer | null = null;
  #isLooking = false;
  #isStopped = false;

  constructor(live: Live, ports: ObserverPorts) {
    this.#live = live;
    this.#p = ports;
    // However it ended: by its producer, by the watchdog, or by an exception.
    this.#unlisten = live.listen((view) => {
      const group = this.#groups.get(view.id);
      if (group === undefined) return;
      group.heard += 1;
      this.#show(group, view);
    });
  }

  async open({ observers = [], ...stream }: NewStream): Promise<OpenedStream> {
    const opened = await this.#live.open(stream);
    if (opened.kind === 'conflict' || opened.kind === 'full') return opened;
    const { view } = opened;
    this.#take(view);
    if (observers.length === 0 || view.state !== 'open') return opened;
    const openings = observers.map((coming, n) => this.#openOne(view, n, coming));
    await drained(this.#p.clock, openings, OPENING_MS_MAX);
    return opened;
  }

  resume(): void {
    for (const view of this.#live.list()) this.#take(view);
  }

  leave(account: AccountId): void {
    for (const { followers } of this.#groups.values()) {
      for (const follower of [...followers.values()]) {
        if (follower.own.account === account) follower.stop();
      }
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#unlisten();
    for (const group of this.#groups.values()) this.#forgotten(group);
  }

  // Under a key of its own: however often it is asked for, there is one.
  async #openOne(
    { id: origin, ...about }: StreamView,
    observer: number,
    coming: Promise<NewStream | null>,
  ): Promise<void> {
    let { account } = about;
    const { correlation } = about;
    const lose = (reason: string) =>
      this.#p.onLost({ origin, observer, account, correlation, reason });
    try {
      const asked = await coming;
      // null: there is none to open, which was told where it was found.
      if (asked === null) return;
      account = asked.account;
      const key = ownKey(HOLDERS.sluice, `observer:${origin}:${observer}`);
      const opened = await this.#openAtOwner({
        ...asked,
        // What its origin has: all of them say one thing.
        correlation: asked.correlation ?? correlation,
        key,
        follows: { stream: origin, observer },
      });
      if (opened?.kind === 'full') lose('streams_full');
      if (opened?.kind === 'conflict') lose('conflict');
    } catch (error) {
      lose(reasonOf(error));
    }
  }

  async #openAtOwner(stream: NewStream): Promise<OpenedStream | null> {
    const here = () => this.open(stream);
    for (; !this.#isStopped; await sleep(this.#p.clock, AGAIN_MS)) {
      try {
        return await (this.#p.openAtOwner?.(stream, here) ?? here());
      } catch (error) {
        if (!(error instanceof JournalUnavailable)) throw error;
      }
    }
    return null;
  }

  // It follows from now on, if it is an observer's.
  #take(own: StreamView): void {
    const { follows, state, account, correlation } = own;
    if (follows === null || state !== 'open' || this.#isStopped) return;
    const group = this.#groupOf(follows.stream);
    if (group.followers.has(own.id)) return;
    const follower: Follower = new Follower(own, {
      live: this.#live,
      clock: this.#p.clock,
      over: () => {
        if (group.followers.get(own.id) === follower) group.followers.delete(own.id);
        if (group.followers.size === 0) this.#groups.delete(follows.stream);
      },
      lose: (reason) =>
        this.#p.onLost({
          ...{ origin: follows.stream, observer: follows.observer },
          ...{ account, correlation, reason },
        }),
    });
    group.followers.set(own.id, follower);
    group.dueAt = Math.min(group.dueAt, this.#p.clock.now());
    void this.#lookAround();
    this.#keepLooking();
  }

  #groupOf(origin: string): Group {
    const known = this.#groups.get(origin);
    if (known !== undefined) return known;
    const at = { changedAt: Number.NEGATIVE_INFINITY, everyMs: LOOK_MS, dueAt: 0, heard: 0 };
    const group: Group = { followers: new Map(), ...at };
    this.#groups.set(origin, group);
    return group;
  }

  #show(group: Group, origin: StreamView): void {
    for (const follower of [...group.followers.values()]) follower.show(origin);
  }

  #keepLooking(): void {
    const { clock } = this.#p;
    if (this.#timer !== null || this.#groups.size === 0 || this.#isStopped) return;
    this.#timer = clock.schedule(clock.now() + LOOK_MS, () => {
      this.#timer = null;
      for (const { followers } of this.#groups.values()) {
        for (const follower of followers.values()) follower.keepAlive();
      }
      void this.#lookAround();
      this.#keepLooking();
    });
  }

  // One at a time: each may be a question to the store, and saves of streams wait behind it.
  async #lookAround(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    for (const [origin, group] of this.#groups) {
      if (group.dueAt <= this.#p.clock.now()) await this.#look(origin, group);
    }
    this.#isLooking = false;
  }

  async #look(origin: string, group: Group): Promise<void> {
    const { heard } = group;
    try {
      const view = await this.#live.get(origin);
      if (view === null) this.#forgotten(group);
      // What was heard meanwhile is newer.
      else if (group.heard === heard) this.#show(group, view);
      const isGrowing = view?.changedAt !== group.changedAt;
      group.changedAt = view?.changedAt ?? group.changedAt;
      group.everyMs = isGrowing ? LOOK_MS : Math.min(2 * group.everyMs, LOOK_MS_MAX);
    } catch (error) {
      // While the store is away the origin is as it was.
      if (!(error instanceof JournalUnavailable)) this.#lose(group, reasonOf(error));
    } finally {
      group.dueAt = this.#p.clock.now() + group.everyMs;
    }
  }

  #lose({ followers }: Group, reason: string): void {
    for (const follower of [...followers.values()]) follower.lose(reason);
  }

  // It says no more: the watchdog ends its observers.
  #forgotten({ followers }: Group): void {
    for (const follower of [...followers.values()]) follower.stop();
  }
}
