// Random commands about live output, against memory and SQLite: every answer must be the same.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMemoryStore } from './memory.ts';
import { inlineHarness } from './sqlite.fixture.ts';
import type { Streams } from './streams.ts';

type Command = (streams: Streams, at: number) => Promise<unknown>;

const RUNS = 60;
const id = fc.constantFrom('s-1', 's-2', 's-3', 's-4');
const max = fc.integer({ min: 1, max: 5 });

const save: fc.Arbitrary<Command> = fc
  .record({ id, text: fc.constantFrom('', 'ü🙂'), record: fc.constant('{}'), ends: fc.boolean() })
  .map(
    ({ ends, ...stream }) =>
      (streams, at) =>
        streams.save({ ...stream, endedAt: ends ? at : null }),
  );
const get: fc.Arbitrary<Command> = id.map((name) => (streams) => streams.get(name));
const open: fc.Arbitrary<Command> = fc
  .record({ after: fc.constantFrom('', 's-1', 's-2'), max })
  .map((page) => (streams) => streams.open(page));
const prune: fc.Arbitrary<Command> = fc.record({ max, age: fc.integer({ min: 0, max: 20 }) }).map(
  ({ max, age }) =>
    (streams, at) =>
      streams.prune({ endedBefore: at - age, max }),
);
const command = fc.oneof({ weight: 4, arbitrary: save }, get, open, prune);

test('memory and SQLite give the same answers', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 20, maxLength: 60 }), async (commands) => {
      const memory = createMemoryStore().journal;
      const sqlite = inlineHarness();
      try {
        for (const [at, run] of commands.entries()) {
          const told = await run(memory.streams, at);
          expect(await run(sqlite.journal.streams, at)).toEqual(told);
        }
      } finally {
        await sqlite.dispose();
      }
    }),
    { numRuns: RUNS },
  );
});
