import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { markFileOf } from '../../system/sqlite.ts';
import { aDelivery, aSettlement, ROOM } from '../contract/journal.fixture.ts';
import { FIRST_EPOCH } from '../ports/ownership.ts';
import { readMark } from './files/mark.ts';
import { type OpenStore, openStore } from './files/open.ts';
import { type StoreServer, serveStore } from './server.ts';
import { makeFolder } from './sqlite.fixture.ts';
import { writeAppend, writeSettlement } from './wire.ts';

const OWNER = { account: 'telegram:1', epoch: FIRST_EPOCH };

// The disk takes what it is given beside the writing when the test says so.
describe('what the disk takes beside the writing', () => {
  let dir: string;
  let store: OpenStore;
  let server: StoreServer;
  let taking: (() => void)[];
  let syncs: number;

  beforeEach(() => {
    dir = makeFolder();
    const opened = openStore({ dir, pageCountMax: null });
    taking = [];
    syncs = 0;
    store = {
      ...opened,
      sync() {
        syncs += 1;
        opened.sync();
      },
      syncBeside: (done) => taking.push(done),
    };
    server = serveStore(store);
  });
  afterEach(() => {
    store.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const goAtOnce = () => {
    const words: (string | number | null)[] = [];
    const bounds = { ...ROOM, beginAt: 2_000 };
    writeAppend(words, { owner: OWNER, delivery: aDelivery(), bounds });
    server.answer([words]);
  };
  const settle = (seq: number) => {
    const words: (string | number | null)[] = [];
    writeSettlement(words, { owner: OWNER, command: aSettlement({ seq }) });
    return server.answer([words]);
  };
  const queue = () => {
    const words: (string | number | null)[] = [];
    writeAppend(words, { owner: OWNER, delivery: aDelivery(), bounds: ROOM });
    server.answer([words]);
  };

  test('is told of when it has it, and holds up no settlement', () => {
    goAtOnce();
    expect([server.isForceDue, server.newlyForced()]).toEqual([true, 0]);
    server.forceBeside(() => {});
    expect(settle(1)).toHaveLength(1);
    goAtOnce();
    expect([syncs, server.newlyForced()]).toEqual([0, 0]);
    taking.shift()!();
    // Not of what was written after it began.
    expect([server.newlyForced(), server.isForceDue, server.isForced]).toEqual([1, true, false]);
  });

  test('is taken once at a time, and what must be forced meanwhile counts for it', () => {
    goAtOnce();
    server.forceBeside(() => {});
    server.forceBeside(() => {});
    expect(taking).toHaveLength(1);
    queue();
    expect([syncs, server.isForced, server.newlyForced()]).toEqual([1, true, 1]);
    taking.shift()!();
    expect([server.isForced, server.newlyForced()]).toEqual([true, 0]);
  });

  test('is due after a few commits, though nobody waits for it', () => {
    for (let seq = 1; seq <= 8; seq++) goAtOnce();
    server.force();
    for (let seq = 1; seq <= 7; seq++) settle(seq);
    expect([server.isForced, server.isForceDue]).toEqual([false, false]);
    settle(8);
    expect(server.isForceDue).toBe(true);
  });

  test('is waited for before the store may be closed', () => {
    goAtOnce();
    const idle: string[] = [];
    server.whenIdle(() => idle.push('at once'));
    server.forceBeside(() => {
      if (!server.isForced) server.forceBeside(() => {});
    });
    server.whenIdle(() => idle.push('later'));
    goAtOnce();
    taking.shift()!();
    expect(idle).toEqual(['at once']);
    taking.shift()!();
    expect(idle).toEqual(['at once', 'later']);
  });

  test('the mark claims no more than the disk was given', async () => {
    const real = openStoreAgain();
    const { promise, resolve } = Promise.withResolvers<void>();
    goAtOnce();
    const before = markOf();
    real.syncBeside(resolve);
    goAtOnce();
    await promise;
    expect(markOf()).toMatchObject({ forced: before.written, written: before.written + 1 });
  });

  // As it is, without the test's hand on its disk.
  function openStoreAgain(): OpenStore {
    store.close();
    store = openStore({ dir, pageCountMax: null });
    server = serveStore(store);
    return store;
  }

  function markOf() {
    const read = readMark(markFileOf(dir));
    if (read.kind !== 'mark') throw new Error(read.kind);
    return read.mark;
  }
});
