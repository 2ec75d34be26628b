// A Redis server for the benchmark that compares with BullMQ; nothing else needs one.
// Installs it where that is possible without asking, else says in one line what is missing.

import { run } from './run.ts';

export async function ensureRedis(): Promise<'ready' | 'missing'> {
  if (await hasRedis()) return 'ready';
  if (process.platform === 'linux' && process.getuid?.() === 0) {
    console.error('redis-server is missing; installing it');
    const quiet = ['-qq', '-y', '--no-install-recommends'];
    await tried('apt-get', ['update', '-qq']);
    await tried('apt-get', ['install', ...quiet, 'redis-server']);
    if (await hasRedis()) return 'ready';
  }
  console.error('redis-server is missing: install it (apt-get install redis-server) and run again');
  return 'missing';
}

function hasRedis(): Promise<boolean> {
  return tried('redis-server', ['--version']);
}

async function tried(command: string, args: readonly string[]): Promise<boolean> {
  try {
    return (await run(command, args)).code === 0;
  } catch {
    return false;
  }
}

if (import.meta.main) process.exit((await ensureRedis()) === 'ready' ? 0 : 1);
