// What a resume really did, in words: a pause may not be all that held an account back, and what waits may be nothing.

import { metIn, outageInWords } from '../../domain/outage.ts';
import type { AccountView } from '../../road/road.ts';

// `before`: as it was, because what waits may leave at once.
export function resumedInWords(before: AccountView): string {
  const { id, paused, refused, breaker, waiting } = before;
  const begun = paused ? `${id} is no longer paused` : `${id} was not paused`;
  const wait = waiting === 1 ? '1 message waits' : `${waiting} messages wait`;
  if (refused !== null) return `${begun}, but the platform refuses its token: ${wait}.`;
  if (breaker.state !== 'closed') {
    return `${begun}, but ${outageInWords(breaker.cause)} (${metIn(breaker)}): ${wait}.`;
  }
  if (waiting === 0) return `${begun}; nothing waits.`;
  const go = waiting === 1 ? '1 message goes' : `${waiting} messages go`;
  return `${begun}: ${go} out as its limits allow.`;
}
