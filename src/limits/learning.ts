// What was learned about one rule in one place: the share of the prior that is believed.
//
// A platform with a window of its own lets a call in when it has capacity, makes it wait a little (which looks like a
// slow success), or refuses it. Each shows where the limit is, by what was in the window then.
//   - Refused with k calls in the window: the limit is k. The wait it names shows whether it was this window.
//   - Refused by a spacing at a gap of g, with a wait of w in whole seconds: the true one is in (g + w - 1 s, g + w].
//     It begins at the safe end and goes down in small steps, of which only the last can be refused.
//   - Held for h on average, at full use of a window of p: the true window is p + h long (what is let in per time falls
//     by p / (p + h), for one call at a time and for many in flight alike).
// A limit may also rise, which only a try can show: now and then one call goes a little early. If the platform
// takes it at once, more is tried, in growing steps, until it breaks; the share that broke is remembered for a while.
// What is not used proves nothing, so what was learned fades with time, also while the process is down.

export interface LearningSettings {
  // A success that took so long had its wait hidden in it; longer ones were something else.
  readonly slowMsMax: number;
  // Refusals of healthy chats within this may be the account's doing.
  readonly momentMs: number;
  // From a fall to the first try for more; doubled by each try that is refused.
  readonly pauseMs: number;
  readonly pauseMsMax: number;
  // So long the share that broke is not tried again.
  readonly ceilingMs: number;
  // What nothing confirmed for so long begins to fade, and is gone after as long again.
  readonly fadeMs: number;
}

export const LEARNING: LearningSettings = {
  // The platform hides waits up to 8 s; the rest is the call itself.
  slowMsMax: 9000,
  momentMs: 5000,
  pauseMs: 2 * 60_000,
  pauseMsMax: 6 * 60_000,
  ceilingMs: 10 * 60_000,
  fadeMs: 3_600_000,
};

export const SHARE_MIN = 0.02;
// One refusal that only half fits takes no more than this; a second one soon after counts in full.
const WEAK_FALL = 0.8;
const WEAK_MS = 2 * 60_000;
// An estimate from times is a little uncertain.
const ESTIMATE_MARGIN = 0.96;
// The first try for more lets a call go so much early, as a share of the window and at most.
const EARLY_SHARE = 0.15;
const EARLY_MS_MAX = 800;
// While tries succeed the next is so many times more.
const STEPS = [1.5, 2] as const;
// Less than this is not worth a try.
const STEP_MIN = 0.065;
// Within `ceilingMs`; then nothing is tried.
const REFUSALS_MAX = 3;
// Between what is known to be allowed and what a rounded wait shows to be too much. Not bisected: of small steps only
// the last one is refused.
const SMALL_STEP = 1.05;
// What a few calls proved was a little lucky with the line: it is kept less so much.
const LUCK_MARGIN = 0.975;
// A first try for more reaches as far as what broke then.
const SMALL_TRY = SMALL_STEP / LUCK_MARGIN;
const ALL = 0.995;
const DEAF_TIMES = 1.5;
const BACKLOG_TIMES = 3;
// Waits that differ by less are the same.
const SAME_SHARE = 0.5;
// Held by less than this share of the window: it is as it was.
export const HELD_SHARE = 0.95;

export interface LearnedRate {
  share: number;
  // The least share known to be too much, as of `fellAt`.
  ceiling: number;
  fellAt: number;
  // When it last fell, was tried or was proven.
  changedAt: number;
  // Tries for more that were refused, in a row.
  failures: number;
  // What is tried after a try that succeeded; null: nothing. Not kept on disk.
  next: number | null;
  // Tries that succeeded, in a row. Not kept on disk, like the rest.
  successes: number;
  // The mean wait that the last fall was for; waits up to `deafMs` come from elsewhere.
  heldMs: number;
  deafMs: number;
  deafUntil: number;
  // The last fall went by what had been answered then; what was in flight is still to be added.
  isCounting: boolean;
  // When it was last refused, oldest first: as many as tries may cost.
  refusedAt: readonly number[];
  // The last refusal told the truth to a second only: small steps find out the rest.
  isRounded: boolean;
}

export function newRate(): LearnedRate {
  const never = Number.NEGATIVE_INFINITY;
  return {
    share: 1,
    ceiling: 1,
    fellAt: never,
    changedAt: never,
    failures: 0,
    next: null,
    successes: 0,
    heldMs: 0,
    deafMs: 0,
    deafUntil: never,
    isCounting: false,
    refusedAt: [],
    isRounded: false,
  };
}

// What is believed, without what is tried.
export function provenAt(rate: LearnedRate, now: number, { fadeMs }: LearningSettings): number {
  if (rate.share === 1) return 1;
  const faded = (now - rate.changedAt - fadeMs) / fadeMs;
  if (faded <= 0) return rate.share;
  return Math.min(1, rate.share + (1 - rate.share) * faded);
}

