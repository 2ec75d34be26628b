import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMemoryDisk, createMemoryStore } from '../../store/memory/memory.ts';
import { drawLeaseToken, takeOverLeases } from './reader-lease.ts';

const HOST = { node: 'same-host', ttlMs: 60_000, now: 0 };
let folder: string;
let store: ReturnType<typeof createMemoryStore>['journal']['ingest'];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-lease-'));
  store = createMemoryStore(createMemoryDisk()).journal.ingest;
});
afterEach(() => rmSync(folder, { recursive: true }));

// A process starts on the folder, and asks for both leases.
async function start() {
  const token = drawLeaseToken();
  await takeOverLeases({ folder, store, names: ['page', 'mtproto:1'], token });
  const ask = (name: string) => store.takeLease({ ...HOST, name, token });
  return { token, page: await ask('page'), account: await ask('mtproto:1') };
}

test('each start has another token', () => {
  expect(new Set(Array.from({ length: 100 }, drawLeaseToken)).size).toBe(100);
});

test('what a dead process of the same folder held is free at once, and fenced', async () => {
  const first = await start();
  expect(first.page).toMatchObject({ kind: 'held', epoch: 1 });
  const second = await start();
  expect(second.token).not.toBe(first.token);
  expect(second).toMatchObject({ page: { kind: 'held', epoch: 2, isTaken: true } });
  expect(second.account).toMatchObject({ kind: 'held', epoch: 2, isTaken: true });
});

test('what a node of the same name holds is not: it has another token', async () => {
  await store.takeLease({ ...HOST, name: 'page', token: drawLeaseToken() });
  expect(await start()).toMatchObject({
    page: { kind: 'busy', node: 'same-host', until: HOST.ttlMs },
    account: { kind: 'held' },
  });
});
