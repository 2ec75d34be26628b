// The drop-in: /bot<token>/<method>, as Telegram itself takes it (JSON, form or query). Calls that send go over the
// road and are answered with Telegram's own words when they have ended; everything else is passed straight on.
// The token is in the path: no path of this dialect is ever logged or echoed.

import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { COSMETIC_FAMILIES } from '../domain/call.ts';
import { type Problem, problem } from '../domain/errors.ts';
import { formatId } from '../domain/ids.ts';
import { JournalUnavailable } from '../journal/journal.ts';
import type { Platform } from '../platforms/platform.ts';
import { identityProblem } from './accept.ts';
import { Adoption, fingerprint } from './adoption.ts';
import { answering } from './answering.ts';
import { type Call, compose } from './compose.ts';
import { type IntakeOptions, PASSING_MAX } from './intake.ts';
import { invalid } from './refuse.ts';
import type { Ended } from './road.ts';
import { journalProblem, submitOne } from './submit.ts';
import {
  answerCosmetic,
  answerEdit,
  answerEnd,
  answerLater,
  answerNo,
  answerProblem,
  answerProvisionally,
  answerText,
} from './telegram-answer.ts';
import { type Patience, readWishes } from './telegram-wishes.ts';
import type { Waited, Waiting } from './waiting.ts';

const PLATFORM = 'telegram';
const TOKEN = /^\d+:[\w-]+$/;
const METHOD = /^\w+$/;
// Long polls answer after at most 50 s; this is what they may take beyond it.
const LONG_POLL_GRACE_MS = 10_000;
const LONG_POLL_S_MAX = 50;
// Between two tries to withdraw what is being sent just now.
const WITHDRAW_AGAIN_MS = 1000;

interface DialectRequest {
  Params: { token: string; method: string };
  Querystring: Record<string, unknown>;
}
type Params = Record<string, unknown>;

// How a caller's patience ended.
type Patiently = Waited | { kind: 'async' } | { kind: 'withdrawn'; retryAfterS: number };

export function telegramRoutes(app: FastifyInstance, options: IntakeOptions, waiting: Waiting) {
  const platform = options.platforms.get(PLATFORM);
  if (platform === undefined) return;
  const dialect = new Dialect(options, platform, waiting);
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body: string, done) => done(null, Object.fromEntries(new URLSearchParams(body))),
  );
  app.setErrorHandler<FastifyError>((error, _request, reply) => {
    if (error instanceof JournalUnavailable) return answerProblem(reply, journalProblem(error));
    const status = error.statusCode ?? 500;
    if (status === 413) return answerProblem(reply, problem('too_large', ''));
    if (status === 415) return answerProblem(reply, problem('unsupported_media_type', ''));
    if (status < 500) return answerProblem(reply, problem('invalid_json', error.message));
    options.log.error({ err: error, route: '/bot…' }, 'request failed');
    return answerProblem(reply, problem('internal', ''));
  });
  app.route<DialectRequest>({
    method: ['GET', 'POST'],
    url: '/bot:token/:method',
    handler: (request, reply) => dialect.handle(request, reply),
  });
}

class Dialect {
  readonly #options: IntakeOptions;
  readonly #platform: Platform;
  readonly #waiting: Waiting;
  readonly #adoption: Adoption;
  #passing = 0;

  constructor(options: IntakeOptions, platform: Platform, waiting: Waiting) {
    this.#options = options;
    this.#platform = platform;
    this.#waiting = waiting;
    this.#adoption = new Adoption(options);
  }

  async handle(request: FastifyRequest<DialectRequest>, reply: FastifyReply) {
    const { token, method } = request.params;
    // The cloud's own answer; and no text of a stranger gets into a path of ours.
    if (!TOKEN.test(token) || !METHOD.test(method)) return answerNo(reply, 404, 'Not Found');
    const params = paramsOf(request);
    if (params === null) return answerNo(reply, 400, 'Bad Request: expected an object');
    const call = this.#platform.describe(method, params);
    switch (call.kind) {
      case 'invalid':
        return answerNo(reply, 400, call.detail);
      case 'pass':
        return this.#pass(token, call.method, params, reply);
      default:
        return this.#deliver(request, call, params, reply);
    }
  }

