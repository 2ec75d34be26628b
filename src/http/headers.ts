// What a caller says of its message in headers: its own id of it, the key that makes a repetition harmless, and by the
// key it presents what it is bound to.

import type { FastifyRequest } from 'fastify';
import { NAME_LENGTH_MAX } from '../accept/context.ts';
import type { FromHeaders } from '../accept/draft.ts';
import { invalid } from '../accept/problems.ts';
import type { Problem } from '../domain/errors.ts';
import { HOLDERS } from '../domain/idempotency.ts';

export function headersOf(request: FastifyRequest): FromHeaders | Problem {
  const correlation = request.headers['x-correlation-id'] ?? null;
  const idempotencyKey = request.headers['idempotency-key'] ?? null;
  if (!isName(correlation) || !isName(idempotencyKey)) {
    const expected = `one text of 1 to ${NAME_LENGTH_MAX} characters`;
    return invalid('invalid_message', [{ path: 'X-Correlation-Id, Idempotency-Key', expected }]);
  }
  const { bounds = null, namespace = HOLDERS.library } = request.holder ?? {};
  return { correlation, idempotencyKey, bounds, holder: namespace };
}

function isName(value: string | string[] | null): value is string | null {
  return value === null || (typeof value === 'string' && fits(value));
}

function fits(value: string): boolean {
  return value.length > 0 && value.length <= NAME_LENGTH_MAX;
}
