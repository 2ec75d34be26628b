// Until when a call that answers something may still be made.

import type { AnswersWithin } from '../domain/call.ts';

// A time that seems to be over by less than this may be a difference of clocks, so the platform is left to decide.
// Beyond it the call is not made: platforms count refusals.
const CLOCK_OFF_MS_MAX = 5 * 60_000;

export function answerableUntil(now: number, { ms, since }: AnswersWithin): number {
  if (since === null || since > now) return now + ms;
  const overAt = since + ms;
  return overAt > now || now - overAt > CLOCK_OFF_MS_MAX ? overAt : now + ms;
}
