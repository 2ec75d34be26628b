// Builds the page (npm run build): bundled, hashed, without any address outside. Built beside its place and then moved
// there, so that two who build at once do not meet half a page.

import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { assert } from '../system/assert.ts';
import { BUILT, stampOf, WEB } from './stamp.ts';

const BEING_BUILT = '.being-built-';

const stamp = await stampOf();
assert(stamp !== null, 'a page is built from its sources');
const target = join(BUILT, stamp);
if (!existsSync(target)) await buildInto(target);

async function buildInto(dir: string): Promise<void> {
  await mkdir(BUILT, { recursive: true });
  const outDir = await mkdtemp(join(BUILT, BEING_BUILT));
  await build({
    root: WEB,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir,
      emptyOutDir: false,
      assetsDir: 'page',
      assetsInlineLimit: 0,
      modulePreload: false,
      target: 'es2022',
      reportCompressedSize: false,
    },
  });
  await forgetOthers(outDir);
  // A temporary folder is its maker's alone; a page is for whoever runs the gateway.
  await chmod(outDir, 0o755);
  // Whoever was faster built the same.
  if (existsSync(dir)) await rm(outDir, { recursive: true });
  else await rename(outDir, dir);
}

// Pages of earlier sources; those who serve one have it in memory.
async function forgetOthers(outDir: string): Promise<void> {
  for (const name of await readdir(BUILT)) {
    const path = join(BUILT, name);
    const isSomeoneElses = name.startsWith(BEING_BUILT) || path === target || path === outDir;
    if (!isSomeoneElses) await rm(path, { recursive: true, force: true });
  }
}
