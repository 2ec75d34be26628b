// Who may open what the gateway keeps: only the user it runs as, whatever the umask, also what was open before.

import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type ServedSim, serveSim } from '../src/sim/sim.ts';
import { GatewayProcess } from './process/gateway.ts';
import { runSluice } from './process/sluice.ts';

const TOKEN = '4242:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const [FILE, FOLDER] = [0o600, 0o700];

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-modes-'));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function openGateway(umask: string, flags: readonly string[] = []): Promise<GatewayProcess> {
  const sim: ServedSim = await serveSim({ host: '127.0.0.1', port: 0, options: {} });
  const gateway = new GatewayProcess(sim.url, flags);
  gateway.umask = umask;
  undo.push(() => sim.close());
  undo.push(() => gateway.remove());
  undo.push(() => gateway.end('SIGKILL').catch(() => {}));
  return gateway;
}

// Every path below the folder with its mode, and those whose mode is not the owner's alone.
function modesOf(folder: string): Map<string, number> {
  const modes = new Map([['.', statSync(folder).mode & 0o777]]);
  for (const name of readdirSync(folder, { recursive: true }) as string[]) {
    modes.set(name, statSync(join(folder, name)).mode & 0o777);
  }
  return modes;
}

function openToOthers(folder: string): string[] {
  return [...modesOf(folder)].filter(([, mode]) => (mode & 0o077) !== 0).map(([name]) => name);
}

// A file that waits in the spool: the account is paused.
async function upload(gateway: GatewayProcess): Promise<void> {
  const form = new FormData();
  form.set('chat_id', '1');
  form.set('document', new Blob(['content']), 'a.txt');
  const sent = fetch(`${gateway.url}/bot${TOKEN}/sendDocument`, {
    method: 'POST',
    body: form,
    headers: { prefer: 'respond-async' },
  });
  expect((await sent).status).toBeLessThan(300);
}

describe.each(['000', '022'])('with umask %s', (umask) => {
  test('the store, its log, the spool, keys and snapshots are their owner’s alone', async () => {
    const gateway = await openGateway(umask);
    await gateway.start();
    const greet = await fetch(`${gateway.url}/bot${TOKEN}/getMe`);
    expect(greet.status).toBe(200);
    await gateway.ask('POST', '/v1/accounts/telegram:4242/pause');
    await upload(gateway);
    const modes = modesOf(gateway.data);
    expect(modes.get('.')).toBe(FOLDER);
    expect(modes.get('spool')).toBe(FOLDER);
    for (const name of [
      'sluice.db',
      'sluice.db-wal',
      'sluice.db-shm',
      'sluice.lock',
      'secret',
      'admin-key',
    ]) {
      expect([name, modes.get(name)]).toEqual([name, FILE]);
    }
    const uploads = [...modes.keys()].filter((name) => name.startsWith('spool/'));
    expect(uploads).toHaveLength(1);
    const [uploaded] = uploads as [string];
    expect(openToOthers(gateway.data)).toEqual([]);

    const copy = join(makeFolder(), 'copy.db');
    const { code } = await runSluice(['snapshot', copy, '--data', gateway.data], {}, { umask });
    expect([code, statSync(copy).mode & 0o777]).toEqual([0, FILE]);
    const restored = join(makeFolder(), 'restored');
    chmodSync(copy, 0o644);
    await runSluice(['restore', copy, '--data', restored], {}, { umask });
    expect(modesOf(restored)).toEqual(
      new Map([
        ['.', FOLDER],
        ['sluice.db', FILE],
        ['spool', FOLDER],
        [uploaded, FILE],
      ]),
    );
  });
});

describe('what was open to others', () => {
  test('is closed at the next start, and that is said', async () => {
    const gateway = await openGateway('022', ['--log', 'warn']);
    await gateway.start();
    await gateway.end('SIGKILL');
    for (const name of modesOf(gateway.data).keys()) {
      const path = join(gateway.data, name);
      chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644);
    }
    await gateway.start();
    expect(openToOthers(gateway.data)).toEqual([]);
    const { err } = await gateway.end('SIGTERM');
    for (const name of ['sluice.db', 'sluice.db-wal', 'spool']) {
      expect(err).toContain(`${join(gateway.data, name)} was open to other users; now it is not`);
    }
  });

  test('stays as it is if it holds the files of others; ours are closed', async () => {
    const gateway = await openGateway('022', ['--log', 'warn']);
    mkdirSync(gateway.data);
    writeFileSync(join(gateway.data, 'letter.txt'), 'not ours', { mode: 0o644 });
    await gateway.start();
    expect(openToOthers(gateway.data).sort()).toEqual(['.', 'letter.txt']);
    const { err } = await gateway.end('SIGTERM');
    expect(err).toContain(`${gateway.data} is open to other users: it holds other files too`);
  });
});
