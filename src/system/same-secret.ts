// Secrets compared in a time that tells nothing of where they differ: digests are compared, which are equally long.

import { hash, timingSafeEqual } from 'node:crypto';

export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'));
}
