// Updates of platforms that give them no numbers: one is made of the time, so that they sort, and of what they are
// known by, so that one that is posted again has the same. A number keeps 53 bits of both together exactly.

import { hash } from 'node:crypto';

export interface NumberBits {
  readonly timeBits: number;
  readonly keyBits: number;
}

export function numberOf(key: string, seconds: number, { timeBits, keyBits }: NumberBits): number {
  const digest = Number.parseInt(hash('sha256', key).slice(0, 8), 16) % 2 ** keyBits;
  return (seconds % 2 ** timeBits) * 2 ** keyBits + digest;
}
