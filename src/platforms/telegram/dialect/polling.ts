// getUpdates of an account whose updates come by webhook and are kept for it, in Telegram's own words. deleteWebhook,
// which clients call before they poll, must not take the webhook away from under it.

import { jsonOrUndefined } from '../../../system/json.ts';
import type { Params, UpdatePolling } from '../../dialect.ts';
import { answerText, refused } from './dialect.ts';

const OTHER_POLLER =
  'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running';
const NO_WEBHOOK = '{"ok":true,"result":true,"description":"Webhook is already deleted"}';
// Beyond every update id there is.
const ALL: Params = Object.freeze({ offset: Number.MAX_SAFE_INTEGER, limit: 1 });

export const POLLING: UpdatePolling = {
  asked(method, { drop_pending_updates: drop }) {
    switch (method.toLowerCase()) {
      case 'getupdates':
        return { kind: 'poll' };
      case 'deletewebhook': {
        const isDropped =
          drop === true || (typeof drop === 'string' && /^(true|1|yes)$/i.test(drop));
        return { kind: 'remove_webhook', drop: isDropped ? ALL : null };
      }
      default:
        return null;
    }
  },
  polled: (updates) => answerText(200, `{"ok":true,"result":[${updates.join(',')}]}`),
  conflict: () => refused(409, OTHER_POLLER),
  webhookRemoved: () => answerText(200, NO_WEBHOOK),
  updatesIn(answer) {
    const given = jsonOrUndefined(answer);
    const isGiven = typeof given === 'object' && given !== null && 'result' in given;
    return isGiven && Array.isArray(given.result) ? given.result : [];
  },
};
