// Runs a program of the project's own Node and packages; collects or shows what it says.

import { spawn } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

const BINARIES = join(ROOT, 'node_modules', '.bin');
const PATH = [BINARIES, dirname(process.execPath), process.env.PATH ?? ''].join(delimiter);

export interface Ran {
  readonly code: number;
  readonly output: string;
}

export function run(
  command: string,
  args: readonly string[],
  options: { show?: boolean; env?: Readonly<Record<string, string>> } = {},
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, PATH, ...options.env };
    const stdio = options.show === true ? 'inherit' : 'pipe';
    const child = spawn(command, args, { cwd: ROOT, env, stdio });
    const chunks: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (code) =>
      resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString() }),
    );
  });
}
