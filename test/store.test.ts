// The store under hard conditions, with real processes: two on one folder, folders that cannot be written, files
// that cannot be read, a disk that is full, a copy taken while it runs, an end in the middle of everything.

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type JudgedCall, type ServedSim, serveSim } from '../src/sim/sim.ts';
import { openDatabase, storeFileOf } from '../src/system/databases/sqlite.ts';
import { GatewayProcess } from './process/gateway.ts';
import { runSluice } from './process/sluice.ts';

const TOKEN = '4242:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const ACCOUNT = 'telegram:4242';
const WIDE = ['--broadcast-per-s', '1000', '--private-per-s', '1000', '--retry-max-ms', '1000'];

// Undone in reverse, whatever happens.
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

// Every text the platform took, and the means to wait for their number.
class Seen {
  readonly calls: JudgedCall[] = [];
  readonly texts = new Set<string>();
  #wake = Promise.withResolvers<void>();

  readonly see = (call: JudgedCall): void => {
    if (call.method !== 'sendMessage') return;
    this.calls.push(call);
    if (call.acceptedAt !== null) this.texts.add(call.text);
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  };

  async reached(count: number): Promise<void> {
    while (this.texts.size < count) await this.#wake.promise;
  }
}

async function openSim(options: object = { truth: Infinity }) {
  const seen = new Seen();
  const sim = await serveSim({ host: '127.0.0.1', port: 0, options, onCall: seen.see });
  undo.push(() => sim.close());
  return { sim, seen };
}

function openGateway(sim: ServedSim, flags: readonly string[] = WIDE): GatewayProcess {
  const gateway = new GatewayProcess(sim.url, flags);
  undo.push(() => gateway.remove());
  undo.push(() => gateway.end('SIGKILL').catch(() => {}));
  return gateway;
}

function message(chat: number, text: string) {
  return {
    to: { platform: 'telegram', account: TOKEN, chat },
    body: { text },
    correlation: text.slice(0, 20),
  };
}

async function post(gateway: GatewayProcess, chat: number, text: string) {
  return gateway.ask('POST', '/v1/messages', message(chat, text));
}

async function setFaults(sim: ServedSim, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  await fetch(`${sim.url}/sim/faults`, { method: 'POST', headers, body: JSON.stringify(body) });
}

const serve = (data: string) => runSluice(['serve', '--port', '0', '--data', data]);

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-store-'));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function mountTmpfs(at: string, options: string): boolean {
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', at]);
  if (status === 0) undo.push(() => spawnSync('umount', ['-l', at]));
  return status === 0;
}

const canMount = ((): boolean => {
  const folder = makeFolder();
  const isMounted = mountTmpfs(folder, 'size=64k');
  for (const step of undo.splice(0).reverse()) step();
  return isMounted;
})();

// A store with something in it, closed in good order.
async function makeStore(): Promise<string> {
  const { sim } = await openSim();
  const gateway = openGateway(sim);
  await gateway.start();
  for (let i = 0; i < 20; i++)
    expect((await post(gateway, 100 + i, 'x'.repeat(2000))).status).toBe(202);
  expect((await gateway.end('SIGTERM')).code).toBe(0);
  return gateway.data;
}

describe('a folder', () => {
  test('has one process; a second is told what to do, and the first goes on', async () => {
    const { sim, seen } = await openSim();
    const gateway = openGateway(sim);
    await gateway.start();
    const second = await serve(gateway.data);
    expect(second.code).toBe(1);
    expect(second.err).toContain(`another Sluice is using ${gateway.data}: stop it, or give`);
    expect((await post(gateway, 1, 'still here')).status).toBe(202);
    await seen.reached(1);
    await gateway.end('SIGKILL');
    await gateway.start();
    expect((await post(gateway, 1, 'free at once')).status).toBe(202);
    await seen.reached(2);
  });

  test('that cannot be written is named', async () => {
    const folder = makeFolder();
    if (!mountTmpfs(folder, 'ro')) chmodSync(folder, 0o500);
    const { code, err } = await serve(folder);
    expect(code).toBe(1);
    expect(err).toMatch(/cannot be written .*: allow it, or name another folder/);
    expect(err).toContain(folder);
  });

  test('that is a file is named', async () => {
    const file = join(makeFolder(), 'data');
    writeFileSync(file, '');
    const { code, err } = await serve(file);
    expect(code).toBe(1);
    expect(err).toContain(`${file} is not a folder: name one for the data`);
  });
});

