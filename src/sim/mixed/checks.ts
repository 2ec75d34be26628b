// The promises of a mixed world: those of a world of one platform, the platforms' own count of their limits in place of
// ours, and that the trouble of one changes nothing for another.

import { checkDuplicates } from '../world/checks/duplicates.ts';
import { checkEnds } from '../world/checks/ends.ts';
import { checkFreezes } from '../world/checks/freezes.ts';
import { checkIsolation } from '../world/checks/isolation.ts';
import { checkLoss } from '../world/checks/loss.ts';
import { checkOrder } from '../world/checks/order.ts';
import { type Check, clockTime, type Finding, placeOf } from '../world/evidence.ts';

// Each simulator says of every call whether its caller was too fast.
const checkCounted: Check = ({ tries, frozen, startedAt }) =>
  tries.flatMap((one) => {
    const { call } = one;
    // A chat that was closed for no fault of the engine's may be told as if it were one.
    if (call === null || frozen.has(placeOf(one))) return [];
    if (call.cause !== 'flood' && call.cause !== 'hidden' && call.holdMs === 0) return [];
    const at = clockTime(call.arrivedAt, startedAt);
    const facts = `chat ${one.chat} earned a wait with #${one.number} at ${at}`;
    return [{ check: 'counted', facts }];
  });

export const MIXED_CHECKS: readonly Check[] = [
  ...[checkLoss, checkOrder, checkDuplicates, checkFreezes, checkCounted],
  ...[checkIsolation, checkEnds],
];

type Fates = ReadonlyMap<string, readonly string[]>;

// Two runs of one seed, with the trouble and without: all other platforms' messages have the same fate at the same
// moments.
export function checkApart(calm: Fates, troubled: Fates, platform: string): Finding[] {
  const others = [...calm.keys()].filter((name) => name !== platform);
  return others.flatMap((name) => {
    const before = calm.get(name)!;
    const after = troubled.get(name) ?? [];
    const at = before.findIndex((fate, i) => fate !== after[i]);
    if (at < 0 && before.length === after.length) return [];
    const [was = 'nothing', is = 'nothing'] = [before[Math.max(at, 0)], after[Math.max(at, 0)]];
    return [{ check: 'apart', facts: `${name}: ${was}; with trouble on ${platform}: ${is}` }];
  });
}
