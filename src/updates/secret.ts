// The secret by which a webhook call proves that it comes from the platform: the account's own, or one derived from
// the gateway's secret, so that there always is one and nobody has to keep it.

import { createHmac, hash, timingSafeEqual } from 'node:crypto';

export function derivedSecret(gatewaySecret: string, account: string): string {
  return createHmac('sha256', gatewaySecret).update(`webhook\0${account}`).digest('base64url');
}

// In a time that tells nothing of where they differ: digests are compared, which are equally long.
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'));
}
