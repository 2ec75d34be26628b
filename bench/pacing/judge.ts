// What became of one run, from what was asked for and what the simulator judged. The judge knows the windows and
// the clock, and nothing of how any contestant works.

import { type JudgedCall, TELEGRAM_DEFAULTS } from '../../src/sim/sim.ts';
import type { Run } from './contestant.ts';
import { leastPossibleMs, nextAt } from './least.ts';
import type { Asked, Scenario } from './scenarios.ts';

// A final in a private chat arrives so soon after it was asked for. In a group it also waits for the window: until
// there is room for all the finals that share it, after what went before they were asked for.
export const FINAL_MS_MAX = 3000;

export interface Verdict {
  readonly earned429: number;
  readonly tookMs: number | null;
  readonly leastMs: number | null;
  readonly lost: number;
  readonly duplicated: number;
  readonly outOfOrder: number;
  readonly finals: { asked: number; delivered: number; last: number; inTime: number };
}

type Call = Omit<JudgedCall, 'token'>;

export function judge(scenario: Scenario, run: Run, calls: readonly Call[]): Verdict {
  const accepted = calls.filter((call) => call.acceptedAt !== null && call.messageIds.length > 0);
  const byPlace = Map.groupBy(accepted, (call) => placeOf(call.chat!, call.thread));
  const must = run.asked.filter((asked) => !asked.isPreview);
  const copiesOf = (asked: Asked) =>
    (byPlace.get(placeOf(asked.chat, asked.thread)) ?? []).filter((c) => c.text === asked.text);
  const copies = must.map((asked) => copiesOf(asked).length);
  const { load } = scenario;
  return {
    earned429: calls.filter((call) => call.retryAfterS !== null).length,
    tookMs: run.tookMs,
    leastMs: load === null ? null : leastPossibleMs(load, TELEGRAM_DEFAULTS),
    lost: copies.filter((count) => count === 0).length,
    duplicated: copies.reduce((sum, count) => sum + Math.max(0, count - 1), 0),
    outOfOrder: [...byPlace.values()].reduce((sum, place) => sum + inversions(place), 0),
    finals: judgeFinals(
      must.filter((asked) => asked.isFinal),
      byPlace,
      accepted,
    ),
  };
}

function placeOf(chat: string | number, thread: string | number | null): string {
  return `${chat}/${thread ?? ''}`;
}

// Texts count up within a place.
function inversions(place: readonly Call[]): number {
  const numbers = inOrder(place).map((call) => Number(call.text));
  return numbers.filter((n, i) => i > 0 && n < numbers[i - 1]!).length;
}

function inOrder(calls: readonly Call[]): Call[] {
  return calls.toSorted((a, b) => a.acceptedAt! - b.acceptedAt!);
}

function judgeFinals(
  finals: readonly Asked[],
  byPlace: ReadonlyMap<string, readonly Call[]>,
  accepted: readonly Call[],
) {
  let [delivered, last, inTime] = [0, 0, 0];
  for (const final of finals) {
    const shown = inOrder(byPlace.get(placeOf(final.chat, final.thread)) ?? []);
    const arrived = shown.find((call) => call.text === final.text);
    if (arrived === undefined) continue;
    delivered += 1;
    if (shown.at(-1) === arrived) last += 1;
    if (arrived.acceptedAt! <= dueAt(final, finals, accepted) + FINAL_MS_MAX) inTime += 1;
  }
  return { asked: finals.length, delivered, last, inTime };
}

// The window's next places belong to the finals that wait: by then it has let all of them through.
function dueAt(final: Asked, finals: readonly Asked[], accepted: readonly Call[]): number {
  if (final.chat > 0) return final.askedAt;
  const firstAskedAt = Math.min(...finals.map((each) => each.askedAt));
  const before = accepted.map((call) => call.acceptedAt!).filter((at) => at < firstAskedAt);
  const times = before.toSorted((a, b) => a - b);
  const { groupMinute, groupSpacing } = TELEGRAM_DEFAULTS;
  for (const each of finals.toSorted((a, b) => a.askedAt - b.askedAt)) {
    times.push(Math.max(each.askedAt, nextAt(times, [groupMinute, groupSpacing])));
  }
  return times.at(-1)!;
}
