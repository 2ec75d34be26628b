// Generated commands of a journal: every kind there is, late, repeated and contradictory ones included, each with the
// cases its answer stands for. A delivery is drawn from those in a state that suits the command, or from the newest,
// which may have been accepted in the same turn, or from the first few, whatever became of them.

import fc from 'fast-check';
import { type Delivery, type NewDelivery, type State, WITHDRAWN } from '../../domain/delivery.ts';
import type {
  Appended,
  Begun,
  Moved,
  ReceiptEffect,
  ReceiptStatus,
  Settled,
  Settlement,
} from '../ports/delivery.ts';
import { aDelivery, aMove, aSettlement } from './journal.fixture.ts';
import type { OwnedStore } from './sole-owner.fixture.ts';

export interface CommandMoment {
  readonly at: number;
  // The newest number at this point of the burst, at most.
  readonly seqLast: number;
  // What is known of the deliveries when the burst begins, by number.
  readonly known: ReadonlyMap<number, Delivery>;
}

export interface Command {
  readonly kind: 'plain' | 'append' | 'other';
  run(journal: OwnedStore, moment: CommandMoment): Promise<unknown>;
  cases(answer: never): string[];
}

const FIRST_SEQS = 6;
const NEWEST_SEQS = 4;

const account = fc.constantFrom('telegram:1', 'telegram:2');
const text = fc.constantFrom('{"text":"a"}', '{"text":"ü🙂"}');
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 1 });
const limit = fc.record({
  account,
  key: fc.constantFrom('a', 'b'),
  value: fc.constantFrom('', '1', '2'),
});

type PickSeq = (moment: CommandMoment) => number;

// Those that name a slot first: they are few, and their rules are many.
function inState(states: readonly State[]): fc.Arbitrary<PickSeq> {
  return fc.nat().map((drawn) => ({ known }: CommandMoment) => {
    const all = [...known.values()].filter(({ state }) => states.includes(state));
    const slotted = all.filter(({ slot }) => slot !== null);
    const from = drawn % 2 === 0 && slotted.length > 0 ? slotted : all;
    return from[drawn % Math.max(1, from.length)]?.seq ?? 1;
  });
}

const newest = (back: number): PickSeq => {
  return (moment) => Math.max(1, moment.seqLast - back);
};

const pickSeq = (...states: State[]): fc.Arbitrary<PickSeq> =>
  fc.oneof(
    { weight: 2, arbitrary: inState(states) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: FIRST_SEQS }).map((seq) => () => seq) },
    {
      weight: 1,
      arbitrary: fc.integer({ min: 0, max: NEWEST_SEQS }).map(newest),
    },
  );

const call = {
  account,
  body: text,
  chat: fc.constantFrom('1', '-100'),
  method: fc.constantFrom('sendMessage', 'sendPhoto'),
  family: fc.constantFrom('send' as const, 'edit' as const, 'typing' as const),
  budget: fc.constantFrom('broadcast' as const, 'reply' as const),
  priority: fc.constantFrom('critical' as const, 'normal' as const, 'low' as const),
};

// Nothing but a message, as most are. `begins`: it goes at once, begun in the commit that accepts it.
export function plainMessages(
  queueMax: fc.Arbitrary<number>,
  begins: fc.Arbitrary<boolean>,
): fc.Arbitrary<Command> {
  return fc.record({ ...call, queueMax, begins }).map(({ queueMax, begins, ...changes }) => ({
    kind: 'plain',
    run: (journal, { at }) => append(journal, { ...changes, acceptedAt: at }, queueMax, begins),
    cases: ({ appended, written }: AppendAnswer) => {
      const isBegun = appended.kind === 'accepted' && appended.begun === true;
      if (isBegun) return [`plain begun, written told ${written.length}`];
      return [`plain ${appended.kind}`];
    },
  }));
}

const wishes = fc
  .record({
    ...call,
    queueMax: fc.constantFrom(4, 1_000),
    session: maybe(fc.constant('s')),
    thread: maybe(fc.constant('9')),
    user: maybe(fc.constant('u')),
    correlation: maybe(fc.constant('c')),
    cost: fc.constantFrom(1, 3),
    live: fc.boolean(),
    final: fc.boolean(),
    slot: fc.constantFrom(null, 'x', 'y'),
    notBefore: fc.constantFrom(0, 1e6),
    expiresAt: fc.constantFrom(0, 2e6),
    idempotencyKey: fc.constantFrom(null, null, 'k1', 'k2'),
    files: fc.constantFrom([], ['f1'], ['f1', 'f2']),
    begins: fc.boolean(),
  })
  .map(
    ({ queueMax, begins, ...changes }): Command => ({
      kind: 'append',
      run: (journal, { at }) => append(journal, { ...changes, acceptedAt: at }, queueMax, begins),
      cases: appendCases,
    }),
  );

