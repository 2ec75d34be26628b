// The page as it was built; built first, in a process of its own, when it is missing or its sources are newer. So a
// fresh checkout needs no step of its own, and the gateway never carries a bundler in its memory.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type PageFiles, readFiles } from './files.ts';
import { BUILT, stampOf } from './stamp.ts';

const BUILDER = fileURLToPath(new URL('./build.ts', import.meta.url));
const BUILD_MS_MAX = 60_000;

export async function readBuilt(): Promise<PageFiles> {
  const stamp = (await stampOf()) ?? (await onlyOne());
  const dir = join(BUILT, stamp);
  if (!existsSync(dir))
    await promisify(execFile)(process.execPath, [BUILDER], { timeout: BUILD_MS_MAX });
  return readFiles(dir);
}

async function onlyOne(): Promise<string> {
  const [stamp] = await readdir(BUILT);
  if (stamp === undefined) throw new Error('neither a page nor its sources are here');
  return stamp;
}
