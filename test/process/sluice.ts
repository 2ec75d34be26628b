// Runs the command line as a process of its own, for the tests of the whole gateway.

import { type ChildProcess, spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS } from '../../bin/node-flags.js';

export const BIN = fileURLToPath(new URL('../../bin/sluice.js', import.meta.url));

// What bin/sluice.js would run, sooner; see bundle.ts. Scripts that use this outside the tests have none.
const { BUNDLED_CLI } = process.env;
const BUNDLED: readonly string[] = BUNDLED_CLI === undefined ? [BIN] : [...NODE_FLAGS, BUNDLED_CLI];

// What Node is given to become a process that writes to a store; see writer.ts.
export const WRITER: readonly string[] =
  BUNDLED_CLI === undefined
    ? [fileURLToPath(new URL('./writer.ts', import.meta.url))]
    : [...NODE_FLAGS, join(dirname(BUNDLED_CLI), 'writer.js')];

// Compiled once, for all the starts that the tests make.
const COMPILE_CACHE = fileURLToPath(
  new URL('../../node_modules/.cache/sluice-compiled', import.meta.url),
);

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface How {
  // What is piped in; null: nothing is.
  readonly input?: string | null;
  readonly umask?: string | null;
  // A command that becomes it, such as one that enters a namespace.
  readonly under?: readonly string[];
  // What Node is given to run.
  readonly entry?: readonly string[];
}

export class Sluice {
  readonly #child: ChildProcess;
  readonly ended: Promise<Ended>;
  #out = '';
  #err = '';

  constructor(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    { input = null, umask = null, under = [], entry = BUNDLED }: How = {},
  ) {
    const [command, ...before] = [...under, ...underUmask(umask)];
    this.#child = spawn(command!, [...before, ...entry, ...args], {
      stdio: [input === null ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env, ...env },
    });
    this.#child.stdin?.end(input);
    this.#child.stdout!.on('data', (chunk) => {
      this.#out += chunk;
    });
    this.#child.stderr!.on('data', (chunk) => {
      this.#err += chunk;
    });
    this.ended = new Promise((resolve) => {
      this.#child.on('close', (code) => resolve({ code, out: this.#out, err: this.#err }));
    });
  }

  // All that it has said so far.
  get output(): string {
    return this.#out + this.#err;
  }

  // The first line on stdout that holds the text.
  said(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const lines = this.#out.split('\n').slice(0, -1);
        const line = lines.find((each) => each.includes(text));
        if (line !== undefined) resolve(line);
      };
      look();
      this.#child.stdout!.on('data', look);
      this.#child.on('close', () =>
        reject(new Error(`it ended without saying "${text}": ${this.#out}${this.#err}`)),
      );
    });
  }

  // Closes the reading end of what it says.
  hangUp(): void {
    this.#child.stdout!.destroy();
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}

// The umask belongs to a process; a shell sets it for the one it becomes.
function underUmask(umask: string | null): readonly string[] {
  if (umask === null) return [process.execPath];
  return ['sh', '-c', `umask ${umask} && exec "$0" "$@"`, process.execPath];
}

export function runSluice(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  how: How = {},
): Promise<Ended> {
  return new Sluice(args, env, how).ended;
}