function appendCases({ appended }: AppendAnswer): string[] {
  const replaces = appended.kind === 'accepted' && appended.replaced !== null;
  return [replaces ? 'append replacing' : `append ${appended.kind}`];
}

// Texts of one slot that replace each other while they wait.
const previews: fc.Arbitrary<Command> = fc
  .record({ final: fc.constantFrom(false, false, true), body: text })
  .map((changes) => ({
    kind: 'append',
    run: (journal, { at }) =>
      append(journal, { ...changes, slot: 'x', live: true, acceptedAt: at }, 1_000, true),
    cases: appendCases,
  }));

// One wish alone, so that each of them alone makes a message not plain.
const oneWish: fc.Arbitrary<Command> = fc
  .constantFrom<Partial<NewDelivery>[]>(
    { thread: '9' },
    { session: 's' },
    { user: 'u' },
    { correlation: 'c' },
    { cost: 3 },
    { live: true },
    { final: true },
    { slot: 'x' },
    { notBefore: 1e6 },
    { expiresAt: 2e6 },
    { idempotencyKey: 'own' },
    { idempotencyKey: 'own' },
    { idempotencyKey: 'own' },
    { files: ['f1'] },
  )
  .map((wish) => ({
    kind: 'append',
    run: (journal, { at }) => append(journal, { ...wish, acceptedAt: at }, 1_000, true),
    cases: (answer: AppendAnswer) => [
      ...appendCases(answer),
      answer.written.length > 0 ? `begun with the wish ${Object.keys(wish)}` : 'one wish',
    ],
  }));

export interface AppendAnswer {
  readonly appended: Appended;
  // What was told before the disk had it: of what goes at once, and of nothing else.
  readonly written: unknown[];
}

async function append(
  journal: OwnedStore,
  changes: Partial<NewDelivery>,
  queueMax: number,
  begins: boolean,
): Promise<AppendAnswer> {
  const written: unknown[] = [];
  const delivery = aDelivery(changes);
  const beginAt = delivery.acceptedAt + 0.5;
  const bounds = begins ? { queueMax, beginAt } : { queueMax };
  const appended = await journal.append(delivery, bounds, (early) => {
    if (early.kind === 'accepted' && early.begun === true) written.push(early.queued);
  });
  return { appended, written };
}

const WAITED = ['[["held",9,8,"paused"]]', undefined];

const begin = (pickSeq: fc.Arbitrary<PickSeq>): fc.Arbitrary<Command> =>
  pickSeq.map((pick) => ({
    kind: 'other',
    run: (journal, moment) => journal.begin(pick(moment), moment.at, WAITED[(moment.at % 2) | 0]),
    cases: (begun: Begun) => [`begin ${begun.kind}`],
  }));

const settlement = fc.record({
  // The attempt just begun, mostly; else one that is over or has not been made.
  ahead: fc.constantFrom(0, 0, 1, 1, -1),
  to: fc.constantFrom<Settlement['to']>('sent', 'queued', 'queued', 'uncertain', 'dead'),
  outcome: fc.constantFrom<Settlement['outcome']>('sent', 'limited', 'failed', 'uncertain'),
  reason: maybe(fc.constantFrom('r1', 'r2')),
  detail: maybe(fc.constantFrom('in words')),
  retryAfterMs: maybe(fc.constant(1500)),
  failed: fc.boolean(),
  doubted: fc.boolean(),
  cure: maybe(
    fc.record({ name: fc.constant('cure'), chat: maybe(fc.constant('7')), body: maybe(text) }),
  ),
  messageId: maybe(fc.constantFrom('m1', 'm2')),
  result: maybe(text),
  limits: fc.array(limit, { maxLength: 2 }),
});
type Drawn = typeof settlement extends fc.Arbitrary<infer T> ? T : never;

function settle(
  journal: OwnedStore,
  seq: number,
  { limits, ahead, ...rest }: Drawn,
  moment: CommandMoment,
) {
  const { at } = moment;
  const stored = limits.map((one) => ({ ...one, updatedAt: at }));
  const n = (moment.known.get(seq)?.attempts ?? 0) + ahead;
  const times = { endedAt: at, dueAt: at + 5 };
  return journal.settle(aSettlement({ ...rest, ...times, seq, n, limits: stored }));
}

const settleOne = (pickSeq: fc.Arbitrary<PickSeq>): fc.Arbitrary<Command> =>
  fc.record({ pick: pickSeq, drawn: settlement }).map(({ pick, drawn }) => ({
    kind: 'other',
    run: (journal, moment) => settle(journal, pick(moment), drawn, moment),
    cases: settledCases,
  }));

// A whole attempt in one commit.
const attempt: fc.Arbitrary<Command> = fc
  .record({ pick: pickSeq('queued'), drawn: settlement })
  .map(({ pick, drawn }) => ({
    kind: 'other',
    run: (journal, moment) => {
      const seq = pick(moment);
      const begun = journal.begin(seq, moment.at);
      return Promise.all([begun, settle(journal, seq, { ...drawn, ahead: 1 }, moment)]);
    },
    cases: ([begun, settled]: [Begun, Settled]) => [
      `begin ${begun.kind}`,
      ...settledCases(settled),
    ],
  }));

