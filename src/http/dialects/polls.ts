// getUpdates of an account whose updates come by webhook and are kept for it: answered from the store, in Telegram's
// own words. deleteWebhook, which clients call before they poll, must not take the webhook away from under it.

import type { Caller } from '../../accept/receipt.ts';
import type { Inbound } from '../../updates/updates.ts';
import type { ValueAnswer } from '../answer.ts';
import { answerNo, answerText } from './answer.ts';

const OTHER_POLLER =
  'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running';
const NO_WEBHOOK = '{"ok":true,"result":true,"description":"Webhook is already deleted"}';
// Beyond every update id there is.
const ALL = Number.MAX_SAFE_INTEGER;

// null: not answered from here. `body` is the JSON text of the call's parameters.
export function answerFromStore(
  updates: Inbound | undefined,
  account: string,
  call: { readonly method: string; readonly body: string },
  caller: Caller,
): Promise<ValueAnswer> | null {
  if (updates?.servesUpdates(account) !== true) return null;
  const params = JSON.parse(call.body) as Readonly<Record<string, unknown>>;
  switch (call.method.toLowerCase()) {
    case 'getupdates':
      return poll(updates, account, params, caller);
    case 'deletewebhook':
      return forget(updates, account, params);
    default:
      return null;
  }
}

async function poll(
  updates: Inbound,
  account: string,
  params: Readonly<Record<string, unknown>>,
  caller: Caller,
): Promise<ValueAnswer> {
  const leaving = new AbortController();
  caller.once('close', () => leaving.abort());
  const polled = await updates.poll(account, params, leaving.signal);
  if (polled.kind === 'conflict') return answerNo(409, OTHER_POLLER);
  return answerText(200, `{"ok":true,"result":[${polled.bodies.join(',')}]}`);
}

async function forget(
  updates: Inbound,
  account: string,
  params: Readonly<Record<string, unknown>>,
): Promise<ValueAnswer> {
  const { drop_pending_updates: drop } = params;
  const isAsked = drop === true || (typeof drop === 'string' && /^(true|1|yes)$/i.test(drop));
  if (isAsked) await updates.poll(account, { offset: ALL, limit: 1 }, AbortSignal.abort());
  return answerText(200, NO_WEBHOOK);
}
