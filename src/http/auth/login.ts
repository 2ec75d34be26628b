// Logging in to the page: by a key, or by a one-time link. Both give a session cookie with the
// key's own role. Whoever fails often waits; a right key or link is always admitted: nobody can lock out its owner.

import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { invalid } from '../../accept/problems.ts';
import { troublesOf } from '../../accept/trouble.ts';
import { type Holder, LINK_MS, type Session } from '../../keys/keys.ts';
import type { HttpParts } from '../context.ts';
import { isOfAnotherSite } from '../edge.ts';
import { SAMPLE } from '../openapi/common.ts';
import { refuse, sendProblem } from '../problem.ts';
import { group, type Route, withOptions } from '../route.ts';
import { ADMIN_ACTS, ANYONE, LINKED, viewer } from './access.ts';
import { clearSession, sessionIdOf, setSession } from './cookie.ts';
import { checkLogin, Login, Me } from './schema.ts';

const TOKEN = /^[\w-]{1,100}$/;
// It would see screens that are refused to it, one by one.
const BOUND_KEY =
  'This key has bounds, and the dashboard shows all accounts and chats: such a key is for programs.';
const PAGE_POLICY =
  "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
// Whoever follows a link of another site, or something that only looks where a link leads, uses nothing up: the button
// does.
const LOGIN_BYTES_MAX = 16_384;
const CONFIRMED = 'confirmed';
const confirmPage = (token: string) => `<!doctype html><meta charset="utf-8"><title>Sluice</title>
<form action="/login"><input type="hidden" name="token" value="${token}">
<button name="${CONFIRMED}" value="yes">Log in to Sluice</button></form>
`;
const STALE_LINK = `<!doctype html><meta charset="utf-8"><title>Sluice</title>
<p>This link was used, or is too old. <a href="/">Log in with a key</a>,
or get another with <code>sluice login-link</code>.
`;

const ME: Route<HttpParts> = {
  method: 'GET',
  url: '/v1/me',
  access: viewer('open'),
  tag: 'keys',
  summary: 'Whose key it is; for the dashboard also what its changes must carry',
  answers: { 200: Me },
  examples: { 'my own': { status: 200 } },
  handler: async (_options, { holder, session }, reply) => {
    reply.header('cache-control', 'no-store');
    return showMe(holder!, session);
  },
};

const LINK: Route<HttpParts> = {
  method: 'POST',
  url: '/v1/login-links',
  access: ADMIN_ACTS,
  tag: 'keys',
  summary: 'Make a link that logs one browser in to the dashboard, once, with the role of the key',
  answers: {
    201: Type.Object({
      path: Type.String({ description: 'To be put behind the gateway’s address' }),
      expiresInS: Type.Integer(),
    }),
  },
  examples: { 'a new one': { status: 201 } },
  handler: async ({ guards }, { holder }, reply) => {
    reply.header('cache-control', 'no-store').code(201);
    const token = guards.sessions.link(holder!);
    return { path: `/login?token=${token}`, expiresInS: LINK_MS / 1000 };
  },
};

// A key or a link is what these two ask for.
const FOLLOW: Route<HttpParts> = {
  method: 'GET',
  url: '/login',
  access: { ...LINKED, audit: 'path' },
  tag: 'keys',
  summary: 'A one-time link: logs a browser in and leads to the dashboard',
  query: Type.Object({
    token: Type.Optional(Type.String()),
    confirmed: Type.Optional(
      Type.String({ description: 'set by the button that is shown to whoever followed a link' }),
    ),
  }),
  answers: { 303: null },
  examples: { 'without a link': { status: 303 } },
  handler: follow,
};

const LOG_IN: Route<HttpParts> = {
  method: 'POST',
  url: '/login',
  access: { ...ANYONE, audit: 'path' },
  tag: 'keys',
  summary: 'Log in to the dashboard with a key that has no bounds; answers with its cookie',
  body: Login,
  // The only body that is read for whoever comes.
  bodyBytesMax: LOGIN_BYTES_MAX,
  answers: { 200: Me },
  examples: { 'with a key': { body: { key: SAMPLE.adminKey }, status: 200 } },
  handler: logIn,
};

