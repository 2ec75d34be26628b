// Random commands about live output, against memory and SQLite: every answer must be the same.

import fc from 'fast-check';
import { test } from 'vitest';
import { FIRST_EPOCH, type Kept, NO_EPOCH } from '../ports/ownership.ts';
import type { StreamStore } from '../ports/streams.ts';
import { expectSameAnswers, type PortCommand, type PortRun } from './same-answers.fixture.ts';

type Run = PortRun<StreamStore>;
type Command = PortCommand<StreamStore>;

const id = fc.constantFrom('s-1', 's-2', 's-3', 's-4');
const account = fc.constantFrom('telegram:1', 'telegram:2');
const max = fc.integer({ min: 1, max: 5 });

const save: fc.Arbitrary<Run> = fc
  .record({
    id,
    account,
    text: fc.constantFrom('', 'ü🙂'),
    record: fc.constant('{}'),
    ends: fc.boolean(),
    epoch: fc.constantFrom(NO_EPOCH, FIRST_EPOCH, FIRST_EPOCH),
  })
  .map(
    ({ ends, epoch, ...stream }) =>
      (streams, at) =>
        streams.save({ account: stream.account, epoch }, { ...stream, endedAt: ends ? at : null }),
  );
const get: fc.Arbitrary<Run> = id.map((name) => (streams) => streams.get(name));
const open: fc.Arbitrary<Run> = fc
  .record({ after: fc.constantFrom('', 's-1', 's-2'), max })
  .map((page) => (streams) => streams.open(page));
const prune: fc.Arbitrary<Run> = fc.record({ max, age: fc.integer({ min: 0, max: 20 }) }).map(
  ({ max, age }) =>
    (streams, at) =>
      streams.prune({ endedBefore: at - age, max }),
);
const named = (kind: string, run: fc.Arbitrary<Run>, weight = 1) => ({
  weight,
  arbitrary: run.map((one): Command => [kind, one]),
});
const command = fc.oneof(
  named('save', save, 4),
  named('get', get),
  named('open', open),
  named('prune', prune),
);

function caseOf(kind: string, told: unknown): string {
  return kind === 'save' ? `save: ${(told as Kept).kind}` : kind;
}

const LEAST = { 'save: kept': 200, 'save: not_owner': 100, get: 30, open: 20, prune: 15 };

test('memory and SQLite give the same answers', async () => {
  await expectSameAnswers({ command, portOf: ({ streams }) => streams, least: LEAST, caseOf });
});
