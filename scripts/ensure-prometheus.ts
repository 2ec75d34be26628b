// A Prometheus for the tests of dashboards and alerts; nothing else needs one.
// Installs it where that is possible without asking, else says in one line what is missing.

import { run } from './run.ts';

const PROGRAMS = ['prometheus', 'promtool'];

export async function ensurePrometheus(): Promise<'ready' | 'missing'> {
  if (await hasPrometheus()) return 'ready';
  if (process.platform === 'linux' && process.getuid?.() === 0) {
    console.error('prometheus is missing; installing it');
    const quiet = ['-qq', '-y', '--no-install-recommends'];
    await tried('apt-get', ['update', '-qq']);
    await tried('apt-get', ['install', ...quiet, 'prometheus']);
    if (await hasPrometheus()) return 'ready';
  }
  console.error('prometheus is missing: install it (apt-get install prometheus) and run again');
  return 'missing';
}

async function hasPrometheus(): Promise<boolean> {
  for (const program of PROGRAMS) if (!(await tried(program, ['--version']))) return false;
  return true;
}

async function tried(command: string, args: readonly string[]): Promise<boolean> {
  try {
    return (await run(command, args)).code === 0;
  } catch {
    return false;
  }
}

if (import.meta.main) process.exit((await ensurePrometheus()) === 'ready' ? 0 : 1);
