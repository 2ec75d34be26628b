// The repository as files: what is tracked or about to be, without what was installed or generated.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Files } from './source.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export function readTree(accept: (path: string) => boolean): Files {
  const files: Record<string, string> = {};
  for (const path of listTree()) {
    if (accept(path)) files[path] = readFileSync(join(ROOT, path), 'utf8');
  }
  return files;
}

export function exists(path: string): boolean {
  return existsSync(join(ROOT, path));
}

function listTree(): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT });
  const paths = listed.toString().split('\n');
  return paths.filter((path) => path !== '' && existsSync(join(ROOT, path)));
}
