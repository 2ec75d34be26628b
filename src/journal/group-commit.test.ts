import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { GroupCommit, type StoreThread } from './group-commit.ts';
import type { Request } from './sqlite-server.ts';

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
