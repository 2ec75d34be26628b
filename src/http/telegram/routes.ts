// The drop-in's door: /bot<token>/<method> and /file/bot<token>/<path>, as Telegram itself takes them. The token comes
// first: nothing of a body is read or kept for one that is not valid. Then each call is read once, in whatever form it
// comes, and sent its way: over the road if it sends, straight through if not.
// Refusals here are the platform's own, to the byte where its words are known.

import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { identityProblem } from '../../accept/draft.ts';
import { permitted } from '../../accept/permit.ts';
import { tooOften } from '../../accept/problems.ts';
import { journalProblem } from '../../accept/submit.ts';
import type { Waiting } from '../../accept/wait.ts';
import { problem } from '../../domain/errors.ts';
import { bodyOf, type Files, NO_FILES } from '../../domain/upload.ts';
import { isVirtualToken } from '../../domain/virtual-token.ts';
import type { Passage, Platform } from '../../platforms/platform.ts';
import { JournalUnavailable } from '../../store/ports/unavailable.ts';
import { assert } from '../../system/assert.ts';
import { atEndOfTurn } from '../../system/turn.ts';
import { ANYONE } from '../auth/access.ts';
import type { IntakeOptions } from '../context.ts';
import { type Form, readForm } from '../multipart.ts';
import { Peers } from '../peers.ts';
import { type BareRoute, group } from '../route.ts';
import { StrangerTurns } from '../stranger-turns.ts';
import { type CallAddress, callAddress, fileAddress, METHOD } from './address.ts';
import { answerNo, answerProblem, answerTooLarge } from './answer.ts';
import { type Asked, Dialect } from './dialect.ts';
import { addBodyParsers, isStream, merge, type Params, withAttached } from './params.ts';
import { Passing, passDeadlineMs } from './pass.ts';
import { type Found, type Speaker, speakerOf } from './speaker.ts';

const PLATFORM = 'telegram';
// What a caller may say about which part of a file it wants.
const HEADERS_ASKED = ['range', 'if-range', 'if-none-match', 'if-modified-since'];

const NOT_MADE_FOR_IT = 'this token is not made for this call';

declare module 'fastify' {
  interface FastifyRequest {
    // Who makes the call; null: it is not one of the drop-in, or nobody was found yet.
    speaker: Speaker | null;
    // What its path says; null: it is not a call.
    called: CallAddress | null;
  }
}

// Both have a secret of their own, the token in the path. What they take and answer is the platform's to describe.
const CALL: BareRoute<Door> = {
  method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
  url: '/bot*',
  access: ANYONE,
  handler: (door, request, reply) => door.call(request, reply),
};

const FILE: BareRoute<Door> = {
  method: 'GET',
  url: '/file/bot*',
  access: ANYONE,
  handler: (door, request, reply) => door.file(request, reply),
};

export const TELEGRAM_ROUTES = group<Door, BareRoute<Door>>(
  [CALL, FILE],
  ({ app, options, waiting }) => {
    const platform = options.platforms.get(PLATFORM);
    if (platform?.passage === undefined) return null;
    const door = new Door(options, platform, platform.passage, waiting);
    addBodyParsers(app);
    app.decorateRequest('speaker', null);
    app.decorateRequest('called', null);
    app.setErrorHandler<FastifyError>((error, _request, reply) =>
      answerError(options, error, reply),
    );
    app.addHook('onRequest', (asked, reply, done) => door.admit(asked, reply, done));
    return door;
  },
);

class Door {
  readonly #options: IntakeOptions;
  readonly #platform: Platform;
  readonly #dialect: Dialect;
  readonly #passing: Passing;
  readonly #peers: Peers;
  readonly #strangers = new StrangerTurns(atEndOfTurn);

  constructor(options: IntakeOptions, platform: Platform, passage: Passage, waiting: Waiting) {
    this.#options = options;
    this.#platform = platform;
    this.#dialect = new Dialect(options, waiting);
    this.#passing = new Passing(options, passage);
    this.#peers = new Peers(options.settings.trustedProxies);
  }

  // Before the body: whose token is it? What is refused here is answered at once.
  admit(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
    request.called = callAddress(request.url);
    const address = request.called ?? fileAddress(request.url);
    if (address === null) {
      answerNo(reply, 404, 'Not Found');
      return;
    }
    const { credential } = address;
    const { accounts } = this.#options;
    const find = () => this.#find(request, reply, credential, done);
    if (isVirtualToken(credential) || accounts.isFavoured(PLATFORM, credential)) find();
    else this.#strangers.take(find);
  }

  #find(request: FastifyRequest, reply: FastifyReply, credential: string, done: () => void): void {
    const admit = (found: Found) => {
      if (found.kind === 'speaker') {
        request.speaker = found;
        done();
      } else if (found.kind === 'refused') answerNo(reply, found.status, found.detail);
      else answerProblem(reply, identityProblem(found));
    };
    const peer = this.#peers.addressOf(request.raw);
    const found = speakerOf(this.#options, credential, peer);
    // A turn less on the hot path: the token is nearly always known.
    if (found instanceof Promise) {
      found.then(admit).catch((error: unknown) => void reply.send(error));
    } else admit(found);
  }

