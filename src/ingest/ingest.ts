// The door of ingest: channels are added, looked at when they are due, and what was read is found here. One service for
// each process; what it may read is decided by leases in the store, so several may run on one.

import type { PushedPost } from '../platforms/history.ts';
import type { IngestStore, StoredSource, StoredWait } from '../store/ports/ingest.ts';
import type { Clock } from '../system/clock.ts';
import type { Periodic } from '../system/periodic.ts';
import type { Random } from '../system/random.ts';
import { drained, type Service } from '../system/service.ts';
import { CallTurns } from './calls.ts';
import { IngestCounters, type Sample, samplesOf } from './counters.ts';
import type { IngestEvent } from './events.ts';
import { followSources } from './follow-sources.ts';
import { Looks } from './looks.ts';
import { type MediaParts, type MediaQuery, type OpenedMedia, openMedia } from './media.ts';
import { formatProgress, NEW_PROGRESS } from './progress.ts';
import { Pushes } from './pushed.ts';
import { type AccountHealth, ReaderConnections, type ReaderPool } from './readers.ts';
import { type IngestSettings, LEASE_RENEW_MS } from './settings.ts';
import {
  mayLook,
  parseSettings,
  SOURCE_DEFAULTS,
  type SourceSettings,
  type SourceView,
  type Tracked,
  trackedOf,
  viewOf,
} from './tracked.ts';
import { Waits } from './waits.ts';

export type { Sample } from './counters.ts';
export type { IngestEvent } from './events.ts';
export type { LoginNow, LoginQuestion } from './login/logins.ts';
export type { OpenedMedia } from './media.ts';
export type { AccountHealth, ReaderPool } from './readers.ts';
export { INGEST_DEFAULTS, type IngestSettings } from './settings.ts';
export type { DueReason, ForwardTarget, RunView, SourceSettings, SourceView } from './tracked.ts';

export interface IngestParts {
  readonly store: IngestStore;
  readonly clock: Clock;
  readonly periodic: Periodic;
  readonly random: Random;
  readonly pools: readonly ReaderPool[];
  readonly settings: IngestSettings;
  // This process among those that read, and a secret that no other has.
  readonly node: string;
  readonly token: string;
  // All that read, this one included; left out: it alone.
  readonly nodes?: () => readonly string[];
  readonly onEvent?: (event: IngestEvent) => void;
  // Of a fleet: tells the other nodes; they are given it as `arrived`. What is not told they find when they reload.
  readonly publish?: (word: string) => void;
}

export type HealthStatus = 'ok' | 'stale' | 'down';

export interface IngestHealth {
  // 0: it has not begun.
  readonly lastTickAt: number;
  readonly intervalMs: number;
  readonly lockOwner: string | null;
  readonly status: HealthStatus;
}

const SOURCES_PER_PAGE = 500;
// What nodes tell each other.
const CHANGED = 'changed';
const RUN = /^run (\d{1,15})$/;
const POSTS_REMOVED_TOGETHER = 1_000;
// Late by more than so many intervals.
const STALE_INTERVALS = 2;
const DOWN_INTERVALS = 10;

export class Ingest implements Service {
  readonly store: IngestStore;
  readonly counters = new IngestCounters();
  readonly #parts: IngestParts;
  readonly #waits: Waits;
  readonly #readers: ReaderConnections;
  readonly #looks: Looks;
  readonly #pushes: Pushes;
  readonly #media: MediaParts;
  readonly #removals = new Set<Promise<void>>();
  #changes = 0;
  #life: 'new' | 'running' | 'stopped' = 'new';
  #started: Promise<void> | null = null;
  readonly #renewal: Service;
  #reloading: Promise<void> | null = null;

