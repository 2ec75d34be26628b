// Random commands about broadcasts, against memory and SQLite: every answer must be the same.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Coverage, saysNothing } from '../../system/coverage.fixture.ts';
import { aBroadcast } from '../contract/broadcasts.contract.ts';
import { createMemoryStore } from '../memory/memory.ts';
import { inlineHarness } from '../sqlite/sqlite.fixture.ts';
import {
  type BroadcastStore,
  type Changed,
  type CreatedBroadcast,
  RECIPIENT_STATES,
} from './broadcasts.ts';

// The newest of each at this point, so that what was just made is used.
interface Moment {
  readonly at: number;
  readonly id: number;
  readonly audience: number;
}
type Run = (broadcasts: BroadcastStore, moment: Moment) => Promise<unknown>;
type Command = readonly [kind: string, run: Run];

const RUNS = 60;
// So many before the newest.
const back = fc.constantFrom(0, 0, 1, 2);
const seq = fc.integer({ min: 1, max: 12 });
const max = fc.integer({ min: 1, max: 5 });
const after = fc.integer({ min: 0, max: 4 });
const name = fc.constantFrom('all', 'some');
const state = fc.constantFrom(...RECIPIENT_STATES);
const ended = fc.constantFrom('sent', 'dead', 'uncertain', 'cancelled', 'pending', 'queued');
const chat = fc.constantFrom('1', '2', '3', '4', '5', 'ü🙂');
const account = fc.constantFrom('telegram:1', 'telegram:2');

const commands: readonly [kind: string, weight: number, fc.Arbitrary<Run>][] = [
  [
    'audience',
    4,
    fc
      .record({
        name: fc.option(name),
        chats: fc.array(chat),
        seal: fc.constantFrom(true, true, false),
      })
      .map(({ name, chats, seal }) => async (broadcasts, { at }) => {
        const audience = await broadcasts.open({ name, at, audiencesMax: 6 });
        if (audience === null) return null;
        const members = chats.map((each, i) => ({ chat: each, fields: i === 0 ? '{"a":1}' : '' }));
        const filled = await broadcasts.fill({ audience, members });
        return [audience, filled, seal && (await broadcasts.seal({ audience, fields: ['a'] }))];
      }),
  ],
  // As it is mostly done: a list of its own, and at once the broadcast to it.
  [
    'launch',
    5,
    fc
      .record({ chats: fc.uniqueArray(chat, { minLength: 3 }), key: fc.option(fc.constant('m')) })
      .map(({ chats, key }) => async (broadcasts, { at }) => {
        const audience = await broadcasts.open({ name: null, at, audiencesMax: 6 });
        if (audience === null) return null;
        const members = chats.map((each) => ({ chat: each, fields: '' }));
        await broadcasts.fill({ audience, members });
        const given = { key, digest: 'd', at, fields: ['a'], liveMax: 3 };
        return broadcasts.create(aBroadcast(audience, given));
      }),
  ],
  [
    'create',
    4,
    fc
      .record({
        back,
        key: fc.option(fc.constantFrom('k', 'l')),
        digest: name,
        own: fc.boolean(),
      })
      .map(({ back, key, digest, own }) => (broadcasts, { at, audience }) => {
        const fields = own ? ['b'] : null;
        const given = { key, digest, at, fields, liveMax: 3 };
        return broadcasts.create(aBroadcast(audience - back, given));
      }),
  ],
  // As it is done: the next ones are fed, and nobody else.
  [
    'feed',
    8,
    fc
      .record({ back, max, seq, state: fc.constantFrom('queued', 'skipped', 'sent') })
      .map(({ back, max, seq, state }) => async (broadcasts, { at, ...newest }) => {
        const id = newest.id - back;
        const next = await broadcasts.next({ id, max });
        const rows = next.map((one, i) => {
          const number = state === 'skipped' ? null : at * 100 + seq + i * 13;
          return { n: one.n, seq: number, state, reason: state === 'skipped' ? 'blocked' : null };
        });
        return [next, await broadcasts.fed({ id, rows, at })];
      }),
  ],
  [
    'settle',
    8,
    fc
      .record({ back, after, max, states: fc.array(ended, { minLength: 1, maxLength: 5 }) })
      .map(({ back, after, max, states }) => async (broadcasts, { at, ...newest }) => {
        const id = newest.id - back;
        const road = await broadcasts.onRoad({ id, after, max });
        const rows = road.map(({ seq }, i) => {
          return { seq, state: states[i % states.length]!, reason: `r${i}` };
        });
        return [road, await broadcasts.settle({ rows: [...rows, ...rows.slice(0, 1)], at })];
      }),
  ],
  [
    'change',
    3,
    fc
      .record({ back, to: fc.constantFrom('running', 'running', 'paused', 'cancelled') })
      .map(({ back, to }) => (broadcasts, { at, id }) => {
        return broadcasts.change({ id: id - back, to, at });
      }),
  ],
  [
    'recipients',
    4,
    fc
      .record({ back, state: fc.option(state), after, max })
      .map(({ back, ...query }) => (broadcasts, { id }) => {
        return broadcasts.recipients({ ...query, id: id - back });
      }),
  ],
  [
    'unfinished',
    1,
    fc.record({ after, max }).map((query) => (broadcasts) => broadcasts.unfinished(query)),
  ],
  [
    'list',
    1,
    fc.record({ before: fc.option(back), max }).map(({ before, max }) => (broadcasts, { id }) => {
      return broadcasts.list({ before: before === null ? null : id - before, max });
    }),
  ],
  ['forget', 1, fc.record({ name }).map((query) => (broadcasts) => broadcasts.forget(query))],
  ['named', 1, fc.record({ name }).map((query) => (broadcasts) => broadcasts.named(query))],
  [
    'drop',
    1,
    fc.record({ back }).map(
      ({ back }) =>
        (broadcasts, { audience }) =>
          broadcasts.drop({ audience: audience - back }),
    ),
  ],
  [
    'dropOpen',
    1,
    fc.integer({ min: 0, max: 20 }).map(
      (age) =>
        (broadcasts, { at }) =>
          broadcasts.dropOpen({ before: at - age }),
    ),
  ],
  [
    'block',
    1,
    fc.record({ account, chat }).map(
      (one) =>
        (broadcasts, { at }) =>
          broadcasts.block({ chats: [{ ...one, reason: 'r' }], at }),
    ),
  ],
  [
    'unblock',
    1,
    fc.record({ account, chat }).map((one) => async (broadcasts) => {
      return [await broadcasts.unblock({ chats: [one] }), await broadcasts.isBlocked(one)];
    }),
  ],
  [
    'sweep',
    2,
    fc.record({ age: fc.integer({ min: 0, max: 20 }), max }).map(
      ({ age, max }) =>
        (broadcasts, { at }) =>
          broadcasts.sweep({ endedBefore: at - age, max }),
    ),
  ],
];