function settledCases(settled: Settled): string[] {
  return [settled.kind === 'settled' ? `settled ${settled.state}` : `settle ${settled.kind}`];
}

const moves = {
  queueMax: fc.constantFrom(3, 1_000),
  body: maybe(text),
  reason: fc.constantFrom('asked', WITHDRAWN),
  to: fc.constantFrom(
    'queued' as const,
    'queued' as const,
    'cancelled' as const,
    'expired' as const,
  ),
};

const move = (pickSeq: fc.Arbitrary<PickSeq>): fc.Arbitrary<Command> =>
  fc.record({ pick: pickSeq, ...moves }).map(({ pick, ...changes }) => ({
    kind: 'other',
    run: (journal, moment) => journal.move(aMove({ ...changes, seq: pick(moment), at: moment.at })),
    cases: (moved: Moved) => {
      if (moved.kind !== 'moved') return [`move ${moved.kind}`];
      const isBack = changes.to === 'queued';
      if (isBack && moved.queued === null) return ['moved back, superseded'];
      return [`moved ${moved.from} to ${changes.to}`];
    },
  }));

const receipts = {
  status: fc.constantFrom<ReceiptStatus[]>('sent', 'delivered', 'read', 'failed'),
  messageId: fc.constantFrom('m1', 'm2'),
  reason: fc.constantFrom('r1', 'r2'),
  detail: maybe(fc.constantFrom('in words')),
  result: maybe(text),
};

const receipt = (pickSeq: fc.Arbitrary<PickSeq>): fc.Arbitrary<Command> =>
  fc.record({ pick: pickSeq, ...receipts }).map(({ pick, ...changes }) => ({
    kind: 'other',
    run: (journal, moment) => journal.receipt({ ...changes, seq: pick(moment), at: moment.at }),
    cases: (effect: ReceiptEffect) => {
      if (effect.kind !== 'moved') return [`receipt ${effect.kind}`];
      return [`told ${effect.from} to ${effect.to}`];
    },
  }));

const prune: fc.Arbitrary<Command> = fc
  .record({
    age: fc.integer({ min: 0, max: 200 }),
    deadAge: fc.integer({ min: 0, max: 400 }),
    max: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ age, deadAge, max }) => ({
    kind: 'other',
    run: (journal, { at }) =>
      journal.prune({ endedBefore: at - age, deadBefore: at - deadAge, max }),
    cases: (pruned: number) => [pruned > 0 ? 'pruned some' : 'pruned none'],
  }));

const filesInUse: fc.Arbitrary<Command> = fc.constant({
  kind: 'other',
  run: (journal: OwnedStore) => journal.filesInUse(),
  cases: (files: string[]) => [`files in use ${files.length}`],
});

const limits: fc.Arbitrary<Command> = fc.array(limit, { maxLength: 3 }).map((records) => ({
  kind: 'other',
  run: (journal, { at }) => {
    const saved = journal.saveLimits(records.map((one) => ({ ...one, updatedAt: at })));
    return Promise.all([saved, journal.limits()]);
  },
  cases: ([, stored]: [unknown, unknown[]]) => [stored.length > 0 ? 'limits some' : 'limits none'],
}));

const calls: fc.Arbitrary<Command> = fc.integer({ min: 0, max: 60 }).map((ago) => ({
  kind: 'other',
  run: (journal, { at }) => journal.callsSince(at - ago),
  cases: (found: unknown[]) => [found.length > 0 ? 'calls some' : 'calls none'],
}));

export const anyCommand: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: plainMessages(fc.constantFrom(4, 1_000), fc.boolean()) },
  { weight: 4, arbitrary: wishes },
  { weight: 3, arbitrary: previews },
  { weight: 2, arbitrary: oneWish },
  { weight: 4, arbitrary: begin(pickSeq('queued')) },
  { weight: 4, arbitrary: settleOne(pickSeq('sending')) },
  { weight: 4, arbitrary: attempt },
  { weight: 4, arbitrary: move(pickSeq('dead', 'uncertain')) },
  { weight: 3, arbitrary: receipt(pickSeq('sent', 'uncertain', 'dead', 'queued')) },
  { weight: 1, arbitrary: prune },
  { weight: 1, arbitrary: filesInUse },
  { weight: 1, arbitrary: limits },
  { weight: 1, arbitrary: calls },
);

// One text of a slot is under way when the next comes to wait, ends, and is perhaps brought back.
export const rivals: fc.Arbitrary<Command[]> = fc.tuple(
  previews,
  begin(fc.constant(newest(0))),
  previews,
  settleOne(fc.constant(newest(1))),
  move(fc.constant(newest(1))),
);
