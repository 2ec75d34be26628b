// A message that is edited again and again: what is known of its edits, and when the last one must have been the last.

import type { NewDelivery } from '../domain/delivery.ts';
import type { AccountId } from '../domain/ids.ts';
import type { Ended, Prospect } from '../road/road.ts';
import type { Appended } from '../store/ports/delivery.ts';
import type { Clock, Timer } from '../system/clock.ts';
import type { LiveText } from './pacing/chat-pacer.ts';

// Edits further apart than this are not one text that grows.
export const GAP_MS_MAX = 8_000;
// So many of its own gaps without another edit, and so much of how they vary, and the last one was the last.
const GAPS_TO_FINAL = 1.75;
const VARIATIONS_TO_FINAL = 3;
const QUIET_MS_MIN = 1_500;
// Who names its session can say which text is the last; that it did not, and only paused, is more likely.
const QUIET_MS_NAMED = 4_000;
const QUIET_MS_MAX = 2 * GAP_MS_MAX;
// While there was only one.
const QUIET_MS_FIRST = 4_000;
// Texts that fall silent within this of each other do so together.
const TOGETHER_MS = 500;
// What the newest gap counts for.
const GAP_WEIGHT = 0.3;
// One that was taken for the last and was not: the next has to wait so much longer.
const MISTAKEN_FACTOR = 2;
// Whoever edits the message again hears of its failure.
const FAILURE_KEPT_MS = 60_000;
// Timers of a process that has its time come earlier than this after they are due.
const LATE_MS = 10;
// Looked at again so many times.
const LATE_MAX = 3;

export class EditSession implements LiveText {
  readonly id: string;
  readonly state = 'open';
  readonly account: AccountId;
  readonly chat: string;
  readonly platform: string;
  // The one that is edited; null: nobody can tell.
  readonly message: string | null;
  // By its caller's word.
  readonly isNamed: boolean;
  staleSince: number | null = null;
  editedAt: number;
  // When the caller of an edit that it waited for had its answer: what it says next, it says after that.
  answeredAt = Number.NEGATIVE_INFINITY;
  // Between two edits, smoothed; null: there was one.
  gapMs: number | null = null;
  // How much they vary.
  variationMs = 0;
  patience = 1;
  // An edit of it went outside its lane; the first may have gone like any other.
  isLive = false;
  // The last edit was taken for the last.
  isPresumedOver = false;
  // The newest text, while it is held; then while it is on its way.
  held: number | null = null;
  shown: number | null = null;
  // Where live output is not paced: the newest text, which may wait in its lane.
  inLane: number | null = null;
  // What such a call asks of the limits.
  prospect: Prospect;
  // The final is on its way; which of those there were, for one may have been none.
  isFinishing = false;
  ending = 0;
  // A preview died of it, and nobody was told yet.
  failed: Ended | null = null;
  quiet: Timer | null = null;
  // When that is due.
  quietAt = 0;

  // Of the session that an edit is of, if it is of one.
  static idOf({ account, slot }: NewDelivery): string {
    return `edit:${account}:${slot}`;
  }

  constructor(id: string, delivery: NewDelivery, message: string | null, now: number) {
    this.id = id;
    this.account = delivery.account;
    this.chat = delivery.chat;
    this.platform = delivery.platform;
    this.message = message;
    this.isNamed = delivery.live;
    this.prospect = prospectOf(delivery);
    this.editedAt = now;
  }

  get session(): string {
    return this.id;
  }

  get isIdle(): boolean {
    return this.held === null && this.shown === null && !this.isFinishing;
  }

  // Live output from now on. What was not taken is none, unless another edit was meanwhile.
  async asLive(write: () => Promise<Appended>): Promise<Appended> {
    const { isLive } = this;
    this.isLive = true;
    let isTaken = false;
    try {
      const appended = await write();
      isTaken = appended.kind === 'accepted';
      return appended;
    } finally {
      if (!isTaken && this.isIdle) this.isLive = isLive;
    }
  }

  // Another edit came.
  editedAfter(gapMs: number): void {
    if (this.isPresumedOver && this.gapMs !== null) this.patience *= MISTAKEN_FACTOR;
    this.isPresumedOver = false;
    if (this.gapMs === null) {
      this.gapMs = gapMs;
      return;
    }
    const offMs = gapMs - this.gapMs;
    this.variationMs += (Math.abs(offMs) - this.variationMs) * GAP_WEIGHT;
    this.gapMs += offMs * GAP_WEIGHT;
  }

  quietMs(): number {
    if (this.gapMs === null) return QUIET_MS_FIRST;
    const expectedMs = GAPS_TO_FINAL * this.gapMs + VARIATIONS_TO_FINAL * this.variationMs;
    const leastMs = this.isNamed ? QUIET_MS_NAMED : QUIET_MS_MIN;
    return Math.min(QUIET_MS_MAX, this.patience * Math.max(leastMs, expectedMs));
  }

  // A timer that comes late says that this process stood still, and perhaps not the producer: what came in meanwhile is
  // read first. Where every timer is late, that is so much and no more.
  whenQuiet(clock: Clock, quietMs: number, run: () => void, late = 0): void {
    const at = clock.now() + quietMs;
    // It may be that of an edit that was written at the same time.
    this.quiet?.cancel();
    this.quietAt = at;
    this.quiet = clock.schedule(at, () => {
      const lateMs = clock.now() - at;
      if (lateMs > LATE_MS && late < LATE_MAX) this.whenQuiet(clock, lateMs, run, late + 1);
      else run();
    });
  }
}

// Whether it may be one of them.
export function isEdit({ family, slot, notBefore, priority }: NewDelivery): boolean {
  return family === 'edit' && slot !== null && notBefore === 0 && priority !== 'critical';
}

// Until those of them have fallen silent that do so together with one that does now; 0: none of them.
export function togetherMs(others: readonly EditSession[], now: number): number {
  const lefts = others.filter(({ quiet }) => quiet !== null).map(({ quietAt }) => quietAt - now);
  const together = lefts.filter((ms) => Math.abs(ms) <= TOGETHER_MS);
  return together.length === 0 ? 0 : Math.max(0, ...together) + LATE_MS;
}

export function isOver(session: EditSession, now: number): boolean {
  const keptMs = session.failed === null ? GAP_MS_MAX : FAILURE_KEPT_MS;
  return session.isIdle && now - session.editedAt > keptMs;
}

export function prospectOf({ account, chat, user, family, budget, cost }: NewDelivery): Prospect {
  return { account, chat, user, family, budget, live: true, cost };
}