// What may be used: what is believed, or what is tried.
export function shareAt(rate: LearnedRate, now: number, settings: LearningSettings): number {
  return Math.max(nextAt(rate, now, settings) ?? 0, provenAt(rate, now, settings));
}

// A step that nobody needed is not kept waiting.
function nextAt(rate: LearnedRate, now: number, settings: LearningSettings): number | null {
  const isOver = now - rate.changedAt >= settings.pauseMs || isSpared(rate, now, settings);
  return isOver ? null : rate.next;
}

// Waits up to this come from elsewhere; what was true of the line a while ago need not be any more.
export function deafMsAt(rate: LearnedRate | null, now: number): number {
  return rate !== null && now < rate.deafUntil ? rate.deafMs : 0;
}

export function isTrying(rate: LearnedRate, now: number, settings: LearningSettings): boolean {
  return nextAt(rate, now, settings) !== null || earlyMs(rate, 1, now, settings) > 0;
}

// How much early a call of a window may go, as a try; 0: none is due.
export function earlyMs(
  rate: LearnedRate,
  perMs: number,
  now: number,
  settings: LearningSettings,
): number {
  if (nextAt(rate, now, settings) !== null || rate.share === 1) return 0;
  const pauseMs = Math.min(settings.pauseMsMax, settings.pauseMs * 2 ** rate.failures);
  if (now - rate.changedAt < pauseMs || isSpared(rate, now, settings)) return 0;
  const proven = provenAt(rate, now, settings);
  // A try for so little would prove nothing, and while it is due no other evidence counts.
  if (proven * (1 + STEP_MIN) >= 1) return 0;
  // Never more than the prior, and half way to what broke lately.
  const known = brokeLately(rate, now, settings) ? Math.sqrt(proven * rate.ceiling) : 1;
  const most = known > proven * (1 + STEP_MIN) ? known : 1;
  const earlyShare = rate.isRounded ? 1 - 1 / SMALL_TRY : EARLY_SHARE;
  return Math.min(perMs * earlyShare, perMs * (1 - proven / most), EARLY_MS_MAX);
}

// It was refused so often lately that a try may wait: what is learned must not cost more than it is worth.
function isSpared(rate: LearnedRate, now: number, { ceilingMs }: LearningSettings): boolean {
  return rate.refusedAt.length === REFUSALS_MAX && now - rate.refusedAt[0]! < ceilingMs;
}

function brokeLately(rate: LearnedRate, now: number, { ceilingMs }: LearningSettings): boolean {
  return now - rate.fellAt < ceilingMs && rate.ceiling > rate.share;
}

export interface Refusal {
  // The share that the platform would have let pass, by what was in the window.
  readonly estimate: number;
  // The wait that was named is this window's own.
  readonly fits: boolean;
  // The share that was used; and whether that was more than is known to be allowed.
  readonly used: number;
  readonly isTry: boolean;
  // The least share that the wait shows to be too much; null: it was named exactly.
  readonly tooMuch: number | null;
}

// Whatever it teaches.
export function countRefusal(rate: LearnedRate, now: number): void {
  rate.refusedAt = [...rate.refusedAt, now].slice(-REFUSALS_MAX);
}

export function refuse(
  rate: LearnedRate,
  evidence: Refusal,
  now: number,
  settings: LearningSettings,
): void {
  const proven = provenAt(rate, now, settings);
  const { used } = evidence;
  const isSure = evidence.fits || now - rate.fellAt < WEAK_MS;
  const least = isSure ? SHARE_MIN : Math.max(SHARE_MIN, WEAK_FALL * proven);
  rate.failures = rate.share === 1 ? 0 : rate.failures + 1;
  // What was in the window counts; that it was as much as is believed can only be a miscount.
  const broke = evidence.isTry ? used : proven;
  const counted = evidence.estimate < broke ? evidence.estimate : broke * ESTIMATE_MARGIN;
  // A try that failed says nothing against what went through before it.
  const isDoubtful = evidence.isTry && counted < proven * HELD_SHARE;
  // Others may try for more just now; this call did not.
  const broken = evidence.isTry ? used : Math.min(used, proven);
  const ceiling = Math.min(broken, evidence.tooMuch ?? 1);
  const kept = rate.isRounded && rate.next !== null ? lessLuck(proven) : proven;
  fall(rate, isDoubtful ? kept : Math.max(least, counted), ceiling, now);
  rate.isCounting = isSure && !evidence.isTry;
  rate.isRounded = evidence.tooMuch !== null;
  // No step fits in between.
  const isClose = evidence.isTry && ceiling * ALL <= proven * SMALL_TRY;
  rate.next = isClose ? null : smallStep(rate, now, settings);
}

function lessLuck(share: number): number {
  return Math.max(SHARE_MIN, share * LUCK_MARGIN);
}

