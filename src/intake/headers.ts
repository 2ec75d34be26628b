// What a caller says of its message in headers: its own id of it, and the key that makes a repetition harmless.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FromHeaders } from './accept.ts';
import { NAME_LENGTH_MAX } from './intake.ts';
import { invalid, sendProblem } from './refuse.ts';

// null: they cannot be used.
export function headersOf(request: FastifyRequest): FromHeaders | null {
  const correlation = request.headers['x-correlation-id'] ?? null;
  const idempotencyKey = request.headers['idempotency-key'] ?? null;
  if (!isName(correlation) || !isName(idempotencyKey)) return null;
  return { correlation, idempotencyKey };
}

function isName(value: string | string[] | null): value is string | null {
  return value === null || (typeof value === 'string' && fits(value));
}

function fits(value: string): boolean {
  return value.length > 0 && value.length <= NAME_LENGTH_MAX;
}

export function refuseHeaders(reply: FastifyReply) {
  const expected = `one text of 1 to ${NAME_LENGTH_MAX} characters`;
  const path = 'X-Correlation-Id, Idempotency-Key';
  return sendProblem(reply, invalid('invalid_message', [{ path, expected }]));
}
