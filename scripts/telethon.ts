// Telethon, a client of MTProto that is not ours, for the tests: as the system has it, else Debian's packages unpacked
// into a folder of the cache, which needs no rights and changes nothing outside it.

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, run } from './run.ts';

const PACKAGES = ['python3-telethon', 'python3-pyaes', 'python3-rsa', 'python3-pyasn1'];
const CACHE = join(ROOT, 'node_modules', '.cache');
const FOLDER = join(CACHE, 'telethon');
const MODULES = join('usr', 'lib', 'python3', 'dist-packages');

// What PYTHONPATH has to be; null: it cannot be had, which was said.
export async function ensureTelethon(): Promise<string | null> {
  const own = process.env.PYTHONPATH ?? '';
  if (await imports(own)) return own;
  const unpacked = join(FOLDER, MODULES);
  if (!existsSync(FOLDER)) await unpack();
  if (existsSync(FOLDER) && (await imports(unpacked))) return unpacked;
  console.error(`telethon is missing: install it (apt-get install ${PACKAGES[0]}) and run again`);
  return null;
}

async function imports(path: string): Promise<boolean> {
  const script = `import sys; sys.path[:0] = [p for p in [${JSON.stringify(path)}] if p]; import telethon`;
  return (await quietly('python3', ['-W', 'ignore', '-c', script])) === null;
}

// Into a folder beside it, which takes its name when it is whole: two tests may ask at once.
async function unpack(): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, 'telethon-'));
  const fetch = `apt-get download -qq ${PACKAGES.join(' ')}`;
  // A machine that is new knows no packages yet.
  const download = `cd '${folder}' && (${fetch} || (apt-get update -qq && ${fetch}))`;
  const failed =
    (await quietly('sh', ['-c', download])) ?? (await unpackAll(folder)) ?? (await settle(folder));
  if (failed === null) return;
  console.error(failed);
  await rm(folder, { recursive: true, force: true });
}

async function unpackAll(folder: string): Promise<string | null> {
  for (const file of await readdir(folder)) {
    if (!file.endsWith('.deb')) continue;
    const failed = await quietly('dpkg', ['-x', join(folder, file), folder]);
    if (failed !== null) return failed;
  }
  return null;
}

async function settle(folder: string): Promise<string | null> {
  try {
    await rename(folder, FOLDER);
    return null;
  } catch (error) {
    return existsSync(FOLDER) ? null : String(error);
  }
}

// What it said when it failed; null: it did not.
async function quietly(command: string, args: readonly string[]): Promise<string | null> {
  try {
    const { code, output } = await run(command, args);
    return code === 0 ? null : output.trim() || `${command} failed`;
  } catch (error) {
    return String(error);
  }
}
