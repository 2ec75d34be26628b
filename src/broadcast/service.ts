// Broadcasts at work: keeps the broadcasts that are not over in memory (not their recipients), feeds them, follows what
// they have on the road, and steers them. After a start it takes up where the process before it ended.

import type { AccountId } from '../domain/ids.ts';
import type { StoredBroadcast } from '../store/ports/broadcasts.ts';
import { JournalUnavailable } from '../store/ports/unavailable.ts';
import type { Timer } from '../system/clock.ts';
import { coalesced } from '../system/coalesced.ts';
import { drained, type Service } from '../system/service.ts';
import { prepare } from './creation.ts';
import { Drafts } from './draft.ts';
import { Feeder } from './feeder.ts';
import { adoptOrphans } from './orphans.ts';
import { Outcomes, Refusals } from './outcomes.ts';
import { AccountPace } from './pace.ts';
import type { BroadcastingParts } from './parts.ts';
import { READING } from './reading.ts';
import { named, Running } from './running.ts';
import { createSweeping } from './sweeping.ts';
import {
  type Broadcasting,
  type BroadcastRequest,
  type BroadcastView,
  formatBroadcastId,
  type Made,
  parseBroadcastId,
  type Steered,
} from './types.ts';
import { viewOf } from './view.ts';
import { type WithdrawalParts, withdraw, withdrawUntouched } from './withdrawal.ts';

const PAGE = 100;
const START_AGAIN_MS = 1_000;
const RECONCILE_MS = 60_000;
const DAY_MS = 86_400_000;

export class BroadcastService implements Broadcasting {
  readonly reading = READING;
  readonly #p: BroadcastingParts;
  readonly #running = new Map<number, Running>();
  readonly #pace: AccountPace;
  readonly #outcomes: Outcomes;
  readonly #feeder: Feeder;
  readonly #sweeping: Service;
  readonly #reconciliation: Service;
  readonly #drafts: Drafts;
  readonly #withdrawal: WithdrawalParts;
  readonly #lookForMore = coalesced(() => this.#takeUpOwn());
  #started: Promise<void> | null = null;
  #isStopped = false;
  #timer: Timer | null = null;

