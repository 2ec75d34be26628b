// What a stream is called. One that was asked for under a key has its name from it, so that the same request again
// finds the same stream, also in another process.

import { createHash } from 'node:crypto';
import type { AccountId } from '../domain/ids.ts';
import type { Random } from '../system/random.ts';
import type { NewStream } from './streams.ts';

const CHANCE = 36 ** 5;
const NAME_CHARS = 24;

export function newName(now: number, random: Random, isTaken: (name: string) => boolean): string {
  for (;;) {
    const chance = Math.floor(random.next() * CHANCE).toString(36);
    const name = `s-${Math.floor(now).toString(36)}-${chance}`;
    if (!isTaken(name)) return name;
  }
}

export function nameOfKey(account: AccountId, key: string): string {
  const digest = createHash('sha256').update(`${account}\0${key}`).digest('hex');
  return `k-${digest.slice(0, NAME_CHARS)}`;
}

// Two requests under one key are the same when they ask for the same kind of text in the same place.
export function isSame(one: NewStream, other: NewStream): boolean {
  const asked = ({ chat, thread, format, transport, params }: NewStream) =>
    JSON.stringify([chat, thread, format, transport, params]);
  return asked(one) === asked(other);
}
