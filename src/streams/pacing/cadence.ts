// How often is a growing text shown? A chat's budget, shared by the sessions that are active in it, gives the tick: the
// time between two showings of one session. Pure. The number of active sessions is smoothed, so that a session that
// pauses or a burst of new ones does not make the others jump.

const MINUTE_MS = 60_000;
const ROUND_MS = 100;
// The smoothed number is two thirds of the way to the true one after so long.
const SMOOTHING_MS = 2000;
// Rounding up must not make a whole step of what is only the last bit of a float.
const EPSILON_MS = 1e-6;

export interface Smoothed {
  readonly value: number;
  readonly at: number;
}

// null before: the chat was idle, and what is active now counts in full.
export function smooth(before: Smoothed | null, active: number, now: number): Smoothed {
  if (before === null) return { value: active, at: now };
  const weight = 1 - Math.exp(-Math.max(0, now - before.at) / SMOOTHING_MS);
  return { value: before.value + (active - before.value) * weight, at: now };
}

export interface Cadence {
  // Showings in the chat per minute; null: as many as the limits allow.
  readonly budgetMpm: number | null;
  readonly tickMsMin: number;
}

export function tickMs({ budgetMpm, tickMsMin }: Cadence, active: number): number {
  const fairMs = budgetMpm === null ? 0 : (Math.max(1, active) * MINUTE_MS) / budgetMpm;
  return Math.ceil((Math.max(fairMs, tickMsMin) - EPSILON_MS) / ROUND_MS) * ROUND_MS;
}

// Between any two showings in the chat: its budget, spread evenly.
export function spacingMs({ budgetMpm }: Cadence): number {
  return budgetMpm === null ? 0 : MINUTE_MS / budgetMpm;
}
