// Random commands, late, repeated and contradictory ones included, against memory and SQLite: every
// answer and everything that can be read afterwards must be the same, also across restarts in the
// middle.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aDelivery, aMove, aSettlement, type Harness, recovered } from './journal.fixture.ts';
import type { Journal, Settlement } from './journal.ts';
import { createMemoryDisk, createMemoryStore } from './memory.ts';
import { inlineHarness } from './sqlite.fixture.ts';

const RUNS = 60;
// Few deliveries, so that each lives through much.
const SEQ_MAX = 6;

// `tries`: how many attempts a delivery has had when the burst begins.
type Command = (journal: Journal, at: number, tries: (seq: number) => number) => Promise<unknown>;
type Step = { kind: 'burst'; commands: Command[] } | { kind: 'reopen' };

const told = Array.from({ length: SEQ_MAX }, (_, i) => i + 1);

const seq = fc.integer({ min: 1, max: SEQ_MAX });
const account = fc.constantFrom('telegram:1', 'telegram:2');
const text = fc.constantFrom('{"text":"a"}', '{"text":"ü🙂"}');
const queueMax = fc.constantFrom(3, 100);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 1 });
const limit = fc.record({
  account,
  key: fc.constantFrom('a', 'b'),
  value: fc.constantFrom('', '1', '2'),
});

const append: fc.Arbitrary<Command> = fc
  .record({
    account,
    body: text,
    queueMax,
    chat: fc.constantFrom('1', '-100'),
    session: maybe(fc.constant('s')),
    thread: maybe(fc.constant('9')),
    correlation: maybe(fc.constant('c')),
    priority: fc.constantFrom('critical' as const, 'low' as const),
    cost: fc.constantFrom(1, 3),
    final: fc.boolean(),
    slot: fc.constantFrom(null, 'x', 'y'),
    notBefore: fc.constantFrom(0, 1e6),
    idempotencyKey: fc.constantFrom(null, null, 'k1', 'k2'),
    files: fc.constantFrom([], [], ['f1'], ['f1', 'f2']),
  })
  .map(({ queueMax, ...changes }) => {
    return (journal, at) => journal.append(aDelivery({ ...changes, acceptedAt: at }), { queueMax });
  });

const filesInUse: fc.Arbitrary<Command> = fc.constant((journal) => journal.filesInUse());

const begin: fc.Arbitrary<Command> = seq.map((seq) => (journal, at) => journal.begin(seq, at));

const settle: fc.Arbitrary<Command> = fc
  .record({
    seq,
    // The attempt just begun, mostly; else one that is over or has not been made.
    ahead: fc.constantFrom(0, 0, 1, 1, -1),
    to: fc.constantFrom<Settlement['to']>('sent', 'queued', 'queued', 'uncertain', 'dead'),
    outcome: fc.constantFrom<Settlement['outcome']>('sent', 'limited', 'failed', 'uncertain'),
    reason: maybe(fc.constantFrom('r1', 'r2')),
    retryAfterMs: maybe(fc.constant(1500)),
    failed: fc.boolean(),
    doubted: fc.boolean(),
    cure: maybe(
      fc.record({ name: fc.constant('cure'), chat: maybe(fc.constant('7')), body: maybe(text) }),
    ),
    messageId: maybe(fc.constantFrom('m1', 'm2')),
    result: maybe(text),
    limits: fc.array(limit, { maxLength: 2 }),
  })
  .map(({ limits, ahead, ...changes }) => (journal, at, tries) => {
    const stored = limits.map((one) => ({ ...one, updatedAt: at }));
    const n = tries(changes.seq) + ahead;
    const times = { endedAt: at, dueAt: at + 5 };
    return journal.settle(aSettlement({ ...changes, ...times, n, limits: stored }));
  });

const move: fc.Arbitrary<Command> = fc
  .record({
    seq,
    queueMax,
    body: maybe(text),
    to: fc.constantFrom('queued' as const, 'cancelled' as const, 'expired' as const),
  })
  .map((changes) => (journal, at) => journal.move(aMove({ ...changes, at })));

const prune: fc.Arbitrary<Command> = fc
  .record({
    age: fc.integer({ min: 0, max: 200 }),
    deadAge: fc.integer({ min: 0, max: 400 }),
    max: fc.integer({ min: 1, max: 4 }),
  })
  .map(
    ({ age, deadAge, max }) =>
      (journal, at) =>
        journal.prune({ endedBefore: at - age, deadBefore: at - deadAge, max }),
  );

const command = fc.oneof(
  { weight: 4, arbitrary: append },
  { weight: 6, arbitrary: begin },
  { weight: 6, arbitrary: settle },
  { weight: 3, arbitrary: move },
  { weight: 1, arbitrary: prune },
  { weight: 1, arbitrary: filesInUse },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .array(command, { minLength: 1, maxLength: 14, size: 'max' })
      .map((commands) => ({ kind: 'burst' as const, commands })),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'reopen' as const }) },
);

test('memory and SQLite give the same answers and tell the same story', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 8, maxLength: 20, size: 'max' }),
      async (steps) => {
        const memory = memoryHarness();
        const sqlite = inlineHarness();
        try {
          expect(await play(sqlite, steps)).toEqual(await play(memory, steps));
          expect(await story(sqlite)).toEqual(await story(memory));
        } finally {
          await sqlite.dispose();
        }
      },
    ),
    { numRuns: RUNS },
  );
}, 60_000);

function memoryHarness(): Harness {
  const disk = createMemoryDisk();
  const harness: Harness = {
    ...createMemoryStore(disk),
    snapshotPath: 'copy',
    async reopen() {
      Object.assign(harness, createMemoryStore(disk));
    },
    async dispose() {},
  };
  return harness;
}

// Time moves with every command and never stands still: order by time is then order of events.
async function play(store: Harness, steps: readonly Step[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  let at = 1_000;
  for (const step of steps) {
    if (step.kind === 'reopen') {
      await store.reopen();
      continue;
    }
    const known = await store.ledger.getMany(told);
    const tries = (seq: number) => known.find((one) => one.seq === seq)?.attempts ?? 0;
    const burst = step.commands.map((command) => {
      at += 1.25;
      return command(store.journal, at, tries);
    });
    answers.push(await Promise.all(burst));
  }
  return answers;
}

async function story(store: Harness): Promise<unknown> {
  const { journal, ledger } = store;
  const seqs = Array.from({ length: 200 }, (_, i) => i + 1);
  const page = { limit: 1_000, before: null };
  const untagged = (deliveries: object[]) => deliveries.map((one) => ({ ...one, id: '' }));
  return {
    live: await recovered(journal),
    limits: await journal.limits(),
    files: await journal.filesInUse(),
    calls: await journal.callsSince(1_020),
    all: untagged(await ledger.getMany(seqs)),
    found: untagged(await ledger.search({}, page)),
    inChat: untagged(await ledger.search({ chat: '7' }, { limit: 3, before: 9 })),
    dead: await ledger.deadByCause({}),
    counts: await ledger.countByState(),
    attempts: await Promise.all(told.map((seq) => ledger.attempts(seq))),
    history: await Promise.all(told.map((seq) => ledger.history(seq))),
  };
}
