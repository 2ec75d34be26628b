// A call that the app puts into its answer to an update, as Telegram allows it (JSON or form, `method` beside the
// parameters). Telegram never tells what became of such a call; here it becomes a delivery like any other.

import { jsonOrUndefined } from '../../../system/json.ts';
import type { WebhookCall } from '../../updates.ts';

// As on the platform: what reads, or would change the very way updates come, is ignored here.
const IGNORED = /^(get\w*|setwebhook|deletewebhook|close|logout)$/i;
const METHOD = /^\w{1,64}$/;

// null: the app said nothing, or nothing that is done from here.
export function readWebhookAnswer(contentType: string, body: string): WebhookCall | null {
  const fields = fieldsOf(contentType, body);
  if (fields === null) return null;
  const { method, ...params } = fields;
  if (typeof method !== 'string' || !METHOD.test(method) || IGNORED.test(method)) return null;
  return { method, params };
}

function fieldsOf(contentType: string, body: string): Record<string, unknown> | null {
  if (body === '') return null;
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) {
    return Object.fromEntries(new URLSearchParams(body));
  }
  const value = jsonOrUndefined(body);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { ...value } : null;
}
