// Who posts an interaction proves it by an Ed25519 signature of the time and the body. Discord publishes the public key
// of each application, 64 hex digits: that is the account's secret here, and only Discord can sign for it. Any other
// secret stands for a pair of keys that is made from it, with which the gateway can sign as well.

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  verify as verifies,
} from 'node:crypto';
import type { PostHeaders } from '../updates.ts';

const SIGNATURE = 'x-signature-ed25519';
const TIMESTAMP = 'x-signature-timestamp';
const PUBLIC_KEY = /^[0-9a-f]{64}$/i;
const SIGNED = /^[0-9a-f]{128}$/i;
const TIME = /^\d{1,20}$/;
// What stands before the bytes of a key in DER.
const SPKI = '302a300506032b6570032100';
const PKCS8 = '302e020100300506032b657004220420';

export function verify(headers: PostHeaders, rawBody: string | null, secret: string): boolean {
  const signature = headers[SIGNATURE];
  const time = headers[TIMESTAMP];
  if (typeof signature !== 'string' || !SIGNED.test(signature)) return false;
  if (typeof time !== 'string' || !TIME.test(time)) return false;
  if (rawBody === null) return true;
  const key = publicKeyOf(secret);
  if (key === null) return false;
  return verifies(null, Buffer.from(time + rawBody), key, Buffer.from(signature, 'hex'));
}

// Without a time of its own: one body, one proof.
export function proofOf(rawBody: string, secret: string): Record<string, string> {
  if (PUBLIC_KEY.test(secret)) return {};
  const time = '0';
  const signature = sign(null, Buffer.from(time + rawBody), privateKeyOf(secret)).toString('hex');
  return { [SIGNATURE]: signature, [TIMESTAMP]: time };
}

// null: the bytes are no key.
function publicKeyOf(secret: string): KeyObject | null {
  if (!PUBLIC_KEY.test(secret)) return createPublicKey(privateKeyOf(secret));
  try {
    const der = Buffer.from(`${SPKI}${secret}`, 'hex');
    return createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch {
    return null;
  }
}

function privateKeyOf(secret: string): KeyObject {
  const seed = createHash('sha256').update(secret).digest('hex');
  const der = Buffer.from(`${PKCS8}${seed}`, 'hex');
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}
