// The drop-in over HTTP: /bot<token>/<method> and /file/bot<token>/<path>, as Telegram itself takes them. The token
// comes first: nothing of a body is read or kept for one that is not valid.

import type { Readable } from 'node:stream';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isVirtualToken } from '../../domain/ids.ts';
import { assert } from '../../system/assert.ts';
import { atEndOfTurn } from '../../system/turn.ts';
import { sendAnswer, type ValueAnswer } from '../answer.ts';
import { ANYONE } from '../auth/access.ts';
import type { IntakeOptions } from '../context.ts';
import { Peers } from '../peers.ts';
import { type BareRoute, group, type Opening } from '../route.ts';
import { StrangerTurns } from '../stranger-turns.ts';
import { type CallAddress, callAddress, fileAddress } from './address.ts';
import { answerNo } from './answer.ts';
import { BodyError, bodyOfGet, hasBody, inflated, isCompressed } from './bodies.ts';
import { answerUnknown, type TelegramDoor } from './door.ts';
import { addBodyParsers, isForm } from './params.ts';
import type { FoundSpeaker, Speaker } from './speaker.ts';

const PLATFORM = 'telegram';

declare module 'fastify' {
  interface FastifyRequest {
    // Who makes the call; null: it is not one of the drop-in, or nobody was found yet.
    speaker: Speaker | null;
    // What its path says; null: it is not a call.
    called: CallAddress | null;
  }
}

interface DoorPorts {
  readonly door: TelegramDoor;
  readonly accounts: IntakeOptions['accounts'];
  readonly peers: Peers;
  readonly strangers: StrangerTurns;
}

// Both have a secret of their own, the token in the path. What they take and answer is the platform's to describe.
const CALL: BareRoute<DoorPorts> = {
  method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
  url: '/bot*',
  access: ANYONE,
  handler: ({ door }, request, reply) => answerWith(reply, call(door, request, reply)),
};

const FILE: BareRoute<DoorPorts> = {
  method: ['GET', 'HEAD'],
  url: '/file/bot*',
  access: ANYONE,
  handler: ({ door }, request, reply) => answerWith(reply, file(door, request, reply)),
};

export const TELEGRAM_ROUTES = group<DoorPorts, BareRoute<DoorPorts>>([CALL, FILE], open);

function open({ app, options, dialects }: Opening): DoorPorts | null {
  const door = dialects.get(PLATFORM);
  if (door === undefined) return null;
  const { accounts, settings } = options;
  const peers = new Peers(settings.trustedProxies);
  const ports = { door, accounts, peers, strangers: new StrangerTurns(atEndOfTurn) };
  addBodyParsers(app);
  app.decorateRequest('speaker', null);
  app.decorateRequest('called', null);
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
  return ports;
}

// Nothing is returned: Fastify would put one more promise around every message.
function answerWith(reply: FastifyReply, answer: Promise<ValueAnswer> | ValueAnswer): void {
  if (!(answer instanceof Promise)) {
    sendAnswer(reply, answer);
    return;
  }
  answer.then(
    (said) => void sendAnswer(reply, said),
    (error: unknown) => void reply.send(error),
  );
}

// Before the body: whose token is it? What is refused here is answered at once.
function admit(
  ports: DoorPorts,
  request: FastifyRequest,
  reply: FastifyReply,
  done: () => void,
): void {
  request.called = callAddress(request.url);
  const address = request.called ?? fileAddress(request.url);
  if (address === null) {
    sendAnswer(reply, answerNo(404, 'Not Found'));
    return;
  }
  const { credential } = address;
  const { accounts, strangers } = ports;
  const admitted = () => find(ports, request, reply, credential, done);
  if (isVirtualToken(credential) || accounts.isFavoured(PLATFORM, credential)) admitted();
  else strangers.take(admitted);
}

function find(
  { door, peers }: DoorPorts,
  request: FastifyRequest,
  reply: FastifyReply,
  credential: string,
  done: () => void,
): void {
  const admit = (found: FoundSpeaker) => {
    if (found.kind === 'speaker') {
      request.speaker = found;
      done();
    } else sendAnswer(reply, answerUnknown(found));
  };
  const found = door.speaker(credential, peers.addressOf(request.raw));
  // A turn less on the hot path: the token is nearly always known.
  if (found instanceof Promise) {
    found.then(admit).catch((error: unknown) => void reply.send(error));
  } else admit(found);
}

function call(
  door: TelegramDoor,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ValueAnswer> | ValueAnswer {
  const { called: address, speaker, headers, query, raw } = request;
  if (address === null) return answerNo(404, 'Not Found');
  if (request.method !== 'GET' && request.method !== 'POST') {
    return answerNo(405, 'Method Not Allowed');
  }
  assert(speaker !== null, 'nothing is read for a token that was not admitted');
  const made = { speaker, address, headers, query, body: request.body };
  if (request.method !== 'GET' || !hasBody(headers)) return door.call(made, reply.raw);
  const { bodyBytesMax: bytesMax, formBytesMax } = door;
  return bodyOfGet(headers, raw, { bytesMax, formBytesMax }).then((body) =>
    door.call({ ...made, body }, reply.raw),
  );
}

function file(
  door: TelegramDoor,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ValueAnswer> | ValueAnswer {
  const address = fileAddress(request.url);
  if (address === null) return answerNo(404, 'Not Found');
  const { speaker, headers } = request;
  assert(speaker !== null, 'nothing is read for a token that was not admitted');
  const { path } = address;
  const asked = request.method === 'HEAD' ? { path, isHead: true } : { path };
  return door.file(speaker, asked, headers, reply.raw);
}
