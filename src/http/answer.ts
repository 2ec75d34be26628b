// An answer as a value: what a dialect says, whoever asked. Over HTTP it is sent as it is; in process its body is read.

import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

export interface ValueAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  // A text is JSON; null: there is none; a stream has its type among the headers.
  readonly body: string | Readable | null;
}

export type AnswerHeaders = Readonly<Record<string, string | number>>;

const JSON_TYPE = 'application/json';
const asIs = (payload: unknown) => String(payload);

export function sendAnswer(reply: FastifyReply, answer: ValueAnswer): FastifyReply {
  const { status, headers, body } = answer;
  for (const name in headers) reply.header(name, headers[name]);
  reply.code(status);
  if (body === null) return reply.send();
  if (typeof body !== 'string') return reply.send(body);
  return reply.type(JSON_TYPE).serializer(asIs).send(body);
}

// What every answer says to a browser: take it for what it is called, run nothing of it, and show it in no frame. The
// gateway's page and its sessions live in the same origin as files that strangers have uploaded and answers that a
// platform gave; opened there, an HTML file or an SVG must not be able to act as the page.

// `sandbox` gives whatever is shown an origin of its own, without scripts.
const INERT = "sandbox; default-src 'none'; frame-ancestors 'none'";

// For answers that are written past the framework.
export const INERT_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': INERT,
} as const;

// The last step before an answer leaves, so that nothing that was passed on can undo it. Our own pages have a policy of
// their own, set by the route.
export function makeInert(reply: FastifyReply): void {
  reply.header('x-content-type-options', 'nosniff');
  if (!reply.hasHeader('content-security-policy')) reply.header('content-security-policy', INERT);
}

// A file of the platform's is saved, not shown, whatever the platform says of it; its name may be kept.
export function asAttachment(given: string | undefined): string {
  return given !== undefined && /^attachment\s*(;|$)/i.test(given) ? given : 'attachment';
}
