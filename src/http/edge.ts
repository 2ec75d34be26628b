// The edge: what every request meets before its route, and every answer before it leaves. The name the gateway was
// called by, and the site that had a browser call it: a web page must not reach a loopback gateway through a name of
// its own, which is DNS rebinding, nor by an address in an <img>. JSON is read within the bounds of system/json.ts.
// What leaves can do nothing in a browser.

import { isIP } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { WaitingCallers } from '../accept/callers.ts';
import { type ErrorCode, type Problem, problem } from '../domain/errors.ts';
import type { AnswerHeaders, ValueAnswer } from '../platforms/platform.ts';
import { faultOf, JSON_BOUNDS, type JsonFailure, parseJson } from '../system/json.ts';
import { accessOf } from './auth/access.ts';
import type { HttpParts } from './context.ts';
import { refuse } from './problem.ts';

// Says no in the words of whoever is asked: a dialect, or the gateway itself.
export type Deny = (request: FastifyRequest, reply: FastifyReply, code: ErrorCode) => void;

export interface EdgePorts {
  readonly waiting: Pick<WaitingCallers, 'isStopping' | 'stop'>;
  readonly deny: Deny;
  // While the gateway stops: true if the call would hold the line, which could not be answered any more; it is refused.
  turnsAway(request: FastifyRequest, reply: FastifyReply): boolean;
}

export function guardEdge(app: FastifyInstance, options: HttpParts, ports: EdgePorts): void {
  const { settings, metrics } = options;
  const { waiting, deny } = ports;
  const wall = new HostWall(settings.host, settings.allowedHosts);
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
    waiting.stop();
  });
  // Before its body.
  app.addHook('onRequest', (request, reply, done) => {
    if (waiting.isStopping && ports.turnsAway(request, reply)) return;
    if (isClosing) refuse(reply.header('connection', 'close'), 'shutting_down');
    else if (!wall.admits(request.headers)) deny(request, reply, 'forbidden_host');
    else if (isOfAnotherSite(request.headers) && !isLinked(request)) {
      deny(request, reply, 'cross_site');
    } else done();
  });
  // Not onResponse: that hook puts listeners on every response, and costs more than the counting.
  app.addHook('onSend', (request, reply, payload, done) => {
    metrics.countRequest(request.routeOptions.url ?? 'none', reply.statusCode);
    makeInert(reply);
    done(null, payload);
  });
  addJsonParser(app);
}

// What is no route, or says nothing, is closed to other sites.
function isLinked(request: FastifyRequest): boolean {
  return accessOf(request.routeOptions.config).linked === true && isNavigation(request);
}

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '::1'];
const ANY_ADDRESS = ['0.0.0.0', '::'];

export function isLoopback(host: string): boolean {
  return LOOPBACK_NAMES.includes(host) || /^127\.\d+\.\d+\.\d+$/.test(host);
}

// A browser says so in every request to a trustworthy address (HTTPS, or loopback): a page of another origin made it,
// be it another port of the same host (`same-site`). `none`: the person did, by typing it or from outside the browser.
// Programs say nothing.
export function isOfAnotherSite(headers: FastifyRequest['headers']): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

// Somebody follows a link: the whole tab shows the answer, and the other site learns nothing of it.
function isNavigation({ method, headers }: FastifyRequest): boolean {
  return (
    method === 'GET' &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document'
  );
}

class HostWall {
  readonly #names: ReadonlySet<string>;
  readonly #configured: ReadonlySet<string>;
  // Bound to every address: any address is its own. A name must still be configured.
  readonly #anyAddress: boolean;

  constructor(host: string, allowedHosts: readonly string[]) {
    const bound = host.toLowerCase();
    this.#configured = new Set(allowedHosts.map((name) => name.toLowerCase()));
    this.#names = new Set([...LOOPBACK_NAMES, bound, ...this.#configured]);
    this.#anyAddress = ANY_ADDRESS.includes(bound);
  }

  admits(headers: FastifyRequest['headers']): boolean {
    const host = headers.host ?? '';
    if (!this.#isOurs(nameOf(host))) return false;
    const { origin } = headers;
    return origin === undefined || this.#isSameOrigin(origin, host);
  }

  #isOurs(name: string): boolean {
    return this.#names.has(name) || (this.#anyAddress && isIP(name) !== 0);
  }

  #isSameOrigin(origin: string, host: string): boolean {
    const scheme = origin.indexOf('://');
    if (scheme < 0) return false;
    const from = origin.slice(scheme + 3).toLowerCase();
    return from === host.toLowerCase() || this.#configured.has(nameOf(from));
  }
}

// Without the port; an IPv6 address without its brackets.
function nameOf(host: string): string {
  if (host.startsWith('[')) return host.slice(1, Math.max(1, host.indexOf(']'))).toLowerCase();
  const colon = host.lastIndexOf(':');
  return (colon < 0 ? host : host.slice(0, colon)).toLowerCase();
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

// What Fastify's error handlers get of a body that cannot be read.
export class JsonBodyError extends Error {
  readonly statusCode = 400;
  readonly code: ErrorCode;

  constructor(failure: JsonFailure) {
    super(`The body is ${failure.detail}.`);
    this.code = codeOf(failure);
  }
}

export function codeOf({ fault }: JsonFailure): ErrorCode {
  return fault === 'syntax' || fault === 'prototype' ? 'invalid_json' : 'json_bounds';
}

// A list of recipients is handed over whole in process, and has a bound of its own.
const IN_PROCESS_BOUNDS = { ...JSON_BOUNDS, itemsMax: 10_000_000, valuesMax: 100_000_000 };

// What a library user hands over, judged as its JSON would be; null: it may pass.
export function valueProblem(value: unknown): Problem | null {
  const failure = faultOf(value, IN_PROCESS_BOUNDS);
  return failure === null ? null : problem(codeOf(failure), `It is ${failure.detail}.`);
}

function addJsonParser(app: FastifyInstance): void {
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    (_request, body: string, done) => {
      // Clients that set a JSON content type on every request also set it where there is no body.
      if (body.length === 0) return done(null, undefined);
      const parsed = parseJson(body);
      if (parsed.kind === 'value') done(null, parsed.value);
      else done(new JsonBodyError(parsed), undefined);
    },
  );
}

// Answers as values, sent: what a dialect says, whoever asked.

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
