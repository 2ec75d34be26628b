// An operator's hand on the limits: a chat or a whole account closed until a time, or opened before it. It holds at
// once, is kept across a restart, and is published like any other freeze.

import { isRetry } from '../../domain/delivery.ts';
import type { AccountId } from '../../domain/ids.ts';
import type { Learned } from '../../limits/limits.ts';
import type { HandOnLimits } from '../../road/road.ts';
import type { RoadState } from '../state.ts';

// Answers until when it holds: a longer freeze that is there already stays.
export async function freezeByHand(
  road: RoadState,
  { account, chat }: HandOnLimits,
  until: number,
  cause: string,
  now: number,
): Promise<number> {
  const known = chat === null ? null : road.aliases.canonical(account, chat);
  const learned = road.openAccount(account).limits.freeze(known, until, cause, now);
  await apply(road, { account, chat: known }, learned, now);
  return Math.max(until, ...learned.freezes.map((freeze) => freeze.until));
}

// How many freezes are over now.
export async function thawByHand(
  road: RoadState,
  { account, chat }: HandOnLimits,
  now: number,
): Promise<number> {
  const known = chat === null ? null : road.aliases.canonical(account, chat);
  const learned = road.openAccount(account).limits.thaw(known, now);
  if (learned.freezes.length > 0) bringForward(road, { account, chat: known }, now);
  await apply(road, { account, chat: known }, learned, now);
  const passed = chat === null ? road.passWaits.thaw(account, now) : [];
  if (passed.length > 0) await road.saveLimits(passed);
  return learned.freezes.length + passed.length;
}

// A limited call may now be retried before the time the platform named; what its caller scheduled keeps its time.
function bringForward(
  { scheduler }: RoadState,
  { account, chat }: HandOnLimits,
  now: number,
): void {
  for (const queued of scheduler.waitingOf(account)) {
    const isOther = chat !== null && queued.chat !== chat;
    if (isOther || queued.dueAt <= now || !isRetry(queued)) continue;
    scheduler.remove(queued.seq, now);
    scheduler.add({ ...queued, dueAt: 0 }, now);
  }
}

async function apply(
  road: RoadState,
  { account, chat }: HandOnLimits,
  learned: Learned,
  at: number,
): Promise<void> {
  road.scheduler.reconsider(account, chat ?? '', at);
  for (const { scope, name, until, cause } of learned.freezes) {
    road.events.emit({ kind: 'frozen', at, account, scope: `${scope}:${name}`, until, cause });
  }
  road.wake();
  await road.saveLimits(learned.records);
}

export function probeByHand(road: RoadState, id: AccountId) {
  road.openAccount(id);
  return road.tokens.probe(id);
}
