// Until when a call that answers something may still be made.

import type { AnswersWithin } from '../domain/call.ts';

// One that seems to be over already: the platform's clock may differ from ours, so it decides. But no clock is so far
// off, and each such question is a refusal that platforms count.
const CLOCK_OFF_MS_MAX = 5 * 60_000;

export function answerableUntil(now: number, { ms, since }: AnswersWithin): number {
  if (since === null || since > now) return now + ms;
  const overAt = since + ms;
  return overAt > now || now - overAt > CLOCK_OFF_MS_MAX ? overAt : now + ms;
}
