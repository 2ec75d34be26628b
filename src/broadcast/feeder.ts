// Feeds broadcasts to the road, each in the order of its audience, a few at a time: never more than a window waits
// there, so that a queue always has room for others. Every delivery has a key of its own, so handing it over again
// after a crash sends nothing twice. They are due one after the other at the pace of the account instead of all at
// once: a burst would use up a whole second's budget and leave a message that comes in between waiting for the next.

import { bodyOf, NO_FILES } from '../domain/body.ts';
import type { Delivery, NewDelivery } from '../domain/delivery.ts';
import { INTERNAL, type ReportFault } from '../domain/fault.ts';
import { HOLDERS, ownKey } from '../domain/idempotency.ts';
import type { AccountId } from '../domain/ids.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Road } from '../road/road.ts';
import type { BroadcastStore, FedCommand, Member } from '../store/ports/broadcasts.ts';
import { JournalUnavailable } from '../store/ports/unavailable.ts';
import { unreachable } from '../system/assert.ts';
import type { Clock, Timer } from '../system/clock.ts';
import type { Outcomes } from './outcomes.ts';
import type { AccountPace } from './pace.ts';
import { describeFor, type Running } from './running.ts';
import type { Values } from './template.ts';

export interface FeederParts {
  readonly clock: Clock;
  readonly road: Pick<Road, 'submit'>;
  readonly ledger: Pick<Ledger, 'getMany'>;
  readonly broadcasts: Pick<BroadcastStore, 'next' | 'fed'>;
  readonly pace: AccountPace;
  readonly outcomes: Outcomes;
  readonly settingsOf: (account: AccountId) => FeederSettings;
  readonly finished: (id: number) => void;
  readonly count: (running: Running, state: 'skipped') => void;
  readonly report: ReportFault;
  readonly fatal: (error: unknown) => void;
}

export interface FeederSettings {
  // Of an account's deliveries on the road, broadcasts may have so many.
  readonly broadcastWindow: number;
  readonly queueMax: number;
  readonly blockedProbeDays: number;
}

const BATCH_MAX = 100;
// Of a bounded queue broadcasts take at most this share.
const QUEUE_SHARE = 0.25;
// A batch is fed when so much of the window is free.
const BATCH_SHARE = 0.25;
const AGAIN_MS = 1_000;
// How soon a step of the wall clock is noticed.
const WALL_MS = 5_000;
const DAY_MS = 86_400_000;

type Row = FedCommand['rows'][number];

// The broadcasts of one account take turns.
interface Feed {
  readonly account: AccountId;
  readonly turns: Running[];
  loop: Promise<void> | null;
  isWoken: boolean;
  nextDueAt: number;
  timer: Timer | null;
  wakeAt: number;
}

export class Feeder {
  readonly #parts: FeederParts;
  readonly #feeds = new Map<string, Feed>();
  #isStopped = false;

  constructor(parts: FeederParts) {
    this.#parts = parts;
  }

  add(running: Running): void {
    const feed = this.#feedOf(running.account);
    if (!feed.turns.includes(running)) feed.turns.push(running);
    this.wake(running.account);
  }

  // Resolves when nothing of it is being fed any more.
  async remove(running: Running): Promise<void> {
    const feed = this.#feedOf(running.account);
    const at = feed.turns.indexOf(running);
    if (at >= 0) feed.turns.splice(at, 1);
    await feed.loop;
  }

