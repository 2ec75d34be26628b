// The dialects over HTTP: each platform's routes, as the platform itself takes them. The credential comes first:
// nothing of a body is read or kept for one that is not valid.

import type { Readable } from 'node:stream';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isVirtualToken } from '../../domain/ids.ts';
import type { Dialect, LocatedRequest } from '../../platforms/platform.ts';
import { assert } from '../../system/assert.ts';
import { atEndOfTurn } from '../../system/turn.ts';
import { sendAnswer, type ValueAnswer } from '../answer.ts';
import { ANYONE } from '../auth/access.ts';
import type { IntakeOptions } from '../context.ts';
import { Peers } from '../peers.ts';
import { addRoute, type BareRoute } from '../route.ts';
import { StrangerTurns } from '../stranger-turns.ts';
import { answerNotFound, answerUnknown } from './answers.ts';
import {
  BodyError,
  bodyOfGet,
  formParams,
  hasBody,
  inflated,
  isCompressed,
  isForm,
} from './bodies.ts';
import type { Door } from './door.ts';
import type { FoundSpeaker, Speaker } from './speaker.ts';

declare module 'fastify' {
  interface FastifyRequest {
    // Who makes the call; null: it is not one of a dialect, or nobody was found yet.
    speaker: Speaker | null;
    // What its head says; null: it is not of a dialect.
    located: LocatedRequest | null;
  }
}

interface DoorPorts {
  readonly door: Door;
  readonly accounts: IntakeOptions['accounts'];
  readonly peers: Peers;
  readonly strangers: StrangerTurns;
}

// They have a secret of their own, the credential. What they take and answer is the platform's to describe.
export function routesOf({ routes }: Dialect): BareRoute<Door>[] {
  return routes.map(({ verbs, url }) => ({ method: verbs, url, access: ANYONE, handler: answer }));
}

// The hooks and parsers of `app` hold for this dialect alone.
export function mountDialect(app: FastifyInstance, options: IntakeOptions, door: Door): void {
  const { accounts, settings } = options;
  const peers = new Peers(settings.trustedProxies);
  const ports = { door, accounts, peers, strangers: new StrangerTurns(atEndOfTurn) };
  addBodyParsers(app);
  app.decorateRequest('speaker', null);
  app.decorateRequest('located', null);
  app.setErrorHandler<FastifyError>((error, _request, reply) =>
    sendAnswer(reply, door.failed(error)),
  );
  app.addHook('onRequest', (asked, reply, done) => admit(ports, asked, reply, done));
  app.addHook('preParsing', ({ method, headers }, _reply, payload, done) => {
    // That of a GET is read by the handler.
    if (method === 'GET' || !isCompressed(headers)) return done(null, payload);
    const bytesMax = isForm(headers['content-type'] ?? '') ? door.formBytesMax : door.bodyBytesMax;
    const body = inflated(headers, payload as Readable, bytesMax);
    return body instanceof BodyError ? done(body) : done(null, body);
  });
  for (const route of routesOf(door.platform.dialect)) addRoute(app, route, door);
}

function addBodyParsers(app: FastifyInstance): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body: string, done) => done(null, formParams(body)),
  );
  // Read by the handler, as it arrives.
  app.addContentTypeParser('multipart/form-data', (_request, body, done) => done(null, body));
  // What cannot be read is passed over: there are no parameters in it.
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, _body, done) => done(null));
}

// Before the body: whose credential is it? What is refused here is answered at once.
function admit(
  ports: DoorPorts,
  request: FastifyRequest,
  reply: FastifyReply,
  done: () => void,
): void {
  const { name, dialect } = ports.door.platform;
  const { method: verb, url, headers } = request;
  const located = dialect.locate({ verb, url, headers });
  if (located === null) {
    sendAnswer(reply, answerNotFound(dialect));
    return;
  }
  request.located = located;
  const { credential } = located;
  const { accounts, strangers } = ports;
  const admitted = () => find(ports, request, reply, credential, done);
  if (isVirtualToken(credential) || accounts.isFavoured(name, credential)) admitted();
  else strangers.take(admitted);
}

function find(
  { door, peers }: DoorPorts,
  request: FastifyRequest,
  reply: FastifyReply,
  credential: string,
  done: () => void,
): void {
  const failed = (error: unknown) => void reply.send(error);
  const admit = (found: FoundSpeaker) => {
    if (found.kind === 'speaker') {
      request.speaker = found;
      done();
    } else sendAnswer(reply, answerUnknown(door.platform.dialect, found));
  };
  // A stranger's turn is nobody's request: what is thrown in it would end the process.
  try {
    const found = door.speaker(credential, peers.addressOf(request.raw));
    // A turn less on the hot path: the credential is nearly always known.
    if (found instanceof Promise) found.then(admit).catch(failed);
    else admit(found);
  } catch (error) {
    failed(error);
  }
}

// Nothing is returned: Fastify would put one more promise around every message.
function answer(door: Door, request: FastifyRequest, reply: FastifyReply): void {
  const said = call(door, request, reply);
  if (!(said instanceof Promise)) {
    sendAnswer(reply, said);
    return;
  }
  said.then(
    (value) => void sendAnswer(reply, value),
    (error: unknown) => void reply.send(error),
  );
}

function call(
  door: Door,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ValueAnswer> | ValueAnswer {
  const { located, speaker, headers, query, raw } = request;
  assert(located !== null && speaker !== null, 'nothing is read for a token that was not admitted');
  switch (located.kind) {
    case 'call': {
      const made = { speaker, call: located, headers, query, body: request.body };
      if (request.method !== 'GET' || !hasBody(headers)) return door.call(made, reply.raw);
      const { bodyBytesMax: bytesMax, formBytesMax } = door;
      const bounds = { bytesMax, formBytesMax };
      return bodyOfGet(headers, raw, bounds).then((body) =>
        door.call({ ...made, body }, reply.raw),
      );
    }
    case 'file':
      return door.file(speaker, located, headers, reply.raw);
    case 'refused':
      return located.answer;
  }
}
