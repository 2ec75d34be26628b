// A call of a dialect that sends: over the road, and answered in the platform's own words when it has ended.
// A caller who hangs up ends the waiting and never the delivery.
// A token may be in the path: no path of a dialect is ever logged or echoed.

import type { IncomingHttpHeaders } from 'node:http';
import {
  Adoption,
  type Caller,
  type Claimed,
  fingerprint,
  type Waited,
  type WaitingCallers,
} from '../../accept/callers.ts';
import {
  answering,
  classesFor,
  compose,
  inItsThread,
  lowered,
  type SendOptions,
  userFor,
} from '../../accept/draft.ts';
import { invalid } from '../../accept/problems.ts';
import { type Submitted, submitOne } from '../../accept/submit.ts';
import { asExact, bodyOf, type Files, NO_FILES } from '../../domain/body.ts';
import { COSMETIC_FAMILIES, type DescribedCall } from '../../domain/call.ts';
import {
  isWithdrawal,
  type NewDelivery,
  WITHDRAWN,
  WITHDRAWN_AT_STOP,
} from '../../domain/delivery.ts';
import { type Problem, problem } from '../../domain/errors.ts';
import { HOLDERS, ownKey } from '../../domain/idempotency.ts';
import { type AccountId, formatId } from '../../domain/ids.ts';
import type { AnswerHeaders, DialectParams, ValueAnswer } from '../../platforms/platform.ts';
import { tolerateUnavailable } from '../../store/ports/unavailable.ts';
import type { HttpParts } from '../context.ts';
import { withHeaders } from '../edge.ts';
import { answerProblem, answerStopping, type ServedPlatform } from './answers.ts';
import { type Patience, readSendOptions, type Speaker, type VirtualSpeaker } from './caller.ts';

// Between two tries to withdraw what is being sent just now; and the same while the gateway stops.
const WITHDRAW_AGAIN_MS = 1000;
const STOP_AGAIN_MS = 50;
// To a caller who waited for what another caller withdrew.
const WITHDRAWN_RETRY_S = 1;

const ASYNC_APPLIED: AnswerHeaders = { 'preference-applied': 'respond-async' };

// A call as it came; what its parameters mean is known already.
export interface AskedCall {
  readonly speaker: Speaker;
  readonly headers: IncomingHttpHeaders;
  readonly params: DialectParams;
  // Pinned in the spool until the call is answered.
  readonly files: Files;
}

// How a caller's patience ended.
type Patiently =
  | Extract<Waited, { kind: 'ended' }>
  // `preview`: answered at once without having asked for it.
  | { kind: 'async' | 'preview' | 'left' }
  | { kind: 'withdrawn'; retryAfterS: number }
  // The gateway stops: it was withdrawn, or it may be out already and stays.
  | { kind: 'stopped' | 'kept' }
  // The disk is full: it is kept, and goes out when there is space.
  | { kind: 'full' };

export class Deliveries {
  readonly #options: HttpParts;
  readonly #platform: Pick<ServedPlatform, 'name' | 'dialect'>;
  readonly #waiting: WaitingCallers;
  readonly #adoption: Adoption;

  constructor(
    options: HttpParts,
    platform: Pick<ServedPlatform, 'name' | 'dialect'>,
    waiting: WaitingCallers,
  ) {
    this.#options = options;
    this.#platform = platform;
    this.#waiting = waiting;
    this.#adoption = new Adoption(options);
  }

