// A length of time as people write it: 90s, 10m, 12h, 30d. A bare number is seconds.

import { InvalidArgumentError } from 'commander';

const UNIT_S: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 };

export function secondsOf(text: string): number {
  const match = /^(\d{1,9})([smhd]?)$/.exec(text);
  if (match === null)
    throw new InvalidArgumentError('expected a time such as 90s, 10m, 12h or 30d');
  return Number(match[1]) * UNIT_S[match[2]!]!;
}
