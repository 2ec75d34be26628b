// Every kind of damage to the files of a store, with real processes: a start heals it without loss, or refuses with the
// count of what is missing. One store is made, killed, and copied for each kind. More places of each kind, and what is
// left when the loss is accepted, in src/store/sqlite/files/damage.test.ts, without processes.

import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type ServedSim, serveSim } from '../src/sim/sim.ts';
import { GatewayProcess } from './process/gateway.ts';
import { runSluice, Sluice } from './process/sluice.ts';

const TOKEN = '4242:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const MESSAGES = 300;
const MINUTE = 60_000;

let sim: ServedSim;
let base: GatewayProcess;
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-damage-'));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const textOf = (n: number) => `message ${n} `.padEnd(200 + (n % 7) * 900, 'abcdefghij');

function message(n: number) {
  return {
    to: { platform: 'telegram', account: TOKEN, chat: 1 + (n % 20) },
    body: { text: textOf(n) },
    correlation: String(n),
  };
}

async function acceptPaused(gateway: GatewayProcess, from: number, to: number): Promise<void> {
  const greeted = await fetch(`${gateway.url}/bot${TOKEN}/getMe`);
  expect(greeted.status).toBe(200);
  expect((await gateway.ask('POST', '/v1/accounts/telegram:4242/pause')).status).toBe(200);
  for (let n = from; n < to; n += 50) {
    const batch = Array.from({ length: Math.min(50, to - n) }, (_, i) => message(n + i));
    expect((await gateway.ask('POST', '/v1/messages', batch)).status).toBe(207);
  }
}

// All of it lies in the log still.
beforeAll(async () => {
  sim = await serveSim({ host: '127.0.0.1', port: 0, options: {} });
  base = new GatewayProcess(sim.url);
  await base.start();
  await acceptPaused(base, 0, MESSAGES);
  await base.end('SIGKILL');
}, MINUTE);
afterAll(async () => {
  base.remove();
  await sim.close();
});

// A copy of the store, as the process left it that was killed.
function aCopy(): GatewayProcess {
  const copy = new GatewayProcess(sim.url);
  undo.push(() => copy.remove());
  undo.push(() => copy.end('SIGKILL').catch(() => {}));
  cpSync(base.data, copy.data, { recursive: true });
  return copy;
}

const path = (gateway: GatewayProcess, name: string) => join(gateway.data, name);
const LOG = 'sluice.db-wal';

function flip(file: string, byte: number, bit = 0): void {
  const bytes = readFileSync(file);
  bytes[byte]! ^= 1 << bit;
  writeFileSync(file, bytes);
}

const serve = (gateway: GatewayProcess, ...more: string[]) =>
  runSluice(['serve', '--port', '0', '--telegram-api', sim.url, '--data', gateway.data, ...more]);

async function allThere(gateway: GatewayProcess): Promise<void> {
  const records = await gateway.records();
  expect(records).toHaveLength(MESSAGES);
  for (const record of records.slice(0, 10)) {
    const { body } = await gateway.ask('GET', `/v1/messages/${record.id}`);
    expect(body.body).toMatchObject({ text: textOf(Number(record.correlation)) });
  }
}

// Refused with the count; the folder is as it was. With --accept-loss it goes on, and that stays visible.
async function refused(gateway: GatewayProcess, missing: RegExp): Promise<string> {
  const { code, err } = await serve(gateway);
  expect(code).toBe(1);
  expect(err).toMatch(missing);
  expect(err).toContain('sluice restore <file>');
  expect(err).toContain('sluice serve --accept-loss');
  expect(err).not.toContain(TOKEN);
  return err;
}

async function goesOnWithLoss(gateway: GatewayProcess): Promise<void> {
  await gateway.start(['--accept-loss']);
  const { body } = await gateway.ask('GET', '/health/details');
  const { journal } = body.parts as Record<string, Record<string, unknown>>;
  expect(journal).toMatchObject({ status: 'ok', losses: [{ missing: expect.any(Number) }] });
  const { body: audit } = await gateway.ask('GET', '/v1/audit');
  expect((audit.entries as unknown[])[0]).toMatchObject({ action: 'serve --accept-loss' });
  const metrics = await fetch(`${gateway.url}/metrics`, {
    headers: { authorization: `Bearer ${gateway.key}` },
  });
  expect(await metrics.text()).toMatch(/sluice_store_losses 1\n/);
  // And the next start has nothing to say.
  await gateway.end('SIGKILL');
  await gateway.start();
  const { id } = (await gateway.ask('POST', '/v1/messages', message(9999))).body;
  expect(id).toBeDefined();
}

