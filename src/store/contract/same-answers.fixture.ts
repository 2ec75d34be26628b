// Random commands of one port, played on memory and on SQLite: every answer must be the same, and every case that
// matters must have been reached.

import fc from 'fast-check';
import { expect } from 'vitest';
import { Coverage, saysNothing } from '../../system/coverage.fixture.ts';
import { createMemoryStore } from '../memory/memory.ts';
import type { Store } from '../ports/store.ts';
import { inlineHarness } from '../sqlite/sqlite.fixture.ts';

export type PortRun<Port> = (port: Port, at: number) => Promise<unknown>;
export type PortCommand<Port> = readonly [kind: string, run: PortRun<Port>];

const RUNS = 60;

interface Played<Port> {
  readonly command: fc.Arbitrary<PortCommand<Port>>;
  readonly portOf: (store: Pick<Store, 'streams' | 'incoming' | 'ingest'>) => Port;
  // How often each case must be reached; far less than is usual.
  readonly least: Readonly<Record<string, number>>;
  // Which case it was, of a command that had something to do.
  readonly caseOf?: (kind: string, told: unknown) => string;
}

export async function expectSameAnswers<Port>(played: Played<Port>): Promise<void> {
  const { command, portOf, least, caseOf = (kind) => kind } = played;
  const coverage = new Coverage();
  const some = fc.array(command, { minLength: 20, maxLength: 60 });
  const property = fc.asyncProperty(some, async (commands) => {
    const memory = createMemoryStore().journal;
    const sqlite = inlineHarness();
    try {
      for (const [at, [kind, run]] of commands.entries()) {
        const told = await run(portOf(memory), at);
        coverage.count(saysNothing(told) ? `${kind}: nothing` : caseOf(kind, told));
        expect(await run(portOf(sqlite.journal.store), at)).toEqual(told);
      }
    } finally {
      await sqlite.dispose();
    }
  });
  const round = () => fc.assert(property, { numRuns: RUNS });
  expect(await coverage.reach(least, round)).toEqual([]);
}
