// A call of a platform's dialect, whoever makes it: read once, in whatever form it comes, and sent its way, over the
// road if it sends, straight through if not. Calls come over HTTP (below) and from inside the process
// (in-process.ts); both get the same answer, as a value. Refusals here are the platform's own, to the byte where its
// words are known.

import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, WaitingCallers } from '../../accept/callers.ts';
import { permitted } from '../../accept/permit.ts';
import { tooOften } from '../../accept/problems.ts';
import { journalProblem } from '../../accept/submit.ts';
import { bodyOf, type Files, NO_FILES } from '../../domain/body.ts';
import type { Described } from '../../domain/call.ts';
import { problem } from '../../domain/errors.ts';
import { isVirtualToken } from '../../domain/ids.ts';
import type {
  Dialect,
  DialectParams,
  LocatedCall,
  LocatedFile,
  LocatedRequest,
  ValueAnswer,
} from '../../platforms/platform.ts';
import { JournalUnavailable } from '../../store/ports/unavailable.ts';
import { assert } from '../../system/assert.ts';
import { atEndOfTurn } from '../../system/turn.ts';
import { ANYONE } from '../auth/access.ts';
import {
  BodyError,
  bodyOfGet,
  formParams,
  hasBody,
  inflated,
  isCompressed,
  isForm,
  isStream,
} from '../bodies.ts';
import { type Peers, peersOf } from '../connections.ts';
import type { HttpParts } from '../context.ts';
import { sendAnswer } from '../edge.ts';
import type { Refuse } from '../fleet/forward.ts';
import { type ToOwner, toOwnerOf } from '../fleet/to-owner.ts';
import { type Form, readForm } from '../multipart.ts';
import { addRoute, type BareRoute } from '../route.ts';
import { StrangerTurns } from '../stranger-turns.ts';
import {
  answerNotFound,
  answerProblem,
  answerTooLarge,
  answerUnknown,
  type ServedPlatform,
} from './answers.ts';
import { type FoundSpeaker, readPatience, type Speaker, speakerOf } from './caller.ts';
import { type AskedCall, Deliveries } from './deliver.ts';
import { Passing } from './pass.ts';

// What a caller may say about which part of a file it wants.
const HEADERS_ASKED = ['range', 'if-range', 'if-none-match', 'if-modified-since'];

const UNKNOWN_ENCODING = 'Unsupported Media Type: unsupported Content-Encoding';
const NOT_MADE_FOR_IT = 'this token is not made for this call';
const UNPARSABLE = "can't parse the request's body";

// A call whose token was admitted.
export interface DoorCall {
  readonly speaker: Speaker;
  readonly call: LocatedCall;
  readonly headers: IncomingHttpHeaders;
  readonly query: unknown;
  // A stream: a form, read as it arrives.
  readonly body: unknown;
}

interface ReadCall {
  readonly method: string;
  readonly params: DialectParams;
  readonly files: Files;
  readonly call: Exclude<Described, { kind: 'invalid' }>;
}

export class DropIn {
  readonly platform: ServedPlatform;
  readonly #options: HttpParts;
  readonly #waiting: WaitingCallers;
  readonly #deliveries: Deliveries;
  readonly #passing: Passing;

  constructor(options: HttpParts, platform: ServedPlatform, waiting: WaitingCallers) {
    this.platform = platform;
    this.#options = options;
    this.#waiting = waiting;
    this.#deliveries = new Deliveries(options, platform, waiting);
    this.#passing = new Passing(options, platform);
  }

