// Before every route that is about one account: does this node own it? Callers' requests for what another owns are
// forwarded to it, streamed both ways, and its answer is handed back. What a node forwarded is never forwarded again:
// who does not own the account says so and who does, and the first node asks there. Who the caller is travels with the
// request; the other node believes it because of the fleet's secret.

import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { problem } from '../../domain/errors.ts';
import { FLEET_HEADERS, MOVED_STATUS } from '../../domain/fleet.ts';
import type { AccountId } from '../../domain/ids.ts';
import { isSameSecret } from '../../system/same-secret.ts';
import { type Peers, peersOf } from '../connections.ts';
import type { HttpParts } from '../context.ts';
import { refuse, sendProblem } from '../problem.ts';
import { accountOf, type OwnerOf } from './about.ts';
import { OwnerForward, type Refuse } from './forward.ts';
import type { FleetPort } from './port.ts';

// Proceeds here, or answers otherwise.
export type ToOwner = (
  account: AccountId,
  request: FastifyRequest,
  reply: FastifyReply,
  proceed: () => void,
  // In the words of a dialect.
  deny: Refuse,
) => void;

// What an embedded gateway does not have.
export function toOwnerOf(options: Pick<HttpParts, 'fleet' | 'settings'>): ToOwner | null {
  const { fleet } = options;
  if (fleet === undefined) return null;
  return fleet.side === 'inner'
    ? withinFleet(fleet.port)
    : fromOutside(fleet.port, peersOf(options));
}

// Only nodes of the fleet reach what is behind it.
export function guardFleet(app: FastifyInstance, { secret }: FleetPort): void {
  app.addHook('onRequest', (request, reply, done) => {
    const given = request.headers[FLEET_HEADERS.secret];
    if (typeof given === 'string' && isSameSecret(given, secret)) done();
    else {
      reply.header('connection', 'close').header(FLEET_HEADERS.stranger, '1');
      refuse(reply, 'unauthorized');
    }
  });
}

// After the guard of each route, whose hooks were put there before.
export function leadToOwners(app: FastifyInstance, options: HttpParts): void {
  const toOwner = toOwnerOf(options);
  if (toOwner === null) return;
  app.addHook('onRoute', (route) => leadToOwner(route, options, toOwner));
}

function leadToOwner(route: RouteOptions, options: HttpParts, toOwner: ToOwner): void {
  const { owner, isWide } = route.config ?? {};
  if (isWide === true && options.fleet?.side === 'outer') {
    const { port } = options.fleet;
    const looked = (_request: FastifyRequest, _reply: FastifyReply, done: () => void) =>
      void port.refresh().then(done, done);
    route.preHandler = [...listOf(route.preHandler), looked];
  }
  if (owner === undefined) return;
  const deny: Refuse = (reply, code) => sendProblem(reply, problem(code, ''));
  const hook = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    ownAccount(options, owner, request).then(
      (account) => {
        // Of none that there is: it is refused here.
        if (account === null) done();
        else toOwner(account, request, reply, done, deny);
      },
      (error: Error) => void reply.send(error),
    );
  };
  // The signature of what is posted is one of its bytes.
  if (owner === 'webhook') route.onRequest = [...listOf(route.onRequest), hook];
  else route.preHandler = [...listOf(route.preHandler), hook];
}

async function ownAccount(
  options: HttpParts,
  owner: OwnerOf,
  request: FastifyRequest,
): Promise<AccountId | null> {
  const account = await accountOf(options, owner, request);
  if (account === null || options.accounts.get(account) !== null) return account;
  // Anyone may post to a webhook: the store is not read for names that strangers make up.
  const isKnown = owner !== 'webhook' && (await options.fleet!.port.isKnown(account));
  return isKnown ? account : null;
}

function fromOutside(port: FleetPort, peers: Peers): ToOwner {
  return (account, request, reply, proceed, deny) => {
    if (port.isHere(account)) proceed();
    else new OwnerForward({ port, peers, account, request, reply, proceed, deny }).go();
  };
}

function withinFleet(port: FleetPort): ToOwner {
  return (account, request, reply, proceed) => {
    if (port.isHere(account) || request.headers[FLEET_HEADERS.anyway] !== undefined) {
      proceed();
      return;
    }
    port.claim(account).then(
      (where) => {
        if (where.kind === 'here') proceed();
        else answerMoved(reply, where.kind === 'there' ? where.node.incarnation : '');
      },
      () => answerMoved(reply, ''),
    );
  };
}

export function answerMoved(reply: FastifyReply, to: string): FastifyReply {
  return reply.code(MOVED_STATUS).header(FLEET_HEADERS.moved, to).send();
}

function listOf<T>(hooks: T | T[] | undefined): T[] {
  if (hooks === undefined) return [];
  return Array.isArray(hooks) ? hooks : [hooks];
}
