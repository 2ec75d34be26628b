// The arithmetic of MTProto 2.0, as its documents give it: AES-IGE, the keys of a message, the keys of a handshake, and
// numbers as big-endian bytes.

import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';

const BLOCK_BYTES = 16;
const NO_IV = null;

export interface AesKey {
  readonly key: Buffer;
  // The block before the first of the cipher text, and that of the plain text.
  readonly iv: Buffer;
}

// Who wrote a message: each side's keys are other parts of the auth key.
export type Side = 'client' | 'server';

const PART_AT: Readonly<Record<Side, number>> = { client: 0, server: 8 };

export function sha1(...parts: readonly Buffer[]): Buffer {
  return digest('sha1', parts);
}

export function sha256(...parts: readonly Buffer[]): Buffer {
  return digest('sha256', parts);
}

function digest(name: string, parts: readonly Buffer[]): Buffer {
  const hash = createHash(name);
  for (const part of parts) hash.update(part);
  return hash.digest();
}

export function encryptIge(plain: Buffer, { key, iv }: AesKey): Buffer {
  const block = createCipheriv('aes-256-ecb', key, NO_IV).setAutoPadding(false);
  return ige(plain, iv.subarray(0, BLOCK_BYTES), iv.subarray(BLOCK_BYTES), (each) =>
    block.update(each),
  );
}

export function decryptIge(cipher: Buffer, { key, iv }: AesKey): Buffer {
  const block = createDecipheriv('aes-256-ecb', key, NO_IV).setAutoPadding(false);
  return ige(cipher, iv.subarray(BLOCK_BYTES), iv.subarray(0, BLOCK_BYTES), (each) =>
    block.update(each),
  );
}

// out[i] = cipher(in[i] ^ out[i-1]) ^ in[i-1], which is the same in both directions.
function ige(
  input: Buffer,
  outBefore: Buffer,
  inBefore: Buffer,
  cipher: (block: Buffer) => Buffer,
): Buffer {
  const output = Buffer.alloc(input.length);
  let lastOut = outBefore;
  let lastIn = inBefore;
  for (let at = 0; at < input.length; at += BLOCK_BYTES) {
    const block = input.subarray(at, at + BLOCK_BYTES);
    const made = xor(cipher(xor(block, lastOut)), lastIn);
    made.copy(output, at);
    lastOut = made;
    lastIn = block;
  }
  return output;
}

export function xor(one: Buffer, other: Buffer): Buffer {
  const result = Buffer.alloc(one.length);
  for (let at = 0; at < one.length; at++) result[at] = one[at]! ^ other[at]!;
  return result;
}

export function messageKey(authKey: Buffer, padded: Buffer, from: Side): Buffer {
  const at = 88 + PART_AT[from];
  return sha256(authKey.subarray(at, at + 32), padded).subarray(8, 24);
}

export function messageAes(authKey: Buffer, msgKey: Buffer, from: Side): AesKey {
  const at = PART_AT[from];
  const a = sha256(msgKey, authKey.subarray(at, at + 36));
  const b = sha256(authKey.subarray(at + 40, at + 76), msgKey);
  return {
    key: Buffer.concat([a.subarray(0, 8), b.subarray(8, 24), a.subarray(24, 32)]),
    iv: Buffer.concat([b.subarray(0, 8), a.subarray(8, 24), b.subarray(24, 32)]),
  };
}

export function handshakeAes(newNonce: Buffer, serverNonce: Buffer): AesKey {
  const serverFirst = sha1(serverNonce, newNonce);
  return {
    key: Buffer.concat([sha1(newNonce, serverNonce), serverFirst.subarray(0, 12)]),
    iv: Buffer.concat([
      serverFirst.subarray(12, 20),
      sha1(newNonce, newNonce),
      newNonce.subarray(0, 4),
    ]),
  };
}

export function numberOf(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex') || '0'}`);
}

export function bytesOf(value: bigint, length: number): Buffer {
  return Buffer.from(value.toString(16).padStart(length * 2, '0'), 'hex');
}

export function powMod(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  let square = base % modulus;
  for (let left = exponent; left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}