const LOG_OUT: Route<HttpParts> = {
  method: 'POST',
  url: '/logout',
  access: viewer('open'),
  tag: 'keys',
  summary: 'End the dashboard’s session',
  answers: { 204: null },
  examples: { 'my own': { status: 204 } },
  handler: ({ guards }, request, reply) => {
    const id = sessionIdOf(request);
    if (id !== null) guards.sessions.close(id);
    clearSession(request, reply);
    return reply.code(204).send();
  },
};

export const LOGIN_ROUTES = group<HttpParts>([ME, LINK, FOLLOW, LOG_IN, LOG_OUT], withOptions);

async function logIn(options: HttpParts, request: FastifyRequest, reply: FastifyReply) {
  const { body } = request;
  if (!checkLogin.Check(body)) {
    return sendProblem(reply, invalid('invalid_message', troublesOf(checkLogin, body)));
  }
  const holder = options.guards.keyring.who(body.key);
  if (holder === null) {
    if (mustWait(options, request, reply)) return reply;
    return refuse(reply, 'unauthorized', 'No such key.');
  }
  if (holder.bounds !== null) return refuse(reply, 'forbidden_scope', BOUND_KEY);
  return showMe(holder, enter(options, request, reply, holder));
}

// A browser follows it: it is answered with a page, or with the way to it.
async function follow(options: HttpParts, request: FastifyRequest, reply: FastifyReply) {
  // It stands in the address: not to be kept, nor to be told to the next page.
  reply.header('referrer-policy', 'no-referrer');
  reply.header('cache-control', 'no-store');
  const { token } = request.query as { token?: unknown };
  if (token === undefined) return reply.redirect('/', 303);
  const isToken = typeof token === 'string' && TOKEN.test(token);
  if (isToken && !isMeant(request)) return showPage(reply, 200, confirmPage(token));
  if (isOfAnotherSite(request.headers)) return showPage(reply, 401, STALE_LINK);
  const holder = isToken ? options.guards.sessions.takeLink(token) : null;
  if (holder === null) {
    if (mustWait(options, request, reply)) return reply;
    return showPage(reply, 401, STALE_LINK);
  }
  enter(options, request, reply, holder);
  return reply.redirect('/', 303);
}

// The person typed it, clicked it outside of the browser, or pressed the button. A browser that says nothing of this
// (the address is neither HTTPS nor loopback) may be following a link.
function isMeant({ headers, query }: FastifyRequest): boolean {
  if (isOfAnotherSite(headers)) return false;
  return headers['sec-fetch-site'] !== undefined || CONFIRMED in (query as object);
}

function showPage(reply: FastifyReply, status: number, page: string): FastifyReply {
  reply.code(status).type('text/html; charset=utf-8');
  return reply.header('content-security-policy', PAGE_POLICY).send(page);
}

function enter(
  { guards }: HttpParts,
  request: FastifyRequest,
  reply: FastifyReply,
  holder: Holder,
): Session {
  guards.throttle.succeeded(request.ip);
  const { id, session } = guards.sessions.open(holder);
  setSession(request, reply, id);
  reply.header('cache-control', 'no-store');
  request.holder = holder;
  request.subject = holder.role;
  return session;
}

// Counts a failure. True: it was one too many, and is answered already; only the others are logged, so that nobody can
// fill the log.
function mustWait(options: HttpParts, { ip }: FastifyRequest, reply: FastifyReply): boolean {
  const { guards, clock, log } = options;
  const waitMs = guards.throttle.failed(ip, clock.now());
  if (waitMs === 0) {
    log.warn({ address: ip }, 'a login failed');
    return false;
  }
  const retryAfterS = Math.ceil(waitMs / 1000);
  const detail = `Try again in ${retryAfterS} s. A right key is admitted at any time.`;
  refuse(reply, 'login_rate', detail, { retryAfterS });
  return true;
}

// `csrf` goes into the header X-CSRF-Token of every request of the page that changes something.
function showMe({ name, role }: Holder, session: Session | null) {
  return { name, role, csrf: session?.csrf ?? null };
}
