// Answers as values, sent: what a dialect says, whoever asked.

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

// A file of the platform's is saved, not shown, whatever the platform says of it; its name may be kept.
export function asAttachment(given: string | undefined): string {
  return given !== undefined && /^attachment\s*(;|$)/i.test(given) ? given : 'attachment';
}