// From what is known to be allowed towards what is known to be too much: one refusal at the most ends it.
function smallStep(rate: LearnedRate, now: number, settings: LearningSettings): number | null {
  const next = rate.share * SMALL_STEP;
  const isBelow = next < rate.ceiling * ALL && brokeLately(rate, now, settings);
  return rate.isRounded && isBelow ? next : null;
}

// Calls before this tell of what was before the last fall: they were in flight then, or the platform still held others.
export function newsFrom({ changedAt, heldMs }: LearnedRate): number {
  return changedAt + BACKLOG_TIMES * heldMs;
}

// A call that was in flight when the rate fell went through: the window held that much more.
export function add(rate: LearnedRate, share: number): void {
  rate.share = Math.max(rate.share, Math.min(rate.share + share, rate.ceiling * ESTIMATE_MARGIN));
}

// Calls of a share and window that were tried or believed were held for `holdMs` on average.
export function hold(
  rate: LearnedRate,
  tried: { readonly share: number; readonly perMs: number; readonly isTry: boolean },
  holdMs: number,
  now: number,
  settings: LearningSettings,
): void {
  const proven = provenAt(rate, now, settings);
  const isSoon = now - rate.fellAt < settings.pauseMs;
  const isTheSame = Math.abs(holdMs - rate.heldMs) <= SAME_SHARE * rate.heldMs;
  if (!tried.isTry && isSoon && isTheSame && rate.heldMs > 0) {
    // To go slower did not help: it is the line that is slow, or the chat.
    rate.deafMs = Math.max(holdMs, rate.deafMs) * DEAF_TIMES;
    rate.deafUntil = now + settings.pauseMs;
    rate.heldMs = 0;
    fall(rate, 1, 1, now);
    return;
  }
  const estimate = (tried.share * tried.perMs) / (tried.perMs + holdMs);
  const share = Math.max(SHARE_MIN, estimate * ESTIMATE_MARGIN);
  rate.heldMs = tried.isTry ? 0 : holdMs;
  rate.isRounded = false;
  const isAsBefore =
    tried.isTry && estimate >= proven * HELD_SHARE && share <= proven * (1 + STEP_MIN);
  fall(rate, isAsBefore ? proven : share, tried.share, now);
}

function fall(rate: LearnedRate, share: number, ceiling: number, now: number): void {
  rate.share = share;
  rate.ceiling = ceiling;
  rate.fellAt = now;
  rate.changedAt = now;
  rate.next = null;
  rate.successes = 0;
  rate.isCounting = false;
}

// The platform took what was tried.
export function prove(
  rate: LearnedRate,
  tried: number,
  now: number,
  settings: LearningSettings,
): void {
  rate.share = tried >= ALL ? 1 : tried;
  rate.changedAt = now;
  rate.failures = 0;
  rate.heldMs = 0;
  rate.next = nextStep(rate, now, settings);
  rate.successes += 1;
  if (rate.isRounded && rate.next === null) rate.share = lessLuck(rate.share);
}

function nextStep(rate: LearnedRate, now: number, settings: LearningSettings): number | null {
  if (rate.share === 1) return null;
  const isFresh = brokeLately(rate, now, settings);
  if (rate.isRounded && isFresh) return smallStep(rate, now, settings);
  const step = STEPS[rate.isRounded ? 0 : Math.min(rate.successes, STEPS.length - 1)]!;
  const next = Math.min(1, rate.share * step);
  const most = isFresh && next >= rate.ceiling ? Math.sqrt(rate.share * rate.ceiling) : next;
  return most >= rate.share * (1 + STEP_MIN) ? most : null;
}

// Nothing is left to remember: neither a share, nor how slow the line is.
export function isSpent(rate: LearnedRate, now: number, settings: LearningSettings): boolean {
  const isHeard = rate.deafMs === 0 || now - rate.fellAt > settings.fadeMs;
  return isHeard && provenAt(rate, now, settings) === 1;
}

// Answers at full use of a window, or beyond what is believed: how long were they held?
export interface Round {
  readonly isTry: boolean;
  calls: number;
  // How many were held, and for how long together.
  held: number;
  heldMs: number;
  longestMs: number;
  secondMs: number;
  // Of the last call: one slow chat must not speak for its account.
  chat: string;
}

export function newRound(isTry: boolean): Round {
  return { isTry, calls: 0, held: 0, heldMs: 0, longestMs: 0, secondMs: 0, chat: '' };
}

export function note(round: Round, chat: string, holdMs: number): void {
  round.calls += 1;
  if (holdMs > 0) round.held += 1;
  round.heldMs += holdMs;
  round.secondMs = Math.max(round.secondMs, Math.min(round.longestMs, holdMs));
  round.longestMs = Math.max(round.longestMs, holdMs);
  round.chat = chat;
}

// One answer may be slow by chance: the longest is left out, where there are others.
export function meanHoldMs({ calls, heldMs, longestMs }: Round): number {
  return calls < 3 ? heldMs / calls : (heldMs - longestMs) / (calls - 1);
}
