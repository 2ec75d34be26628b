// A Postgres of the tests' own: a cluster in a temporary folder, reached by a socket in it alone, as an unprivileged
// user, since Postgres does not run as root. What is written there is for nobody's eyes but the test's: unless asked
// for it is not forced to the disk.

import {
  type ChildProcess,
  type ExecFileSyncOptions,
  execFileSync,
  spawn,
} from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ensure } from '../../../scripts/ensure.ts';
import { sleep, systemClock } from '../../system/clock.ts';
import { PostgresConnection } from '../../system/databases/postgres.ts';

export interface Cluster {
  readonly dir: string;
  // As a power cut would; the data stays.
  kill(): Promise<void>;
  start(): Promise<void>;
  // The server and all its processes are there, and do nothing.
  freeze(): void;
  thaw(): void;
  // An empty database of its own; `host`: as it is reached there.
  database(host?: string): Promise<string>;
  stop(): Promise<void>;
}

const UNPRIVILEGED = ['postgres', 'nobody'];
const READY = /ready to accept connections/;
const FLAGS = ['max_connections=50'];
const PORT = 5432;
const FORGETFUL = ['fsync=off', 'full_page_writes=off'];

// `isDurable`: what is committed is forced to the disk, for measurements. `host`: an address of this machine that it is
// reached at besides, by whoever reaches that address.
export async function startCluster({ isDurable = false, host = '' } = {}): Promise<Cluster> {
  const program = await ensure('postgres');
  if (program === null) throw new Error('there is no Postgres to test with');
  const dir = mkdtempSync(join(tmpdir(), 'sluice-pg-'));
  const user = unprivileged();
  if (user !== null) chownSync(dir, user.uid, user.gid);
  const data = join(dir, 'data');
  const options = { ...user, cwd: dir, stdio: 'pipe' } as const;
  const initdb = program === 'postgres' ? 'initdb' : join(dirname(program), 'initdb');
  makeData(initdb, data, options);
  if (host !== '') appendFileSync(join(data, 'pg_hba.conf'), 'host all all samenet trust\n');
  const own = [...FLAGS, `listen_addresses=${host}`, `port=${PORT}`];
  const chosen = isDurable ? own : [...own, ...FORGETFUL];
  const flags = chosen.flatMap((flag) => ['-c', flag]);
  const start = () => started(() => spawn(program, ['-D', data, '-k', dir, ...flags], options));
  let server = await start();
  let databases = 0;
  const admin = new PostgresConnection({
    url: urlOf(dir, 'postgres'),
    name: 'test',
    schema: 'public',
  });
  const isRunning = () => server.exitCode === null && server.signalCode === null;
  const end = async (signal: () => void) => {
    if (!isRunning()) return;
    const ended = once(server, 'exit');
    signal();
    await ended;
  };
  return {
    dir,
    async database(at) {
      databases += 1;
      const name = `test_${databases}`;
      await admin.script(`CREATE DATABASE ${name}`);
      return at === undefined ? urlOf(dir, name) : `postgres://sluice@${at}:${PORT}/${name}`;
    },
    kill: () => end(() => signalAll(server.pid!, 'SIGKILL')),
    async start() {
      if (!isRunning()) server = await start();
    },
    freeze: () => signalAll(server.pid!, 'SIGSTOP'),
    thaw: () => signalAll(server.pid!, 'SIGCONT'),
    async stop() {
      await admin.close().catch(() => {});
      // At once, and without a last checkpoint: nobody reads it again.
      await end(() => signalAll(server.pid!, 'SIGKILL'));
      rmSync(dir, { recursive: true });
    },
  };
}

const INITDB = ['-U', 'sluice', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--no-instructions'];
const TEMPLATE = 'sluice-pg-template';
// It goes with the run; see test/process/folder.ts.
const RUN_FOLDER = /\/sluice-run-\w+$/;

// What a new cluster holds is always the same: in a run of the tests it is made once, and copied with its owner.
function makeData(initdb: string, data: string, options: ExecFileSyncOptions): void {
  const template = RUN_FOLDER.test(tmpdir()) ? join(tmpdir(), TEMPLATE) : null;
  if (template !== null && existsSync(template)) {
    execFileSync('cp', ['-a', template, data]);
    return;
  }
  execFileSync(initdb, ['-D', data, ...INITDB], options);
  if (template === null) return;
  const half = `${template}-${process.pid}`;
  execFileSync('cp', ['-a', data, half]);
  // Whoever was faster made the same.
  if (existsSync(template)) rmSync(half, { recursive: true });
  else renameSync(half, template);
}

// After it was killed its own processes may hold its memory for a moment.
const STARTS_MAX = 50;

async function started(start: () => ChildProcess): Promise<ChildProcess> {
  for (let tries = 1; ; tries += 1) {
    const server = start();
    try {
      await ready(server);
      return server;
    } catch (error) {
      if (tries === STARTS_MAX) throw error;
      await sleep(systemClock(), 100);
    }
  }
}

// Each of them is a group of its own.
function signalAll(pid: number, signal: NodeJS.Signals): void {
  const children = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry) && isOf(entry, pid));
  for (const each of [pid, ...children.map(Number)]) {
    try {
      process.kill(each, signal);
    } catch (error) {
      // It ended meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

function isOf(entry: string, parent: number): boolean {
  try {
    return (
      readFileSync(`/proc/${entry}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === String(parent)
    );
  } catch {
    return false;
  }
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