  constructor(parts: BroadcastingParts) {
    this.#p = parts;
    const { clock, periodic, journal } = parts;
    const { broadcasts } = journal;
    const finished = this.#finished.bind(this);
    this.#drafts = new Drafts({ clock, broadcasts, bounds: parts.settings });
    this.#pace = new AccountPace(parts);
    this.#withdrawal = { ...parts, withdrawn: (seq) => this.#outcomes.withdrawn(seq) };
    this.#outcomes = new Outcomes({
      ...parts,
      broadcasts,
      finished,
      refusals: new Refusals(broadcasts, parts.platforms),
      freed: (running) => this.#freed(running),
      unwanted: ({ account }, seq) => void withdrawUntouched(this.#withdrawal, account, seq),
      count: ({ stored }, end) => parts.count(stored.platform, end),
    });
    this.#feeder = new Feeder({
      ...parts,
      broadcasts,
      finished,
      pace: this.#pace,
      outcomes: this.#outcomes,
      count: ({ stored }, end) => parts.count(stored.platform, end),
    });
    const { sweep } = broadcasts;
    const keepMs = parts.settings.deadDays * DAY_MS;
    this.#sweeping = createSweeping({ periodic, sweep, keepMs });
    this.#reconciliation = periodic.job({
      name: 'reconcile_broadcasts',
      everyMs: RECONCILE_MS,
      run: () => this.#reconcileAll(),
    });
  }

  start(): Promise<void> {
    this.#started ??= this.#isStopped ? Promise.resolve() : this.#start();
    return this.#started;
  }

  async #start(): Promise<void> {
    const { clock, log } = this.#p;
    await this.#outcomes.start();
    try {
      await this.#takeUpAll();
    } catch (error) {
      if (!(error instanceof JournalUnavailable)) throw error;
      log.warn({ err: error }, 'could not resume the broadcasts; trying again');
      const again = () => void this.#start();
      if (!this.#isStopped) this.#timer = clock.schedule(clock.now() + START_AGAIN_MS, again);
      return;
    }
    if (this.#isStopped) return;
    await this.#sweeping.start();
    await this.#reconciliation.start();
  }

  // Of a fleet: the broadcasts of an account that is this node's, and those that came since.
  take(_account: string): Promise<void> {
    return this.#lookForMore();
  }

  // And of one that is not any more: its next owner goes on with what is on disk.
  async leave(account: AccountId): Promise<void> {
    const own = [...this.#running.values()].filter((running) => running.account === account);
    for (const running of own) {
      await this.#feeder.remove(running);
      this.#running.delete(running.id);
      running.over.resolve();
    }
    if (own.length > 0) await this.#outcomes.save();
  }

  isBusy(account: AccountId): boolean {
    return [...this.#running.values()].some((running) => running.account === account);
  }

  async #takeUpAll(): Promise<void> {
    const { clock, journal, owns } = this.#p;
    // Other nodes may be filling theirs.
    const before = clock.now() - (owns === undefined ? 0 : DAY_MS);
    await journal.broadcasts.dropOpen({ before });
    await this.#takeUpOwn();
  }

  async #takeUpOwn(): Promise<void> {
    const { journal, owns = () => true } = this.#p;
    for (let after = 0; ; ) {
      const page = await journal.broadcasts.unfinished({ after, max: PAGE });
      for (const stored of page) if (owns(stored.account)) await this.#takeUpSafely(stored);
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      after = last.id;
    }
  }

  // Lets what is being handed over be noted; the rest is on disk.
  async stop(deadlineMs: number): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    const jobs = [this.#sweeping, this.#reconciliation].map((job) => job.stop(deadlineMs));
    const ends = [this.#feeder.stop(), ...jobs, this.#started];
    await drained(this.#p.clock, ends.map(Promise.resolve.bind(Promise)), deadlineMs);
    await drained(this.#p.clock, [this.#outcomes.stop()], deadlineMs);
  }

  openAudience(name: string | null) {
    return this.#drafts.open(name);
  }

  audiences(query: { after: string; max: number }) {
    return this.#p.journal.broadcasts.audiences(query);
  }

  forgetAudience(name: string) {
    return this.#p.journal.broadcasts.forget({ name });
  }

  async create(request: BroadcastRequest): Promise<Made> {
    const { clock, journal, settings, platforms, log } = this.#p;
    const platform = platforms.get(request.platform)!;
    const prepared = await prepare(journal.broadcasts, platform, request);
    if (prepared.kind !== 'prepared') return prepared;
    const bounds = { at: clock.now(), liveMax: settings.broadcastsMax };
    const made = await journal.broadcasts.create({ ...prepared.broadcast, ...bounds });
    if (made.kind === 'conflict') {
      return { kind: 'conflict', id: formatBroadcastId(journal.tag, made.id) };
    }
    if (made.kind !== 'created' && made.kind !== 'repeated') return made;
    const { broadcast } = made;
    if (made.kind === 'created') {
      const { audience } = request;
      if (audience.kind === 'own') audience.draft.given();
      log.info(named(broadcast), 'a broadcast begins');
      this.#begin(broadcast);
    }
    return { kind: made.kind, view: this.#view(broadcast) };
  }

  async get(id: string): Promise<BroadcastView | null> {
    const number = parseBroadcastId(this.#p.journal.tag, id);
    if (number === null) return null;
    const stored = await this.#p.journal.broadcasts.get({ id: number });
    return stored === null ? null : this.#view(stored);
  }

  async list({ before, max }: { before: string | null; max: number }): Promise<BroadcastView[]> {
    const number = before === null ? null : parseBroadcastId(this.#p.journal.tag, before);
    const page = await this.#p.journal.broadcasts.list({ before: number, max });
    return page.map((stored) => this.#view(stored));
  }

  async steer(id: string, to: 'running' | 'paused' | 'cancelled'): Promise<Steered> {
    const number = parseBroadcastId(this.#p.journal.tag, id);
    if (number === null) return { kind: 'unknown' };
    const running = this.#running.get(number);
    if (running === undefined) return this.#change(number, to);
    const steered = running.steering.then(() => this.#steer(running, to));
    running.steering = steered.catch(() => {});
    return steered;
  }

  async recipients(query: Parameters<Broadcasting['recipients']>[0]) {
    const id = parseBroadcastId(this.#p.journal.tag, query.id);
    const { broadcasts } = this.#p.journal;
    if (id === null || (await broadcasts.get({ id })) === null) return null;
    return broadcasts.recipients({ ...query, id });
  }

  async ended(id: string): Promise<BroadcastView | null> {
    await this.#running.get(parseBroadcastId(this.#p.journal.tag, id) ?? 0)?.over.promise;
    await this.#outcomes.save();
    return this.get(id);
  }

  onUpdate(account: AccountId, chat: string): void {
    this.#outcomes.onUpdate(account, chat);
  }

  live() {
    return Array.from(this.#running.values(), ({ stored, state }) => {
      return { platform: stored.platform, state };
    });
  }

  async #change(id: number, to: 'running' | 'paused' | 'cancelled'): Promise<Steered> {
    const at = this.#p.clock.now();
    const changed = await this.#p.journal.broadcasts.change({ id, to, at });
    if (changed.kind !== 'changed') return changed;
    return { kind: 'steered', view: this.#view(changed.broadcast) };
  }

  async #steer(running: Running, to: 'running' | 'paused' | 'cancelled'): Promise<Steered> {
    const { broadcasts } = this.#p.journal;
    if (to === 'running') await this.#outcomes.save();
    const { id } = running;
    const changed = await broadcasts.change({ id, to, at: this.#p.clock.now() });
    if (changed.kind !== 'changed') return changed;
    running.state = changed.broadcast.state;
    if (running.state === 'done') this.#finished(id);
    else if (to === 'running') {
      running.isFed = false;
      this.#feeder.add(running);
    } else await this.#halt(running);
    return { kind: 'steered', view: this.#view((await broadcasts.get({ id }))!) };
  }

  // One that cannot be taken up is paused, with all it has: it must not stop this start, nor the next.
  async #takeUpSafely(stored: StoredBroadcast): Promise<void> {
    try {
      await this.#takeUp(stored);
    } catch (error) {
      if (error instanceof JournalUnavailable) throw error;
      this.#p.report('recovery', error, { broadcast: stored.id, account: stored.account });
      this.#running.delete(stored.id);
      const { broadcasts } = this.#p.journal;
      if (stored.state === 'running') {
        await broadcasts.change({ id: stored.id, to: 'paused', at: this.#p.clock.now() });
      }
    }
  }

  // As the process before left it.
  async #takeUp(stored: StoredBroadcast): Promise<void> {
    const running = this.#running.get(stored.id) ?? this.#remember(stored);
    if (running.isTakenUp) return;
    if (stored.state === 'running') {
      await adoptOrphans(this.#p, running);
      await this.#outcomes.reconcile(running);
      this.#feeder.add(running);
    } else await this.#halt(running);
    running.isTakenUp = true;
  }

  // Nothing more of it goes but what is being sent.
  async #halt(running: Running): Promise<void> {
    await this.#feeder.remove(running);
    await adoptOrphans(this.#p, running);
    const live = await this.#outcomes.reconcile(running);
    await withdraw(this.#withdrawal, running.account, live);
    await this.#outcomes.save();
    if (running.state === 'cancelled' && running.outstanding === 0) this.#finished(running.id);
  }

  #begin(stored: StoredBroadcast): void {
    if (stored.state !== 'running') return;
    const { owns = () => true, notifyOwner } = this.#p;
    if (!owns(stored.account)) {
      notifyOwner?.(stored.account);
      return;
    }
    const running = this.#remember(stored);
    running.isTakenUp = true;
    this.#feeder.add(running);
  }

  #remember(stored: StoredBroadcast): Running {
    const { clock, journal, platforms } = this.#p;
    const platform = platforms.get(stored.platform)!;
    const publicId = formatBroadcastId(journal.tag, stored.id);
    const running = new Running(stored, platform, publicId, clock.now());
    this.#running.set(stored.id, running);
    return running;
  }

  #freed(running: Running): void {
    if (running.state === 'running') this.#feeder.wake(running.account);
    else if (running.state === 'cancelled' && running.outstanding === 0) this.#finished(running.id);
  }

  #finished(id: number): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    if (running.state === 'running') running.state = 'done';
    this.#running.delete(id);
    running.over.resolve();
    void this.#feeder.remove(running);
    this.#p.log.info(named(running.stored), 'a broadcast is over');
  }

  // What an event did not tell is found within a minute.
  async #reconcileAll(): Promise<void> {
    for (const running of [...this.#running.values()]) {
      const live = await this.#outcomes.reconcile(running);
      if (running.state !== 'running') await withdraw(this.#withdrawal, running.account, live);
    }
  }

  #view(stored: StoredBroadcast): BroadcastView {
    const { clock, journal } = this.#p;
    const sharing = this.#feeder.runningIn(stored.account);
    const lastOf = (running: Running) => this.#outcomes.lastOf(running);
    const parts = { tag: journal.tag, now: clock.now(), pace: this.#pace, lastOf, sharing };
    return viewOf(stored, this.#running.get(stored.id) ?? null, parts);
  }
}
