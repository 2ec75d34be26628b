// What operators did: noted when it is done, durably before it is answered, and told by GET /v1/audit. Who was turned
// away by the guard is not in it: a key without rights must not be able to fill the disk.

import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { invalid } from '../../accept/problems.ts';
import { showTime } from '../../accept/time.ts';
import { troublesOf } from '../../accept/trouble.ts';
import { strikeSecrets } from '../../system/log.ts';
import type { HttpParts } from '../context.ts';
import { nextPage, text, time } from '../openapi/common.ts';
import { sendProblem } from '../problem.ts';
import { group, type Route, withOptions } from '../route.ts';
import { ADMIN_READS } from './access.ts';
import { AuditQuery, checkAuditQuery } from './schema.ts';

const TARGET_LENGTH_MAX = 300;
const SHOWN_WHEN_LEFT_OUT = 50;
const SHOWN_MAX = 1000;
const CODE = /"code":"(\w+)"/;

// A step before the answer leaves. A log that cannot be written is no reason to hide what was done.
export function noteDone(options: HttpParts, about: 'path' | 'body') {
  const { guards, clock, log } = options;
  return async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
    const { holder } = request;
    // Where another node answers, it notes it.
    if (holder === null || request.isForwarded) return payload;
    const { method, url = '' } = request.routeOptions;
    const entry = {
      at: clock.now(),
      by: holder.name,
      key: holder.id,
      action: `${[method].flat().join(',')} ${url}`,
      target: targetOf(request, about),
      result: resultOf(reply.statusCode, payload),
    };
    try {
      await guards.audit.note(entry);
    } catch (error) {
      log.error({ err: error, ...entry }, 'could not write the audit log');
    }
    return payload;
  };
}

function targetOf(request: FastifyRequest, about: 'path' | 'body'): string {
  const named = Object.values(request.params as Readonly<Record<string, string>>);
  const told = request.subject === '' ? named.join(' ') : request.subject;
  const target = about === 'path' ? told : JSON.stringify(request.body ?? null);
  // Somebody may have pasted a token where a name belongs.
  return strikeSecrets(target).slice(0, TARGET_LENGTH_MAX);
}

function resultOf(status: number, payload: unknown): string {
  if (status < 400 || typeof payload !== 'string') return String(status);
  return `${status} ${CODE.exec(payload)?.[1] ?? ''}`.trimEnd();
}

const Audit = Type.Object({
  entries: Type.Array(
    Type.Object({
      at: time,
      by: text,
      key: Type.Unsafe({ type: ['string', 'null'], description: 'The id of the key it was' }),
      action: text,
      target: text,
      result: text,
    }),
  ),
  next: nextPage,
});

const READ: Route<HttpParts> = {
  method: 'GET',
  url: '/v1/audit',
  access: ADMIN_READS,
  tag: 'keys',
  summary: 'What operators did, newest first',
  query: AuditQuery,
  answers: { 200: Audit },
  examples: { 'the newest': { query: { limit: '5' }, status: 200 } },
  handler: read,
};

export const AUDIT_ROUTES = group<HttpParts>([READ], withOptions);

async function read({ guards }: HttpParts, { query }: FastifyRequest, reply: FastifyReply) {
  if (!checkAuditQuery.Check(query)) {
    return sendProblem(reply, invalid('invalid_query', troublesOf(checkAuditQuery, query)));
  }
  const max = Math.min(SHOWN_MAX, Math.max(1, Number(query.limit ?? SHOWN_WHEN_LEFT_OUT)));
  const before = query.cursor === undefined ? null : Number(query.cursor);
  const entries = await guards.audit.page({ before, max });
  return {
    entries: entries.map(({ at, by, key, action, target, result }) => ({
      at: showTime(at),
      by,
      key,
      action,
      target,
      result,
    })),
    next: entries.length === max ? String(entries.at(-1)!.n) : null,
  };
}
