// A world in a few lines for the tests of this folder: chats that always have something to say, a
// network that jitters, a platform with its own idea of the limits. It shares no code with the limits.

import { intBelow, type Random } from '../system/random.ts';
import type { AccountLimits } from './account-limits.ts';
import type { Charge, Signal, Ticket } from './types.ts';

export interface WorldVerdict {
  // The answer leaves the platform so much later.
  readonly holdMs: number;
  readonly signal: Signal;
}

export interface PacingWorld {
  readonly limits: AccountLimits;
  readonly random: Random;
  readonly charges: readonly Charge[];
  // How long the way there and the way back take.
  trip(): { thereMs: number; backMs: number };
  judge(charge: Charge, now: number): WorldVerdict;
}

export interface Judged {
  readonly charge: Charge;
  readonly leftAt: number;
  readonly at: number;
  // When the answer was back.
  readonly toldAt: number;
  readonly signal: Signal;
}

export function jitter(random: Random, latencyMs: number, jitterMs: number): PacingWorld['trip'] {
  const way = () => latencyMs + jitterMs * random.next();
  return () => ({ thereMs: way(), backMs: way() });
}

// Runs for `ms` and tells what the platform saw, in its order.
export function run(world: PacingWorld, from: number, ms: number): Judged[] {
  const { limits, charges, random } = world;
  const judged: Judged[] = [];
  const events: { at: number; happen: () => void }[] = [];
  const later = (at: number, happen: () => void) => {
    let place = events.length;
    while (place > 0 && events[place - 1]!.at <= at) place -= 1;
    events.splice(place, 0, { at, happen });
  };
  let now = from;

  const send = (charge: Charge, ticket: Ticket) => {
    const leftAt = now;
    const { thereMs, backMs } = world.trip();
    limits.departed(ticket, leftAt);
    later(now + thereMs, () => {
      const { holdMs, signal } = world.judge(charge, now);
      const toldAt = now + holdMs + backMs;
      judged.push({ charge, leftAt, at: now + holdMs, toldAt, signal });
      later(toldAt, () => limits.settled(ticket, signal, now));
    });
  };
  // Charges that differ in their chat alone meet the account alike: it is asked once for all, until one goes.
  const kinds = charges.map((charge) => JSON.stringify({ ...charge, chat: '' }));
  const accountAt = new Map<string, number>();
  const earliestAccount = (n: number) => {
    const known = accountAt.get(kinds[n]!) ?? limits.earliestAccount(charges[n]!, now);
    accountAt.set(kinds[n]!, known);
    return known;
  };
  while (now < from + ms) {
    let opens = Number.POSITIVE_INFINITY;
    const first = intBelow(random, charges.length);
    accountAt.clear();
    for (let n = 0; n < charges.length; n++) {
      const place = (first + n) % charges.length;
      const charge = charges[place]!;
      const at = Math.max(limits.earliestChat(charge, now), earliestAccount(place));
      if (at <= now) {
        send(charge, limits.take(charge, now));
        accountAt.clear();
      } else opens = Math.min(opens, at);
    }
    const next = events.at(-1);
    if (next === undefined || next.at > opens) now = Math.max(now + 0.01, opens);
    else {
      events.pop();
      now = next.at;
      next.happen();
    }
  }
  return judged.sort((a, b) => a.at - b.at);
}

// The most that was judged in any `perMs`; a naive look at every moment.
export function most(times: readonly number[], perMs: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  let most = 0;
  let oldest = 0;
  for (let newest = 0; newest < sorted.length; newest++) {
    // Computer arithmetic is given a microsecond.
    while (sorted[newest]! - sorted[oldest]! >= perMs - 0.001) oldest += 1;
    most = Math.max(most, newest - oldest + 1);
  }
  return most;
}

// A limit as a platform keeps it: short waits are slept through and look like latency, longer ones
// are refused. Times that passed are never forgotten; these are tests.
export class TrueLimit {
  #count: number;
  #perMs: number;
  readonly #hiddenMsMax: number;
  readonly #passed: number[] = [];

  constructor(count: number, perMs: number, hiddenMsMax: number) {
    this.#count = count;
    this.#perMs = perMs;
    this.#hiddenMsMax = hiddenMsMax;
  }

  change({ count, perMs }: { readonly count: number; readonly perMs: number }): this {
    this.#count = count;
    this.#perMs = perMs;
    return this;
  }

  judge(now: number): WorldVerdict {
    const blocking = this.#passed.at(-this.#count) ?? Number.NEGATIVE_INFINITY;
    const waitMs = Math.max(0, blocking + this.#perMs - now);
    if (waitMs > this.#hiddenMsMax) {
      const retryAfterMs = Math.ceil(waitMs / 1000) * 1000;
      return { holdMs: 0, signal: { kind: 'limited', retryAfterMs, scope: 'chat' } };
    }
    this.#passed.push(now + waitMs);
    return { holdMs: waitMs, signal: { kind: 'ok' } };
  }
}
