// A Redis of the tests' own: on loopback, on a free port, with a password, without persistence.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { ensure } from '../../scripts/ensure.ts';
import { ownPort } from '../../scripts/own-port.ts';

export interface RedisServer {
  readonly url: string;
  readonly password: string;
  // The process that serves now, for tests that stop or kill it.
  readonly process: ChildProcess;
  // For what the tests do behind everybody's back.
  readonly admin: Redis;
  // After it was killed: on the same port, and empty.
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const PASSWORD = 'a-password-of-the-tests';

export async function startRedisServer(host = '127.0.0.1'): Promise<RedisServer> {
  const program = await ensure('redis');
  if (program === null) throw new Error('there is no Redis to test with');
  const dir = mkdtempSync(join(tmpdir(), 'sluice-redis-'));
  const port = await ownPort();
  const flags = ['--port', `${port}`, '--bind', host, '--save', '', '--appendonly', 'no'];
  const start = async () => {
    const child = spawn(program, [...flags, '--requirepass', PASSWORD, '--dir', dir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await ready(child);
    return child;
  };
  let child = await start();
  const url = `redis://:${PASSWORD}@${host}:${port}`;
  const admin = new Redis(url, { lazyConnect: true });
  admin.on('error', () => {});
  return {
    url,
    admin,
    password: PASSWORD,
    get process() {
      return child;
    },
    async restart() {
      child = await start();
    },
    async stop() {
      admin.disconnect();
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      rmSync(dir, { recursive: true });
    },
  };
}

async function ready(child: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let said = '';
  child.stdout!.on('data', (chunk) => {
    said += chunk;
    if (said.includes('Ready to accept connections')) resolve();
  });
  child.once('exit', () => reject(new Error(`redis-server ended: ${said}`)));
  await promise;
}
