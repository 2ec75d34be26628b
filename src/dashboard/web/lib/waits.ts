// What a delivery's time went to, step by step: as the gateway tells it of one that has ended, and put together from
// its tries for one that still waits.

import type { Delivery, Explanation, PastKind } from './wire/more.ts';

export type WaitKind = PastKind | 'now';

export interface Wait {
  readonly kind: WaitKind;
  // Milliseconds since the epoch.
  readonly from: number;
  readonly ms: number;
  readonly detail: string;
}

export function waitsOf(
  delivery: Delivery,
  explanation: Explanation,
  now: number,
): readonly Wait[] {
  const { past } = explanation;
  if (past === undefined) return waitsSoFar(delivery, explanation, now);
  return past.map(({ kind, from, ms, detail }) => ({ kind, from: Date.parse(from), ms, detail }));
}

function waitsSoFar(delivery: Delivery, explanation: Explanation, now: number): Wait[] {
  const waits: Wait[] = [];
  let at = Date.parse(delivery.acceptedAt);
  const until = (to: number, kind: WaitKind, detail: string) => {
    if (to > at) waits.push({ kind, from: at, ms: to - at, detail });
    at = Math.max(at, to);
  };
  let before: WaitKind = 'turn';
  for (const { n, startedAt, endedAt, outcome, reason } of delivery.attempts) {
    until(Date.parse(startedAt), before, `until try ${n}`);
    const isOver = endedAt !== null;
    until(isOver ? Date.parse(endedAt) : now, 'call', `try ${n}, ${outcome ?? 'no answer yet'}`);
    before = outcome === 'limited' ? 'freeze' : reason === null ? 'turn' : 'retry';
  }
  until(now, kindOfNow(explanation), explanation.summary);
  return waits;
}

// The gravest of what holds it: that is what it waits for.
function kindOfNow({ causes }: Explanation): WaitKind {
  const kinds = causes.map(({ kind }) => kind);
  if (kinds.includes('held')) return 'held';
  if (kinds.includes('freeze')) return 'freeze';
  return kinds.includes('due') ? 'scheduled' : 'now';
}
