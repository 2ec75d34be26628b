// What nodes prove to each other that they are of one fleet: derived from the secret that all of them share, so that
// there is nothing more to configure, and who reads it on the wire cannot open a sealed token with it.

import { hkdfSync } from 'node:crypto';

const SECRET_BYTES = 32;

// What the store keeps of the secret, so that a node with another one does not start. Nothing is derived from it.
export function secretPrint(secret: string): string {
  const derived = hkdfSync('sha256', secret, '', 'sluice secret of the store', SECRET_BYTES);
  return Buffer.from(derived).toString('base64url');
}

export function fleetSecret(secret: string): string {
  const derived = hkdfSync('sha256', secret, '', 'sluice fleet', SECRET_BYTES);
  return Buffer.from(derived).toString('base64url');
}
