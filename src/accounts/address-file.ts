// Where the gateway that owns a data folder listens, kept beside its admin key: the commands give that key to this
// address and to no other.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PRIVATE_FILE } from '../system/private-files.ts';

export const ADDRESS_FILE = 'address';

export function writeAddress(folder: string, url: string): void {
  const path = join(folder, ADDRESS_FILE);
  // A new file: the mode of one that is there already would stay.
  rmSync(path, { force: true });
  writeFileSync(path, `${url}\n`, { mode: PRIVATE_FILE, flag: 'wx' });
}

export function removeAddress(folder: string): void {
  rmSync(join(folder, ADDRESS_FILE), { force: true });
}

// null: no gateway listens, or it has not said where.
export function readAddress(folder: string): string | null {
  try {
    return readFileSync(join(folder, ADDRESS_FILE), 'utf8').trim();
  } catch {
    return null;
  }
}