  async #deliver(
    request: FastifyRequest<DialectRequest>,
    call: Call,
    params: Params,
    reply: FastifyReply,
  ) {
    const read = readWishes(request.headers, this.#options.settings);
    if (read.kind === 'wrong') {
      return answerNo(reply, 400, `Bad Request: ${read.header} must be ${read.expected}`);
    }
    const { wishes, patience } = read;
    if (patience.kind !== 'async' && this.#waiting.isFull) {
      return answerProblem(reply, problem('too_many_waiting', ''));
    }
    const identity = await this.#options.accounts.identify(PLATFORM, request.params.token);
    if (identity.kind === 'refused') return answerNo(reply, identity.status, identity.detail);
    if (identity.kind !== 'known') return answerProblem(reply, identityProblem(identity));
    if (COSMETIC_FAMILIES.includes(call.family)) {
      return this.#sendCosmetic(identity.id, call, params, reply);
    }
    const answer = answering(this.#options, identity.id, call, params);
    const delivery = compose(
      this.#options.clock.now(),
      { account: identity.id, platform: PLATFORM, call: answer, body: JSON.stringify(params) },
      wishes,
    );
    if ('path' in delivery) return answerProblem(reply, invalid('invalid_message', [delivery]));
    const shown = wishes.idempotencyKey === null ? this.#options.road.unchanged(delivery) : null;
    if (shown !== null) {
      reply.header('x-sluice-delivery', formatId(this.#options.tag, shown.seq));
      return this.#answerEnd(reply, call, params, shown);
    }
    const print = fingerprint(delivery);
    const orphan = print === null ? null : await this.#adoption.claim(print, delivery);
    const taken = orphan ?? (await submitOne(this.#options, { kind: 'drafted', delivery }));
    if (typeof taken === 'object' && taken.kind === 'refused') {
      return this.#answerRefusal(reply, taken.problem);
    }
    const seq = typeof taken === 'number' ? taken : taken.seq;
    reply.header('x-sluice-delivery', formatId(this.#options.tag, seq));
    const waited = await this.#wait(reply, seq, patience);
    if (waited.kind === 'left' && print !== null) this.#adoption.lost(print, seq);
    return this.#answerWaited(reply, call, params, seq, waited);
  }

  async #sendCosmetic(account: string, call: Call, params: Params, reply: FastifyReply) {
    const { chat, method, family, gate } = call;
    const body = JSON.stringify(params);
    const made = { account, chat, method, family, gate, user: null, body };
    return answerCosmetic(reply, await this.#options.road.cosmetic(made));
  }

  #answerRefusal(reply: FastifyReply, refusal: Problem) {
    if (typeof refusal.id === 'string') reply.header('x-sluice-delivery', refusal.id);
    return answerProblem(reply, refusal);
  }

  async #wait(reply: FastifyReply, seq: number, patience: Patience): Promise<Patiently> {
    if (patience.kind === 'async') return { kind: 'async' };
    let ms = patience.kind === 'hold' ? null : patience.seconds * 1000;
    for (;;) {
      const waited = await this.#waiting.until(seq, ms, reply.raw);
      if (waited.kind !== 'time') return waited;
      const retryAfterS = await this.#withdraw(seq);
      if (retryAfterS !== null) return { kind: 'withdrawn', retryAfterS };
      // Too late to withdraw: it is being sent, so the answer is near, or it will wait again.
      ms = WITHDRAW_AGAIN_MS;
    }
  }

  #answerWaited(reply: FastifyReply, call: Call, params: Params, seq: number, waited: Patiently) {
    switch (waited.kind) {
      case 'async':
        return answerProvisionally(reply, call, params, this.#options.clock.now());
      case 'ended':
        return this.#answerEnd(reply, call, params, waited.ended);
      case 'withdrawn':
        return answerLater(reply, waited.retryAfterS);
      default: {
        const id = formatId(this.#options.tag, seq);
        const detail = `The gateway is stopping; ${id} is on disk and goes out after the start.`;
        return answerProblem(reply, problem('shutting_down', detail));
      }
    }
  }

  #answerEnd(reply: FastifyReply, call: Call, params: Params, ended: Ended) {
    if (call.family !== 'edit') return answerEnd(reply, ended);
    return answerEdit(reply, call, params, ended, this.#options.clock.now());
  }

  // Seconds until it would have gone; null: it can no longer be withdrawn.
  async #withdraw(seq: number): Promise<number | null> {
    const { road, clock } = this.#options;
    const at = clock.now();
    const eta = road.place(seq)?.eta ?? at;
    const moved = await road.move({
      seq,
      to: 'cancelled',
      at,
      reason: 'withdrawn',
      by: 'sluice',
      body: null,
      queueMax: 0,
    });
    return moved.kind === 'moved' ? Math.max(1, Math.ceil((eta - at) / 1000)) : null;
  }

  async #pass(credential: string, method: string, params: Params, reply: FastifyReply) {
    if (this.#passing >= PASSING_MAX) return answerLater(reply, 1);
    this.#passing += 1;
    try {
      const deadlineMs = Math.max(this.#options.settings.deadlineMs, longPollMs(params));
      const body = JSON.stringify(params);
      const answer = await this.#platform.send({ credential, method, body, deadlineMs });
      if (answer.kind !== 'answered') return answerNo(reply, 502, `Bad Gateway: ${answer.reason}`);
      const { headers, status } = answer;
      const retryAfter = headers['retry-after'];
      if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
      return answerText(reply, status, answer.body);
    } finally {
      this.#passing -= 1;
    }
  }
}

// Query and body together; the body has the last word. null: the body is not an object.
function paramsOf(request: FastifyRequest<DialectRequest>): Params | null {
  const { query, body } = request;
  if (body === undefined || body === null) return { ...query };
  if (typeof body !== 'object' || Array.isArray(body)) return null;
  return { ...query, ...body };
}

function longPollMs(params: Params): number {
  const seconds = Number(params.timeout ?? 0);
  if (!(seconds > 0)) return 0;
  return Math.min(seconds, LONG_POLL_S_MAX) * 1000 + LONG_POLL_GRACE_MS;
}