  // A call that would hold the line could not be answered any more.
  isStoppingFor({ prefer }: IncomingHttpHeaders): boolean {
    if (!this.#waiting.isStopping) return false;
    return readPatience(prefer, this.#options.settings).kind !== 'async';
  }

  get bodyBytesMax(): number {
    return this.#options.settings.bodyBytesMax;
  }

  // With its files.
  get formBytesMax(): number {
    return this.bodyBytesMax + this.#options.settings.uploadBytesMax;
  }

  // Whose token is it? `from`: the address it comes from; '' is the machine itself.
  speaker(credential: string, from: string): FoundSpeaker | Promise<FoundSpeaker> {
    return speakerOf(this.#options, this.platform.name, credential, from);
  }

  call(made: DoorCall, caller: Caller): Promise<ValueAnswer> | ValueAnswer {
    const { body } = made;
    if (isStream(body)) return this.#form(made, body, caller);
    return this.#read(made, body, NO_FILES, caller);
  }

  async file(
    speaker: Speaker,
    { method, path, isHead }: LocatedFile,
    asked: IncomingHttpHeaders,
    caller: Caller,
  ): Promise<ValueAnswer> {
    const judged = this.#judged(speaker, { method, params: {}, files: NO_FILES });
    if (judged.kind === 'refused') return judged.answer;
    const headers: Record<string, string> = {};
    for (const name of HEADERS_ASKED) {
      const value = asked[name];
      if (typeof value === 'string') headers[name] = value;
    }
    const file = { path, headers, ...(isHead === true ? { isHead } : null) };
    return this.#passing.download(speaker, file, caller);
  }

  // What a call that could not be finished is answered.
  failed(error: Error & { readonly statusCode?: number; readonly code?: string }): ValueAnswer {
    const { name, dialect } = this.platform;
    if (error instanceof JournalUnavailable) return answerProblem(dialect, journalProblem(error));
    const status = error.statusCode ?? 500;
    if (status === 413) return answerTooLarge(dialect);
    if (status === 415) return dialect.refused(415, UNKNOWN_ENCODING);
    if (error.code === 'json_bounds') return dialect.unreadable(error.message);
    if (status < 500) return dialect.unreadable(UNPARSABLE);
    this.#options.log.error({ err: error, platform: name }, 'request failed');
    return answerProblem(dialect, problem('internal', ''));
  }

  async #form(made: DoorCall, source: Readable, caller: Caller): Promise<ValueAnswer> {
    const { spool, settings } = this.#options;
    // A form that says that nothing follows is no broken one.
    if (made.headers['content-length'] === '0')
      return this.#read(made, undefined, NO_FILES, caller);
    const bounds = {
      fieldBytesMax: settings.bodyBytesMax,
      fileBytesMax: settings.uploadBytesMax,
    };
    const form = await readForm(source, made.headers, spool, bounds, made.speaker);
    if (form.kind !== 'read') return this.#answerForm(form);
    const { files } = form;
    try {
      return await this.#read(made, form.fields, files, caller);
    } finally {
      for (const { id } of Object.values(files)) spool.unpin(id);
    }
  }

  #read(
    made: DoorCall,
    body: unknown,
    files: Files,
    caller: Caller,
  ): Promise<ValueAnswer> | ValueAnswer {
    const { speaker, call: located, query } = made;
    const { calls, dialect } = this.platform;
    const read = dialect.read(located, { query, body, files });
    if (read.kind === 'refused') return read.answer;
    const { method, params } = read;
    const call = calls.describe(method, params);
    if (call.kind === 'invalid') return dialect.refused(400, call.detail);
    const waitMs = speaker.virtual?.bounds?.takeMs(this.#options.clock.now()) ?? 0;
    const within = (ms: number) => this.#within(made, ms, { method, params, files, call }, caller);
    // In a fleet another node may count it.
    return typeof waitMs === 'number' ? within(waitMs) : waitMs.then(within);
  }

  #within(
    { speaker, headers }: DoorCall,
    waitMs: number,
    { method, params, files, call }: ReadCall,
    caller: Caller,
  ): Promise<ValueAnswer> | ValueAnswer {
    const { calls, dialect } = this.platform;
    if (waitMs > 0) return answerProblem(dialect, tooOften(waitMs));
    const permit = this.#judged(speaker, { method, params, files });
    if (permit.kind === 'refused') return permit.answer;
    const { params: sent } = permit;
    // As it was judged, where it was.
    const judged = sent === params ? call : calls.describe(method, sent);
    if (judged.kind === 'invalid') return dialect.refused(400, judged.detail);
    const asked: AskedCall = { speaker, headers, params: sent, files };
    return judged.kind === 'pass'
      ? this.#pass(asked, judged.method, caller)
      : this.#deliveries.deliver(asked, judged, caller);
  }

  #pass(asked: AskedCall, method: string, caller: Caller): Promise<ValueAnswer> {
    const { speaker, params } = asked;
    const body = bodyOf(params, asked.files);
    const heldMs = this.platform.dialect.heldMs(params);
    return this.#passing.call(speaker, { method, body, heldMs }, caller);
  }

  // The parameters to send: where bounds apply, as they were judged.
  #judged(
    speaker: Speaker,
    call: { method: string; params: DialectParams; files: Files },
  ): { kind: 'permitted'; params: DialectParams } | { kind: 'refused'; answer: ValueAnswer } {
    const { calls, dialect } = this.platform;
    const bounds = speaker.virtual?.bounds ?? null;
    if (bounds === null) return { kind: 'permitted', params: call.params };
    const permit = permitted(calls, bounds, call);
    if (permit.kind === 'permitted') return permit;
    const refusal = problem('forbidden_scope', permit.detail || NOT_MADE_FOR_IT);
    return { kind: 'refused', answer: answerProblem(dialect, refusal) };
  }

  #answerForm(form: Exclude<Form, { kind: 'read' }>): ValueAnswer {
    const { dialect } = this.platform;
    switch (form.kind) {
      case 'too_large':
        return answerTooLarge(dialect);
      case 'full':
        return answerProblem(dialect, problem('spool_full', ''));
      case 'failed':
        return answerProblem(dialect, problem(form.code, ''));
      case 'broken':
        return dialect.unreadable(form.detail);
    }
  }
}

