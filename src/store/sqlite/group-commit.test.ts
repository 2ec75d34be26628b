import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { GroupCommit, type StoreThread } from './group-commit.ts';
import type { Request } from './server.ts';
import { OP } from './wire.ts';

// A store that has written a batch when the test says so.
class SlowStore extends EventEmitter implements StoreThread {
  #asked: (() => void) | null = null;
  readonly asked = new Promise<void>((resolve) => {
    this.#asked = resolve;
  });

  postMessage(_request: Request): void {
    this.#asked?.();
  }
}

test('tells how many commands were written together, and how long after they were handed over', async () => {
  const store = new SlowStore();
  const told: [commands: number, tookMs: number][] = [];
  let now = 1000;
  const commits = new GroupCommit(store, {
    now: () => now,
    written: (commands, tookMs) => told.push([commands, tookMs]),
  });
  const answers = [1, 2, 3].map((subject) =>
    commits.submit(
      subject,
      (words) => words.push(subject),
      (reader) => reader.words[reader.at++],
    ),
  );
  await store.asked;
  now += 7;
  expect(told).toEqual([]);
  store.emit('message', ['a', 'b', 'c']);
  expect(await Promise.all(answers)).toEqual(['a', 'b', 'c']);
  expect(told).toEqual([[3, 7]]);
});

describe('when commands are handed over', () => {
  // Answers at once, and notes how many came together.
  class Notebook extends EventEmitter implements StoreThread {
    readonly batches: number[] = [];
    postMessage(request: Request): void {
      const words = request as number[];
      this.batches.push(words.length);
      queueMicrotask(() => this.emit('message', words));
    }
  }
  const give = (commits: GroupCommit) =>
    commits.submit(
      null,
      (words) => words.push(0),
      (reader) => reader.words[reader.at++],
    );

  test('at first, and in company, at the end of the turn: all of it together', async () => {
    const store = new Notebook();
    const commits = new GroupCommit(store);
    const first = give(commits);
    await Promise.resolve();
    expect(store.batches).toEqual([]);
    const second = give(commits);
    await Promise.all([first, second]);
    expect(store.batches).toEqual([2]);
    const third = give(commits);
    await Promise.resolve();
    expect(store.batches).toEqual([2]);
    await third;
    expect(store.batches).toEqual([2, 1]);
  });

  test('after one that came alone, without waiting for the turn to end', async () => {
    const store = new Notebook();
    const commits = new GroupCommit(store);
    await give(commits);
    const second = give(commits);
    await Promise.resolve();
    expect(store.batches).toEqual([1, 1]);
    await second;
    // In company again: from then on they wait for each other.
    const several = [give(commits), give(commits)];
    await Promise.all(several);
    const more = give(commits);
    await Promise.resolve();
    expect(store.batches).toEqual([1, 1, 2]);
    await more;
  });
});

describe('an answer that waits for the disk', () => {
  const handOver = (commits: GroupCommit) =>
    commits.submitAhead(
      null,
      (words) => words.push(0),
      (reader) => reader.words[reader.at++],
      0,
      (answer) => answer === 'ahead',
    );

  test('is told when it is written, and again when it is forced', async () => {
    const store = new SlowStore();
    const { written, durable } = handOver(new GroupCommit(store));
    const forced: unknown[] = [];
    const isForced = durable.then((value) => forced.push(value));
    await store.asked;
    store.emit('message', ['ahead']);
    expect(await written).toBe('ahead');
    // Whatever else was resolved by now has been heard of.
    await Promise.resolve();
    await Promise.resolve();
    expect(forced).toEqual([]);
    store.emit('message', { kind: 'forced' });
    await isForced;
    expect(forced).toEqual(['ahead']);
  });

  test('is told once when the disk has it already', async () => {
    const store = new SlowStore();
    const { written, durable } = handOver(new GroupCommit(store));
    await store.asked;
    store.emit('message', ['refused']);
    expect(await Promise.all([written, durable])).toEqual(['refused', 'refused']);
  });

  test('is refused when the store is lost before', async () => {
    const store = new SlowStore();
    const { written, durable } = handOver(new GroupCommit(store));
    await store.asked;
    store.emit('message', ['ahead']);
    store.emit('error', new Error('the disk did not take it'));
    expect(await written).toBe('ahead');
    await expect(durable).rejects.toThrow('the disk did not take it');
  });

  test('is refused twice when it was never written, and when the store is lost already', async () => {
    const store = new SlowStore();
    const commits = new GroupCommit(store);
    const lost = handOver(commits);
    await store.asked;
    store.emit('error', new Error('the disk did not take it'));
    for (const { written, durable } of [lost, handOver(commits)]) {
      await expect(Promise.allSettled([written, durable])).resolves.toMatchObject([
        { status: 'rejected' },
        { status: 'rejected' },
      ]);
    }
  });
});

test('each operation on the wire has a number of its own', () => {
  const numbers = Object.values(OP);
  expect(new Set(numbers).size).toBe(numbers.length);
});
