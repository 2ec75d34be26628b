// The HTTP server, put together: the edge, bounds and keys before the routes, and one way to say no.
// Built without listening, so that every handler can be tested without a socket. Requests are counted, not
// logged: at full speed a line per request would cost more than the request.

import type { FastifyRequest } from 'fastify';
import fastify, { type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify';
import { WaitingCallers } from '../accept/callers.ts';
import { journalProblem } from '../accept/submit.ts';
import { ERRORS, problem } from '../domain/errors.ts';
import { JournalUnavailable } from '../store/ports/unavailable.ts';
import { guardRoutes } from './auth/guard.ts';
import { boundLines, createPipelineServer } from './connections.ts';
import { type HttpParts, WAITING_MAX } from './context.ts';
import { answerNotFound, answerProblem, answerStopping } from './dialects/answers.ts';
import { readPatience } from './dialects/caller.ts';
import { type Dialects, dialectAt, openDialects } from './dialects/dialects.ts';
import { mountDialect } from './dialects/drop-in.ts';
import { type Deny, guardEdge, JsonBodyError, makeInert, sendAnswer } from './edge.ts';
import { addFleetRoutes } from './fleet/inner.ts';
import { guardFleet, leadToOwners } from './fleet/to-owner.ts';
import { refuse, sendProblem } from './problem.ts';
import type { Opening } from './route.ts';
import { GROUPS, ROUTES } from './route-list.ts';

// A request must have arrived within this time, an upload over a slow line included; how long its answer takes is
// another matter.
const REQUEST_MS_MAX = 300_000;
const PARAM_LENGTH_MAX = 512;

export function createServer(
  options: HttpParts,
  waiting = new WaitingCallers(options.road, options.clock, WAITING_MAX),
  dialects = openDialects(options, waiting),
): FastifyInstance {
  const app = fastify({
    bodyLimit: options.settings.bodyBytesMax,
    serverFactory: (listener) => createPipelineServer(listener, REQUEST_MS_MAX),
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX },
    frameworkErrors: (error, request, reply) => {
      makeInert(reply);
      answerNoAddress({ options, dialects }, error, request, reply);
    },
  });
  const routes = new Map<string, Set<string>>();
  const deny = denyIn(dialects);
  app.decorateRequest('isForwarded', false);
  if (options.fleet?.side === 'inner') guardFleet(app, options.fleet.port);
  guardEdge(app, options, {
    waiting,
    deny,
    turnsAway(request, reply) {
      const held = heldBy(dialects, options, request);
      if (held !== null) sendAnswer(reply, answerStopping(held));
      return held !== null;
    },
  });
  boundLines(app, options, deny);
  guardRoutes(app, options);
  leadToOwners(app, options);
  app.removeContentTypeParser('text/plain');
  app.addHook('onRoute', (route) => {
    const methods = routes.get(route.url) ?? new Set();
    for (const method of [route.method].flat()) methods.add(method);
    routes.set(route.url, methods);
  });
  app.setErrorHandler<FastifyError>((error, request, reply) =>
    answerError(options, error, request, reply),
  );
  app.setNotFoundHandler((request, reply) => answerNoRoute(routes, request, reply));
  addRoutes(app, { options, waiting, routes: ROUTES });
  if (options.fleet?.side === 'inner') addFleetRoutes(app, options.fleet.port, options);
  for (const dropIn of dialects.values()) {
    app.register(async (own) => mountDialect(own, options, dropIn));
  }
  return app;
}

// In the words of the dialect that the URL is of.
function denyIn(dialects: Dialects): Deny {
  return (request, reply, code) => {
    const dialect = dialectAt(dialects, request.url);
    if (dialect === null) refuse(reply, code);
    else sendAnswer(reply, answerProblem(dialect, problem(code, ERRORS[code].title)));
  };
}

// The dialect whose caller would wait for the end; null: it is no call that would.
function heldBy(dialects: Dialects, { settings }: HttpParts, request: FastifyRequest) {
  const dialect = dialectAt(dialects, request.url);
  if (dialect === null) return null;
  return readPatience(request.headers.prefer, settings).kind === 'async' ? null : dialect;
}

function addRoutes(app: FastifyInstance, parts: Omit<Opening, 'app'>): void {
  for (const group of GROUPS) {
    app.register(async (own) => group.add({ ...parts, app: own }));
  }
}

// What no route could be looked for. Nothing is around it: an exception would end the process.
function answerNoAddress(
  { options, dialects }: { options: HttpParts; dialects: Dialects },
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const dialect = dialectAt(dialects, request.url);
  if (dialect === null) {
    answerError(options, error, null, reply);
    return;
  }
  try {
    sendAnswer(reply, answerNotFound(dialect));
  } catch (fault) {
    answerError(options, fault as FastifyError, null, reply);
  }
}

function answerError(
  options: HttpParts,
  error: FastifyError,
  request: FastifyRequest | null,
  reply: FastifyReply,
): FastifyReply {
  if (error instanceof JournalUnavailable) return sendProblem(reply, journalProblem(error));
  if (error instanceof JsonBodyError) return refuse(reply, error.code, error.message);
  const status = error.statusCode ?? 500;
  if (status === 413) {
    return refuse(reply, 'too_large', `At most ${options.settings.bodyBytesMax} bytes are read.`);
  }
  if (status === 415) return refuse(reply, 'unsupported_media_type');
  if (error.code === 'FST_ERR_BAD_URL' || error.code === 'FST_ERR_MAX_PARAM_LENGTH') {
    return refuse(reply, 'not_found');
  }
  if (status < 500) return refuse(reply, 'invalid_json', error.message);
  // The pattern of the route, never its address: that may hold a token.
  const route = request?.routeOptions.url ?? 'none';
  options.log.error({ err: error, route, verb: request?.method }, 'request failed');
  return refuse(reply, 'internal');
}

function answerNoRoute(
  routes: ReadonlyMap<string, ReadonlySet<string>>,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const path = request.url.split('?', 1)[0]!;
  const allowed = new Set<string>();
  for (const [pattern, methods] of routes) {
    if (matches(pattern, path)) for (const method of methods) allowed.add(method);
  }
  // The route was there, and had nothing under that name.
  if (allowed.has(request.method)) return refuse(reply, 'not_found');
  if (allowed.size === 0) return refuse(reply, 'not_found', 'No such route; see /docs.');
  reply.header('allow', [...allowed].join(', '));
  return refuse(reply, 'method_not_allowed');
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.split('/');
  return (
    wanted.length === given.length &&
    wanted.every((part, i) => {
      const colon = part.indexOf(':');
      return colon < 0 ? part === given[i] : given[i]!.startsWith(part.slice(0, colon));
    })
  );
}
