// What a delivery has waited for, noted when it goes: what held its account and its chat back meanwhile, and how many
// others went before it.

import type { Chat, Entry } from './chat.ts';
import { type HeldBy, type Hindrance, type Hindrances, isLike } from './hindrances.ts';

export interface WaitedTime {
  readonly cause: HeldBy;
  readonly from: number;
  readonly to: number;
}

// As short as this is no wait.
const WAIT_MS_MIN = 5;
// The last so many are kept.
const SPANS_MAX = 6;

export interface WaitedIn {
  readonly account: Hindrances | null;
  readonly chat: Chat;
  // The chat is the one queue of an account that sends strictly in order.
  readonly isStrict: boolean;
}

export function waitedFor(where: WaitedIn, entry: Entry, now: number): WaitedTime[] | null {
  const { queued } = entry;
  const from = Math.max(queued.enterAt, queued.dueAt);
  if (now - from < WAIT_MS_MIN) return null;
  const held = hindrancesOf(where, entry, from);
  const ahead = Math.max(0, where.chat.served - entry.servedBefore);
  if (held.length === 0 && ahead === 0) return null;
  const whose = where.isStrict ? 'its account' : 'its chat';
  const spans = spansOf(held, from, now);
  const all = ahead === 0 ? spans : withAhead(spans, `${others(ahead)} of ${whose} went before it`);
  const waits = all.filter((span): span is WaitedTime => isLongEnough(span)).slice(-SPANS_MAX);
  return waits.length === 0 ? null : waits;
}

function others(ahead: number): string {
  return ahead === 1 ? 'one other' : `${ahead} others`;
}

// Those that held it, most important first.
function hindrancesOf({ account, chat, isStrict }: WaitedIn, entry: Entry, from: number) {
  const found: Hindrance[] = [];
  const { queued, flow } = entry;
  for (const list of [account, chat.hindrances]) {
    for (let h = list?.last ?? null; h !== null; h = h.before) {
      const isItsLane = isStrict || h.lane === null || h.lane === flow?.lane.key;
      const isItsKind = isStrict || h.call === null || isLike(h.call, queued);
      if (h.until > from && isItsLane && isItsKind) found.push(h);
    }
  }
  return found.sort((a, b) => gravity(a) - gravity(b));
}

// As the live explanation has it: what does not end with the next few calls is named first.
function gravity({ cause }: Hindrance): number {
  if (cause.kind === 'held') return 0;
  return cause.kind === 'freeze' || cause.kind === 'probe' ? 1 : 2;
}

interface Span {
  // null: nothing that is known.
  cause: HeldBy | null;
  readonly from: number;
  to: number;
}

function isLongEnough({ cause, from, to }: Span): boolean {
  return cause !== null && to - from >= WAIT_MS_MIN;
}

// The whole time, cut where what held it changed.
function spansOf(held: readonly Hindrance[], from: number, now: number): Span[] {
  const cuts = held.flatMap((h) => [h.from, h.until]).filter((at) => at > from && at < now);
  const spans: Span[] = [];
  let at = from;
  for (const to of [...cuts.sort((a, b) => a - b), now]) {
    const cause = held.find((h) => h.from <= at && h.until >= to)?.cause ?? null;
    const last = spans.at(-1);
    if (last !== undefined && (last.cause === cause || to - at < WAIT_MS_MIN)) last.to = to;
    else spans.push({ cause, from: at, to });
    at = to;
  }
  return spans;
}

// What is not known otherwise was the time of those that went before it; so was a window that they used up.
function withAhead(spans: readonly Span[], others: string): Span[] {
  const ahead: HeldBy = { kind: 'ahead', name: 'ahead', until: null, detail: others };
  const all = spans.map((span): Span => {
    if (span.cause === null) return { ...span, cause: ahead };
    if (span.cause.kind !== 'window') return span;
    return { ...span, cause: { ...span.cause, detail: `${span.cause.detail}, and ${others}` } };
  });
  return all;
}
