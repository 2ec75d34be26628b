// Answers as values, sent: what a dialect says, whoever asked; and what every answer says to a browser.

import type { FastifyReply } from 'fastify';
import type { AnswerHeaders, ValueAnswer } from '../platforms/platform.ts';

export type { AnswerHeaders, ValueAnswer } from '../platforms/platform.ts';

const JSON_TYPE = 'application/json';
const asIs = (payload: unknown) => String(payload);

// The same answer with what is to be said beside it.
export function withHeaders(answer: ValueAnswer, more: AnswerHeaders): ValueAnswer {
  const { status, headers, body } = answer;
  return { status, headers: headers === undefined ? more : { ...headers, ...more }, body };
}

export function sendAnswer(reply: FastifyReply, answer: ValueAnswer): FastifyReply {
  const { status, headers, body } = answer;
  if (headers !== undefined) {
    for (const name in headers) reply.header(name, headers[name]);
  }
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
