// Logging in to the page: by a key, or by the one-time link that the start prints. Both give a session cookie with the
// key's own role. Failures are bounded, per address and in all.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Holder, Session } from '../keys/keys.ts';
import { clearSession, sessionIdOf, setSession } from './cookie.ts';
import type { IntakeOptions } from './intake.ts';
import { checkLogin } from './key-schema.ts';
import { invalid, refuse, sendProblem } from './refuse.ts';
import { troublesOf } from './trouble.ts';

const TOKEN_LENGTH_MAX = 100;
// It would see screens that are refused to it, one by one.
const BOUND_KEY =
  'This key has bounds, and the page shows all accounts and chats: such a key is for programs.';
const STALE_LINK = `<!doctype html><meta charset="utf-8"><title>Sluice</title>
<p>This link was used, or is too old. <a href="/">Log in with a key</a>, or start the gateway again.
`;

export function loginRoutes(app: FastifyInstance, options: IntakeOptions): void {
  app.get('/login', (request, reply) => follow(options, request, reply));
  app.post('/login', (request, reply) => logIn(options, request, reply));
  app.post('/logout', (request, reply) => {
    const id = sessionIdOf(request);
    if (id !== null) options.guards.sessions.close(id);
    clearSession(request, reply);
    return reply.code(204).send();
  });
  app.get('/v1/me', async ({ holder, session }, reply) => {
    reply.header('cache-control', 'no-store');
    return showMe(holder!, session);
  });
}

async function logIn(options: IntakeOptions, request: FastifyRequest, reply: FastifyReply) {
  if (isBlocked(options, request, reply)) return reply;
  const { body } = request;
  if (!checkLogin.Check(body)) {
    return sendProblem(reply, invalid('invalid_message', troublesOf(checkLogin, body)));
  }
  const holder = options.guards.keyring.who(body.key);
  if (holder === null) {
    fail(options, request);
    return refuse(reply, 'unauthorized', 'No such key.');
  }
  if (holder.bounds !== null) return refuse(reply, 'forbidden_scope', BOUND_KEY);
  return showMe(holder, enter(options, request, reply, holder));
}

// A browser follows it: it is answered with a page, or with the way to it.
async function follow(options: IntakeOptions, request: FastifyRequest, reply: FastifyReply) {
  // It stands in the address: not to be kept, nor to be told to the next page.
  reply.header('referrer-policy', 'no-referrer');
  const { token } = request.query as { token?: unknown };
  if (token === undefined) return reply.header('cache-control', 'no-store').redirect('/', 303);
  if (isBlocked(options, request, reply)) return reply;
  const isText = typeof token === 'string' && token.length <= TOKEN_LENGTH_MAX;
  const holder = isText ? options.guards.sessions.takeLink(token) : null;
  if (holder === null) {
    fail(options, request);
    reply.header('cache-control', 'no-store').type('text/html');
    return reply.code(401).send(STALE_LINK);
  }
  enter(options, request, reply, holder);
  return reply.redirect('/', 303);
}

function enter(
  { guards }: IntakeOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  holder: Holder,
): Session {
  const { id, session } = guards.sessions.open(holder);
  setSession(request, reply, id);
  reply.header('cache-control', 'no-store');
  request.holder = holder;
  request.subject = holder.role;
  return session;
}

// True: it is answered already.
function isBlocked(options: IntakeOptions, request: FastifyRequest, reply: FastifyReply): boolean {
  const waitMs = options.guards.throttle.waitMs(request.ip, options.clock.now());
  if (waitMs <= 0) return false;
  const retryAfterS = Math.ceil(waitMs / 1000);
  refuse(reply, 'login_rate', `Try again in ${retryAfterS} s.`, { retryAfterS });
  return true;
}

function fail({ guards, clock, log }: IntakeOptions, { ip }: FastifyRequest): void {
  guards.throttle.failed(ip, clock.now());
  log.warn({ address: ip }, 'a login failed');
}

// `csrf` goes into the header X-CSRF-Token of every request of the page that changes something.
function showMe({ name, role }: Holder, session: Session | null) {
  return { name, role, csrf: session?.csrf ?? null };
}
