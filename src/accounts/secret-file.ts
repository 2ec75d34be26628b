// A secret that is given, or made at the first start and kept in the data folder for its owner alone.
// Two processes that start at once must agree: the file is created exclusively, the loser reads the winner's.

import { randomBytes } from 'node:crypto';
import { chmod, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder, PRIVATE_FILE } from '../system/private-files.ts';

const SECRET_BYTES = 32;
// Of one that somebody else has written there.
const SECRET_CHARS_MIN = 32;

export interface SecretFile {
  readonly value: string;
  readonly origin: 'given' | 'kept' | 'made';
}

export const SECRET_FILE = 'secret';
export const ADMIN_KEY_FILE = 'admin-key';

export async function loadSecret(
  folder: string,
  name: typeof SECRET_FILE | typeof ADMIN_KEY_FILE,
  given: string | null,
): Promise<SecretFile> {
  if (given !== null && given !== '') return { value: given, origin: 'given' };
  makePrivateFolder(folder);
  const path = join(folder, name);
  const made = randomBytes(SECRET_BYTES).toString('base64url');
  if (await createExclusively(path, made)) return { value: made, origin: 'made' };
  const kept = (await readFile(path, 'utf8')).trim();
  if (kept === '') throw new Error(`${path} is empty: restore it, or remove it to make a new one`);
  if (name === SECRET_FILE && kept.length < SECRET_CHARS_MIN) throw new Error(tooShort(path));
  await chmod(path, PRIVATE_FILE);
  return { value: kept, origin: 'kept' };
}

function tooShort(path: string): string {
  return (
    `${path} holds fewer than ${SECRET_CHARS_MIN} characters: put it into SLUICE_SECRET_PREVIOUS and ` +
    'remove the file; the start makes a new one and seals the tokens anew'
  );
}

async function createExclusively(path: string, text: string): Promise<boolean> {
  try {
    await using file = await open(path, 'wx', PRIVATE_FILE);
    await file.writeFile(`${text}\n`);
    await file.sync();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