const command = fc.oneof(
  ...commands.map(([kind, weight, run]) => ({
    weight,
    arbitrary: run.map((one): Command => [kind, one]),
  })),
);

// Far less than is usual.
const LEAST = {
  audience: 60,
  'create created': 35,
  'create repeated': 20,
  'create conflict': 2,
  'create full': 2,
  'create no_audience': 20,
  feed: 40,
  settle: 10,
  'change changed': 15,
  'change illegal': 4,
  recipients: 10,
  list: 4,
  unfinished: 2,
  forget: 2,
  named: 4,
  sweep: 8,
  unblock: 1,
};

test('memory and SQLite give the same answers', async () => {
  const coverage = new Coverage();
  const round = () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(command, { minLength: 30, maxLength: 80, size: 'max' }),
        async (all) => {
          const memory = createMemoryStore().journal;
          const sqlite = inlineHarness();
          let [id, audience] = [0, 0];
          try {
            for (const [at, [kind, run]] of all.entries()) {
              const moment = { at, id, audience };
              const told = await run(memory.broadcasts, moment);
              expect(await run(sqlite.journal.broadcasts, moment)).toEqual(told);
              for (const each of casesOf(kind, told)) coverage.count(each);
              if (kind === 'audience' && told !== null) audience = (told as [number])[0];
              const isCreated = kind === 'create' || kind === 'launch';
              const created = isCreated ? (told as CreatedBroadcast | null) : null;
              if (created?.kind === 'created') id = created.broadcast.id;
            }
          } finally {
            await sqlite.dispose();
          }
        },
      ),
      { numRuns: RUNS },
    );
  expect(await coverage.reach(LEAST, round)).toEqual([]);
});

// Of those that answer in kinds, the kind; of those about members, whether there were any.
function casesOf(kind: string, told: unknown): string[] {
  if (kind === 'create' || (kind === 'launch' && told !== null)) {
    return [`create ${(told as CreatedBroadcast).kind}`];
  }
  if (kind === 'change') return [`change ${(told as Changed).kind}`];
  const met = kind === 'feed' || kind === 'settle' ? (told as unknown[])[0] : told;
  return [saysNothing(met) ? `${kind}: nothing` : kind];
}
