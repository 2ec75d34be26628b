// A call of Telegram's API that sends: over the road, and answered with Telegram's own words when it has ended.
// A caller who hangs up ends the waiting and never the delivery.
// The token is in the path: no path of this dialect is ever logged or echoed.

import type { IncomingHttpHeaders } from 'node:http';
import {
  answering,
  compose,
  type DescribedCall,
  inItsThread,
  lowered,
  type SendOptions,
} from '../../accept/draft.ts';
import { invalid } from '../../accept/problems.ts';
import type { Caller, Waited, WaitingCallers } from '../../accept/receipt.ts';
import { Adoption, type Claimed, fingerprint } from '../../accept/reconnect.ts';
import { type Submitted, submitOne } from '../../accept/submit.ts';
import { COSMETIC_FAMILIES } from '../../domain/call.ts';
import {
  isWithdrawal,
  type NewDelivery,
  WITHDRAWN,
  WITHDRAWN_AT_STOP,
} from '../../domain/delivery.ts';
import { type Problem, problem } from '../../domain/errors.ts';
import { asExact } from '../../domain/exact.ts';
import { HOLDERS, ownKey } from '../../domain/idempotency.ts';
import { formatId } from '../../domain/ids.ts';
import { bodyOf, type Files, NO_FILES } from '../../domain/upload.ts';
import type { Ended } from '../../road/road.ts';
import type { AnswerHeaders, ValueAnswer } from '../answer.ts';
import type { IntakeOptions } from '../context.ts';
import {
  answerCosmetic,
  answerEdit,
  answerEnd,
  answerKept,
  answerLater,
  answerNo,
  answerProblem,
  answerProvisionally,
  answerStopping,
  withHeaders,
} from './answer.ts';
import type { RequestParams } from './params.ts';
import { provisionalResult } from './provisional.ts';
import { type Patience, readWishes } from './send-options.ts';
import type { Speaker, VirtualSpeaker } from './speaker.ts';

const PLATFORM = 'telegram';
// Between two tries to withdraw what is being sent just now; and the same while the gateway stops.
const WITHDRAW_AGAIN_MS = 1000;
const STOP_AGAIN_MS = 50;
// To a caller who waited for what another caller withdrew.
const WITHDRAWN_RETRY_S = 1;

// A call as it came; what its parameters mean is known already.
export interface AskedCall {
  readonly speaker: Speaker;
  readonly headers: IncomingHttpHeaders;
  readonly params: Readonly<RequestParams>;
  // Pinned in the spool until the call is answered.
  readonly files: Files;
}

// How a caller's patience ended.
type Patiently =
  | Exclude<Waited, { kind: 'time' | 'stopping' | 'left' }>
  | { kind: 'async' | 'left' }
  | { kind: 'withdrawn'; retryAfterS: number }
  // The gateway stops: it was withdrawn, or it may be out already and stays.
  | { kind: 'stopped' | 'kept' };

export class Dialect {
  readonly #options: IntakeOptions;
  readonly #waiting: WaitingCallers;
  readonly #adoption: Adoption;

  constructor(options: IntakeOptions, waiting: WaitingCallers) {
    this.#options = options;
    this.#waiting = waiting;
    this.#adoption = new Adoption(options);
  }