  constructor(parts: IngestParts) {
    const { node } = parts;
    const { counters } = this;
    this.store = parts.store;
    this.#parts = parts;
    this.#waits = new Waits(parts);
    const nodes = parts.nodes ?? (() => [node]);
    this.#readers = new ReaderConnections({ ...parts, counters, waits: this.#waits, nodes });
    const onEvent = (event: IngestEvent) => this.#publish(event);
    const { settings } = parts;
    const turns = new CallTurns();
    const shared = { counters, waits: this.#waits, turns, readers: this.#readers, onEvent };
    this.#looks = new Looks({ ...parts, ...shared, retriesMax: settings.retriesMax });
    this.#media = { ...parts, ...shared, retriesMax: settings.retriesMax };
    this.#pushes = new Pushes({ ...parts, ...shared, looks: this.#looks });
    this.#renewal = parts.periodic.job({
      name: 'renew_reader_leases',
      everyMs: LEASE_RENEW_MS,
      run: () => this.#readers.renew(),
    });
  }

  start(): Promise<void> {
    if (this.#life === 'new') {
      this.#life = 'running';
      this.#started = this.#start();
    }
    return this.#started ?? Promise.resolve();
  }

  async stop(deadlineMs: number): Promise<void> {
    this.#life = 'stopped';
    const renewed = this.#renewal.stop(deadlineMs);
    const work = [renewed, ...this.#looks.stop(), ...this.#removals];
    const { clock } = this.#parts;
    const deadline = clock.now() + deadlineMs;
    await drained(clock, work, deadlineMs);
    // A lease that cannot be given back in time ends by itself.
    await drained(clock, [this.#readers.close()], Math.max(0, deadline - clock.now()));
  }

  // What is there already is answered as it is.
  async add(
    readerKind: string,
    name: string,
    settings: Partial<SourceSettings> = {},
  ): Promise<{ isNew: boolean; source: SourceView }> {
    const added = await this.store.addSource({
      readerKind,
      name,
      settings: JSON.stringify({ ...SOURCE_DEFAULTS, ...settings }),
      progress: formatProgress(NEW_PROGRESS),
      createdAt: this.#parts.clock.now(),
    });
    const tracked = this.#looks.find(added.source.id) ?? this.#track(added.source);
    this.#changes += 1;
    if (added.isNew) this.#parts.publish?.(CHANGED);
    return { isNew: added.isNew, source: viewOf(tracked) };
  }

  list(): SourceView[] {
    return this.#looks.all().map(viewOf);
  }

  get(id: number): SourceView | null {
    const tracked = this.#looks.find(id);
    return tracked === null ? null : viewOf(tracked);
  }

  // Those that fail for good, and wait for a person.
  dead(): SourceView[] {
    return this.list().filter(({ state }) => state === 'dead');
  }

  pause(id: number): Promise<SourceView | null> {
    return this.#change(id, 'paused', null);
  }

  // Also of one that is dead: it is tried again at once.
  resume(id: number): Promise<SourceView | null> {
    return this.#change(id, 'active', null);
  }

  async configure(id: number, changes: Partial<SourceSettings>): Promise<SourceView | null> {
    const tracked = this.#looks.find(id);
    if (tracked === null) return null;
    return this.#change(id, null, JSON.stringify({ ...tracked.settings, ...changes }));
  }

  // A look now, as soon as there is a place, within what the platform allows; false: there is no such source.
  run(id: number): boolean {
    // Another node may be the one that reads it.
    if (this.#looks.find(id) !== null) this.#parts.publish?.(`run ${id}`);
    return this.#runHere(id);
  }

  #runHere(id: number): boolean {
    const tracked = this.#looks.find(id);
    if (tracked === null) return false;
    tracked.isWanted = true;
    this.#changes += 1;
    this.#looks.now(tracked, 'manual');
    return true;
  }

  // What another node has told.
  async arrived(word: string): Promise<void> {
    const run = RUN.exec(word);
    if (run === null || this.#looks.find(Number(run[1])) === null) await this.reload();
    if (run !== null) this.#runHere(Number(run[1]));
  }

  // What other processes have changed in the store: sources, how far they are read, and waits.
  reload(): Promise<void> {
    this.#reloading ??= this.#reload().finally(() => {
      this.#reloading = null;
    });
    return this.#reloading;
  }

  // With its posts; false: there is no such source.
  remove(id: number): boolean {
    const tracked = this.#looks.find(id);
    if (tracked === null) return false;
    this.#remove(tracked.source);
    this.#parts.publish?.(CHANGED);
    return true;
  }

  // A post that the platform has told of by itself; stored when it resolves, if its channel is followed that way.
  push(account: string, pushed: PushedPost): Promise<void> {
    return this.#pushes.push(account, pushed);
  }

  // Or forgotten. Sources that had nothing to be read with are looked at now.
  async loggedIn(readerKind: string, account: string): Promise<void> {
    await this.#readers.loggedIn(readerKind, account);
    this.#changes += 1;
    for (const tracked of this.#looks.all()) {
      const isOfIt = tracked.source.readerKind === readerKind;
      if (isOfIt && tracked.dueReason === 'no_reader') this.#looks.now(tracked, 'no_reader');
    }
  }

  // The same, where another process has written it: what was opened with the old session is of no use.
  async sessionChanged(readerKind: string, account: string): Promise<void> {
    await this.#readers.forget(readerKind, account);
    await this.#waits.load();
    this.#changes += 1;
  }

  // The file of a medium, as it comes from the platform.
  async media(id: number, query: MediaQuery): Promise<OpenedMedia> {
    const tracked = this.#looks.find(id);
    return tracked === null ? { kind: 'unknown' } : openMedia(this.#media, tracked, query);
  }

  // What the platforms have asked for and is not over.
  waits(): StoredWait[] {
    return this.#waits.list();
  }

  // What can be read with, and whether it can now.
  accounts(): Promise<AccountHealth[]> {
    return this.#readers.health();
  }

  health(): IngestHealth {
    const { lastTickAt } = this.counters;
    const { intervalMs } = this.#parts.settings;
    const age = this.#parts.clock.now() - lastTickAt;
    const isLate = (intervals: number) => age > intervals * intervalMs;
    const isDown = this.#life !== 'running' || isLate(DOWN_INTERVALS);
    const status = isDown ? 'down' : isLate(STALE_INTERVALS) ? 'stale' : 'ok';
    return { lastTickAt, intervalMs, lockOwner: this.#readers.lockOwner, status };
  }

  // Counted up whenever a source or its posts change: who shows them knows when to ask again.
  get changes(): number {
    return this.#changes;
  }

  // How many are followed, and how many of them wait for a person.
  tally(): { sources: number; dead: number } {
    const all = this.#looks.all();
    return {
      sources: all.length,
      dead: all.filter(({ source }) => source.state === 'dead').length,
    };
  }

  samples(): Sample[] {
    const now = this.#parts.clock.now();
    const byChannel = new Map<string, number>();
    for (const { source, progress, isPushed } of this.#looks.all()) {
      if (source.state !== 'active' || isPushed) continue;
      const ageMs = now - (progress.succeededAt ?? source.createdAt);
      // One that is read in several ways is told once, as the oldest of them.
      byChannel.set(source.name, Math.max(ageMs, byChannel.get(source.name) ?? 0));
    }
    const ages = Array.from(byChannel, ([channelId, ageMs]) => ({ channelId, ageMs }));
    return samplesOf(this.counters, ages, this.#parts.settings.intervalMs);
  }

  async #start(): Promise<void> {
    await this.#waits.load();
    for (let after = 0; ; ) {
      const page = await this.store.sources({ after, max: SOURCES_PER_PAGE });
      for (const source of page) {
        if (source.state === 'removed') this.#remove(source);
        else this.#track(source);
      }
      if (page.length < SOURCES_PER_PAGE) break;
      after = page.at(-1)!.id;
    }
    if (this.#life !== 'running') return;
    this.#looks.start();
    await this.#renewal.start();
  }

  async #reload(): Promise<void> {
    if (this.#life !== 'running') return;
    await this.#waits.load();
    await followSources(this.store, this.#looks, {
      track: (source) => this.#track(source),
      apply: (tracked, head) => this.#apply(tracked, head),
      onChange: () => {
        this.#changes += 1;
      },
    });
  }

  #publish(event: IngestEvent): void {
    this.#changes += 1;
    this.#parts.onEvent?.(event);
    const looked = event.kind === 'looked' ? this.#looks.find(event.source) : null;
    if (looked === null) return;
    void this.#pushes
      .fill(looked)
      .catch((error: unknown) => this.#parts.onEvent?.({ kind: 'fault', source: null, error }));
  }

  #track(source: StoredSource): Tracked {
    const pool = this.#parts.pools.find(({ kind }) => kind.kind === source.readerKind);
    const tracked = trackedOf(source, this.#parts.clock.now(), pool?.kind.isPushed === true);
    this.#looks.add(tracked);
    return tracked;
  }

  async #change(
    id: number,
    state: 'active' | 'paused' | null,
    settings: string | null,
  ): Promise<SourceView | null> {
    const source = await this.store.changeSource({ id, state, settings });
    const tracked = this.#looks.find(id);
    if (source === null || tracked === null) return null;
    this.#apply(tracked, source);
    this.#parts.publish?.(CHANGED);
    return viewOf(tracked);
  }

  #apply(tracked: Tracked, { state, settings }: Pick<StoredSource, 'state' | 'settings'>): void {
    const wasReading = mayLook(tracked);
    // Its revision is the look's business.
    tracked.source = { ...tracked.source, state, settings };
    tracked.settings = parseSettings(settings);
    this.#changes += 1;
    if (state === 'active' && !wasReading) this.#looks.now(tracked, 'manual');
    else this.#looks.changed();
  }

  #remove(source: StoredSource): void {
    this.#looks.drop(source.id);
    this.#changes += 1;
    const removal = this.#removeAll(source.id).catch((error: unknown) =>
      this.#parts.onEvent?.({ kind: 'fault', source: source.id, error }),
    );
    this.#removals.add(removal);
    void removal.finally(() => this.#removals.delete(removal));
  }

  // Piece by piece, so that others have their turn; what a stop leaves is removed at the next start.
  async #removeAll(id: number): Promise<void> {
    const max = POSTS_REMOVED_TOGETHER;
    while (await this.store.removeSource({ id, max })) if (this.#life === 'stopped') return;
  }
}