describe('a file', () => {
  // At its very beginning; somewhere inside.
  test.each([0, 0.5])('that is damaged (at %d of it) is not opened', async (where) => {
    const data = await makeStore();
    const path = storeFileOf(data);
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.alloc(8192, 0xa5), 0, 8192, Math.floor(statSync(path).size * where));
    closeSync(file);
    const { code, err } = await serve(data);
    expect(code).toBe(1);
    expect(err).toMatch(
      /the store is damaged: \d+ pages? of .* changed or lost .*missing.*sluice restore <file>/s,
    );
  });

  test('of a newer Sluice is left alone', async () => {
    const data = await makeStore();
    const db = openDatabase(storeFileOf(data), { readOnly: false, busyMsMax: 0 });
    db.exec('PRAGMA user_version = 999');
    db.close();
    const { code, err } = await serve(data);
    expect(code).toBe(1);
    expect(err).toContain('the store was written by a newer Sluice');
  });
});

describe('a full disk', () => {
  test.skipIf(!canMount)(
    'refuses, loses nothing, and goes on when there is room (needs root: mounts a tmpfs)',
    async () => {
      const { sim, seen } = await openSim();
      const gateway = openGateway(sim);
      mkdirSync(gateway.data);
      expect(mountTmpfs(gateway.data, 'size=8m')).toBe(true);
      const filler = join(gateway.data, 'filler');
      writeFileSync(filler, Buffer.alloc(5 * 1024 * 1024));
      await gateway.start();

      const accepted = new Set<string>();
      const health = async () => (await gateway.ask('GET', '/health/details')).body;
      // Full for good when even the moves of what waits find no room.
      const isDown = async () => (await health()).status === 'down';
      for (let n = 0, refused = 0; refused < 20 || !(await isDown()); n++) {
        const text = `${n} `.padEnd(3000, '.');
        const { status, body } = await post(gateway, 1 + (n % 50), text);
        if (status === 202) accepted.add(text);
        else {
          refused += 1;
          expect([status, body.code]).toEqual([503, 'disk_full']);
        }
      }
      expect(await health()).toMatchObject({
        parts: { journal: { status: 'down', code: 'disk_full' } },
      });
      expect(accepted.size).toBeGreaterThan(20);
      expect((await gateway.ask('GET', '/health')).status).toBe(200);
      // Whoever looks is told the cause and what to do.
      const { incidents } = (await gateway.ask('GET', '/v1/overview')).body;
      expect(incidents).toMatchObject([{ code: 'disk_full', severity: 'critical', account: null }]);
      const { code, out } = await runSluice(['status', '--url', gateway.url], {
        SLUICE_KEY: gateway.key,
      });
      expect({ code, out }).toMatchObject({
        code: 1,
        out: expect.stringMatching(/^CRITICAL {2}The disk is full.*\n +Free space/),
      });

      rmSync(filler);
      expect((await post(gateway, 1, 'room again')).status).toBe(202);
      accepted.add('room again');
      await seen.reached(accepted.size);
      expect(seen.texts).toEqual(accepted);
      expect(await health()).toMatchObject({ status: 'ok' });
      // Nobody counts more than what is there, and a restart finds the same.
      const { err } = await gateway.end('SIGKILL');
      expect(err.match(/the disk is full: nothing is accepted/g)).toHaveLength(1);
      await gateway.start();
      expect(await gateway.records()).toHaveLength(accepted.size);
    },
  );
});

