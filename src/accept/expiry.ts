// Until when a call may still be made: as its caller wishes, as what it answers allows; a sign for a few moments.

import { COSMETIC_FAMILIES, type DescribedCall } from '../domain/call.ts';
import { COSMETIC_TTL_MS } from './context.ts';

// One that seems to be over already: the platform's clock may differ from ours, so it decides. But no clock is so far
// off, and each such question is a refusal that platforms count.
const CLOCK_OFF_MS_MAX = 5 * 60_000;

export function expiryOf(
  now: number,
  call: DescribedCall,
  sendOptions: { readonly ttlMs: number | null; readonly notBefore: number },
): number {
  const wishedAt = sendOptions.ttlMs === null ? 0 : now + sendOptions.ttlMs;
  if (call.answers !== undefined) {
    const { ms, since } = call.answers;
    const overAt = overFor(now, ms, since);
    return wishedAt === 0 ? overAt : Math.min(wishedAt, overAt);
  }
  if (wishedAt !== 0) return wishedAt;
  if (!COSMETIC_FAMILIES.includes(call.family)) return 0;
  return Math.max(now, sendOptions.notBefore) + COSMETIC_TTL_MS;
}

function overFor(now: number, ms: number, since: number | null): number {
  if (since === null || since > now) return now + ms;
  const overAt = since + ms;
  return overAt > now || now - overAt > CLOCK_OFF_MS_MAX ? overAt : now + ms;
}
