// The second factor as the server sees it: it knows a verifier, never the password, and the client proves that it does.

import { pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';
import { bytesOf, numberOf, powMod, sha256, xor } from './crypto.ts';
import { DH_GENERATOR, DH_PRIME } from './handshake.ts';
import type { TlObject } from './tl/tl.ts';

const NUMBER_BYTES = 256;
const ITERATIONS = 100_000;
const HASH_BYTES = 64;
const SALT_BYTES = 8;
const G = bytesOf(BigInt(DH_GENERATOR), NUMBER_BYTES);
const P = numberOf(DH_PRIME);
const K = numberOf(sha256(DH_PRIME, G));

export interface Challenge {
  readonly id: bigint;
  // What the client is told.
  readonly algorithm: TlObject;
  readonly b: Buffer;
  accepts(a: Buffer, proof: Buffer): boolean;
}

export class Verifier {
  readonly #salt1 = randomBytes(SALT_BYTES);
  readonly #salt2 = randomBytes(SALT_BYTES);
  readonly #verifier: bigint;

  constructor(password: string) {
    const first = salted(salted(Buffer.from(password), this.#salt1), this.#salt2);
    const slow = pbkdf2Sync(first, this.#salt1, ITERATIONS, HASH_BYTES, 'sha512');
    this.#verifier = powMod(BigInt(DH_GENERATOR), numberOf(salted(slow, this.#salt2)), P);
  }

  challenge(): Challenge {
    const secret = numberOf(randomBytes(NUMBER_BYTES));
    const shown = (K * this.#verifier + powMod(BigInt(DH_GENERATOR), secret, P)) % P;
    const b = bytesOf(shown, NUMBER_BYTES);
    return {
      id: randomBytes(8).readBigInt64LE(),
      algorithm: {
        _: 'passwordKdfAlgoSHA256SHA256PBKDF2HMACSHA512iter100000SHA256ModPow',
        salt1: this.#salt1,
        salt2: this.#salt2,
        g: DH_GENERATOR,
        p: DH_PRIME,
      },
      b,
      accepts: (a, proof) => {
        const expected = this.#proof(a, b, secret);
        return proof.length === expected.length && timingSafeEqual(proof, expected);
      },
    };
  }

  #proof(a: Buffer, b: Buffer, secret: bigint): Buffer {
    const scrambled = numberOf(sha256(a, b));
    const base = (numberOf(a) * powMod(this.#verifier, scrambled, P)) % P;
    const shared = sha256(bytesOf(powMod(base, secret, P), NUMBER_BYTES));
    const group = xor(sha256(DH_PRIME), sha256(G));
    return sha256(group, sha256(this.#salt1), sha256(this.#salt2), a, b, shared);
  }
}

function salted(data: Buffer, salt: Buffer): Buffer {
  return sha256(salt, data, salt);
}
