// An operator's hand on the limits: a chat or a whole account closed until a time, or opened before it. It holds at
// once, is kept across a restart, and is published like any other freeze.

import { isScheduled } from '../../domain/delivery.ts';
import type { Learned } from '../../limits/limits.ts';
import type { HandOnLimits } from '../../road/road.ts';
import type { Dispatch } from '../dispatch.ts';

export async function freezeByHand(
  dispatch: Dispatch,
  { account, chat }: HandOnLimits,
  until: number,
  cause: string,
  now: number,
): Promise<void> {
  const known = chat === null ? null : dispatch.aliases.canonical(account, chat);
  const learned = dispatch.limitsOf(account).freeze(known, until, cause, now);
  await apply(dispatch, { account, chat: known }, learned, now);
}

// How many freezes are over now.
export async function thawByHand(
  dispatch: Dispatch,
  { account, chat }: HandOnLimits,
  now: number,
): Promise<number> {
  const known = chat === null ? null : dispatch.aliases.canonical(account, chat);
  const learned = dispatch.limitsOf(account).thaw(known, now);
  if (learned.freezes.length > 0) bringForward(dispatch, { account, chat: known }, now);
  await apply(dispatch, { account, chat: known }, learned, now);
  return learned.freezes.length;
}

// A refused call waits for the time it was told; what its caller scheduled keeps its own.
function bringForward({ scheduler }: Dispatch, { account, chat }: HandOnLimits, now: number): void {
  for (const queued of scheduler.waitingOf(account)) {
    const isOther = chat !== null && queued.chat !== chat;
    if (isOther || queued.dueAt <= now || isScheduled(queued)) continue;
    scheduler.remove(queued.seq, now);
    scheduler.add({ ...queued, dueAt: 0 }, now);
  }
}

async function apply(
  dispatch: Dispatch,
  { account, chat }: HandOnLimits,
  learned: Learned,
  at: number,
): Promise<void> {
  dispatch.scheduler.reconsider(account, chat ?? '', at);
  for (const { scope, name, until, cause } of learned.freezes) {
    dispatch.teller.emit({ kind: 'frozen', at, account, scope: `${scope}:${name}`, until, cause });
  }
  dispatch.wake();
  await dispatch.keep(learned.records);
}
