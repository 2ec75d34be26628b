// Makes the call: the method in the path, the parameters as a form (which every method takes, and JSON only some), the
// token in a header.

import { readBody, withoutExact, withoutReserved } from '../../domain/body.ts';
import type { HttpRequest } from '../../system/http/transport.ts';
import { jsonOrUndefined } from '../../system/json.ts';
import type { Identified, OutgoingCall } from '../platform.ts';
import { type Wires, wireFor } from '../sandbox.ts';
import { METHODS } from './calls.ts';
import { classify } from './classify.ts';
import { CREDENTIALS, isSandboxToken, isToken } from './credentials.ts';

const IDENTIFY_DEADLINE_MS = 5000;

export function requestOf({ credential, method, body, deadlineMs }: OutgoingCall): HttpRequest {
  const params = withoutReserved(readBody(withoutExact(body)).params);
  const family = METHODS.get(method)?.family ?? 'send';
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    // The thread of a change is for the order here: Slack finds the message by its ts.
    if (value === undefined || value === null || (family !== 'send' && name === 'thread_ts'))
      continue;
    form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  const headers = {
    authorization: `Bearer ${credential}`,
    'content-type': 'application/x-www-form-urlencoded',
  };
  return { method: 'POST', path: `/api/${method}`, headers, body: form.toString(), deadlineMs };
}

export async function identify(wires: Wires, credential: string): Promise<Identified> {
  const wrong = { kind: 'refused', status: 401, detail: 'invalid_auth' } as const;
  const isSandbox = isSandboxToken(credential);
  if (!isToken(credential) || (isSandbox && wires.sandbox === null)) return wrong;
  const asked = { credential, method: 'auth.test', body: '{}', deadlineMs: IDENTIFY_DEADLINE_MS };
  const reply = await wireFor(wires, isSandbox).request(requestOf(asked));
  const outcome = classify('auth.test', reply);
  if (outcome.kind === 'sent') return { kind: 'known', id: CREDENTIALS.claimedId(credential) };
  if (outcome.kind === 'refused') return { ...wrong, detail: outcome.detail };
  return { kind: 'unreachable', detail: 'detail' in outcome ? outcome.detail : outcome.kind };
}

// The name of the bot, in an answer to auth.test; null: it is none.
export function nameIn(body: string): string | null {
  const { user } = Object(jsonOrUndefined(body)) as Readonly<Record<string, unknown>>;
  return typeof user === 'string' ? user : null;
}
