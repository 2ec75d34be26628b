// What viewers do not see: the content of messages. They see that a message is there, where it stands and why, not what
// it says; every answer for them goes through here, so that no route has to remember it.

import type { FastifyReply, FastifyRequest } from 'fastify';

// Where answers carry content: the call's parameters, the platform's answer, the beginning of a text, a text.
const CONTENT = new Set(['body', 'result', 'preview', 'text']);

export function withoutTexts(
  request: FastifyRequest,
  _reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void {
  done(null, seesTexts(request) ? payload : redacted(payload));
}

export function seesTexts({ holder }: Pick<FastifyRequest, 'holder'>): boolean {
  return holder?.role !== 'viewer';
}

// The same with null in place of each content.
export function redacted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redacted);
  if (typeof value !== 'object' || value === null) return value;
  const shown: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(value)) {
    shown[name] = CONTENT.has(name) ? null : redacted(part);
  }
  return shown;
}
