// A Redis of the measurement's own: on loopback, on a free port, without persistence, gone afterwards.

import { type ChildProcess, spawn } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { ensure } from '../../scripts/ensure.ts';

export async function startRedis(
  folder: string,
): Promise<{ port: number; pid: number; stop(): Promise<void> }> {
  if ((await ensure('redis')) === null) process.exit(1);
  const port = await freePort();
  const flags = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn('redis-server', [...flags, '--dir', folder], {
    stdio: ['ignore', 'pipe', 2],
  });
  await ready(child);
  return {
    port,
    pid: child.pid!,
    stop: () =>
      new Promise((resolve) => {
        child.once('close', () => resolve());
        child.kill('SIGTERM');
      }),
  };
}

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout!.on('data', (chunk) => {
      said += chunk;
      if (said.includes('Ready to accept connections')) resolve();
    });
    child.once('close', () => reject(new Error(`redis-server ended: ${said}`)));
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
