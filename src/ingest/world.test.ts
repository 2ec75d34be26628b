// Whatever happens between a channel and the store, the store has what the channel has.

import { describe, expect, test } from 'vitest';
import type { Read } from '../platforms/history.ts';
import {
  type Broken,
  type IngestWorldEnd,
  type IngestWorldOptions,
  runIngestWorld,
} from './world.fixture.ts';

const SEEDS = 200;
const FAULTS = { cut: 0.1, wait: 0.03 };
const FULL = { changes: true, byId: true };

function world(seed: number, changes: Partial<IngestWorldOptions> = {}): Promise<IngestWorldEnd> {
  return runIngestWorld({ seed, abilities: FULL, crashes: 0.06, faults: FAULTS, ...changes });
}

const CLEAN = { missing: [], extra: [], stale: [], twice: [], violations: 0 };

async function all(changes: Partial<IngestWorldOptions>, seeds = SEEDS): Promise<IngestWorldEnd[]> {
  const ends: IngestWorldEnd[] = [];
  for (let seed = 1; seed <= seeds; seed++) {
    const end = await world(seed, changes);
    expect(end, `seed ${seed}`).toMatchObject(CLEAN);
    ends.push(end);
  }
  return ends;
}

const sum = (ends: readonly IngestWorldEnd[], of: 'crashes' | 'waits' | 'tooLong') =>
  ends.reduce((total, end) => total + end[of], 0);

describe('the store equals the channel', () => {
  test('with changes and posts by id, and all of it happens', { timeout: 600_000 }, async () => {
    const ends = await all({});
    expect(sum(ends, 'crashes')).toBeGreaterThan(10 * SEEDS);
    expect(sum(ends, 'waits')).toBeGreaterThan(SEEDS);
    expect(sum(ends, 'tooLong')).toBeGreaterThan(SEEDS);
  });

  test('without changes: by pages, and by comparing the tail', { timeout: 300_000 }, async () => {
    await all({ abilities: { changes: false, byId: true } }, 40);
    await all({ abilities: { changes: false, byId: false } }, 40);
  });

  test('a name is asked for once for each channel, whatever happens', async () => {
    const calm = { faults: { cut: 0, wait: 0 }, crashes: 0 };
    expect(await world(7, calm)).toMatchObject({ ...CLEAN, resolves: 2, crashes: 0 });
  });

  test('the same seed is the same world', async () => {
    expect(await world(3)).toEqual(await world(3));
  });
});

function capped<T>(read: Read<T>): Read<T> {
  return read.kind === 'wait' ? { ...read, waitMs: Math.min(read.waitMs, 5_000) } : read;
}

// Each stands between the code and a port, and does what a mistake in the code would do.
const BROKEN: Readonly<Record<string, { broken: Broken; shows: keyof typeof CLEAN }>> = {
  'the cursor is written before the rows': {
    broken: {
      store: (store, maybeCrash) => ({
        ...store,
        async commit(page) {
          const moved = await store.commit({ ...page, posts: [], deleted: [] });
          if (moved.kind !== 'committed') return moved;
          await maybeCrash();
          const { revision } = moved;
          return store.commit({ ...page, revision });
        },
      }),
    },
    shows: 'missing',
  },
  'what is too long is ignored': {
    broken: {
      reader: (reader) => ({
        ...reader,
        async changes(...of) {
          const read = await reader.changes!(...of);
          if (read.kind !== 'read' || read.value.kind !== 'too_long') return read;
          const { mark } = read.value;
          const none = { posts: [], deleted: [], isLast: true, notBeforeMs: 0 };
          return { kind: 'read', value: { kind: 'changes', mark, ...none } };
        },
      }),
    },
    shows: 'missing',
  },
  'the tail is not compared': {
    broken: { store: (store) => ({ ...store, knownIds: async () => [] }) },
    shows: 'stale',
  },
  'waits are capped': {
    broken: {
      reader: (reader) => ({
        ...reader,
        history: async (...of) => capped(await reader.history(...of)),
        changes: async (...of) => capped(await reader.changes!(...of)),
      }),
    },
    shows: 'violations',
  },
  'a wait is not written down': {
    broken: { store: (store) => ({ ...store, saveWait: async () => {}, waits: async () => [] }) },
    shows: 'violations',
  },
  'an empty page is the end': {
    broken: {
      reader: (reader) => ({
        ...reader,
        async history(...of) {
          const read = await reader.history(...of);
          if (read.kind !== 'read' || read.value.posts.length > 0) return read;
          return { ...read, value: { ...read.value, newestId: '0' } };
        },
      }),
    },
    shows: 'missing',
  },
  'a short page is the end': {
    broken: {
      reader: (reader) => ({
        ...reader,
        async history(channel, after, limit) {
          const read = await reader.history(channel, after, limit);
          if (read.kind !== 'read' || read.value.posts.length >= limit) return read;
          const newestId = read.value.posts.at(-1)?.id ?? '0';
          return { ...read, value: { ...read.value, newestId } };
        },
      }),
    },
    shows: 'missing',
  },
};

describe('what would be wrong is caught', () => {
  test.each(Object.entries(BROKEN))('%s', { timeout: 120_000 }, async (_name, each) => {
    const { broken, shows } = each;
    let caught = 0;
    for (let seed = 1; seed <= 8; seed++) {
      const found = (await world(seed, { broken }))[shows];
      if (typeof found === 'number' ? found > 0 : found.length > 0) caught += 1;
    }
    expect(caught).toBeGreaterThan(0);
  });
});