  wake(account: AccountId): void {
    const feed = this.#feedOf(account);
    feed.isWoken = true;
    if (feed.loop !== null || this.#isStopped) return;
    feed.loop = this.#run(feed)
      .catch(this.#parts.fatal)
      .finally(() => {
        feed.loop = null;
        if (feed.isWoken) this.wake(account);
      });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { timer } of this.#feeds.values()) timer?.cancel();
    await Promise.all(Array.from(this.#feeds.values(), ({ loop }) => loop));
  }

  runningIn(account: AccountId): number {
    return this.#feedOf(account).turns.length;
  }

  async #run(feed: Feed): Promise<void> {
    while (!this.#isStopped) {
      feed.isWoken = false;
      const next = this.#choose(feed);
      if (next === null) return;
      const isFine = await this.#feed(feed, next.running, next.max);
      if (!isFine) {
        this.#wakeAt(feed, this.#parts.clock.now() + AGAIN_MS);
        return;
      }
    }
  }

  // Whose turn it is, and how many may be fed.
  #choose(feed: Feed): { running: Running; max: number } | null {
    const { broadcastWindow, queueMax } = this.#parts.settingsOf(feed.account);
    const window = Math.min(broadcastWindow, Math.floor(queueMax * QUEUE_SHARE));
    const share = Math.max(1, Math.floor(window / Math.max(1, feed.turns.length)));
    const max = Math.min(BATCH_MAX, Math.max(1, Math.floor(share * BATCH_SHARE)));
    const { clock } = this.#parts;
    const now = clock.now();
    // Its caller means the wall clock, which may have been set, and may be again.
    const stepMs = clock.stepMs?.() ?? 0;
    for (const running of feed.turns) {
      if (running.state !== 'running' || running.isFed) continue;
      const startsAt = running.stored.notBefore - stepMs;
      if (startsAt > now) {
        this.#wakeAt(feed, Math.min(startsAt, now + WALL_MS));
        continue;
      }
      if (share - running.outstanding < max) continue;
      // Behind the others.
      feed.turns.splice(feed.turns.indexOf(running), 1);
      feed.turns.push(running);
      return { running, max };
    }
    return null;
  }

  // False: not now.
  async #feed(feed: Feed, running: Running, max: number): Promise<boolean> {
    const { clock, broadcasts, outcomes, finished, count } = this.#parts;
    let followed: number[] = [];
    try {
      const members = await broadcasts.next({ id: running.id, max });
      if (members.length === 0) running.isFed = true;
      if (members.length === 0 || running.state !== 'running') return true;
      // Times given to what has been withdrawn since are free again.
      if (feed.turns.every(({ outstanding }) => outstanding === 0)) feed.nextDueAt = 0;
      const handed = await Promise.all(members.map((member) => this.#hand(feed, running, member)));
      followed = handed.flatMap((row) => (row?.state === 'queued' ? [row.seq!] : []));
      const end = handed.indexOf(null);
      const rows = handed.slice(0, end === -1 ? handed.length : end) as Row[];
      // What ended while the others were handed over is noted as ended.
      const now = rows.map((row) => ({ ...row, ...outcomes.endedAlready(row.seq ?? 0) }));
      const { done } = await broadcasts.fed({ id: running.id, rows: now, at: clock.now() });
      for (const { seq, state } of rows) {
        if (state === 'queued') outcomes.noted(seq!);
        if (state === 'skipped') count(running, state);
      }
      for (const id of done) finished(id);
      for (const row of handed.slice(rows.length)) if (row?.seq) outcomes.unfollow(row.seq);
      return end === -1;
    } catch (error) {
      if (!(error instanceof JournalUnavailable)) throw error;
      for (const seq of followed) outcomes.unfollow(seq);
      return false;
    }
  }

  // null: it could not be handed over now.
  async #hand(feed: Feed, running: Running, member: Member): Promise<Row | null> {
    const { n, blockedAt } = member;
    const skipped = (reason: string): Row => ({ n, seq: null, state: 'skipped', reason });
    const now = this.#parts.clock.now();
    const { blockedProbeDays } = this.#parts.settingsOf(feed.account);
    if (blockedAt !== null && now - blockedAt < blockedProbeDays * DAY_MS)
      return skipped('blocked');
    try {
      const delivery = this.#deliveryFor(feed, running, member, now);
      if (typeof delivery === 'string') return skipped(delivery);
      return this.#submit(running, n, delivery);
    } catch (error) {
      // One recipient, or one message, that the platform's code cannot take: the others are not kept waiting by it.
      this.#parts.report('broadcast', error, { broadcast: running.publicId, recipient: n });
      return skipped(INTERNAL);
    }
  }

  // A text: why there is none.
  #deliveryFor(
    feed: Feed,
    running: Running,
    { n, chat, fields }: Member,
    now: number,
  ): NewDelivery | string {
    const values = fields === '' ? {} : (JSON.parse(fields) as Values);
    const filled = running.template.fill(values);
    if (filled.kind === 'missing') return 'field_missing';
    const { stored, platform } = running;
    const { params, call } = describeFor(platform, stored.method, filled.params, chat);
    if (call.kind !== 'call') return 'invalid_chat';
    return {
      account: running.account,
      platform: platform.name,
      chat: call.chat,
      thread: call.thread,
      session: null,
      user: null,
      correlation: running.publicId,
      method: call.method,
      family: call.family,
      budget: call.budget,
      priority: stored.priority,
      cost: call.cost,
      live: false,
      final: false,
      slot: call.slot,
      notBefore: this.#dueAt(feed, running, now),
      expiresAt: 0,
      acceptedAt: now,
      idempotencyKey: ownKey(HOLDERS.sluice, `${running.publicId}:${n}`),
      body: bodyOf(params, NO_FILES),
    };
  }

  async #submit(running: Running, n: number, delivery: NewDelivery): Promise<Row | null> {
    try {
      const appended = await this.#parts.road.submit(delivery);
      switch (appended.kind) {
        case 'accepted':
          return this.#follow(running, n, {
            seq: appended.queued.seq,
            state: 'queued',
            reason: null,
          });
        case 'repeated':
          return this.#follow(running, n, { ...appended, reason: null });
        case 'superseded':
          return { n, seq: appended.seq, state: 'cancelled', reason: 'superseded' };
        // Handed over by another version of Sluice, which wrote it a little differently.
        case 'conflict': {
          const [record] = await this.#parts.ledger.getMany([appended.seq]);
          return record === undefined ? null : this.#follow(running, n, record);
        }
        case 'full':
        case 'not_owner':
          return null;
        default:
          return unreachable(appended);
      }
    } catch (error) {
      if (error instanceof JournalUnavailable) return null;
      throw error;
    }
  }

  #follow(
    running: Running,
    n: number,
    { seq, state, reason }: Pick<Delivery, 'seq' | 'state' | 'reason'>,
  ): Row {
    const end = running.endOf(state, reason);
    if (end.state === 'queued') this.#parts.outcomes.follow(running, seq);
    return { n, seq, ...end };
  }

  // 0: at once.
  #dueAt(feed: Feed, running: Running, now: number): number {
    const perSecond = this.#parts.pace.perSecond(running.account, running.charge);
    if (perSecond === null) return 0;
    const dueAt = Math.max(now, feed.nextDueAt);
    feed.nextDueAt = dueAt + 1000 / perSecond;
    return dueAt > now ? dueAt : 0;
  }

  #wakeAt(feed: Feed, at: number): void {
    if (feed.timer !== null && feed.wakeAt <= at) return;
    feed.timer?.cancel();
    feed.wakeAt = at;
    feed.timer = this.#parts.clock.schedule(at, () => {
      feed.timer = null;
      this.wake(feed.account);
    });
  }

  #feedOf(account: AccountId): Feed {
    let feed = this.#feeds.get(account);
    if (feed === undefined) {
      const idle = { loop: null, isWoken: false, nextDueAt: 0, timer: null, wakeAt: 0 };
      feed = { account, turns: [], ...idle };
      this.#feeds.set(account, feed);
    }
    return feed;
  }
}
