// Who gives way when there are as many accounts as may be: those that nothing is left to do for, what the simulator
// and other local ones vouched for before all that a platform did, and the longest idle first.

import type { AccountId } from '../domain/ids.ts';

// Of the accounts that may be kept, how many give way at once: sorting them all is not worth it for one.
export const EVICTED_SHARE = 0.01;

export interface Candidate {
  readonly id: AccountId;
  readonly isLocal: boolean;
  // The least was used the longest ago.
  readonly used: number;
}

// How many must give way before one more fits in: the new ones that are being written have their places already.
export function placesMissing(
  held: ReadonlyMap<AccountId, unknown>,
  writing: ReadonlyMap<AccountId, unknown>,
  max: number,
): number {
  const reserved = Array.from(writing.keys()).filter((id) => !held.has(id)).length;
  return held.size + reserved + 1 - max;
}

export function whoGivesWay(
  candidates: readonly Candidate[],
  count: number,
  mayGo: (id: AccountId) => boolean,
): AccountId[] {
  const rank = ({ isLocal }: Candidate) => (isLocal ? 0 : 1);
  const gone: AccountId[] = [];
  for (const { id } of candidates.toSorted((a, b) => rank(a) - rank(b) || a.used - b.used)) {
    if (gone.length >= count) break;
    if (mayGo(id)) gone.push(id);
  }
  return gone;
}
