// Random commands about what comes in, against memory and SQLite: every answer must be the same.

import fc from 'fast-check';
import { test } from 'vitest';
import {
  expectSameAnswers,
  type PortCommand,
  type PortRun,
} from '../contract/same-answers.fixture.ts';
import type { UpdateStore } from './updates.ts';

type Run = PortRun<UpdateStore>;
type Command = PortCommand<UpdateStore>;

const account = fc.constantFrom('telegram:1', 'telegram:2');
// Ids are not in the order of their updates, and orders may be alike.
const updateId = fc.constantFrom('1', '2', '10', '9', 'Ev1', 'Ev10', 'a b', 'ä');
const order = fc.integer({ min: 0, max: 5 });
const after = fc.record({ order, updateId: fc.oneof(fc.constant(''), updateId) });
const max = fc.integer({ min: 1, max: 6 });

const record: fc.Arbitrary<Run> = fc
  .array(
    fc.record({
      account,
      updateId,
      order,
      chat: fc.constantFrom(null, '7', '-100'),
      messageId: fc.constantFrom(null, '5'),
      voice: fc.constantFrom('none' as const, 'wrote' as const, 'addressed' as const),
      state: fc.constantFrom('seen' as const, 'waiting' as const),
      body: fc.constantFrom('', '{"text":"ü🙂"}'),
    }),
    { maxLength: 4 },
  )
  .map((batch) => (incoming, at) => incoming.record(batch.map((one) => ({ ...one, at }))));

const since: fc.Arbitrary<Run> = fc
  .record({ account, max, age: fc.integer({ min: 0, max: 30 }) })
  .map(
    ({ age, ...query }) =>
      (incoming, at) =>
        incoming.since({ ...query, since: at - age }),
  );

const waiting: fc.Arbitrary<Run> = fc
  .record({ afterAccount: fc.constantFrom('', 'telegram:1'), after, max })
  .map((query) => (incoming) => incoming.waiting(query));

const read: fc.Arbitrary<Run> = fc
  .record({ account, after, max })
  .map((query) => (incoming) => incoming.read(query));

const body: fc.Arbitrary<Run> = fc
  .record({ account, updateId })
  .map((one) => (incoming) => incoming.body(one));

const done: fc.Arbitrary<Run> = fc
  .record({ account, updateId })
  .map((one) => (incoming) => incoming.done(one));

const doneBefore: fc.Arbitrary<Run> = fc
  .record({ account, order })
  .map((range) => (incoming) => incoming.doneBefore(range));

const retry: fc.Arbitrary<Run> = fc
  .record({ account, updateId, attempts: fc.integer({ min: 0, max: 9 }) })
  .map((one) => (incoming, at) => incoming.retry({ ...one, dueAt: at + 0.5 }));

const prune: fc.Arbitrary<Run> = fc.record({ max, age: fc.integer({ min: 0, max: 40 }) }).map(
  ({ max, age }) =>
    (incoming, at) =>
      incoming.prune({ before: at - age, max }),
);

const kinds = { record, since, waiting, read, body, done, doneBefore, retry, prune };
const command = fc.oneof(
  ...Object.entries(kinds).map(([kind, run]) => ({
    weight: kind === 'record' ? 6 : 1,
    arbitrary: run.map((one): Command => [kind, one]),
  })),
);

const LEAST = {
  record: 100,
  since: 15,
  waiting: 20,
  read: 15,
  body: 5,
  'done: nothing': 20,
  doneBefore: 5,
  'retry: nothing': 20,
  prune: 20,
};

test('memory and SQLite give the same answers', async () => {
  await expectSameAnswers({ command, portOf: ({ incoming }) => incoming, least: LEAST });
});
