// Typing signs and drafts: worth something now or never. They go past the queue and the journal, straight to the
// account's limits: at once if their moment is free, else not at all. They are never tried again, never probe a
// freeze or a breaker, and stand in no message's way.

import type { ReportFault } from '../../domain/fault.ts';
import type { AccountId } from '../../domain/ids.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { AccountLimits, Ticket } from '../../limits/limits.ts';
import type { CosmeticAnswer, CosmeticCall } from '../../road/road.ts';
import type { Clock } from '../../system/clock.ts';
import type { AccountKeys } from '../attempt/run.ts';
import { answerOf, causeOf, internalFailure, lessonOf } from '../settle.ts';
import type { RoadState } from '../state.ts';

// Of one account at once; more would be typing in hundreds of chats at a platform that hangs.
const IN_FLIGHT_MAX = 100;

const DROPPED: CosmeticAnswer = { end: 'dropped', result: null };

export interface CosmeticPorts {
  readonly clock: Clock;
  readonly accounts: AccountKeys;
  readonly report: ReportFault;
}

export class Cosmetics {
  readonly #road: RoadState;
  readonly #p: CosmeticPorts;
  readonly #inFlight = new Map<string, number>();

  constructor(road: RoadState, ports: CosmeticPorts) {
    this.#road = road;
    this.#p = ports;
  }

  isBusy(account: AccountId): boolean {
    return this.#inFlight.has(account);
  }

  async make(call: CosmeticCall): Promise<CosmeticAnswer> {
    const { account, chat, method } = call;
    const answer = await this.#tryOnce(call);
    const at = this.#p.clock.now();
    this.#road.events.emit({ kind: 'cosmetic', at, account, chat, method, end: answer.end });
    return answer;
  }

  async #tryOnce(call: CosmeticCall): Promise<CosmeticAnswer> {
    const { account, chat, thread = null, user, family, budget, method } = call;
    const { clock, accounts } = this.#p;
    const { availability } = this.#road;
    const { limits } = this.#road.openAccount(account);
    const credential = accounts.credentialOf(account);
    const charge = { chat, thread, user, family, budget, method, live: false, cost: 1 };
    const inFlight = this.#inFlight.get(account) ?? 0;
    if (credential === null || inFlight >= IN_FLIGHT_MAX || availability.isBlocked(account))
      return DROPPED;
    if (!limits.isFreeFor(charge, clock.now())) return DROPPED;
    const ticket = limits.take(charge, clock.now());
    this.#inFlight.set(account, inFlight + 1);
    try {
      const outcome = await this.#call(credential, call);
      await this.#learn(call, limits, ticket, outcome);
      return answerFor(outcome);
    } finally {
      // Only now: the account may be closed when nothing of it is busy, and what is learned is learned of an open one.
      this.#count(account, -1);
    }
  }

  async #learn(
    { account, chat }: CosmeticCall,
    limits: AccountLimits,
    ticket: Ticket,
    outcome: Outcome,
  ): Promise<void> {
    const { availability, scheduler, tokens } = this.#road;
    const { clock } = this.#p;
    const { signal, health } = lessonOf(outcome);
    const now = clock.now();
    const learned = limits.settled(ticket, signal, now, outcome.observed);
    scheduler.reconsider(account, chat, now);
    const isSure = health !== 'refused' || (await tokens.isRefused(account));
    if (health !== 'unknown' && isSure) {
      availability.learn(account, chat, health, causeOf(outcome), clock.now());
    }
    await this.#road.saveLimits(learned.records);
  }

  // Never rejects: whatever the platform throws is an outcome of this call.
  async #call(credential: string, { account, method, body }: CosmeticCall): Promise<Outcome> {
    const { platform, deadlineMs } = this.#road.profileOf(account);
    try {
      const reply = await platform.wire.send({ credential, method, body, deadlineMs });
      return platform.wire.classify(method, reply);
    } catch (error) {
      this.#p.report('cosmetic', error, { account, method });
      return internalFailure(error, true);
    }
  }

  #count(account: AccountId, change: number): void {
    const left = (this.#inFlight.get(account) ?? 0) + change;
    if (left === 0) this.#inFlight.delete(account);
    else this.#inFlight.set(account, left);
  }
}

// The caller gets a refusal (drafts exist in private chats only), but no wait and no connection error: it would only
// try again.
function answerFor(outcome: Outcome): CosmeticAnswer {
  switch (outcome.kind) {
    case 'sent':
    case 'refused':
      return { end: outcome.kind, result: answerOf(outcome) };
    case 'limited':
      return DROPPED;
    default:
      return { end: 'failed', result: null };
  }
}