describe('a snapshot', () => {
  test('of a running store, restored elsewhere: the queue is there and goes out', async () => {
    const { sim, seen } = await openSim();
    const old = openGateway(sim);
    await old.start();
    await post(old, 1, 'before');
    await seen.reached(1);
    expect((await old.ask('POST', `/v1/accounts/${ACCOUNT}/pause`)).status).toBe(200);
    const waiting = ['one', 'two', 'three'];
    for (const text of waiting) expect((await post(old, 1, text)).status).toBe(202);

    const file = join(makeFolder(), 'snapshot.db');
    expect(await runSluice(['snapshot', file, '--data', old.data])).toMatchObject({ code: 0 });
    await post(old, 1, 'after');
    await old.end('SIGKILL');

    const next = openGateway(sim);
    expect(await runSluice(['restore', file, '--data', next.data])).toMatchObject({ code: 0 });
    copyFileSync(join(old.data, 'secret'), join(next.data, 'secret'));
    await next.start();
    const records = await next.records();
    expect(records.map(({ correlation }) => correlation).sort()).toEqual(
      ['before', ...waiting].sort(),
    );
    expect((await next.ask('POST', `/v1/accounts/${ACCOUNT}/resume`)).status).toBe(200);
    await seen.reached(4);
    expect(seen.calls.map(({ text }) => text)).toEqual(['before', ...waiting]);
  });
});

describe('SIGTERM', () => {
  const DRAIN_MS_MAX = 10_000;

  test('in the middle of calls that hang: it ends in time, the rest is sent after the start', async () => {
    const { sim, seen } = await openSim();
    const gateway = openGateway(sim);
    await gateway.start();
    await post(gateway, 1, 'known');
    await seen.reached(1);
    const fault = { kind: 'hang', delivered: false };
    await setFaults(sim, { script: [{ fault, method: 'sendMessage', times: 1000 }] });
    const texts = Array.from({ length: 200 }, (_, n) => `${n % 20}:${n}`);
    for (const text of texts) {
      expect((await post(gateway, 500 + Number(text.split(':')[0]), text)).status).toBe(202);
    }
    const asked = performance.now();
    expect((await gateway.end('SIGTERM')).code).toBe(0);
    expect(performance.now() - asked).toBeLessThan(DRAIN_MS_MAX);
    expect(seen.texts.size).toBe(1);

    await setFaults(sim, {});
    await gateway.start();
    await seen.reached(1 + texts.length);
    for (let chat = 500; chat < 520; chat++) {
      const order = seen.calls.filter((call) => call.chat === String(chat)).map(({ text }) => text);
      expect(order).toEqual(texts.filter((text) => text.startsWith(`${chat - 500}:`)));
    }
  });
});

describe('a start', () => {
  const PER_S = 200;
  const TOTAL = 1200;

  test(`with ${TOTAL} that wait: no burst`, async () => {
    const { sim, seen } = await openSim({ broadcast: { count: PER_S, perMs: 1000 } });
    const gateway = openGateway(sim, ['--broadcast-per-s', String(PER_S)]);
    await gateway.start();
    const fault = { kind: 'hang', delivered: false };
    await setFaults(sim, { script: [{ fault, method: 'sendMessage', times: 1_000_000 }] });
    const all = Array.from({ length: TOTAL }, (_, n) => message(1 + (n % 400), `${n}`));
    for (let n = 0; n < TOTAL; n += 100) {
      const { status } = await gateway.ask('POST', '/v1/messages', all.slice(n, n + 100));
      expect(status).toBe(207);
    }
    await gateway.end('SIGKILL');
    await setFaults(sim, {});
    await gateway.start();
    await seen.reached(TOTAL);
    const stats = await (await fetch(`${sim.url}/sim/stats`)).json();
    expect(stats).toMatchObject({ windowsExceeded: 0, limited: 0 });
    expect(seen.calls).toHaveLength(TOTAL);
  });
});
