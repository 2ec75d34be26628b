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