  call(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> | FastifyReply {
    const address = request.called;
    if (address === null) return answerNo(reply, 404, 'Not Found');
    if (request.method !== 'GET' && request.method !== 'POST') {
      return answerNo(reply, 405, 'Method Not Allowed');
    }
    if (isStream(request.body)) return this.#form(request, address, reply);
    const params = merge(request.query, request.body);
    if (params === null) return answerNo(reply, 400, 'Bad Request: JSON object expected');
    return this.#described(request, address, params, NO_FILES, reply);
  }

  async file(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const address = fileAddress(request.url);
    if (address === null) return answerNo(reply, 404, 'Not Found');
    const { speaker } = request;
    assert(speaker !== null, 'nothing is read for a token that was not admitted');
    if (this.#judged(speaker, { method: 'getFile', params: {}, files: NO_FILES }, reply) === null) {
      return reply;
    }
    const headers: Record<string, string> = {};
    for (const name of HEADERS_ASKED) {
      const value = request.headers[name];
      if (typeof value === 'string') headers[name] = value;
    }
    const { deadlineMs } = this.#options.settings;
    const { path } = address;
    return this.#passing.download(speaker, { path, headers, deadlineMs }, reply);
  }

  async #form(request: FastifyRequest, address: CallAddress, reply: FastifyReply) {
    const { spool, settings } = this.#options;
    const { speaker, raw, headers } = request;
    assert(speaker !== null, 'nothing is read for a token that was not admitted');
    const bounds = {
      fieldBytesMax: settings.bodyBytesMax,
      fileBytesMax: settings.uploadBytesMax,
    };
    const form = await readForm(raw, headers, spool, bounds, speaker);
    if (form.kind !== 'read') return answerForm(reply, form);
    const { files } = form;
    try {
      const params = merge(request.query, withAttached(form.fields, files))!;
      return await this.#described(request, address, params, files, reply);
    } finally {
      for (const { id } of Object.values(files)) spool.unpin(id);
    }
  }

  #described(
    request: FastifyRequest,
    address: CallAddress,
    params: Params,
    files: Files,
    reply: FastifyReply,
  ): Promise<FastifyReply> | FastifyReply {
    const method = address.method === '' ? String(params.method ?? '') : address.method;
    if (!METHOD.test(method)) return answerNo(reply, 404, 'Not Found');
    const call = this.#platform.calls.describe(method, params);
    if (call.kind === 'invalid') return answerNo(reply, 400, call.detail);
    const { speaker } = request;
    assert(speaker !== null, 'nothing is read for a token that was not admitted');
    const sent = this.#judged(speaker, { method: call.method, params, files }, reply);
    if (sent === null) return reply;
    // As it was judged, where it was.
    const judged = sent === params ? call : this.#platform.calls.describe(method, sent);
    if (judged.kind === 'invalid') return answerNo(reply, 400, judged.detail);
    const asked: Asked = { speaker, headers: request.headers, params: sent, files };
    return judged.kind === 'pass'
      ? this.#pass(asked, judged.method, reply)
      : this.#dialect.deliver(asked, judged, reply);
  }

  #pass(asked: Asked, method: string, reply: FastifyReply): Promise<FastifyReply> {
    const { speaker, params } = asked;
    const body = bodyOf(params, asked.files);
    const deadlineMs = passDeadlineMs(params, this.#options.settings.deadlineMs);
    return this.#passing.call(speaker, { method, body, deadlineMs }, reply);
  }

  // The parameters to send: where bounds apply, as they were judged. null: it may not, and that is answered already.
  #judged(
    speaker: Speaker,
    call: { method: string; params: Params; files: Files },
    reply: FastifyReply,
  ): Readonly<Params> | null {
    const bounds = speaker.virtual?.bounds ?? null;
    if (bounds === null) return call.params;
    const waitMs = bounds.takeMs(this.#options.clock.now());
    if (waitMs > 0) {
      answerProblem(reply, tooOften(waitMs));
      return null;
    }
    const permit = permitted(this.#platform.calls, bounds, call);
    if (permit.kind === 'permitted') return permit.params;
    answerProblem(reply, problem('forbidden_scope', permit.detail || NOT_MADE_FOR_IT));
    return null;
  }
}

function answerForm(reply: FastifyReply, form: Exclude<Form, { kind: 'read' }>): FastifyReply {
  switch (form.kind) {
    case 'too_large':
      return answerTooLarge(reply);
    case 'full':
      return answerProblem(reply, problem('spool_full', ''));
    case 'failed':
      return answerProblem(reply, problem(form.code, ''));
    case 'broken':
      return answerNo(reply, 400, `Bad Request: ${form.detail}`);
  }
}

function answerError(options: IntakeOptions, error: FastifyError, reply: FastifyReply) {
  if (error instanceof JournalUnavailable) return answerProblem(reply, journalProblem(error));
  const status = error.statusCode ?? 500;
  if (status === 413) return answerTooLarge(reply);
  if (error.code === 'json_bounds') return answerNo(reply, 400, `Bad Request: ${error.message}`);
  if (status < 500) return answerNo(reply, 400, "Bad Request: can't parse the request's body");
  options.log.error({ err: error, route: '/bot…' }, 'request failed');
  return answerProblem(reply, problem('internal', ''));
}
