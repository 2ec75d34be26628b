// What the server keeps of auth keys and their sessions: salts, and the ids and numbers of what it says.

import { randomBytes } from 'node:crypto';
import type { Clock } from '../../system/clock.ts';
import type { KeyHolder } from './accounts.ts';
import type { AuthKey } from './handshake.ts';

export interface KeyState {
  readonly id: bigint;
  readonly key: Buffer;
  salt: bigint;
  // What its client speaks, since it said so.
  layer: number;
  readonly holder: KeyHolder;
  // How much was said in each session: numbers of messages that want to be acknowledged are odd.
  readonly said: Map<bigint, number>;
}

export class KeyRing {
  readonly #clock: Clock;
  readonly #keys = new Map<bigint, KeyState>();
  #lastId = 0n;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(key: AuthKey, holder: KeyHolder): void {
    this.#keys.set(key.id, { ...key, layer: 0, holder, said: new Map() });
  }

  get(id: bigint): KeyState | null {
    return this.#keys.get(id) ?? null;
  }

  // As the real server does twice an hour: whoever uses the old one is told the new one.
  changeSalts(): void {
    for (const key of this.#keys.values()) key.salt = randomBytes(8).readBigInt64LE();
  }

  // Ids grow with time, 2^32 a second; what they leave over 4 says what they are.
  nextId(isAnswer: boolean): bigint {
    const now = idAt(this.#clock.now()) & ~3n;
    const id = now > this.#lastId ? now : this.#lastId + 4n;
    this.#lastId = id;
    return id | (isAnswer ? 1n : 3n);
  }
}

export function nextSeq(key: KeyState, session: bigint, isContent: boolean): number {
  const said = key.said.get(session) ?? 0;
  if (isContent) key.said.set(session, said + 1);
  return said * 2 + (isContent ? 1 : 0);
}

export function idAt(ms: number): bigint {
  return (BigInt(Math.floor(ms)) << 32n) / 1000n;
}
