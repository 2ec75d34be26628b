// What has held an account, or a chat, back lately: so that a delivery that goes can say what it waited for. It is
// noted where something is held, once for all that wait there, and nowhere else: what waits keeps nothing of it, and
// what goes at once asks nothing.

import type { Queued } from '../domain/delivery.ts';
import type { Cause } from '../limits/limits.ts';
import type { Pacing } from './pacing.ts';

export type HeldBy =
  | Cause
  | {
      kind: 'ahead' | 'due' | 'held' | 'in_flight';
      name: string;
      until: number | null;
      detail: string;
    };

export interface Hindrance {
  readonly cause: HeldBy;
  // The call it was noted for: it holds those like it. null: all.
  readonly call: Pick<Queued, 'family' | 'budget' | 'live'> | null;
  // It holds this lane alone, behind the retry of its first. null: all.
  readonly lane: string | null;
  readonly from: number;
  until: number;
  before: Hindrance | null;
}

// Of one account or chat. What is older is forgotten, and those that waited so long were behind others.
const KEPT_MAX = 8;
// Times that are as close are one: between them a call went and was answered.
const TOGETHER_MS = 1000;
// The name of a hold that lasts until one call is answered, and is part of the hold before it.
export const PROBING = 'probing';
const RETRY_AHEAD = 'waits for the retry of the one ahead of it';
const SLOT_AHEAD = 'waits for the slot of the final text ahead of it';

export class Hindrances {
  #last: Hindrance | null = null;

  get last(): Hindrance | null {
    return this.#last;
  }

  // No call like it goes before `until` (Infinity: before an answer). The limits are asked why when it is news.
  closed(limits: Pacing, call: Queued, until: number, now: number): void {
    const known = this.#lastLike(call, null);
    if (known !== null && known.until > now && known.until === until) return;
    const causes = limits.explain(call, now);
    const cause = freezeUntil(causes, causes[0]?.until ?? 0) ?? causes[0];
    if (cause !== undefined) this.#note({ cause, call: kindOf(call), lane: null, until }, now);
  }

  // Calls like it may go.
  opened(call: Queued, now: number): void {
    if (this.#last !== null) end(this.#lastLike(call, null), now);
  }

  // The first of the lane goes at a time of its own, mostly as a retry, and those behind it wait with it.
  retrying(limits: Pacing, head: Queued, lane: string, now: number): void {
    const until = head.dueAt;
    const known = this.#lastLike(head, lane);
    if (known !== null && known.until > now && known.until === until) return;
    const freeze = freezeUntil(limits.explain(head, now), until);
    const due: HeldBy =
      head.inSlot === true
        ? { kind: 'ahead', name: 'lane', until, detail: SLOT_AHEAD }
        : { kind: 'due', name: 'retry', until, detail: RETRY_AHEAD };
    const cause = freeze ?? due;
    this.#note({ cause, call: kindOf(head), lane, until }, now);
  }

  retried(head: Queued, lane: string, now: number): void {
    if (this.#last !== null) end(this.#lastLike(head, lane), now);
  }

  // Nothing goes, until it is `unblocked`.
  blocked(kind: 'held' | 'in_flight', name: string, detail: string, now: number): void {
    const known = this.#lastOfAll();
    const isKnown = known?.cause.kind === kind && known.cause.detail === detail;
    if (isKnown && known.until > now) return;
    const until = Number.POSITIVE_INFINITY;
    const cause = { kind, name, until: null, detail };
    this.#note({ cause, call: null, lane: null, until }, now);
  }

  unblocked(now: number): void {
    if (this.#last !== null) end(this.#lastOfAll(), now);
  }

  #note(noted: Pick<Hindrance, 'cause' | 'call' | 'lane' | 'until'>, now: number): void {
    const { call, lane, cause, until } = noted;
    const known = call === null ? this.#lastOfAll() : this.#lastLike(call, lane);
    if (known !== null && now - known.until <= TOGETHER_MS && isSame(known.cause, cause)) {
      known.until = until;
      return;
    }
    end(known, now);
    this.#last = { ...noted, from: now, before: this.#last };
    let kept: Hindrance = this.#last;
    for (let n = 1; n < KEPT_MAX && kept.before !== null; n++) kept = kept.before;
    kept.before = null;
  }

  #lastLike(call: NonNullable<Hindrance['call']>, lane: string | null): Hindrance | null {
    let h = this.#last;
    while (h !== null && (h.call === null || h.lane !== lane || !isLike(h.call, call)))
      h = h.before;
    return h;
  }

  #lastOfAll(): Hindrance | null {
    let h = this.#last;
    while (h !== null && h.call !== null) h = h.before;
    return h;
  }
}

export function isLike(
  a: NonNullable<Hindrance['call']>,
  b: NonNullable<Hindrance['call']>,
): boolean {
  return a.family === b.family && a.budget === b.budget && a.live === b.live;
}

// A freeze that lasts about as long is named first, as in the live explanation.
function freezeUntil(causes: readonly Cause[], until: number): Cause | undefined {
  return causes.find((cause) => cause.kind === 'freeze' && cause.until >= until - TOGETHER_MS);
}

// Not the whole call: it would be kept after it has gone.
function kindOf({ family, budget, live }: Queued): Hindrance['call'] {
  return { family, budget, live };
}

// The words of a window also say what was used of it, those of a hold what the last try met.
function isSame(a: HeldBy, b: HeldBy): boolean {
  if (a.kind !== b.kind) return false;
  if (a.kind === 'held') return b.name === a.name || b.name === PROBING;
  return a.name === b.name && (a.kind === 'window' || a.detail === b.detail);
}

function end(hindrance: Hindrance | null, now: number): void {
  if (hindrance !== null && hindrance.until > now) hindrance.until = now;
}
