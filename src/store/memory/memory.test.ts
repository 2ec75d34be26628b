import { describe, expect, test } from 'vitest';
import { journalContract } from '../contract/journal.contract.ts';
import { accepted, aDelivery, type Harness, ROOM, recovered } from '../contract/journal.fixture.ts';
import { createMemoryDisk, createMemoryStore } from './memory.ts';

journalContract('memory', async () => {
  const disk = createMemoryDisk();
  const harness: Harness = {
    ...createMemoryStore(disk),
    async reopen() {
      Object.assign(harness, createMemoryStore(disk));
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
    void createMemoryStore(disk, { beforeApply: never }).journal.append(aDelivery(), ROOM);
    const { journal } = createMemoryStore(disk);
    expect(await recovered(journal)).toEqual([]);
  });

  test('after the commit, before the answer: it happened', async () => {
    const disk = createMemoryDisk();
    void createMemoryStore(disk, { afterApply: never }).journal.append(aDelivery(), ROOM);
    await Promise.resolve();
    const { journal } = createMemoryStore(disk);
    expect(await recovered(journal)).toHaveLength(1);
  });

  test('what the dead process still had under way does not reach the disk', async () => {
    const disk = createMemoryDisk();
    const gate = Promise.withResolvers<void>();
    const hooks = { beforeApply: () => gate.promise };
    void createMemoryStore(disk, hooks).journal.append(aDelivery(), ROOM);
    const { journal } = createMemoryStore(disk);
    gate.resolve();
    await gate.promise;
    expect(await accepted(journal)).toBe(1);
    expect(await recovered(journal)).toHaveLength(1);
  });
});
