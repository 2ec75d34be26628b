// The gateway as npm starts it: it has the flags of Node it needs, and a signal to npm alone
// ends it in order, with nothing left running.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { NODE_FLAGS } from '../bin/node-flags.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TIMEOUT_MS = 60_000;

let folder = '';
let gatewayPid = 0;

afterEach(() => {
  if (gatewayPid > 0 && isAlive(gatewayPid)) process.kill(gatewayPid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

// npm alone is signalled; what it started is found among its descendants.
class NpmStart {
  readonly npm: ChildProcess;
  // All that was written, by npm and by what it started; ends when the last of them has closed it.
  readonly said: Promise<string>;
  #said = '';

  constructor(args: readonly string[]) {
    folder = mkdtempSync(join(tmpdir(), 'sluice-npm-'));
    this.npm = spawn('npm', args, {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, SLUICE_DATA: join(folder, 'data'), SLUICE_PORT: '0' },
    });
    this.npm.stdout!.on('data', (chunk) => {
      this.#said += chunk;
    });
    this.said = once(this.npm.stdout!, 'close').then(() => this.#said);
  }

  async listens(): Promise<string> {
    while (!this.#said.includes('listens on')) await once(this.npm.stdout!, 'data');
    const url = /http:[^\s;]+/.exec(this.#said)![0];
    const health = await (await fetch(`${url}/health`)).json();
    expect(health).toMatchObject({ status: 'ok' });
    gatewayPid = gatewayOf(this.npm.pid!);
    const command = readFileSync(`/proc/${gatewayPid}/cmdline`, 'utf8').split('\0');
    expect(command).toEqual(expect.arrayContaining([...NODE_FLAGS]));
    return url;
  }
}

// The one of its descendants that serves.
function gatewayOf(pid: number): number {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  if (child === undefined || child === '') return pid;
  return gatewayOf(Number(child));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe.runIf(process.platform === 'linux')(
  'a signal to npm alone',
  { timeout: TIMEOUT_MS },
  () => {
    test('npm start: SIGTERM ends the gateway in order, and npm waits for it', async () => {
      const started = new NpmStart(['start']);
      await started.listens();
      started.npm.kill('SIGTERM');
      await once(started.npm, 'exit');
      expect(isAlive(gatewayPid)).toBe(false);
      expect(await started.said).toContain('SIGTERM: finishing what is in flight');
    });

    test('npm start: Ctrl-C, which arrives twice, ends it in order', async () => {
      const started = new NpmStart(['start']);
      await started.listens();
      process.kill(gatewayPid, 'SIGINT');
      started.npm.kill('SIGINT');
      await once(started.npm, 'exit');
      expect(await started.said).toContain('SIGINT: finishing what is in flight');
      expect(isAlive(gatewayPid)).toBe(false);
    });

    test('npm start: kill -9 of npm ends the gateway in order', async () => {
      const started = new NpmStart(['start']);
      await started.listens();
      started.npm.kill('SIGKILL');
      expect(await started.said).toContain('npm has ended: finishing what is in flight');
    });

    test.each(['SIGTERM', 'SIGKILL'] as const)('npx sluice serve: %s', async (signal) => {
      const started = new NpmStart(['exec', '--', 'sluice', 'serve']);
      await started.listens();
      started.npm.kill(signal);
      expect(await started.said).toContain('npm has ended: finishing what is in flight');
    });
  },
);
