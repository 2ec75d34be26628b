// Makes the call: the token goes into the path, and from here on nobody may show the path.
// Tokens of the form `<digits>:sandbox…` reach the built-in simulator instead of Telegram.

import type { Reply, Transport } from '../../system/transport.ts';
import type { Identified, OutgoingCall } from '../platform.ts';
import { readAnswer } from './wire.ts';

export interface Routes {
  readonly transport: Transport;
  // Null: sandbox tokens go where all others go.
  readonly sandbox: Transport | null;
}

const TOKEN = /^\d{1,20}:[\w-]{1,100}$/;
const SANDBOX_TOKEN = /^\d+:sandbox/;
// A caller waits for it before its first message is taken.
const IDENTIFY_DEADLINE_MS = 5_000;

const JSON_HEADERS = Object.freeze({ 'content-type': 'application/json' });

export function send(routes: Routes, call: OutgoingCall): Promise<Reply> {
  const { credential, method, body, deadlineMs } = call;
  const isSandbox = SANDBOX_TOKEN.test(credential);
  const transport = isSandbox ? (routes.sandbox ?? routes.transport) : routes.transport;
  const path = `/bot${credential}/${method}`;
  return transport.request({ method: 'POST', path, headers: JSON_HEADERS, body, deadlineMs });
}

export async function identify(routes: Routes, credential: string): Promise<Identified> {
  // The cloud's own answer to what cannot be a token; a stranger's text goes into no path.
  if (!TOKEN.test(credential)) return { kind: 'refused', status: 404, detail: 'Not Found' };
  const deadlineMs = IDENTIFY_DEADLINE_MS;
  const reply = await send(routes, { credential, method: 'getMe', body: '{}', deadlineMs });
  if (reply.kind !== 'answered') {
    return { kind: 'unreachable', detail: `${reply.reason}: ${reply.detail}` };
  }
  const answer = readAnswer(reply.body);
  if (answer === null) return { kind: 'unreachable', detail: `HTTP ${reply.status}` };
  if (answer.ok) return knownAs(answer.result);
  const { code, description } = answer;
  if (code === 429 || code >= 500) return { kind: 'unreachable', detail: description };
  return { kind: 'refused', status: code, detail: description };
}

function knownAs(result: unknown): Identified {
  const id =
    typeof result === 'object' && result !== null && 'id' in result ? result.id : undefined;
  if (!Number.isSafeInteger(id)) return { kind: 'unreachable', detail: 'getMe named no bot' };
  return { kind: 'known', id: String(id) };
}
