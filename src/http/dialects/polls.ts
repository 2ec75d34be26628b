// Polls of an account whose updates come by webhook and are kept for it: answered from the store, in the platform's own
// words.

import type { Caller } from '../../accept/callers.ts';
import type { AccountId } from '../../domain/ids.ts';
import type { DialectParams, UpdatePolling, ValueAnswer } from '../../platforms/platform.ts';
import type { Inbound } from '../../updates/updates.ts';

// null: not answered from here. `body` is the JSON text of the call's parameters.
export function answerFromStore(
  updates: Inbound | undefined,
  polling: UpdatePolling | undefined,
  account: AccountId,
  call: { readonly method: string; readonly body: string },
  caller: Caller,
): Promise<ValueAnswer> | null {
  if (polling === undefined || updates?.servesUpdates(account) !== true) return null;
  const params = JSON.parse(call.body) as DialectParams;
  const asked = polling.asked(call.method, params);
  if (asked === null) return null;
  return asked.kind === 'poll'
    ? poll(updates, polling, account, params, caller)
    : removeWebhook(updates, polling, account, asked.drop);
}

async function poll(
  updates: Inbound,
  polling: UpdatePolling,
  account: AccountId,
  params: DialectParams,
  caller: Caller,
): Promise<ValueAnswer> {
  const leaving = new AbortController();
  caller.once('close', () => leaving.abort());
  const polled = await updates.poll(account, params, leaving.signal);
  return polled.kind === 'conflict' ? polling.conflict() : polling.polled(polled.bodies);
}

async function removeWebhook(
  updates: Inbound,
  polling: UpdatePolling,
  account: AccountId,
  drop: DialectParams | null,
): Promise<ValueAnswer> {
  if (drop !== null) await updates.poll(account, drop, AbortSignal.abort());
  return polling.webhookRemoved();
}
