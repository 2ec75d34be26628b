// Which source is looked at next, and by how many at once: those that are due wait in a queue, a tick fills it, and the
// end of a look takes the next one out. A tick costs one pass over the sources, however many are due.

import type { Clock, Timer } from '../system/clock.ts';
import type { OpenReader } from './calls.ts';
import { conclusionOf } from './conclusion.ts';
import type { IngestEvent } from './events.ts';
import { HOUR_MS } from './plan/activity.ts';
import { modeOf, type Pace } from './plan/plan.ts';
import { priceOf, shareAfterWaits } from './plan/price.ts';
import type { Picked, ReaderConnections } from './readers.ts';
import { Look, type LookEnd, type LookParts } from './run.ts';
import { type IngestSettings, LEASE_RENEW_MS } from './settings.ts';
import { type DueReason, mayLook, moveOn, plan, ratesIn, type Tracked } from './tracked.ts';

export interface LooksParts extends Omit<LookParts, 'onPosts'> {
  readonly clock: Clock;
  readonly readers: ReaderConnections;
  readonly settings: IngestSettings;
  readonly onEvent: (event: IngestEvent) => void;
}

// A tick comes when a source is due, and at least this often, and once in an interval, by which it is judged whether
// ticks come; never sooner than this after the last.
const TICK_MS_MAX = 15_000;
const TICK_MS_MIN = 100;
// Rates change slowly; the price for all is found again after this time, and when a wait came or sources changed.
const PRICE_MS_MAX = 600_000;
const PRICE_MS_MIN = 10_000;
// After the store or a reader could not be reached.
const AGAIN_MS = 30_000;

export class Looks {
  readonly #parts: LooksParts;
  readonly #tracked = new Map<number, Tracked>();
  readonly #running = new Set<Promise<void>>();
  #queue: Tracked[] = [];
  #isStopped = false;
  #timer: Timer | null = null;
  #timerAt = Infinity;
  #pace: Pace;
  #pricedAt = -Infinity;
  #isPriceOld = true;

  constructor(parts: LooksParts) {
    this.#parts = parts;
    this.#pace = { kind: 'fixed', intervalMs: parts.settings.intervalMs };
  }

  start(): void {
    this.#arm(this.#parts.clock.now());
  }

  // The looks under way, which end after their present call.
  stop(): Iterable<Promise<void>> {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#queue = [];
    return this.#running;
  }

