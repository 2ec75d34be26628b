// When will a call go that has others like it before it? Arithmetic instead of simulation, so that an
// estimate costs the same for the second call in the queue and for the millionth.
//
// One window of n calls alone: call k goes `perMs` after call k − n, that one `perMs` after k − 2n,
// and so on back to a call that has already gone, or to one of the first n that need wait for
// nothing but the shorter windows. Every step is a lower bound, so the whole is one.

import { DebtSlot, type Slot } from './slot.ts';
import type { Rule } from './types.ts';

export interface Meter {
  readonly rule: Rule;
  // What is believed of it, as a share of the prior.
  readonly share: number;
  readonly slot: Slot | null;
  // At most `count` in any `perMs`, as it is believed now.
  readonly count: number;
  readonly perMs: number;
}

export interface ProjectedMoment {
  readonly now: number;
  // Before this nothing goes (a freeze).
  readonly from: number;
  // When the unanswered calls are taken to be judged.
  readonly heldAt: number;
}

export function projectCall(
  meters: readonly Meter[],
  cost: number,
  ahead: number,
  moment: ProjectedMoment,
): number {
  const longestFirst = [...meters].sort((a, b) => b.perMs - a.perMs);
  return project(longestFirst, 0, cost, ahead, moment);
}

// The rule that alone would make it wait longest, and until when; null: none makes it wait.
export function decisiveRule(
  meters: readonly Meter[],
  cost: number,
  ahead: number,
  moment: ProjectedMoment,
): { meter: Meter; until: number } | null {
  let decisive: { meter: Meter; until: number } | null = null;
  for (const meter of meters) {
    const until = project([meter], 0, cost, ahead, moment);
    if (until > (decisive?.until ?? moment.from)) decisive = { meter, until };
  }
  return decisive;
}

function project(
  meters: readonly Meter[],
  index: number,
  cost: number,
  ahead: number,
  moment: ProjectedMoment,
): number {
  const meter = meters[index];
  if (meter === undefined) return moment.from;
  const shorter = (k: number) => project(meters, index + 1, cost, k, moment);
  const { count, perMs, rule } = meter;
  if (rule.kind === 'debt') return Math.max(shorter(ahead), afterDebt(meter, cost, ahead, moment));

  const callsPerWindow = Math.max(1, Math.floor(count / cost));
  const rounds = Math.floor(ahead / callsPerWindow);
  const alone =
    rounds === 0
      ? shorter(ahead)
      : Math.max(shorter(ahead), shorter(ahead - rounds * callsPerWindow) + rounds * perMs);
  return Math.max(alone, afterGone(meter, cost, ahead, count, perMs, moment));
}

// What is used comes back evenly, one call after another.
function afterDebt(
  { slot, count, perMs }: Meter,
  cost: number,
  ahead: number,
  { now, from, heldAt }: ProjectedMoment,
): number {
  const units = Math.min(cost, count);
  const before = ahead * units;
  if (slot instanceof DebtSlot) return slot.freeAfter(before, units, Math.max(now, from), heldAt);
  return Math.max(now, from) + (Math.max(0, before + units - count) * perMs) / count;
}

// Steps back, `count` units at a time, to a unit that has already gone.
function afterGone(
  { slot }: Meter,
  cost: number,
  ahead: number,
  count: number,
  perMs: number,
  { now, heldAt }: ProjectedMoment,
): number {
  if (slot === null) return now;
  const used = slot.used(perMs, now);
  const unit = used + (ahead + 1) * Math.min(cost, count) - 1;
  const steps = Math.floor((unit - used) / count) + 1;
  const gone = unit - steps * count;
  if (gone < 0 || used === 0) return now;
  return slot.moment(gone, perMs, now, heldAt) + steps * perMs;
}
