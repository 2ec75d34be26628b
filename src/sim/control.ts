// The hidden hand: routes under /sim/ with which a test looks into a simulated platform and disturbs it.
// What it keeps is bounded: the newest CALLS_MAX calls. Tokens are never shown, only what stands before their secret.

import type { Clock } from '../system/clock.ts';
import type { Random } from '../system/random.ts';
import {
  type FaultRates,
  type Faults,
  randomFaults,
  type ScriptedFault,
  scriptedFaults,
} from './faults.ts';
import type { SimCall, SimModel } from './model.ts';
import { intOf, jsonOf, listOf, type SimParams } from './params.ts';

export const CALLS_MAX = 200_000;

export class Control {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #script = scriptedFaults([]);
  #rates: Faults;
  readonly #calls: SimCall[] = [];
  #judged = 0;
  readonly #stats = { calls: 0, accepted: 0, messages: 0, limited: 0, flood: 0, held: 0 };

  constructor(clock: Clock, random: Random, faults: Faults) {
    this.#clock = clock;
    this.#random = random;
    this.#rates = faults;
  }

  readonly faults: Faults = {
    next: (target, now) => this.#script.next(target, now) ?? this.#rates.next(target, now),
  };

  readonly record = (call: SimCall): void => {
    this.#calls[this.#judged++ % CALLS_MAX] = call;
    const stats = this.#stats;
    stats.calls += 1;
    if (call.acceptedAt !== null) stats.accepted += 1;
    stats.messages += call.messageIds.length;
    if (call.retryAfterS !== null) stats.limited += 1;
    if (call.cause === 'flood') stats.flood += 1;
    if (call.holdMs > 0) stats.held += 1;
  };

  // null: no such route.
  handle(model: SimModel, route: string, params: SimParams): unknown {
    switch (route) {
      case 'GET /sim/stats':
        return { ...this.#stats, windowsExceeded: this.#stats.flood + this.#stats.held };
      case 'GET /sim/calls':
        return this.#since(intOf(params, 'since') ?? 0);
      case 'POST /sim/faults':
        return this.#setFaults(params);
      default:
        return model.control(route, params, this.#clock.now());
    }
  }

  // `next` is what to ask from the next time.
  #since(since: number): unknown {
    const calls = [];
    for (let i = Math.max(since, this.#judged - CALLS_MAX); i < this.#judged; i++) {
      const { token, ...call } = this.#calls[i % CALLS_MAX]!;
      calls.push({ n: i, bot: token.split(/[:.]/)[0], ...call });
    }
    return { next: this.#judged, calls };
  }

  // A script is added to what is there; rates replace what was; neither clears both.
  #setFaults(params: SimParams): unknown {
    const script = listOf(params, 'script') as readonly ScriptedFault[];
    const rates = jsonOf(params, 'rates') as FaultRates | undefined;
    for (const line of script) this.#script.add(line);
    if (rates !== undefined) this.#rates = randomFaults(this.#random, rates);
    if (script.length === 0 && rates === undefined) {
      this.#script.clear();
      this.#rates = randomFaults(this.#random, {});
    }
    return { ok: true };
  }
}
