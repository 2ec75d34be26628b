// What was learned about one rule in one place: how much of the prior to believe.
// A refusal halves it, a slow success takes a tenth; quiet time gives it back in steps. The factor is
// a function of the last fall and the time since, so only falls are written to disk, and time that
// passed while the process was down counts like any other.

export interface LearningSettings {
  // Quiet time before the first step up: doubled by every further offence.
  readonly quietMsBase: number;
  readonly quietMsMax: number;
  // One offence is forgotten per so much quiet.
  readonly offenceMs: number;
  // A success that took so long had its flood wait hidden in it; longer ones were something else.
  readonly slowMsMin: number;
  readonly slowMsMax: number;
  // Two chats refused within this are evidence against the account.
  readonly momentMs: number;
}

export const LEARNING: LearningSettings = {
  quietMsBase: 10 * 60_000,
  quietMsMax: 24 * 3_600_000,
  offenceMs: 24 * 3_600_000,
  slowMsMin: 1000,
  // The platform hides waits up to 8 s; the rest is the call itself.
  slowMsMax: 9000,
  momentMs: 5000,
};

export const FACTOR_MIN = 0.02;
// Slowness alone proves little (the platform may just be busy): it never lowers further than this.
export const SLOW_FACTOR_MIN = 0.4;
const REFUSED = 0.5;
const SLOWED = 0.9;
const STEP = 0.05;
// A step up takes this part of the quiet time before it.
const STEPS_PER_QUIET = 10;
const OFFENCES_MAX = 16;

export interface LearnedRate {
  // The factor after the last fall; it held good for as long as the quiet lasted.
  factor: number;
  offences: number;
  fellAt: number;
}

export function newRate(): LearnedRate {
  return { factor: 1, offences: 0, fellAt: Number.NEGATIVE_INFINITY };
}

export function offencesAt(rate: LearnedRate, now: number, settings: LearningSettings): number {
  if (rate.offences === 0) return 0;
  return Math.max(0, rate.offences - Math.floor((now - rate.fellAt) / settings.offenceMs));
}

export function factorAt(rate: LearnedRate, now: number, settings: LearningSettings): number {
  if (rate.factor === 1) return 1;
  const doubled = settings.quietMsBase * 2 ** Math.max(0, rate.offences - 1);
  const quiet = Math.min(doubled, settings.quietMsMax);
  const beyond = now - rate.fellAt - quiet;
  if (beyond < 0) return rate.factor;
  const steps = 1 + Math.floor(beyond / (quiet / STEPS_PER_QUIET));
  return Math.min(1, rate.factor + STEP * steps);
}

// The call that proves the rule too generous must have been made under the rule as it is now:
// what was in flight when the rate fell has nothing new to say.
export function refuse(
  rate: LearnedRate,
  takenAt: number,
  now: number,
  settings: LearningSettings,
) {
  if (takenAt < rate.fellAt) return false;
  fall(rate, REFUSED, FACTOR_MIN, now, settings);
  rate.offences = Math.min(OFFENCES_MAX, offencesAt(rate, now, settings) + 1);
  rate.fellAt = now;
  return true;
}

// Notes a refusal that the rule does not explain. The second one counts.
export function warn(rate: LearnedRate, takenAt: number, now: number, settings: LearningSettings) {
  if (takenAt < rate.fellAt) return false;
  if (offencesAt(rate, now, settings) > 0) return refuse(rate, takenAt, now, settings);
  rate.offences = 1;
  rate.fellAt = now;
  return true;
}

// At most once per window: the calls of one window all tell of the same excess.
export function slow(
  rate: LearnedRate,
  perMs: number,
  takenAt: number,
  now: number,
  settings: LearningSettings,
): boolean {
  if (takenAt < rate.fellAt || now - rate.fellAt < perMs) return false;
  if (factorAt(rate, now, settings) <= SLOW_FACTOR_MIN) return false;
  fall(rate, SLOWED, SLOW_FACTOR_MIN, now, settings);
  rate.fellAt = now;
  return true;
}

// On the way up again the steps below have held: fall to the last but one, not to the bottom.
function fall(
  rate: LearnedRate,
  by: number,
  least: number,
  now: number,
  settings: LearningSettings,
) {
  const current = factorAt(rate, now, settings);
  const held = current > rate.factor ? Math.max(rate.factor, current - 2 * STEP) : least;
  rate.factor = Math.max(held, least, current * by);
}

// Nothing is left to remember.
export function isSpent(rate: LearnedRate, now: number, settings: LearningSettings): boolean {
  return factorAt(rate, now, settings) === 1 && offencesAt(rate, now, settings) === 0;
}
