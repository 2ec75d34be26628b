// Sums of minutes in memory: the specification.

import { unreachable } from '../../system/assert.ts';
import type { MinuteCommand, MinuteSum } from '../ports/minutes.ts';
import { type MemoryDisk, pairKey } from './disk.ts';

export function runMinutes({ minutes }: MemoryDisk, command: MinuteCommand): unknown {
  switch (command.kind) {
    case 'save':
      for (const sum of command.sums) {
        minutes.set(pairKey(pairKey(sum.account, sum.node), String(sum.minute)), sum);
      }
      return null;
    case 'since':
      return [...minutes.values()]
        .filter(({ account, minute }) => account === command.account && minute >= command.minute)
        .sort(byMinute);
    case 'prune': {
      const old = [...minutes].filter(([, { minute }]) => minute < command.before);
      const pruned = old.sort(([, a], [, b]) => a.minute - b.minute).slice(0, command.max);
      for (const [key] of pruned) minutes.delete(key);
      return pruned.length;
    }
    default:
      return unreachable(command);
  }
}

function byMinute(a: MinuteSum, b: MinuteSum): number {
  return a.minute - b.minute || (a.node < b.node ? -1 : 1);
}
