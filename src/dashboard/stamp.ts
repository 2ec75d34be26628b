// Which page is it? A digest of everything it is made from names the folder it is built into, so that a page is never
// older than its sources, and one that is there is whole.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const WEB = join(dirname(fileURLToPath(import.meta.url)), 'web');
export const BUILT = join(ROOT, 'dist', 'dashboard');

const STAMP_CHARS = 16;

// null: there are no sources here, only what was built elsewhere.
export async function stampOf(web = WEB, manifest = join(ROOT, 'package.json')) {
  if (!existsSync(web)) return null;
  const hash = createHash('sha256').update(await readFile(manifest));
  const paths = await readdir(web, { recursive: true, withFileTypes: true });
  const files = paths
    .filter((path) => path.isFile())
    .map((path) => join(path.parentPath, path.name));
  for (const file of files.sort()) {
    hash.update(`\0${file.slice(web.length)}\0`).update(await readFile(file));
  }
  return hash.digest('hex').slice(0, STAMP_CHARS);
}
