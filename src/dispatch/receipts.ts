// What a platform reports of a message after it has accepted it: that it arrived, that it was read, that it could not
// be delivered after all, or that one whose answer was lost is out.

import type { AccountId } from '../domain/ids.ts';
import type { ReceiptCommand, ReceiptEffect } from '../store/ports/delivery.ts';
import { sleep } from '../system/clock.ts';
import type { Dispatch } from './loop.ts';

// Of a delivery of this account.
export type ReceiptOrder = ReceiptCommand & { readonly account: AccountId };

// Between two looks at a call whose answer is awaited.
const IN_FLIGHT_LOOK_MS = 100;

export async function takeReceipt(
  { state, journal, clock }: Pick<Dispatch, 'state' | 'journal' | 'clock'>,
  { account, ...command }: ReceiptOrder,
): Promise<ReceiptEffect> {
  const { scheduler, owners, events } = state;
  const owner = owners.known(account) ?? (await owners.open(account));
  let effect = await journal.receipt(owner, command);
  // It has come before the answer to the call itself, which decides first.
  while (effect.kind === 'in_flight' && scheduler.isInFlight(command.seq)) {
    await sleep(clock, IN_FLIGHT_LOOK_MS);
    effect = await journal.receipt(owner, command);
  }
  const now = clock.now();
  if (effect.kind === 'not_owner') state.lose(account, now);
  if (effect.kind !== 'moved') return effect;
  const { from, to, queued } = effect;
  const { seq, status, messageId, reason, detail, result } = command;
  if (from === 'queued') scheduler.remove(seq, now);
  events.moved(queued, from, to, reason ?? status, now);
  events.waiters.finish({ seq, state: to, reason, detail, messageId, result });
  state.wake();
  return effect;
}
