// How old is what people see? Of each word: the time from being known to being shown, by an edit, a message or a
// draft that the platform took. A word that was never shown took for ever.

import type { JudgedCall } from '../../src/sim/sim.ts';
import { type Known, type Place, wordsIn } from './answers.ts';

export type SeenCall = Omit<JudgedCall, 'token'> & { bot: string };

export interface Staleness {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly finals: number;
  readonly answers: number;
  readonly earned429: number;
}

export function stalenessOf(known: readonly Known[], calls: readonly SeenCall[]): Staleness {
  const waits = known.flatMap((each) => waitsOf(each, calls)).sort((a, b) => a - b);
  const quantile = (share: number) => waits[Math.floor(share * (waits.length - 1))]!;
  const ours = calls.filter((call) => known.some(({ place }) => isIn(call, place)));
  return {
    p50Ms: quantile(0.5),
    p95Ms: quantile(0.95),
    finals: known.filter((each) => waitsOf(each, calls).every(Number.isFinite)).length,
    answers: known.length,
    earned429: ours.filter((call) => call.retryAfterS !== null).length,
  };
}

function waitsOf({ place, at }: Known, calls: readonly SeenCall[]): number[] {
  const shown = calls
    .filter((call) => call.acceptedAt !== null && isIn(call, place))
    .map((call) => ({ at: call.acceptedAt!, words: wordsIn(call.text) }))
    .sort((a, b) => a.at - b.at);
  return at.map((knownAt, n) => {
    const first = shown.find(({ words }) => words > n);
    return first === undefined ? Number.POSITIVE_INFINITY : Math.max(0, first.at - knownAt);
  });
}

function isIn(call: SeenCall, { chat, thread }: Place): boolean {
  return call.chat === String(chat) && call.thread === (thread === null ? null : String(thread));
}
