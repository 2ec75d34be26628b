// The server's RSA key: clients know its public half and encrypt the first secret with it.

import {
  constants,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  privateDecrypt,
} from 'node:crypto';
import { decryptIge, sha1, sha256, xor } from './crypto.ts';
import { TlWriter } from './tl/bytes.ts';

const KEY_BITS = 2048;
const DATA_BYTES = 192;
const HASH_BYTES = 32;
const OLD_HASH_BYTES = 20;

export interface ServerKey {
  // PKCS#1, as clients take it.
  readonly pem: string;
  readonly fingerprint: bigint;
  // null: it was not encrypted with it.
  open(encrypted: Buffer): OpenedSecret | null;
}

export interface OpenedSecret {
  // Where it ends only its reader knows: padding follows.
  readonly data: Buffer;
  // Of the data without its padding; null: it was compared already.
  readonly hash: Buffer | null;
}

export function newServerKey(): ServerKey {
  for (;;) {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: KEY_BITS });
    const key = serverKey(privateKey);
    // mtcute compares fingerprints in hexadecimal and drops a leading zero: it would never find such a key.
    if (BigInt.asUintN(64, key.fingerprint) >> 60n !== 0n) return key;
  }
}

function serverKey(privateKey: KeyObject): ServerKey {
  const publicKey = createPublicKey(privateKey);
  return {
    pem: publicKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    fingerprint: fingerprintOf(publicKey),
    open(encrypted) {
      if (encrypted.length !== KEY_BITS / 8) return null;
      const key = { key: privateKey, padding: constants.RSA_NO_PADDING };
      const decrypted = privateDecrypt(key, encrypted);
      return padded(decrypted) ?? hashed(decrypted);
    },
  };
}

function fingerprintOf(publicKey: KeyObject): bigint {
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
  const writer = new TlWriter();
  writer.string(Buffer.from(n, 'base64url'));
  writer.string(Buffer.from(e, 'base64url'));
  return sha1(writer.bytes()).readBigInt64LE(12);
}

// RSA_PAD: a key of its own, hidden by the hash of what it encrypts; the data backwards, with a hash.
function padded(decrypted: Buffer): OpenedSecret | null {
  const encrypted = decrypted.subarray(HASH_BYTES);
  const key = xor(decrypted.subarray(0, HASH_BYTES), sha256(encrypted));
  const opened = decryptIge(encrypted, { key, iv: Buffer.alloc(HASH_BYTES) });
  const data = Buffer.from(opened.subarray(0, DATA_BYTES)).reverse();
  return sha256(key, data).equals(opened.subarray(DATA_BYTES)) ? { data, hash: null } : null;
}

// The older form: a zero, the hash of the data, the data, anything.
function hashed(decrypted: Buffer): OpenedSecret | null {
  if (decrypted[0] !== 0) return null;
  const data = decrypted.subarray(1 + OLD_HASH_BYTES);
  return { data, hash: decrypted.subarray(1, 1 + OLD_HASH_BYTES) };
}
