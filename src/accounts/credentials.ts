// Credentials and the names of accounts, as callers give them.

import { hash, timingSafeEqual } from 'node:crypto';
import type { Platform } from '../platforms/platform.ts';

export function isEqual(held: string, given: string): boolean {
  const [a, b] = [Buffer.from(held), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

// An id, not a token: what is unknown under it stays unknown, whatever the platform would say.
export function isAccountName(platform: Platform, name: string): boolean {
  return name.startsWith(`${platform.name}:`) || platform.credentials.isAccountId(name);
}

export function bareName(platformName: string, name: string): string {
  const prefix = `${platformName}:`;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

export function digestOf(platformName: string, credential: string): string {
  return hash('sha256', `${platformName}\0${credential}`, 'base64url');
}
