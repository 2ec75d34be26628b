// Random commands, late, repeated and contradictory ones included, played on a store; and the story that can be read
// from it afterwards, also across restarts in the middle. Two stores that keep the contract tell the same.

import fc from 'fast-check';
import type { Delivery } from '../../domain/delivery.ts';
import type { Coverage } from '../../system/coverage.fixture.ts';
import { createMemoryDisk, createMemoryStore } from '../memory/memory.ts';
import type { Appended } from '../ports/delivery.ts';
import { IDEMPOTENCY_MS } from '../rules.ts';
import {
  type AppendAnswer,
  anyCommand,
  type Command,
  plainMessages,
  rivals,
} from './journal.commands.fixture.ts';
import { type Harness, recovered } from './journal.fixture.ts';
import { type AccountsBySeq, soleOwner } from './sole-owner.fixture.ts';

// SQLite writes plain messages so many rows to a statement.
const ROWS = 8;

export type JournalStep =
  // Submitted in one turn, so committed together.
  | { kind: 'burst'; commands: Command[] }
  // More time than an idempotency key is remembered.
  | { kind: 'day' }
  | { kind: 'reopen' };

const burst = (commands: Command[]): JournalStep => ({ kind: 'burst', commands });
const mixed = (minLength: number, maxLength: number) =>
  fc.array(anyCommand, { minLength, maxLength, size: 'max' });
const plain = (minLength: number, maxLength: number, begins: fc.Arbitrary<boolean>) =>
  fc.array(plainMessages(fc.constant(1_000), begins), { minLength, maxLength, size: 'max' });
const queueing = (minLength: number, maxLength: number) =>
  plain(minLength, maxLength, fc.constant(false));

export const step: fc.Arbitrary<JournalStep> = fc.oneof(
  { weight: 20, arbitrary: mixed(1, 14).map(burst) },
  // A crowd of plain messages, and what else comes in the same turn.
  {
    weight: 4,
    arbitrary: fc
      .tuple(mixed(0, 2), queueing(1, 20), plain(0, 4, fc.boolean()), mixed(0, 3))
      .map((parts) => burst(parts.flat())),
  },
  // More than one message to the worker holds: several of them share one commit.
  {
    weight: 1,
    arbitrary: fc.tuple(queueing(120, 140), mixed(1, 6)).map((parts) => burst(parts.flat())),
  },
  {
    weight: 12,
    arbitrary: fc.tuple(rivals, mixed(0, 3)).map((parts) => burst(parts.flat())),
  },
  { weight: 1, arbitrary: fc.constant<JournalStep>({ kind: 'day' }) },
  { weight: 3, arbitrary: fc.constant<JournalStep>({ kind: 'reopen' }) },
);

export function memoryHarness(): Harness {
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
}

export interface Told {
  readonly answers: unknown[];
  readonly seqLast: number;
}

// Time moves with every command and never stands still: order by time is then order of events.
export async function play(
  store: Harness,
  steps: readonly JournalStep[],
  coverage: Coverage,
): Promise<Told> {
  const answers: unknown[] = [];
  let at = 1_000;
  let seqLast = 0;
  for (const step of steps) {
    if (step.kind === 'day') {
      at += IDEMPOTENCY_MS;
      continue;
    }
    if (step.kind === 'reopen') {
      await store.reopen();
      const live = await recovered(store.journal);
      for (const { kind } of live) coverage.count(`recovered ${kind}`);
      answers.push(live);
      continue;
    }
    const deliveries = await store.ledger.getMany(range(1, seqLast));
    const known = new Map(deliveries.map((one) => [one.seq, one]));
    let ahead = seqLast;
    const burst = step.commands.map((command) => {
      at += 1.25;
      if (command.kind !== 'other') ahead += 1;
      return command.run(store.journal, { at, seqLast: ahead, known });
    });
    const told = await Promise.all(burst);
    answers.push(told);
    const accepted = told.filter((_, i) => step.commands[i]!.kind !== 'other') as AppendAnswer[];
    seqLast = Math.max(seqLast, ...accepted.map(({ appended }) => seqOf(appended)));
    countCases(step.commands, told, coverage);
  }
  return { answers, seqLast };
}

function seqOf(appended: Appended): number {
  if (appended.kind === 'accepted') return appended.queued.seq;
  return appended.kind === 'full' || appended.kind === 'not_owner' ? 0 : appended.seq;
}

function countCases(commands: readonly Command[], told: readonly unknown[], coverage: Coverage) {
  let queuedInARow = 0;
  for (const [i, command] of commands.entries()) {
    const cases = command.cases(told[i] as never);
    for (const each of cases) coverage.count(each);
    if (cases.includes('plain accepted')) {
      queuedInARow += 1;
      continue;
    }
    countRows(queuedInARow, 'in the middle of a batch', coverage);
    queuedInARow = 0;
  }
  countRows(queuedInARow, 'at the end of a batch', coverage);
}

// How a run of plain messages was written: in statements of eight rows, and what is left over one by one.
function countRows(inARow: number, where: string, coverage: Coverage): void {
  coverage.count('statements of eight rows', Math.floor(inARow / ROWS));
  if (inARow % ROWS > 0) coverage.count(`rows left over ${where}`);
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

export async function story(store: Harness, seqLast: number): Promise<unknown> {
  // What is alive is read once per process.
  await store.reopen();
  const { journal, ledger } = store;
  const seqs = range(1, seqLast);
  const page = { limit: 1_000, before: null };
  const untagged = (deliveries: Delivery[]) =>
    deliveries.map((one) => {
      const correlation = one.correlation.replace(journal.tag, '');
      return { ...one, id: '', correlation };
    });
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
    attempts: await Promise.all(seqs.map((seq) => ledger.attempts(seq))),
    history: await Promise.all(seqs.map((seq) => ledger.history(seq))),
  };
}
