// Random commands against memory and SQLite: every answer and everything that can be read afterwards must be the same.
// What the commands reached is counted: a path that no command takes is not tested.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Coverage } from '../../system/coverage.fixture.ts';
import { type InlineHarness, inlineHarness } from '../sqlite/sqlite.fixture.ts';
import type { Harness } from './journal.fixture.ts';
import { type JournalStep, memoryHarness, play, step, story } from './journal.model.fixture.ts';

const RUNS = 80;

// Over the runs of one test: far less than is usual, so that only a generator that changed falls short.
const LEAST = {
  'plain accepted': 800,
  'plain begun, written told 1': 40,
  'plain full': 30,
  'statements of eight rows': 80,
  'rows left over in the middle of a batch': 40,
  'rows left over at the end of a batch': 5,
  'batches sharing a commit': 1,
  'append accepted': 100,
  'append replacing': 40,
  'append superseded': 30,
  'append repeated': 1,
  'append conflict': 10,
  'append full': 20,
  'one wish': 40,
  'begin begun': 100,
  'begin gone': 80,
  'settled sent': 15,
  'settled queued': 30,
  'settled uncertain': 15,
  'settled dead': 15,
  'settled superseded': 3,
  'settle stale': 100,
  'moved queued to cancelled': 5,
  'moved queued to expired': 5,
  'moved uncertain to queued': 1,
  'moved uncertain to cancelled': 1,
  'moved dead to queued': 1,
  'moved dead to cancelled': 1,
  'moved back, superseded': 1,
  'told sent to dead': 1,
  'told uncertain to sent': 1,
  'told dead to sent': 1,
  'told queued to sent': 1,
  'receipt noted': 1,
  'receipt ignored': 10,
  'move illegal': 60,
  'move unknown': 8,
  'move full': 4,
  'pruned some': 8,
  'files in use 0': 4,
  'files in use 2': 8,
  'limits some': 20,
  'calls some': 20,
  'recovered queued': 300,
  'recovered sending': 40,
};

test('memory and SQLite give the same answers and tell the same story', async () => {
  const coverage = new Coverage();
  const round = () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 8, maxLength: 20, size: 'max' }),
        async (steps) => {
          const sqlite = inlineHarness();
          try {
            await compare(memoryHarness(), sqlite, steps, coverage);
          } finally {
            await sqlite.dispose();
          }
        },
      ),
      // Shrinking replays whole stores, for minutes; the seed plays a failure again as it was.
      { numRuns: RUNS, endOnFailure: true },
    );
  expect(await coverage.reach(LEAST, round)).toEqual([]);
});

async function compare(
  memory: Harness,
  sqlite: InlineHarness,
  steps: readonly JournalStep[],
  coverage: Coverage,
): Promise<void> {
  const told = await play(memory, steps, coverage);
  expect(await play(sqlite, steps, new Coverage())).toEqual(told);
  expect(await story(sqlite, told.seqLast)).toEqual(await story(memory, told.seqLast));
  coverage.count('batches sharing a commit', sqlite.commits.filter((n) => n > 1).length);
}
