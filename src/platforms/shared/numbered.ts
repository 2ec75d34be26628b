// Updates of platforms that give them no numbers: one is made of the time, so that they sort, and of what they are
// known by, so that one that is posted again has the same. A number keeps 53 bits of both together exactly.

import { hash } from 'node:crypto';

const MOMENT = /^(\d{1,10})\.(\d{6})$/;
const SECONDS_MAX = 2 ** 31 - 1;
// Microseconds have room below a second, and the whole is a number that is kept exactly.
const PER_SECOND = 2 ** 22;

export interface NumberBits {
  readonly timeBits: number;
  readonly keyBits: number;
}

export function numberOf(key: string, seconds: number, { timeBits, keyBits }: NumberBits): number {
  const digest = Number.parseInt(hash('sha256', key).slice(0, 8), 16) % 2 ** keyBits;
  return (seconds % 2 ** timeBits) * 2 ** keyBits + digest;
}

// The order of an update by the moment that it tells itself, `<seconds>.<microseconds>`; by the second of its post
// where it tells none.
export function orderOfMoment(moment: string, posted: number): number {
  const [, seconds = posted, micros = 0] = MOMENT.exec(moment) ?? [];
  const at = Number(seconds);
  return at >= 0 && at <= SECONDS_MAX ? at * PER_SECOND + Number(micros) : 0;
}
