// A key that was found, not given: the admin key of the settings or of the data folder. It belongs to one gateway, so
// it goes to that gateway's address and nowhere else, whatever --url or SLUICE_URL says.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADMIN_KEY_FILE, readAddress } from '../../accounts/accounts.ts';

export interface FoundKey {
  // null: there is none, or it is for another address.
  readonly key: string | null;
  // Where the key that is kept back belongs; null: none is.
  readonly keptFor: string | null;
}

interface Settings {
  readonly adminKey: string | null;
  readonly data: string;
}

// `own`: the address that the settings name, for a gateway that has not written its own.
export function findKey(settings: Settings, own: string, url: string): FoundKey {
  const key = settings.adminKey ?? keptKey(settings.data);
  if (key === null) return { key: null, keptFor: null };
  const home = readAddress(settings.data) ?? own;
  return isSamePlace(home, url) ? { key, keptFor: null } : { key: null, keptFor: home };
}

const ANY_ADDRESS = ['0.0.0.0', '[::]'];
const LOOPBACK = /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/;

// The same scheme, port and host. This machine has several names; a gateway on all addresses answers to them too.
export function isSamePlace(home: string, url: string): boolean {
  if (!URL.canParse(home) || !URL.canParse(url)) return false;
  const [a, b] = [new URL(home), new URL(url)];
  if (a.protocol !== b.protocol || a.port !== b.port) return false;
  if (b.username !== '' || b.password !== '') return false;
  if (a.hostname === b.hostname) return true;
  const isHere = ANY_ADDRESS.includes(a.hostname) || LOOPBACK.test(a.hostname);
  return isHere && LOOPBACK.test(b.hostname);
}

function keptKey(folder: string): string | null {
  try {
    return readFileSync(join(folder, ADMIN_KEY_FILE), 'utf8').trim();
  } catch {
    return null;
  }
}