  async deliver(asked: AskedCall, call: DescribedCall, caller: Caller): Promise<ValueAnswer> {
    const read = readWishes(asked.headers, this.#options.settings);
    if (read.kind === 'wrong') {
      return answerNo(400, `Bad Request: ${read.header} must be ${read.expected}`);
    }
    const { speaker } = asked;
    if (COSMETIC_FAMILIES.includes(call.family)) {
      return this.#sendCosmetic(speaker.account, call, asked.params);
    }
    const isHeld = read.patience.kind !== 'async';
    if (isHeld && !this.#waiting.enter(speaker)) {
      return answerProblem(problem('too_many_waiting', ''));
    }
    // Not in a function of its own: that would be one more promise for every message.
    try {
      const { params, files } = asked;
      const { patience } = read;
      const { account, virtual } = speaker;
      const wishes = keyedBy(virtual?.namespace ?? HOLDERS.bot, read.wishes);
      const placed = inItsThread(this.#options, account, call);
      const described = answering(this.#options, account, placed, params);
      const body = bodyOf(params, files);
      const content = {
        body: this.#options.settings.dropInCures ? body : asExact(body),
        ...(files === NO_FILES ? null : idsOf(files)),
      };
      const composed = compose(
        this.#options.clock.now(),
        { account, platform: PLATFORM, call: described, ...content },
        wishes,
      );
      if ('path' in composed) return answerProblem(invalid('invalid_message', [composed]));
      const delivery = virtual === null ? composed : spokenBy(virtual, composed);
      const shown = wishes.idempotencyKey === null ? this.#options.road.unchanged(delivery) : null;
      if (shown !== null) {
        const { seq } = shown;
        return withHeaders(this.#answerEnd(call, params, shown), this.#receipt(seq, null));
      }
      const claimed = this.#adoption.isEmpty ? null : await this.#claim(delivery);
      const isAdopted = claimed?.kind === 'adopted';
      // Its turn came after the stop began: nothing more is accepted that holds the line.
      if (isHeld && !isAdopted && this.#waiting.isStopping) return answerStopping();
      const taken = isAdopted ? claimed : await this.#submit(delivery, claimed);
      const repeats = isAdopted ? null : (claimed?.seq ?? null);
      if (taken.kind === 'refused') return this.#answerRefusal(taken.problem, repeats);
      const { seq } = taken;
      const waited = await this.#wait(caller, delivery.account, seq, patience);
      this.#tellCaller(caller, delivery, seq, waited);
      const answer = this.#answerWaited(call, params, seq, waited);
      return withHeaders(answer, this.#receipt(seq, repeats));
    } finally {
      if (isHeld) this.#waiting.leave(speaker);
    }
  }

  // Which delivery it is, and which one it may repeat.
  #receipt(seq: number, repeats: number | null): AnswerHeaders {
    const { tag } = this.#options;
    const id = formatId(tag, seq);
    if (repeats === null) return { 'x-sluice-delivery': id };
    return { 'x-sluice-delivery': id, ...this.#repeats(repeats) };
  }

  #repeats(seq: number): AnswerHeaders {
    return { 'x-sluice-repeats': formatId(this.#options.tag, seq) };
  }

  #submit(delivery: NewDelivery, claimed: Claimed | null): Promise<Submitted> {
    if (claimed === null) return submitOne(this.#options, { kind: 'drafted', delivery });
    const { seq: repeats } = claimed;
    return submitOne(this.#options, { kind: 'drafted', delivery: { ...delivery, repeats } });
  }

  // Whether it has its answer, where that is not what the store takes for granted.
  #tellCaller(caller: Caller, delivery: NewDelivery, seq: number, waited: Patiently): void {
    // Also one who left just now, when the answer was there.
    if (waited.kind === 'left' || caller.destroyed === true) this.#abandon(delivery, seq);
    // It gets the answer of the one that took its place.
    else if (waited.kind === 'ended' && waited.ended.seq !== seq) {
      this.#options.road.caller(delivery.account, seq, true);
    }
  }

  async #claim(delivery: NewDelivery): Promise<Claimed | null> {
    const print = fingerprint(delivery);
    return print === null ? null : this.#adoption.claim(print);
  }

  #abandon(delivery: NewDelivery, seq: number): void {
    const print = fingerprint(delivery);
    if (print !== null) this.#adoption.lost(print, delivery.account, seq);
  }

  async #sendCosmetic(account: string, call: DescribedCall, params: RequestParams) {
    const { chat, thread, method, family, gate } = call;
    const body = bodyOf(params, NO_FILES);
    const made = { account, chat, thread, method, family, gate, user: null, body };
    return answerCosmetic(await this.#options.road.cosmetic(made));
  }

  #answerRefusal(refusal: Problem, repeats: number | null): ValueAnswer {
    const { id } = refusal;
    const repeated = repeats === null ? {} : this.#repeats(repeats);
    const own = typeof id === 'string' ? { 'x-sluice-delivery': id } : {};
    return withHeaders(answerProblem(refusal), { ...repeated, ...own });
  }

  async #wait(
    caller: Caller,
    account: string,
    seq: number,
    patience: Patience,
  ): Promise<Patiently> {
    if (patience.kind === 'async') return { kind: 'async' };
    let ms = patience.kind === 'hold' ? null : patience.seconds * 1000;
    for (;;) {
      if (this.#waiting.isStopping) ms = STOP_AGAIN_MS;
      const waited = await this.#waiting.until(seq, ms, caller, true);
      if (waited.kind === 'ended') return this.#unlessWithdrawn(waited);
      if (waited.kind === 'left') return { kind: 'left' };
      const withdrawn = await this.#withdraw(account, seq);
      if (withdrawn !== null) return withdrawn;
      // Too late to withdraw: it is being sent, so the answer is near, or it will wait again.
      ms = WITHDRAW_AGAIN_MS;
    }
  }

  // Two callers of one key wait for one delivery, and the other one has taken it back.
  #unlessWithdrawn(waited: Extract<Waited, { kind: 'ended' }>): Patiently {
    const { state, reason } = waited.ended;
    if (state !== 'cancelled' || !isWithdrawal(reason)) return waited;
    if (reason === WITHDRAWN_AT_STOP) return { kind: 'stopped' };
    return { kind: 'withdrawn', retryAfterS: WITHDRAWN_RETRY_S };
  }

  #answerWaited(
    call: DescribedCall,
    params: RequestParams,
    seq: number,
    waited: Patiently,
  ): ValueAnswer {
    switch (waited.kind) {
      case 'async':
        return answerProvisionally(provisionalResult(call, params, seq, this.#options.clock.now()));
      case 'ended':
        return this.#answerEnd(call, params, waited.ended);
      case 'withdrawn':
        return answerLater(waited.retryAfterS);
      case 'stopped':
        return answerStopping();
      case 'kept':
        return answerKept(formatId(this.#options.tag, seq));
      case 'left':
        // Nobody reads it.
        return answerStopping();
    }
  }

  #answerEnd(call: DescribedCall, params: RequestParams, ended: Ended): ValueAnswer {
    if (call.family !== 'edit') return answerEnd(ended);
    return answerEdit(call, params, ended, this.#options.clock.now());
  }

  // null: it can no longer be withdrawn, or not yet.
  async #withdraw(account: string, seq: number): Promise<Patiently | null> {
    const { road, clock } = this.#options;
    const { isStopping } = this.#waiting;
    const at = clock.now();
    const place = road.place(seq);
    // In flight: while nothing new leaves it ends soon, or waits again.
    if (isStopping && place === null) return null;
    const moved = await road.move({
      account,
      seq,
      to: 'cancelled',
      at,
      reason: isStopping ? WITHDRAWN_AT_STOP : WITHDRAWN,
      by: 'sluice',
      body: null,
      queueMax: 0,
    });
    if (moved.kind === 'moved') {
      const retryAfterS = Math.max(1, Math.ceil(((place?.eta ?? at) - at) / 1000));
      return isStopping ? { kind: 'stopped' } : { kind: 'withdrawn', retryAfterS };
    }
    // The caller would repeat what the chat may show already.
    const isOut = moved.kind === 'illegal' && moved.state === 'queued';
    return isStopping && isOut ? { kind: 'kept' } : null;
  }
}

function spokenBy({ bounds, namespace }: VirtualSpeaker, composed: NewDelivery): NewDelivery {
  const delivery = bounds === null ? composed : lowered(composed, bounds);
  return delivery.held === true ? { ...delivery, holder: namespace } : delivery;
}

// Of all holders each has its own.
function keyedBy(holder: string, wishes: SendOptions): SendOptions {
  const { idempotencyKey: key } = wishes;
  return key === null ? wishes : { ...wishes, idempotencyKey: ownKey(holder, key) };
}

function idsOf(files: Files): { files: string[] } {
  return { files: Object.values(files).map(({ id }) => id) };
}