  add(tracked: Tracked): void {
    this.#tracked.set(tracked.source.id, tracked);
    plan(tracked, this.#pace);
    this.changed();
  }

  drop(id: number): void {
    const tracked = this.#tracked.get(id);
    this.#tracked.delete(id);
    if (tracked !== undefined) tracked.source = { ...tracked.source, state: 'removed' };
    this.changed();
  }

  find(id: number): Tracked | null {
    return this.#tracked.get(id) ?? null;
  }

  all(): Tracked[] {
    return [...this.#tracked.values()];
  }

  // Sources or their settings.
  changed(): void {
    this.#isPriceOld = true;
    if (this.#timer !== null) this.#arm(this.#parts.clock.now() + TICK_MS_MIN);
  }

  now(tracked: Tracked, reason: DueReason): void {
    const now = this.#parts.clock.now();
    tracked.dueAt = now;
    tracked.dueReason = reason;
    if (this.#timer !== null) this.#arm(now);
  }

  // The earliest wins.
  #arm(at: number): void {
    if (this.#isStopped || at >= this.#timerAt) return;
    this.#timer?.cancel();
    this.#timerAt = at;
    this.#timer = this.#parts.clock.schedule(at, () => this.#tick());
  }

  #tick(): void {
    const { clock, counters, settings } = this.#parts;
    const now = clock.now();
    this.#timerAt = Infinity;
    counters.lastTickAt = now;
    this.#reprice(now);
    const due: Tracked[] = [];
    let next = now + Math.min(TICK_MS_MAX, settings.intervalMs);
    for (const tracked of this.#tracked.values()) {
      if (tracked.isQueued || !mayLook(tracked)) continue;
      if (tracked.dueAt <= now) due.push(tracked);
      else next = Math.min(next, tracked.dueAt);
    }
    due.sort((a, b) => a.dueAt - b.dueAt);
    for (const tracked of due) {
      tracked.isQueued = true;
      this.#queue.push(tracked);
    }
    this.#fill();
    this.#arm(Math.max(next, now + TICK_MS_MIN));
  }

  #reprice(now: number): void {
    const { settings, waits } = this.#parts;
    const ageMs = now - this.#pricedAt;
    if (ageMs < PRICE_MS_MIN || (ageMs < PRICE_MS_MAX && !this.#isPriceOld)) return;
    this.#pricedAt = now;
    this.#isPriceOld = false;
    const active = this.all().filter(({ source }) => source.state === 'active');
    const share = shareAfterWaits(waits.cameAt(), now);
    this.#pace = paceOf(settings, active, share);
    for (const tracked of active) {
      // What was set by a wait or by hand stays.
      if (tracked.dueReason === 'rate' || tracked.dueReason === 'interval')
        plan(tracked, this.#pace);
    }
  }

  // Taken out by a counter, not by shifting: a thousand may wait.
  #fill(): void {
    const free = this.#parts.settings.concurrencyMax - this.#running.size;
    if (free <= 0 || this.#isStopped) return;
    for (const tracked of this.#queue.splice(0, free)) {
      const running = this.#lookAt(tracked);
      this.#running.add(running);
      void running.finally(() => {
        this.#running.delete(running);
        this.#fill();
      });
    }
  }

  // Never rejects.
  async #lookAt(tracked: Tracked): Promise<void> {
    const { clock, onEvent, readers } = this.#parts;
    const { source, settings } = tracked;
    const { id, readerKind } = source;
    try {
      const picked = await readers.pick({ id, readerKind, account: settings.account });
      if (picked.kind === 'open') await this.#look(tracked, picked.open);
      else this.#cannotRead(tracked, picked);
    } catch (error) {
      onEvent({ kind: 'fault', source: id, error });
      this.#later(tracked, clock.now() + AGAIN_MS, 'failed');
      await this.#reload(tracked).catch(() => {});
    }
    tracked.look = null;
    tracked.isQueued = false;
    if (tracked.dueReason !== 'more') tracked.isWanted = false;
    if (this.#timer !== null) this.#arm(Math.max(tracked.dueAt, clock.now() + TICK_MS_MIN));
  }

  async #look(tracked: Tracked, open: OpenReader): Promise<void> {
    const { clock, counters, readers, settings, onEvent } = this.#parts;
    const startedAt = clock.now();
    const { source, progress } = tracked;
    const { succeededAt, cursor } = progress;
    const isAscending = cursor.ascent !== null;
    const facts = { succeededAt, isAscending, hasMark: cursor.mark !== null };
    const { mode, forced } = modeOf(facts, settings, startedAt);
    if (forced === 'stale_lpa' && !isAscending) {
      counters.forcedStale += 1;
      onEvent({ kind: 'forced', source: source.id, reason: forced });
    }
    const mayGoOn = () =>
      !this.#isStopped && mayLook(tracked) && readers.isHeld(open.key, open.epoch);
    const onPosts = (of: number, ids: readonly string[]) =>
      onEvent({ kind: 'posts', source: of, ids });
    const { forwardSince } = tracked.settings;
    const at = { source, progress, mode, open, forwardSince };
    const look = new Look({ ...this.#parts, onPosts }, at, mayGoOn);
    tracked.look = { look, mode, startedAt };
    tracked.trouble = null;
    const end = await look.run();
    const now = clock.now();
    counters.lookSeconds.add((now - startedAt) / 1000);
    counters.looks[mode] += 1;
    if (end.kind === 'done' && look.added + look.changed + look.deleted === 0) {
      counters.emptyLooks[mode] += 1;
    }
    await this.#conclude(tracked, look, end, now);
  }

  async #conclude(tracked: Tracked, look: Look, end: LookEnd, now: number): Promise<void> {
    const { onEvent } = this.#parts;
    const { progress, isDead, isSaved } = conclusionOf(look.progress, end, now);
    if (isSaved) await look.conclude(progress, isDead);
    if (progress.activity !== tracked.progress.activity) tracked.rates = ratesIn(progress, now);
    tracked.progress = progress;
    tracked.source = { ...tracked.source, revision: look.revision };
    const { id } = tracked.source;
    if (isDead && tracked.source.state === 'active') {
      tracked.source = { ...tracked.source, state: 'dead' };
    }
    if (end.kind === 'refused' || end.kind === 'failed') {
      const { reason, detail } = end;
      onEvent({ kind: isDead ? 'dead' : 'failed', source: id, reason, detail });
    }
    if (end.kind === 'done' && !end.isMore) onEvent({ kind: 'looked', source: id });
    if (end.kind === 'stopped') await this.#reload(tracked);
    this.#planAfter(tracked, end, now);
  }

  #planAfter(tracked: Tracked, end: LookEnd, now: number): void {
    if (end.kind === 'wait') {
      const { method, until } = end;
      this.#isPriceOld = true;
      this.#parts.onEvent({ kind: 'waits', source: tracked.source.id, method, until });
    }
    if (end.kind === 'logged_out') this.#unread(tracked, end.detail);
    const goesOn = goesOnAt(end, now);
    if (goesOn !== null) {
      this.#later(tracked, ...goesOn);
      return;
    }
    tracked.notBefore = end.kind === 'done' ? end.notBefore : 0;
    tracked.lookedAt = now;
    plan(tracked, this.#pace);
  }

  #later(tracked: Tracked, at: number, reason: DueReason): void {
    tracked.dueAt = at;
    tracked.dueReason = reason;
  }

  #cannotRead(tracked: Tracked, picked: Exclude<Picked, { kind: 'open' }>): void {
    const now = this.#parts.clock.now();
    const isBusy = picked.kind === 'busy';
    const isElsewhere = !isBusy && picked.reason === 'elsewhere';
    // Another node reads with it: nothing is wrong.
    if (isBusy) tracked.trouble = `node ${picked.node} has the lease of its reader`;
    else if (isElsewhere) tracked.trouble = null;
    else this.#unread(tracked, picked.detail);
    const at = isBusy ? Math.min(picked.until, now + LEASE_RENEW_MS) : now + AGAIN_MS;
    this.#later(tracked, at, isElsewhere ? 'elsewhere' : 'no_reader');
  }

  #unread(tracked: Tracked, detail: string): void {
    if (tracked.trouble === detail) return;
    tracked.trouble = detail;
    this.#parts.onEvent({ kind: 'unread', source: tracked.source.id, detail });
  }

  // Another process has moved it on. What is being looked at here knows best itself.
  async refresh(tracked: Tracked): Promise<void> {
    if (tracked.look === null) await this.#reload(tracked);
  }

  // Someone else has moved it on, or may have.
  async #reload(tracked: Tracked): Promise<void> {
    const source = await this.#parts.store.source(tracked.source.id);
    if (source === null || source.revision === tracked.source.revision) return;
    moveOn(tracked, source, this.#parts.clock.now());
  }
}

// Of a look that has not come to its end; null: it has, well or not.
function goesOnAt(end: LookEnd, now: number): [number, DueReason] | null {
  switch (end.kind) {
    case 'done':
      return end.isMore ? [now, 'more'] : null;
    case 'wait':
      return [end.until, 'wait'];
    case 'logged_out':
      return [now, 'no_reader'];
    case 'stopped':
      return [now + TICK_MS_MIN, 'more'];
    case 'failed':
    case 'refused':
      return null;
  }
}

function paceOf(settings: IngestSettings, active: readonly Tracked[], share: number): Pace {
  const { intervalMs, everyMsMin, everyMsMax, callsPerHour } = settings;
  // A wait of the platform makes fixed looks rarer, too.
  if (settings.pace === 'fixed') return { kind: 'fixed', intervalMs: intervalMs / share };
  const perMs = callsPerHour === null ? active.length / intervalMs : callsPerHour / HOUR_MS;
  const rated = active.map(({ rates, settings: { weight } }) => ({ rates, weight }));
  const bounds = { everyMsMin, everyMsMax };
  return { kind: 'rate', price: priceOf(rated, perMs * share, bounds), bounds };
}