describe('a store that was killed', () => {
  test('starts with all it had', async () => {
    const copy = aCopy();
    await copy.start();
    await allThere(copy);
    const { body } = await copy.ask('GET', '/health/details');
    expect(body.parts).toMatchObject({ journal: { status: 'ok', losses: [] } });
  });
});

describe('the log', () => {
  test('deleted: refused with the count, and goes on if that is accepted', {
    timeout: MINUTE,
  }, async () => {
    const copy = aCopy();
    rmSync(path(copy, LOG));
    const said = await refused(
      copy,
      new RegExp(`${MESSAGES} accepted messages are missing \\(numbers 1 to ${MESSAGES}\\)`),
    );
    // Whoever tries again is told the same.
    expect((await serve(copy)).err).toBe(said);
    await goesOnWithLoss(copy);
  });

  test('cut off in the middle: refused with the count', async () => {
    const copy = aCopy();
    const log = path(copy, LOG);
    truncateSync(log, Math.floor(statSync(log).size / 2));
    await refused(copy, /\d+ accepted messages are missing \(numbers \d+ to 300\)/);
  });

  test('with one bit changed: put right', async () => {
    const copy = aCopy();
    const log = path(copy, LOG);
    flip(log, Math.floor(statSync(log).size * 0.6), 3);
    await copy.start();
    await allThere(copy);
  });

  test('with many bits changed: refused with the count', async () => {
    const copy = aCopy();
    const log = path(copy, LOG);
    const bytes = readFileSync(log);
    bytes.fill(0xa5, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 100);
    writeFileSync(log, bytes);
    await refused(copy, /\d+ accepted messages are missing \(numbers \d+ to 300\)/);
  });
});

describe('the file', () => {
  test.each(['deleted', 'emptied'])(
    '%s, with all of it in the log: written anew',
    {
      timeout: MINUTE,
    },
    async (how) => {
      const copy = aCopy();
      if (how === 'deleted') rmSync(path(copy, 'sluice.db'));
      else truncateSync(path(copy, 'sluice.db'), 0);
      await copy.start();
      await allThere(copy);
    },
  );

  test.each(['deleted', 'emptied'])(
    '%s, and the log too: refused with the count',
    {
      timeout: MINUTE,
    },
    async (how) => {
      const copy = aCopy();
      rmSync(path(copy, LOG));
      if (how === 'deleted') rmSync(path(copy, 'sluice.db'));
      else truncateSync(path(copy, 'sluice.db'), 0);
      await refused(copy, /300 accepted messages are missing \(numbers 1 to 300\)/);
    },
  );

  test('replaced by an older one: refused with the count', async () => {
    const copy = aCopy();
    await copy.start();
    await copy.end('SIGTERM');
    const old = join(makeFolder(), 'old.db');
    copyFileSync(path(copy, 'sluice.db'), old);
    await copy.start();
    await acceptPaused(copy, MESSAGES, MESSAGES + 7);
    await copy.end('SIGTERM');
    copyFileSync(old, path(copy, 'sluice.db'));
    await refused(copy, /7 accepted messages are missing \(numbers 301 to 307\)/);
  });
});

describe('the mark', () => {
  test.each(['deleted', 'damaged', 'old'])(
    '%s: made anew, nothing is refused',
    {
      timeout: MINUTE,
    },
    async (how) => {
      const copy = aCopy();
      const mark = path(copy, 'sluice.mark');
      const old = readFileSync(mark);
      if (how === 'deleted') rmSync(mark);
      if (how === 'damaged') writeFileSync(mark, 'not a mark');
      if (how === 'old') {
        for (let i = 0; i < 2; i++) {
          await copy.start();
          await copy.end('SIGTERM');
        }
        writeFileSync(mark, old);
      }
      await copy.start(['--log', 'warn']);
      await allThere(copy);
      const { err } = await copy.end('SIGTERM');
      const word = { deleted: 'missing', damaged: 'damaged', old: 'an old one' }[how];
      expect(err).toContain(`the mark of the store is ${word}`);
      expect(existsSync(mark)).toBe(true);
    },
  );
});

