import { describe, expect, test } from 'vitest';
import { journalContract } from '../contract/journal.contract.ts';
import { accepted, aDelivery, type Harness, ROOM, recovered } from '../contract/journal.fixture.ts';
import { type AccountsBySeq, soleOwner } from '../contract/sole-owner.fixture.ts';
import { createMemoryDisk, createMemoryStore } from './memory.ts';

journalContract('memory', async () => {
  const disk = createMemoryDisk();
  const accounts: AccountsBySeq = new Map();
  const open = () => {
    const { journal, ledger } = createMemoryStore(disk);
    const second = () => journal.beside('second');
    return { journal: soleOwner(journal, accounts), ledger, second };
  };
  const harness: Harness = {
    ...open(),
    async reopen() {
      Object.assign(harness, open());
    },
    async damage(seq, change) {
      Object.assign(disk.deliveries.get(seq)!, change);
    },
    async dispose() {},
  };
  return harness;
});

describe('a crash of the memory store', () => {
  const never = () => new Promise<void>(() => {});

  test('before the commit: it never happened', async () => {
    const disk = createMemoryDisk();
    void soleOwner(createMemoryStore(disk, { beforeApply: never }).journal).append(
      aDelivery(),
      ROOM,
    );
    const journal = soleOwner(createMemoryStore(disk).journal);
    expect(await recovered(journal)).toEqual([]);
  });

  test('after the commit, before the answer: it happened', async () => {
    const disk = createMemoryDisk();
    void soleOwner(createMemoryStore(disk, { afterApply: never }).journal).append(
      aDelivery(),
      ROOM,
    );
    await Promise.resolve();
    const journal = soleOwner(createMemoryStore(disk).journal);
    expect(await recovered(journal)).toHaveLength(1);
  });

  test('what the dead process still had under way does not reach the disk', async () => {
    const disk = createMemoryDisk();
    const budget = Promise.withResolvers<void>();
    const hooks = { beforeApply: () => budget.promise };
    void soleOwner(createMemoryStore(disk, hooks).journal).append(aDelivery(), ROOM);
    const journal = soleOwner(createMemoryStore(disk).journal);
    budget.resolve();
    await budget.promise;
    expect(await accepted(journal)).toBe(1);
    expect(await recovered(journal)).toHaveLength(1);
  });
});