// The dialects over HTTP: each platform's routes, as the platform itself takes them. The credential comes first:
// nothing of a body is read or kept for one that is not valid.

declare module 'fastify' {
  interface FastifyRequest {
    // Who makes the call; null: it is not one of a dialect, or nobody was found yet.
    speaker: Speaker | null;
    // What its head says; null: it is not of a dialect.
    located: LocatedRequest | null;
  }
}

interface DropInPorts {
  readonly dropIn: DropIn;
  readonly accounts: HttpParts['accounts'];
  readonly peers: Peers;
  readonly strangers: StrangerTurns;
  // null: this process is the only one.
  readonly toOwner: ToOwner | null;
}

// They have a secret of their own, the credential. What they take and answer is the platform's to describe.
export function routesOf({ routes }: Dialect): BareRoute<DropIn>[] {
  return routes.map(({ verbs, url }) => ({ method: verbs, url, access: ANYONE, handler: answer }));
}

// The hooks and parsers of `app` hold for this dialect alone.
export function mountDialect(app: FastifyInstance, options: HttpParts, dropIn: DropIn): void {
  const { accounts } = options;
  const toOwner = toOwnerOf(options);
  const peers = peersOf(options);
  const ports = { dropIn, accounts, peers, strangers: new StrangerTurns(atEndOfTurn), toOwner };
  addBodyParsers(app);
  app.decorateRequest('speaker', null);
  app.decorateRequest('located', null);
  app.setErrorHandler<FastifyError>((error, _request, reply) =>
    sendAnswer(reply, dropIn.failed(error)),
  );
  app.addHook('onRequest', (asked, reply, done) => admit(ports, asked, reply, done));
  app.addHook('preParsing', ({ method, headers }, _reply, payload, done) => {
    // That of a GET is read by the handler.
    if (method === 'GET' || !isCompressed(headers)) return done(null, payload);
    const bytesMax = isForm(headers['content-type'] ?? '')
      ? dropIn.formBytesMax
      : dropIn.bodyBytesMax;
    const body = inflated(headers, payload as Readable, bytesMax);
    return body instanceof BodyError ? done(body) : done(null, body);
  });
  for (const route of routesOf(dropIn.platform.dialect)) addRoute(app, route, dropIn);
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
  ports: DropInPorts,
  request: FastifyRequest,
  reply: FastifyReply,
  done: () => void,
): void {
  const { name, dialect } = ports.dropIn.platform;
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
  { dropIn, peers, toOwner }: DropInPorts,
  request: FastifyRequest,
  reply: FastifyReply,
  credential: string,
  done: () => void,
): void {
  const failed = (error: unknown) => void reply.send(error);
  const admit = (found: FoundSpeaker) => {
    if (found.kind === 'speaker') {
      request.speaker = found;
      if (toOwner === null) done();
      else toOwner(found.account, request, reply, done, deniedBy(dropIn));
    } else sendAnswer(reply, answerUnknown(dropIn.platform.dialect, found));
  };
  // A stranger's turn is nobody's request: what is thrown in it would end the process.
  try {
    const found = dropIn.speaker(credential, peers.addressOf(request.raw));
    // A turn less on the hot path: the credential is nearly always known.
    if (found instanceof Promise) found.then(admit).catch(failed);
    else admit(found);
  } catch (error) {
    failed(error);
  }
}

function deniedBy({ platform: { dialect } }: DropIn): Refuse {
  return (reply, code) => sendAnswer(reply, answerProblem(dialect, problem(code, '')));
}

// Nothing is returned: Fastify would put one more promise around every message.
function answer(dropIn: DropIn, request: FastifyRequest, reply: FastifyReply): void {
  const said = call(dropIn, request, reply);
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
  dropIn: DropIn,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ValueAnswer> | ValueAnswer {
  const { located, speaker, headers, query, raw } = request;
  assert(located !== null && speaker !== null, 'nothing is read for a token that was not admitted');
  switch (located.kind) {
    case 'call': {
      const made = { speaker, call: located, headers, query, body: request.body };
      if (request.method !== 'GET' || !hasBody(headers)) return dropIn.call(made, reply.raw);
      const { bodyBytesMax: bytesMax, formBytesMax } = dropIn;
      const bounds = { bytesMax, formBytesMax };
      return bodyOfGet(headers, raw, bounds).then((body) =>
        dropIn.call({ ...made, body }, reply.raw),
      );
    }
    case 'file':
      return dropIn.file(speaker, located, headers, reply.raw);
    case 'refused':
      return located.answer;
  }
}
