// The guard before every route: whose key is it, may its role do this, has it called too often, and is what it asks for
// within its bounds? It is put there when a route is added, from what the route says of itself: none can be forgotten.

import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { NAME_LENGTH_MAX } from '../../accept/context.ts';
import type { FromHeaders } from '../../accept/draft.ts';
import { invalid, tooOften } from '../../accept/problems.ts';
import type { ErrorCode, Problem } from '../../domain/errors.ts';
import { HOLDERS } from '../../domain/idempotency.ts';
import { mayAct, ROLES, type Role } from '../../domain/role.ts';
import { type Bounds, type Holder, isCsrf, type Session } from '../../keys/keys.ts';
import type { HttpParts } from '../context.ts';
import { isLoopback } from '../edge.ts';
import { namedHolder } from '../fleet/holder.ts';
import { OpenConnections } from '../open-connections.ts';
import { refuse, sendProblem } from '../problem.ts';
import { type Access, accessOf, type Reach } from './access.ts';
import { noteDone } from './audit.ts';
import { sessionIdOf } from './cookie.ts';
import { isWithin } from './reach.ts';
import { withoutTexts } from './redact.ts';

declare module 'fastify' {
  interface FastifyRequest {
    // The name of the key it was made with; '' where none is needed.
    caller: string;
    // null: nobody was asked who they are.
    holder: Holder | null;
    // null: it came with a key, not with the page's cookie.
    session: Session | null;
    // What it was about, for the audit log, where the path does not tell.
    subject: string;
  }
}

const BEARER = 'Bearer ';
const CSRF_HEADER = 'x-csrf-token';
const HARMLESS_METHODS = ['GET', 'HEAD', 'OPTIONS'];
// Of a search: it would tell by its hits what the texts are.
const TEXT_QUERY = 'text';

type Hook = (request: FastifyRequest, reply: FastifyReply, done: () => void) => void;

export function guardRoutes(app: FastifyInstance, options: HttpParts): void {
  app.decorateRequest('caller', '');
  app.decorateRequest('holder', null);
  app.decorateRequest('session', null);
  app.decorateRequest('subject', '');
  const lines = new OpenConnections(options.clock);
  const unlisten = options.guards.keyring.listen(() => lines.look());
  app.addHook('preClose', async () => {
    unlisten();
    lines.stop();
  });
  app.addHook('onRoute', (route) => guardRoute(route, options, lines));
}

function guardRoute(route: RouteOptions, options: HttpParts, lines: OpenConnections): void {
  const access = accessOf(route.config);
  const role = roleOf(access, options.settings.host);
  if (role !== null) {
    route.onRequest = [admission(options, access, role), ...listOf(route.onRequest)];
    route.preHandler = [confinement(options, access), ...listOf(route.preHandler)];
    const isTold = options.fleet?.side === 'inner';
    if (access.lasting && !isTold) route.onRequest.push(holding(options, lines));
    if (role === 'viewer') {
      route.preSerialization = [withoutTexts, ...listOf(route.preSerialization)];
    }
  }
  if (access.audit !== undefined) {
    route.onSend = [noteDone(options, access.audit), ...listOf(route.onSend)];
  }
}

// null: no key is asked for.
function roleOf({ role }: Access, host: string): Role | null {
  if (role === 'anyone') return null;
  if (role === 'watcher') return isLoopback(host) ? null : 'viewer';
  return role;
}

function admission(options: HttpParts, { reach }: Access, role: Role): Hook {
  if (options.fleet?.side === 'inner') return admitTold(options);
  const { clock } = options;
  const admitted = new Set(ROLES.filter((each) => mayAct(each, role)));
  return (request, reply, done) => {
    const holder = holderOf(options, request);
    if (typeof holder === 'string') {
      refuse(reply, holder);
      return;
    }
    if (!admitted.has(holder.role)) {
      refuse(reply, 'forbidden_role', `This needs the role ${role}; the key has ${holder.role}.`);
      return;
    }
    // Messages are counted one by one, where they are drafted.
    const waitMs = reach === 'draft' ? 0 : (holder.bounds?.takeMs(clock.now()) ?? 0);
    const admit = (ms: number) => {
      if (ms > 0) {
        sendProblem(reply, tooOften(ms));
        return;
      }
      request.holder = holder;
      request.caller = holder.name;
      done();
    };
    if (typeof waitMs === 'number') admit(waitMs);
    else waitMs.then(admit, done);
  };
}

// By the node that was asked.
function admitTold(options: HttpParts): Hook {
  return (request, _reply, done) => {
    request.holder = namedHolder(options, request);
    request.caller = request.holder?.name ?? '';
    done();
  };
}

function holderOf(
  { guards }: HttpParts,
  request: FastifyRequest,
): Holder | Extract<ErrorCode, 'unauthorized' | 'csrf'> {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    if (!authorization.startsWith(BEARER)) return 'unauthorized';
    return guards.keyring.who(authorization.slice(BEARER.length)) ?? 'unauthorized';
  }
  const id = sessionIdOf(request);
  const session = id === null ? null : guards.sessions.find(id);
  if (session === null) return 'unauthorized';
  // A cookie comes with whatever a browser is made to send; this header only with what the page does.
  const given = request.headers[CSRF_HEADER];
  const isMeant = typeof given === 'string' && isCsrf(session, given);
  if (!isMeant && !HARMLESS_METHODS.includes(request.method)) return 'csrf';
  request.session = session;
  return session.holder;
}

function holding({ guards }: HttpParts, lines: OpenConnections): Hook {
  return ({ holder, session }, reply, done) => {
    if (session !== null) lines.hold(reply.raw, () => guards.sessions.isOpen(session));
    else if (holder !== null) lines.hold(reply.raw, () => guards.keyring.holds(holder));
    done();
  };
}

// After the body was read: most of it is about what the request names.
function confinement(options: HttpParts, { reach }: Access): Hook {
  return (request, reply, done) => {
    const { holder, query } = request;
    if (holder?.role === 'viewer' && TEXT_QUERY in (query as object)) {
      refuse(reply, 'forbidden_role', 'A viewer sees no texts, and searches none.');
      return;
    }
    const bounds = holder?.bounds ?? null;
    if (bounds === null || !isConfined(bounds, reach)) {
      done();
      return;
    }
    // Not there and not yours are one answer.
    isWithin(options, reach, bounds, request).then(
      (within) => {
        if (within) done();
        else refuse(reply, 'forbidden_scope');
      },
      (error: Error) => void reply.send(error),
    );
  };
}

// A key that is bound in how often and how urgently only reaches what any other does, but not a way around that.
function isConfined(bounds: Bounds, reach: Reach): boolean {
  if (reach === 'open' || reach === 'draft') return false;
  return bounds.isNarrow || reach === 'whole';
}

function listOf<T>(hooks: T | T[] | undefined): T[] {
  if (hooks === undefined) return [];
  return Array.isArray(hooks) ? hooks : [hooks];
}

// What a caller says of its message in headers: its own id of it, the key that makes a repetition harmless, and by the
// key it presents what it is bound to.

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
