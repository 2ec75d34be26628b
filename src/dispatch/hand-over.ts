// Accounts of a node come and go while it runs: one is taken with all that the store knows of it, and handed over with
// all that was learned here. Embedded, accounts are taken at the start and kept.

import type { AccountId } from '../domain/ids.ts';
import type { Owner } from '../store/ports/ownership.ts';
import type { Clock } from '../system/clock.ts';
import { sleep } from '../system/clock.ts';
import { type RecoveryPorts, recoverOne } from './recover.ts';
import type { RoadState } from './state.ts';

// Polled: there is no event for the end of an account's last call, and nobody is in a hurry.
const LOOK_MS = 20;

export interface HandOverParts {
  readonly state: RoadState;
  readonly clock: Clock;
  readonly ports: RecoveryPorts;
  // Nothing of it waits or is in flight.
  isIdle(account: AccountId): boolean;
  // Closes what can be closed of the accounts that are to go.
  closeLeaving(): void;
}

// False: another took it meanwhile.
export async function takeAccount(parts: HandOverParts, account: AccountId): Promise<boolean> {
  const { state, clock } = parts;
  // It was removed here, another had it since, and the store knows what is left of it.
  if (state.leaving.has(account) && !state.isGone(account)) state.lose(account, clock.now());
  // It was lost a moment ago, and its calls are still in flight.
  while (state.leaving.has(account)) {
    parts.closeLeaving();
    if (state.leaving.has(account)) await sleep(clock, LOOK_MS);
  }
  const wasOpen = state.accounts.has(account);
  const isOwn = await recoverOne(state, parts.ports, account);
  if (!isOwn) state.lose(account, clock.now());
  else if (wasOpen) state.retake(account, clock.now());
  return isOwn;
}

// Begins nothing more of it, and lets what is in flight end; what is still in flight at the deadline is uncertain for
// the next owner. Messages are accepted for the next owner meanwhile.
export async function handOverAccount(
  { state, clock, isIdle }: HandOverParts,
  account: AccountId,
  deadlineMs: number,
): Promise<void> {
  const until = clock.now() + deadlineMs;
  state.lose(account, clock.now(), 'handed');
  while (!isIdle(account) && clock.now() < until) await sleep(clock, LOOK_MS);
  const limits = state.accounts.get(account)?.limits;
  if (limits !== undefined) await state.saveLimits(limits.takeUnsaved());
  await state.owners.close(account);
  if (isIdle(account)) state.closeAccount(account);
  else state.lose(account, clock.now());
}

// As whom others in this process write what is of an account, under the road's own epochs. A write that was refused
// says to the road, too, that another has the account by now; unless it was made under an older epoch.
export function writingAs(state: RoadState, clock: Pick<Clock, 'now'>) {
  const { owners } = state;
  return {
    of: (account: AccountId) => owners.known(account) ?? owners.open(account),
    lost({ account, epoch }: Owner): void {
      if (owners.known(account)?.epoch === epoch) state.lose(account, clock.now());
    },
  };
}
