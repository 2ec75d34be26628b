// Chats that always have more to say, and a platform whose limits change: what is learned of them, and what must be.

import { intBelow, type Random, seededRandom } from '../system/random.ts';
import { AccountLimits } from './limits.ts';
import { type Judged, jitter, run, TrueLimit, type WorldVerdict } from './pacing.world.ts';
import type { Charge, Rule } from './types.ts';

export const MINUTE_MS = 60_000;
export const PHASE_MS = 20 * MINUTE_MS;
export const SETTLED_MS = 10 * MINUTE_MS;
const SAMPLE_MS = 10_000;
export const TRUTH_MIN = 0.2;
export const SEED_MAX = 2 ** 31;
const USED_MIN = 0.9;
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
  // And of the chat with the most once it has: what trying for more costs for good.
  readonly refusalsSettled: number;
  // The longest time below half of the truth.
  readonly starvedMs: number;
}

export interface TrialKind extends Pick<Trial, 'rule' | 'chats' | 'hiddenMsMax'> {
  readonly name: string;
  // The most that may be believed, as a share of the truth.
  readonly believedMax: number;
  // Refusals of one chat in the ten minutes after a change, and in the next ten.
  readonly refusalsMax: number;
  readonly refusalsSettledMax: number;
}

const IN_GROUP = { rule: GROUP, chats: 2, believedMax: 1 };
const IN_PRIVATE = { rule: SPACING, chats: 2 };
const OF_ACCOUNT = { rule: BULK, chats: 60 };
const HIDDEN = { hiddenMsMax: HIDDEN_MS_MAX, refusalsMax: 3, refusalsSettledMax: 0 };
const REFUSED = { hiddenMsMax: 0, refusalsMax: 3, refusalsSettledMax: 2 };
// A hidden wait of less than 60 ms does not stand out from a line that jitters, and is all that so much more costs.
const UNSEEN_EXCESS = 1.08;
// Calls arrive a few milliseconds further apart than they have to, so nobody is refused for a spacing that is believed
// to be so much shorter than it is.
const LINE_EXCESS = 1.01;

export const TRIAL_KINDS: readonly TrialKind[] = [
  { name: 'a group, short waits hidden', ...IN_GROUP, ...HIDDEN },
  { name: 'a group, all refused at once', ...IN_GROUP, ...REFUSED },
  {
    name: 'a private chat, short waits hidden',
    ...IN_PRIVATE,
    ...HIDDEN,
    believedMax: UNSEEN_EXCESS,
  },
  {
    name: 'a private chat, all refused at once',
    ...{ ...IN_PRIVATE, ...REFUSED, believedMax: LINE_EXCESS },
    // What a refused try tells to a second only is followed by small steps, the last of which is refused as well.
    refusalsSettledMax: 3,
  },
  { name: 'an account, short waits hidden', ...OF_ACCOUNT, ...HIDDEN, believedMax: UNSEEN_EXCESS },
  { name: 'an account, all refused at once', ...OF_ACCOUNT, ...REFUSED, believedMax: 1 },
];

// Those of an account have thirty times the calls.
export function truthsMax({ rule }: TrialKind): number {
  return rule === BULK ? 2 : 4;
}

export function drawTrial(kind: TrialKind, random: Random): Trial {
  const length = 1 + intBelow(random, truthsMax(kind));
  const truths = Array.from({ length }, () => TRUTH_MIN + (1 - TRUTH_MIN) * random.next());
  return { ...kind, truths, seed: intBelow(random, SEED_MAX) };
}

// What is wrong with a phase; nothing, if it is as it must be.
export function missesOf(phase: Phase, kind: TrialKind): string[] {
  const { used, ideal, refusals, refusalsSettled, starvedMs } = phase;
  const believed = medianOf(phase.believed);
  // One at either end may belong to the time beside it.
  const usedMax = 1 + kind.chats / ideal + 0.005;
  const misses: readonly (readonly [boolean, string])[] = [
    [used < USED_MIN, 'used too little'],
    [used > usedMax, 'used too much'],
    [believed < USED_MIN, 'believed too little'],
    [believed > kind.believedMax, 'believed too much'],
    [refusals > kind.refusalsMax, 'refused too often'],
    [refusalsSettled > kind.refusalsSettledMax, 'refused too often once it had settled'],
    [starvedMs > SETTLED_MS, 'below half for too long'],
  ];
  return misses.flatMap(([isMiss, what]) => (isMiss ? [what] : []));
}

export function medianOf(sorted: readonly number[]): number {
  return sorted[sorted.length >> 1]!;
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
      refusalsSettled: refusalsOfWorstChat(settled),
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
