// Files and folders that only their owner may open, whatever the umask says, also those that are there already.
// The umask itself is left alone: it belongs to the whole process, and the library is a guest in it.
// Nothing here opens a file that exists: closing one would drop the locks that SQLite holds on it in this process.

import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';

export const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

const OTHERS = 0o077;
const STICKY = 0o1000;

// Made with its parents; only the last one is made private.
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER });
}

// An empty file, unless there is one.
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', PRIVATE_FILE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

export type Tightened =
  // Was open to others, and is not any more.
  | { kind: 'tightened'; path: string }
  // Is open to others: it cannot be changed, or is shared with files of others.
  | { kind: 'open'; path: string; why: string };

// Closes a folder and those of its entries that `isOurs` names to others; folders among them with all they hold. A
// folder that also holds the files of others stays as it is: it may be anything, even the system's own.
export function tighten(folder: string, isOurs: (name: string) => boolean): Tightened[] {
  const names = readdirSync(folder);
  const ours = names.filter(isOurs);
  const strangers = names.length - ours.length;
  const found = ours.flatMap((name) => tightenEntry(join(folder, name)));
  const { mode } = statSync(folder);
  if ((mode & OTHERS) === 0) return found;
  if (strangers > 0 || (mode & STICKY) !== 0) {
    return [...found, { kind: 'open', path: folder, why: 'it holds other files too' }];
  }
  return [...found, change(folder, PRIVATE_FOLDER)];
}

function tightenEntry(path: string): Tightened[] {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry === undefined) return [];
  if (entry.isDirectory()) return tighten(path, () => true);
  if (!entry.isFile() || (entry.mode & OTHERS) === 0) return [];
  return [change(path, PRIVATE_FILE)];
}

function change(path: string, mode: number): Tightened {
  try {
    chmodSync(path, mode);
    return { kind: 'tightened', path };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    return { kind: 'open', path, why: `its mode cannot be changed (${code})` };
  }
}
