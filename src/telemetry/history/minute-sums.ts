// What happened in the minute that is over, for all accounts and for the busiest of them, from what the metrics have
// counted meanwhile.

import { WAIT_CLASSES } from '../../domain/wait-histogram.ts';
import type { MinuteCount } from '../metrics/counters.ts';

// Of a minute; what the others did is in the sum of all.
export const ACCOUNTS_KEPT_MAX = 50;

export interface CountedMinute {
  // '': all of them.
  readonly account: string;
  readonly sent: number;
  readonly failed: number;
  readonly dead: number;
  readonly waits: readonly number[];
}

// None where nothing happened.
export function sumMinute(counts: readonly [account: string, count: MinuteCount][]) {
  if (counts.length === 0) return [];
  const own = counts.map(([account, { waitedMs, ...count }]): CountedMinute => {
    return { account, ...count, waits: [...waitedMs.counts] };
  });
  const busiest = own
    .filter(({ account }) => account !== '')
    .sort((a, b) => callsOf(b) - callsOf(a) || (a.account < b.account ? -1 : 1))
    .slice(0, ACCOUNTS_KEPT_MAX);
  return [own.reduce(added, NOTHING), ...busiest];
}

const NOTHING: CountedMinute = {
  ...{ account: '', sent: 0, failed: 0, dead: 0 },
  waits: Array.from({ length: WAIT_CLASSES }, () => 0),
};

function added(all: CountedMinute, one: CountedMinute): CountedMinute {
  return {
    account: '',
    sent: all.sent + one.sent,
    failed: all.failed + one.failed,
    dead: all.dead + one.dead,
    waits: all.waits.map((count, i) => count + one.waits[i]!),
  };
}

function callsOf({ sent, failed, dead }: CountedMinute): number {
  return sent + failed + dead;
}
