// Refusing over HTTP, in one way everywhere: application/problem+json with a code of the catalogue.

import type { FastifyReply } from 'fastify';
import { retryAfterOf } from '../accept/problems.ts';
import { type ErrorCode, PROBLEM_TYPE, type Problem, problem } from '../domain/errors.ts';

export function sendProblem(reply: FastifyReply, refusal: Problem): FastifyReply {
  if (refusal.status === 429) reply.header('retry-after', retryAfterOf(refusal));
  if (refusal.status === 401) reply.header('www-authenticate', 'Bearer realm="sluice"');
  // Serialised here: a route's own answer schema must not cut the problem down.
  return reply.code(refusal.status).type(PROBLEM_TYPE).serializer(JSON.stringify).send(refusal);
}

// What a call came to: an answer, or why there is none.
export function answered<T extends object>(reply: FastifyReply, answer: T | Problem) {
  return 'code' in answer ? sendProblem(reply, answer) : answer;
}

export function refuse(
  reply: FastifyReply,
  code: ErrorCode,
  detail = '',
  extra: Readonly<Record<string, unknown>> = {},
): FastifyReply {
  return sendProblem(reply, problem(code, detail, extra));
}
