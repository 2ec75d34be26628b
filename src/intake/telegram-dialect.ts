// A call of Telegram's API that sends: over the road, and answered with Telegram's own words when it has ended.
// A caller who hangs up ends the waiting and never the delivery.
// The token is in the path: no path of this dialect is ever logged or echoed.

import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import { COSMETIC_FAMILIES } from '../domain/call.ts';
import type { NewDelivery } from '../domain/delivery.ts';
import { WITHDRAWN } from '../domain/delivery.ts';
import { type Problem, problem } from '../domain/errors.ts';
import { HOLDERS, ownKey } from '../domain/idempotency.ts';
import { formatId } from '../domain/ids.ts';
import { PARTLY_SENT } from '../domain/outcome.ts';
import { bodyOf, type Files, NO_FILES } from '../domain/upload.ts';
import { lowered } from './accept.ts';
import { Adoption, fingerprint } from './adoption.ts';
import { answering } from './answering.ts';
import { type Call, compose, type Wishes } from './compose.ts';
import type { IntakeOptions } from './intake.ts';
import { provisionalResult } from './provisional.ts';
import { invalid } from './refuse.ts';
import type { Ended } from './road.ts';
import { submitOne } from './submit.ts';
import {
  answerCosmetic,
  answerEdit,
  answerEnd,
  answerLater,
  answerNo,
  answerProblem,
  answerProvisionally,
} from './telegram-answer.ts';
import type { Params } from './telegram-params.ts';
import type { Speaker } from './telegram-speaker.ts';
import { type Patience, readWishes } from './telegram-wishes.ts';
import type { Waited, Waiting } from './waiting.ts';

const PLATFORM = 'telegram';
// Between two tries to withdraw what is being sent just now.
const WITHDRAW_AGAIN_MS = 1000;

// A call as it came; what its parameters mean is known already.
export interface Asked {
  readonly speaker: Speaker;
  readonly headers: IncomingHttpHeaders;
  readonly params: Readonly<Params>;
  // Pinned in the spool until the call is answered.
  readonly files: Files;
}

// How a caller's patience ended.
type Patiently = Waited | { kind: 'async' } | { kind: 'withdrawn'; retryAfterS: number };

export class Dialect {
  readonly #options: IntakeOptions;
  readonly #waiting: Waiting;
  readonly #adoption: Adoption;

  constructor(options: IntakeOptions, waiting: Waiting) {
    this.#options = options;
    this.#waiting = waiting;
    this.#adoption = new Adoption(options);
  }

  async deliver(asked: Asked, call: Call, reply: FastifyReply) {
    const read = readWishes(asked.headers, this.#options.settings);
    if (read.kind === 'wrong') {
      return answerNo(reply, 400, `Bad Request: ${read.header} must be ${read.expected}`);
    }
    const { speaker } = asked;
    if (COSMETIC_FAMILIES.includes(call.family)) {
      return this.#sendCosmetic(speaker.account, call, asked.params, reply);
    }
    const isHeld = read.patience.kind !== 'async';
    if (isHeld && !this.#waiting.enter(speaker)) {
      return answerProblem(reply, problem('too_many_waiting', ''));
    }
    // Not in a function of its own: that would be one more promise for every message.
    try {
      const { params, files } = asked;
      const { patience } = read;
      const { account, virtual } = speaker;
      const wishes = keyedBy(virtual?.namespace ?? HOLDERS.bot, read.wishes);
      const answer = answering(this.#options, account, call, params);
      const content = {
        body: bodyOf(params, files),
        ...(files === NO_FILES ? null : idsOf(files)),
      };
      const composed = compose(
        this.#options.clock.now(),
        { account, platform: PLATFORM, call: answer, ...content },
        wishes,
      );
      if ('path' in composed) return answerProblem(reply, invalid('invalid_message', [composed]));
      const bounds = virtual?.bounds ?? null;
      const delivery = bounds === null ? composed : lowered(composed, bounds);
      const shown = wishes.idempotencyKey === null ? this.#options.road.unchanged(delivery) : null;
      if (shown !== null) {
        reply.header('x-sluice-delivery', formatId(this.#options.tag, shown.seq));
        return this.#answerEnd(reply, call, params, shown);
      }
      const orphan = this.#adoption.isEmpty ? null : await this.#adopt(delivery);
      const taken = orphan ?? (await submitOne(this.#options, { kind: 'drafted', delivery }));
      if (typeof taken === 'object' && taken.kind === 'refused') {
        return this.#answerRefusal(reply, taken.problem);
      }
      const seq = typeof taken === 'number' ? taken : taken.seq;
      reply.header('x-sluice-delivery', formatId(this.#options.tag, seq));
      const waited = await this.#wait(reply, seq, patience);
      if (waited.kind === 'left') this.#abandon(delivery, seq);
      return this.#answerWaited(reply, call, params, seq, waited);
    } finally {
      if (isHeld) this.#waiting.leave(speaker);
    }
  }

  async #adopt(delivery: NewDelivery): Promise<number | null> {
    const print = fingerprint(delivery);
    return print === null ? null : this.#adoption.claim(print, delivery);
  }

  #abandon(delivery: NewDelivery, seq: number): void {
    const print = fingerprint(delivery);
    if (print !== null) this.#adoption.lost(print, seq);
  }

  async #sendCosmetic(account: string, call: Call, params: Params, reply: FastifyReply) {
    const { chat, method, family, gate } = call;
    const body = bodyOf(params, NO_FILES);
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
        return answerProvisionally(
          reply,
          provisionalResult(call, params, seq, this.#options.clock.now()),
        );
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
    const { road, clock, ledger } = this.#options;
    // The caller would repeat what the chat shows already.
    const record = await ledger.get(seq);
    if (record?.cures.some((cure) => PARTLY_SENT.includes(cure)) === true) return null;
    const at = clock.now();
    const eta = road.place(seq)?.eta ?? at;
    const moved = await road.move({
      seq,
      to: 'cancelled',
      at,
      reason: WITHDRAWN,
      by: 'sluice',
      body: null,
      queueMax: 0,
    });
    return moved.kind === 'moved' ? Math.max(1, Math.ceil((eta - at) / 1000)) : null;
  }
}

// Of all holders each has its own.
function keyedBy(holder: string, wishes: Wishes): Wishes {
  const { idempotencyKey: key } = wishes;
  return key === null ? wishes : { ...wishes, idempotencyKey: ownKey(holder, key) };
}

function idsOf(files: Files): { files: string[] } {
  return { files: Object.values(files).map(({ id }) => id) };
}
