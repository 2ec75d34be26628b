// Random appends, outages, hand-overs that fail in the middle and crashes at any moment: what was accepted is in the
// store once, in the order of its account, and nothing else is.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AccountId } from '../../domain/ids.ts';
import type { Owner } from '../ports/ownership.ts';
import { JournalUnavailable } from '../ports/unavailable.ts';
import { type Cluster, startCluster } from '../postgres/cluster.fixture.ts';
import type { PostgresJournal } from '../postgres/postgres.ts';
import { openNode, put, spillFolder, texts } from './spill.fixture.ts';
import type { StoreBehind } from './store.ts';

const RUNS = 12;
const ACCOUNTS: AccountId[] = ['telegram:1', 'telegram:2'];

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());

type Step =
  | { kind: 'append'; account: number }
  | { kind: 'away' | 'back' | 'crash' }
  // So many hand-overs are taken, and then the store is away again.
  | { kind: 'flicker'; handOvers: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('append'), account: fc.nat({ max: 1 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('away', 'back', 'crash') }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('flicker'), handOvers: fc.nat({ max: 2 }) }),
  },
) as fc.Arbitrary<Step>;

// How many hand-overs the store still takes; the rest of it is there as long as there is one.
class Gate {
  left = Number.POSITIVE_INFINITY;

  around = (store: StoreBehind): StoreBehind => {
    const { handOver } = store;
    const journal = store as PostgresJournal;
    const append = journal.append.bind(journal);
    const gated: StoreBehind['append'] = (...args) => {
      if (this.left > 0) return append(...args);
      const durable = Promise.reject(new JournalUnavailable('journal_failed', 'away'));
      return { written: durable, durable };
    };
    return Object.assign(store, {
      append: gated,
      handOver: {
        ...handOver,
        reach: async () => this.#check(),
        handOver: async (...args: Parameters<typeof handOver.handOver>) => {
          this.#check();
          this.left -= 1;
          return handOver.handOver(...args);
        },
      },
    });
  };

  #check(): void {
    if (this.left <= 0) throw new JournalUnavailable('journal_failed', 'away');
  }
}

async function play(url: string, steps: readonly Step[]): Promise<Map<string, string[]>> {
  const dir = spillFolder();
  const gate = new Gate();
  const open = () => openNode({ url, dir, around: gate.around, node: '' });
  let node = await open();
  let owners: Owner[] = [];
  const openAll = async () => {
    owners = await Promise.all(ACCOUNTS.map((account) => node.store.openAccount(account)));
  };
  await openAll();
  const accepted = new Map<string, string[]>(ACCOUNTS.map((account) => [account, []]));
  for (const [i, each] of steps.entries()) {
    if (each.kind === 'append') {
      const owner = owners[each.account]!;
      // All at one moment: their ranks alone tell their order.
      const told = await put(node.store, owner, `${i}`);
      expect(told.kind).toBe('accepted');
      accepted.get(owner.account)!.push(`${i}`);
    } else if (each.kind === 'away') gate.left = 0;
    else if (each.kind === 'flicker') gate.left = each.handOvers;
    else {
      gate.left = Number.POSITIVE_INFINITY;
      if (each.kind === 'back') continue;
      // Nothing but the disk is left of it: the store is asked nothing while it ends.
      await node.close();
      node = await open();
      await openAll();
    }
  }
  gate.left = Number.POSITIVE_INFINITY;
  await node.direct();
  for (const owner of owners) {
    const expected = accepted.get(owner.account)!;
    expect(await texts(node.store, owner)).toEqual(expected);
  }
  await node.close();
  return accepted;
}

test('what was accepted is there, once and in order', async () => {
  let spilled = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }),
      async (steps) => {
        const accepted = await play(await cluster.database(), steps);
        spilled += accepted.get(ACCOUNTS[0]!)!.length;
      },
    ),
    { numRuns: RUNS, endOnFailure: true },
  );
  expect(spilled).toBeGreaterThan(RUNS);
}, 240_000);
