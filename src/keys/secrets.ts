// Keys and virtual tokens: how they look, how they are drawn, and by what they are known.
// Only their hash is kept. A slow hash is for what people choose; these are drawn from so many that nobody can try them
// one by one, and the hash is computed on every call. A look-up by the hash also tells nothing by its time: whoever
// learns how far two hashes agree has learned nothing about a secret that would give a closer one.

import { hash, randomBytes } from 'node:crypto';
import { VIRTUAL } from '../domain/virtual-token.ts';

const KEY_BYTES = 32;
const ID_BYTES = 6;
const TOKEN_CHARS = 35;
export function newKey(): string {
  return `sluice_${randomBytes(KEY_BYTES).toString('base64url')}`;
}

// The secret part of one; how a whole one looks is the platform's.
export function newVirtualSecret(): string {
  const drawn = randomBytes(KEY_BYTES).toString('base64url');
  return `${VIRTUAL}${drawn.slice(0, TOKEN_CHARS - VIRTUAL.length)}`;
}

export function newKeyId(): string {
  return `k-${randomBytes(ID_BYTES).toString('hex')}`;
}

export function newSecret(): string {
  return randomBytes(KEY_BYTES).toString('base64url');
}

export function hashOf(secret: string): string {
  return hash('sha256', secret, 'base64url');
}
