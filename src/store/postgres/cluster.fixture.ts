// A Postgres of the tests' own: a cluster in a temporary folder, reached by a socket in it alone, as an unprivileged
// user, since Postgres does not run as root. What is written there is for nobody's eyes but the test's: it is not
// forced to the disk.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ensure } from '../../../scripts/ensure.ts';
import { PostgresConnection } from '../../system/postgres.ts';

export interface Cluster {
  readonly dir: string;
  // The server's own process, for tests that stop or kill it.
  readonly server: ChildProcess;
  // An empty database of its own.
  database(): Promise<string>;
  stop(): Promise<void>;
}

const UNPRIVILEGED = ['postgres', 'nobody'];
const READY = /ready to accept connections/;
const FLAGS = ['fsync=off', 'full_page_writes=off', 'listen_addresses=', 'max_connections=50'];

export async function startCluster(): Promise<Cluster> {
  const program = await ensure('postgres');
  if (program === null) throw new Error('there is no Postgres to test with');
  const dir = mkdtempSync(join(tmpdir(), 'sluice-pg-'));
  const user = unprivileged();
  if (user !== null) chownSync(dir, user.uid, user.gid);
  const data = join(dir, 'data');
  const options = { ...user, cwd: dir, stdio: 'pipe' } as const;
  const initdb = program === 'postgres' ? 'initdb' : join(dirname(program), 'initdb');
  execFileSync(
    initdb,
    ['-D', data, '-U', 'sluice', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--no-instructions'],
    options,
  );
  const flags = FLAGS.flatMap((flag) => ['-c', flag]);
  const server = spawn(program, ['-D', data, '-k', dir, ...flags], options);
  await ready(server);
  let databases = 0;
  const admin = new PostgresConnection({
    url: urlOf(dir, 'postgres'),
    name: 'test',
    schema: 'public',
  });
  return {
    dir,
    server,
    async database() {
      databases += 1;
      await admin.script(`CREATE DATABASE test_${databases}`);
      return urlOf(dir, `test_${databases}`);
    },
    async stop() {
      await admin.close();
      if (server.exitCode === null && server.signalCode === null) {
        // At once, and without a last checkpoint: nobody reads it again.
        server.kill('SIGQUIT');
        await once(server, 'exit');
      }
      rmSync(dir, { recursive: true });
    },
  };
}

function urlOf(dir: string, database: string): string {
  return `postgres:///${database}?user=sluice&host=${encodeURIComponent(dir)}`;
}

function unprivileged(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of UNPRIVILEGED) {
    const fields = lines.find((line) => line.startsWith(`${name}:`))?.split(':');
    if (fields !== undefined) return { uid: Number(fields[2]), gid: Number(fields[3]) };
  }
  return null;
}

async function ready(server: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let said = '';
  server.stderr!.on('data', (chunk) => {
    said += chunk;
    if (READY.test(said)) resolve();
  });
  server.once('exit', () => reject(new Error(`postgres ended: ${said}`)));
  await promise;
  server.stderr!.removeAllListeners('data').resume();
}