  async deliver(asked: AskedCall, call: DescribedCall, caller: Caller): Promise<ValueAnswer> {
    const { name: platform, dialect } = this.#platform;
    const read = readSendOptions(asked.headers, this.#options.settings);
    if (read.kind === 'wrong') return dialect.unreadable(`${read.header} must be ${read.expected}`);
    const { speaker } = asked;
    if (COSMETIC_FAMILIES.includes(call.family)) {
      return this.#sendCosmetic(speaker.account, call, asked.params);
    }
    const isHeld = read.patience.kind !== 'async';
    if (isHeld && !this.#waiting.enter(speaker)) {
      return answerProblem(dialect, problem('too_many_waiting', ''));
    }
    // Not in a function of its own: that would be one more promise for every message.
    try {
      const { params, files } = asked;
      const { patience } = read;
      const { account, virtual } = speaker;
      const sendOptions = keyedBy(virtual?.namespace ?? HOLDERS.bot, read.sendOptions);
      const placed = inItsThread(this.#options, account, call);
      const described = answering(this.#options, account, placed, params);
      const body = bodyOf(params, files);
      const content = {
        body: this.#options.settings.dropInCures ? body : asExact(body),
        ...(files === NO_FILES ? null : idsOf(files)),
      };
      const composed = compose(
        this.#options.clock.now(),
        {
          account,
          platform,
          call: described,
          user: this.#userOf(account, call, params),
          ...content,
          ...classesFor(this.#options, account),
        },
        sendOptions,
      );
      if ('path' in composed) {
        return answerProblem(dialect, invalid('invalid_message', [composed]));
      }
      const delivery = virtual === null ? composed : spokenBy(virtual, composed);
      const shown =
        delivery.family === 'edit' && sendOptions.idempotencyKey === null
          ? this.#options.road.unchanged(delivery)
          : null;
      if (shown !== null) {
        const answer = dialect.ended(call, params, shown, this.#options.clock.now());
        return withHeaders(answer, this.#receipt(shown.seq, delivery.correlation, null));
      }
      const claimed = this.#adoption.isEmpty ? null : await this.#claim(delivery);
      const isAdopted = claimed?.kind === 'adopted';
      // Its turn came after the stop began: nothing more is accepted that holds the line.
      if (isHeld && !isAdopted && this.#waiting.isStopping) return answerStopping(dialect);
      const taken = isAdopted ? claimed : await this.#submit(delivery, claimed);
      const repeats = isAdopted ? null : (claimed?.seq ?? null);
      if (taken.kind === 'refused') return this.#answerRefusal(taken.problem, repeats);
      const { seq } = taken;
      const waited: Patiently = this.#isAnsweredAhead(asked, call, seq)
        ? { kind: 'preview' }
        : await this.#wait(caller, delivery.account, seq, patience);
      this.#tellCaller(caller, delivery, seq, waited);
      const answer = this.#answerWaited(call, params, seq, waited);
      const { correlation } = taken.kind === 'adopted' ? taken : taken.receipt;
      return withHeaders(answer, this.#receipt(seq, correlation, repeats));
    } finally {
      if (isHeld) this.#waiting.leave(speaker);
    }
  }

  // A live edit, unless its caller asked for more, or only the platform knows the answer.
  #isAnsweredAhead({ headers, params }: AskedCall, call: DescribedCall, seq: number): boolean {
    if (call.family !== 'edit' || headers.prefer !== undefined) return false;
    if (!this.#options.road.isPreview(seq)) return false;
    return this.#platform.dialect.isForetold?.(call, params) ?? true;
  }

  #userOf(account: AccountId, call: DescribedCall, params: DialectParams): string | null {
    const platform = this.#options.platforms.get(this.#platform.name);
    return platform === undefined ? null : userFor(this.#options, account, platform, call, params);
  }

  // Which delivery it is, how its caller names it, and which one it may repeat.
  #receipt(seq: number, correlation: string | null, repeats: number | null): AnswerHeaders {
    const { tag } = this.#options;
    const id = formatId(tag, seq);
    const own = { 'x-sluice-delivery': id, 'x-correlation-id': correlation ?? id };
    return repeats === null ? own : { ...own, ...this.#repeats(repeats) };
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
    // Also one who left just now, when the answer was there; and one who is sent away: the same again finds it.
    if (waited.kind === 'left' || waited.kind === 'full' || caller.destroyed === true)
      this.#abandon(delivery, seq);
    // It gets the answer of the one that took its place, or of the message as it will be.
    else if (isAnsweredElsewise(delivery, seq, waited)) {
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

  async #sendCosmetic(account: AccountId, call: DescribedCall, params: DialectParams) {
    const { chat, thread, method, family, budget } = call;
    const body = bodyOf(params, NO_FILES);
    const made = { account, chat, thread, method, family, budget, user: null, body };
    const { result } = await this.#options.road.cosmetic(made);
    return this.#platform.dialect.cosmetic(result);
  }

  #answerRefusal(refusal: Problem, repeats: number | null): ValueAnswer {
    const { id } = refusal;
    const repeated = repeats === null ? {} : this.#repeats(repeats);
    const own = typeof id === 'string' ? { 'x-sluice-delivery': id } : {};
    return withHeaders(answerProblem(this.#platform.dialect, refusal), { ...repeated, ...own });
  }

  async #wait(
    caller: Caller,
    account: AccountId,
    seq: number,
    patience: Patience,
  ): Promise<Patiently> {
    if (patience.kind === 'async') return { kind: 'async' };
    let ms = patience.kind === 'hold' ? null : patience.seconds * 1000;
    for (;;) {
      if (this.#waiting.isStopping) ms = STOP_AGAIN_MS;
      const waited = await this.#waiting.until(seq, ms, caller, true);
      if (waited.kind === 'ended') return this.#unlessWithdrawn(waited);
      if (waited.kind === 'left' || waited.kind === 'full') return { kind: waited.kind };
      const withdrawn = await this.#withdraw(account, seq).catch(notNow);
      if (withdrawn !== null) return withdrawn;
      // Not now, or too late: it is being sent, so the answer is near, or it will wait again.
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
    params: DialectParams,
    seq: number,
    waited: Patiently,
  ): ValueAnswer {
    const { dialect } = this.#platform;
    const now = this.#options.clock.now();
    switch (waited.kind) {
      case 'async':
        return withHeaders(dialect.provisional(call, params, seq, now), ASYNC_APPLIED);
      case 'preview':
        // Its client knows of no other answer than the platform's.
        return { ...dialect.provisional(call, params, seq, now), status: 200 };
      case 'ended':
        return dialect.ended(call, params, waited.ended, now);
      case 'withdrawn':
        return dialect.later(waited.retryAfterS);
      case 'stopped':
        return answerStopping(dialect);
      case 'kept':
        return dialect.conflict(keptDetail(formatId(this.#options.tag, seq)));
      case 'full': {
        const id = formatId(this.#options.tag, seq);
        return answerProblem(dialect, problem('disk_full', fullDetail(id)));
      }
      case 'left':
        // Nobody reads it.
        return answerStopping(dialect);
    }
  }

  // null: it can no longer be withdrawn, or not yet.
  async #withdraw(account: AccountId, seq: number): Promise<Patiently | null> {
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

// The store cannot be written: it stays accepted, and its caller must not be told to say it again.
function notNow(error: unknown): null {
  tolerateUnavailable(error);
  return null;
}

function isAnsweredElsewise({ held }: NewDelivery, seq: number, waited: Patiently): boolean {
  if (waited.kind === 'preview') return held === true;
  return waited.kind === 'ended' && waited.ended.seq !== seq;
}

const fullDetail = (id: string) =>
  `The disk is full: ${id} is accepted and goes out when there is space; the same call again waits for it. ` +
  'Free space in the data folder.';

const keptDetail = (id: string) =>
  `the gateway is stopping, and ${id} may be delivered already, or in part; it goes on after the start`;

function spokenBy({ bounds, namespace }: VirtualSpeaker, composed: NewDelivery): NewDelivery {
  const delivery = bounds === null ? composed : lowered(composed, bounds);
  return delivery.held === true ? { ...delivery, holder: namespace } : delivery;
}

// Of all holders each has its own.
function keyedBy(holder: string, sendOptions: SendOptions): SendOptions {
  const { idempotencyKey: key } = sendOptions;
  return key === null ? sendOptions : { ...sendOptions, idempotencyKey: ownKey(holder, key) };
}

function idsOf(files: Files): { files: string[] } {
  return { files: Object.values(files).map(({ id }) => id) };
}
