// Chats that always have more to say, and a platform whose limits change: what is learned of them.

import { seededRandom } from '../system/random.ts';
import { AccountLimits } from './limits.ts';
import { type Judged, jitter, run, TrueLimit, type WorldVerdict } from './pacing.world.ts';
import type { Charge, Rule } from './types.ts';

export const MINUTE_MS = 60_000;
export const PHASE_MS = 20 * MINUTE_MS;
export const SETTLED_MS = 10 * MINUTE_MS;
const SAMPLE_MS = 10_000;
// Telegram sleeps through waits of up to 8 s; a platform that hides nothing refuses at once.
export const HIDDEN_MS_MAX = 8000;
export const SPACING: Rule = { name: 'chat_second', scope: 'chat', count: 1, perMs: 1000 };
export const GROUP: Rule = { name: 'group_minute', scope: 'chat', count: 20, perMs: MINUTE_MS };
export const BULK: Rule = { name: 'account_second', scope: 'account', count: 30, perMs: 1000 };

export interface Trial {
  // Whose truth it is about; the spacing of a chat holds beside it.
  readonly rule: Rule;
  readonly chats: number;
  readonly hiddenMsMax: number;
  // The true share of the prior, for a phase each.
  readonly truths: readonly number[];
  readonly seed: number;
}

export interface Phase {
  readonly truth: number;
  // Once it has settled: what went through, and what was believed, as shares of the truth.
  readonly used: number;
  // Calls that the truth allows in that time.
  readonly ideal: number;
  readonly believed: readonly number[];
  // Refusals of the chat with the most, while it settled.
  readonly refusals: number;
  // The longest time below half of the truth.
  readonly starvedMs: number;
}

// A whole number of calls in the prior's window, or one call in a longer one.
function trueRate({ count, perMs }: Rule, truth: number) {
  if (count === 1) return { count: 1, perMs: perMs / truth, share: truth };
  const whole = Math.round(count * truth);
  return { count: whole, perMs, share: whole / count };
}

// Chats that always have more to say, and a platform whose limits change.
export function attempt({ rule, chats, hiddenMsMax, truths, seed }: Trial): Phase[] {
  const isOfAccount = rule.scope === 'account';
  const account = isOfAccount ? [rule] : [];
  const chat = isOfAccount || rule === SPACING ? [SPACING] : [SPACING, rule];
  const limits = new AccountLimits({
    account: 'paper:a',
    priors: { planOf: () => ({ account, chat }) },
  });
  const random = seededRandom(seed);
  const truthAt = (now: number) => truths[Math.min(truths.length - 1, Math.floor(now / PHASE_MS))]!;
  const limitOf = perChat(() => new TrueLimit(1, 1, hiddenMsMax));
  const believed: { at: number; share: number }[] = [];
  const look = (at: number) => {
    const [view] = limits.view(at, 2).filter((each) => (each.chat === '') === isOfAccount);
    const found = view?.rules.find(({ name }) => name === rule.name);
    believed.push({ at, share: found?.learned ?? 1 });
  };
  const judge = (charge: Charge, now: number): WorldVerdict => {
    while (believed.length * SAMPLE_MS <= now) look(believed.length * SAMPLE_MS);
    const limit = limitOf(isOfAccount ? { ...charge, chat: '' } : charge);
    return limit.change(trueRate(rule, truthAt(now))).judge(now);
  };
  const charges = Array.from({ length: chats }, (_, n): Charge => {
    return { chat: `c${n}`, user: null, family: 'send', budget: 'broadcast', live: false, cost: 1 };
  });
  const world = { limits, charges, random, trip: jitter(random, 30, 15), judge };
  const judged = run(world, 0, truths.length * PHASE_MS);
  return truths.map((truth, n) => {
    const from = n * PHASE_MS;
    const rate = trueRate(rule, truth);
    const settled = between(judged, from + SETTLED_MS, from + PHASE_MS);
    const taken = settled.filter(({ signal }) => signal.kind === 'ok').length;
    const ideal = ((PHASE_MS - SETTLED_MS) * rate.count * (isOfAccount ? 1 : chats)) / rate.perMs;
    const shares = between(believed, from, from + PHASE_MS).map(({ share }) => share / rate.share);
    return {
      truth,
      used: taken / ideal,
      ideal,
      believed: shares.slice(SETTLED_MS / SAMPLE_MS).sort((a, b) => a - b),
      refusals: refusalsOfWorstChat(between(judged, from, from + SETTLED_MS)),
      starvedMs: longestBelowHalf(shares) * SAMPLE_MS,
    };
  });
}

function between<T extends { at: number }>(all: readonly T[], from: number, until: number): T[] {
  return all.filter(({ at }) => at >= from && at < until);
}

export function perChat<T>(make: () => T): (charge: Charge) => T {
  const made = new Map<string, T>();
  return ({ chat }) => {
    const one = made.get(chat) ?? make();
    made.set(chat, one);
    return one;
  };
}

export function refusalsOfWorstChat(judged: readonly Judged[]): number {
  const refused = judged.filter(({ signal }) => signal.kind === 'limited');
  const chats = Map.groupBy(refused, ({ charge }) => charge.chat);
  return Math.max(0, ...[...chats.values()].map(({ length }) => length));
}

function longestBelowHalf(shares: readonly number[]): number {
  let [longest, current] = [0, 0];
  for (const share of shares) {
    current = share < 0.5 ? current + 1 : 0;
    longest = Math.max(longest, current);
  }
  return longest;
}
