// The command line as a process: the hand-over to the pinned Node, exit codes, signals.

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const BIN = fileURLToPath(new URL('../bin/sluice.js', import.meta.url));

function start(...args: string[]): ChildProcess {
  return spawn(process.execPath, [BIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
}

function ended(child: ChildProcess): Promise<{ code: number | null; out: string; err: string }> {
  let out = '';
  let err = '';
  child.stdout!.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr!.on('data', (chunk) => {
    err += chunk;
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })));
}

function lineWith(child: ChildProcess, text: string): Promise<string> {
  let seen = '';
  return new Promise((resolve, reject) => {
    child.on('close', () => reject(new Error(`it ended without saying "${text}": ${seen}`)));
    child.stdout!.on('data', (chunk) => {
      seen += chunk;
      const line = seen.split('\n').find((each) => each.includes(text));
      if (line !== undefined) resolve(line);
    });
  });
}

describe('bin/sluice.js', () => {
  test('passes output and exit code on', async () => {
    const version = await ended(start('--version'));
    expect(version.code).toBe(0);
    expect(version.out).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await ended(start('nonsense'))).code).toBe(2);
    expect((await ended(start('status', '--url', 'http://127.0.0.1:9'))).code).toBe(1);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'passes %s on and waits for a good end',
    async (signal) => {
      const child = start('sim', '--port', '0');
      const end = ended(child);
      const line = await lineWith(child, 'listens on');
      const url = /http:\S+/.exec(line)![0];
      const answer = await fetch(`${url}/bot1:sandbox/getMe`);
      expect(answer.status).toBe(200);
      child.kill(signal);
      expect((await end).code).toBe(0);
    },
  );
});