describe('the mark and the log', () => {
  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'both deleted after %s: refused if anything can be missing',
    { timeout: MINUTE },
    async (signal) => {
      const copy = aCopy();
      await copy.start();
      await acceptPaused(copy, MESSAGES, MESSAGES + 7);
      await copy.end(signal);
      for (const name of ['sluice.mark', 'sluice.db-wal', 'sluice.db-shm']) {
        rmSync(path(copy, name), { force: true });
      }
      if (signal === 'SIGKILL') {
        await refused(copy, /it was not closed, its log .* is gone or empty, and so is its mark/);
        await copy.start(['--accept-loss']);
        await allThere(copy);
        return;
      }
      await copy.start();
      expect(await copy.records()).toHaveLength(MESSAGES + 7);
    },
  );
});

describe('a snapshot', () => {
  test('restored where a newer store was: starts', async () => {
    const copy = aCopy();
    const file = join(makeFolder(), 'snapshot.db');
    expect((await runSluice(['snapshot', file, '--data', copy.data])).code).toBe(0);
    await copy.start();
    await acceptPaused(copy, MESSAGES, MESSAGES + 7);
    await copy.end('SIGKILL');
    rmSync(path(copy, 'sluice.db'));
    expect((await runSluice(['restore', file, '--data', copy.data])).code).toBe(0);
    // Also when it is not the first start any more.
    for (let i = 0; i < 2; i++) {
      await copy.start();
      await allThere(copy);
      await copy.end('SIGTERM');
    }
  });
});

describe('two processes', () => {
  const LISTENS = 'listens on';
  const second = (data: string) =>
    new Sluice(['serve', '--port', '0', '--telegram-api', sim.url, '--data', data]);

  test('the lock file removed: the second is told, the first goes on', {
    timeout: MINUTE,
  }, async () => {
    const copy = aCopy();
    await copy.start();
    rmSync(path(copy, 'sluice.lock'));
    const link = join(makeFolder(), 'link');
    symlinkSync(copy.data, link);
    for (const spelling of [copy.data, `${copy.data}/../data/.`, link]) {
      const { code, err } = await second(spelling).ended;
      expect(code).toBe(1);
      expect(err).toMatch(
        /another Sluice \(process \d+\) is using .*, though its lock file is gone/,
      );
    }
    await allThere(copy);
  });

  test('a copy of a folder that is in use starts', async () => {
    const copy = aCopy();
    await copy.start();
    const other = new GatewayProcess(sim.url);
    undo.push(() => other.remove());
    undo.push(() => other.end('SIGKILL').catch(() => {}));
    // The mark names a process that lives, on the other folder.
    cpSync(copy.data, other.data, { recursive: true });
    await other.start();
    await allThere(other);
  });

  const ROUNDS = 4;
  test('started at once, the lock file gone: never both run on', {
    timeout: 5 * MINUTE,
  }, async () => {
    const copy = aCopy();
    const lock = path(copy, 'sluice.lock');
    for (let round = 0; round < ROUNDS; round++) {
      rmSync(lock, { force: true });
      // In every other round also as soon as one of them has made it anew, so that it keeps nobody out.
      const watcher = watch(copy.data, (_event, name) => {
        if (round % 2 === 1 && name === 'sluice.lock') rmSync(lock, { force: true });
      });
      const both = [second(copy.data), second(copy.data)];
      const spoke = both.map((one) =>
        one.said(LISTENS).then(
          () => one,
          () => null,
        ),
      );
      const ended = both.map((one) => one.ended.then(() => one));
      const loser = await Promise.race(ended);
      const winner = both.find((one) => one !== loser)!;
      const running = await spoke[both.indexOf(winner)];
      // With the lock taken away under their hands they may both give up, but never both run on.
      if (round % 2 === 0) expect(running).toBe(winner);
      winner.kill('SIGKILL');
      await winner.ended;
      watcher.close();
    }
  });
});
