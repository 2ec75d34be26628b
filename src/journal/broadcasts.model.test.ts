// Random commands about broadcasts, against memory and SQLite: every answer must be the same.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aBroadcast } from './broadcasts.contract.ts';
import { type Broadcasts, RECIPIENT_STATES } from './broadcasts.ts';
import { createMemoryStore } from './memory.ts';
import { inlineHarness } from './sqlite.fixture.ts';

type Command = (broadcasts: Broadcasts, at: number) => Promise<unknown>;

const RUNS = 60;
const id = fc.integer({ min: 1, max: 3 });
const n = fc.integer({ min: 1, max: 5 });
const seq = fc.integer({ min: 1, max: 12 });
const max = fc.integer({ min: 1, max: 5 });
const after = fc.integer({ min: 0, max: 4 });
const name = fc.constantFrom('all', 'some');
const state = fc.constantFrom(...RECIPIENT_STATES);
const ended = fc.constantFrom('sent', 'dead', 'uncertain', 'cancelled', 'pending', 'queued');
const chat = fc.constantFrom('1', '2', '3', '4', '5', 'ü🙂');
const account = fc.constantFrom('telegram:1', 'telegram:2');

const commands: readonly [number, fc.Arbitrary<Command>][] = [
  [
    4,
    fc
      .record({ name: fc.option(name), chats: fc.array(chat), seal: fc.boolean() })
      .map(({ name, chats, seal }) => async (broadcasts, at) => {
        const audience = await broadcasts.open({ name, at, audiencesMax: 6 });
        if (audience === null) return null;
        const members = chats.map((each, i) => ({ chat: each, fields: i === 0 ? '{"a":1}' : '' }));
        const filled = await broadcasts.fill({ audience, members });
        return [audience, filled, seal && (await broadcasts.seal({ audience, fields: ['a'] }))];
      }),
  ],
  [
    4,
    fc
      .record({
        audience: n,
        key: fc.option(fc.constantFrom('k', 'l')),
        digest: name,
        own: fc.boolean(),
      })
      .map(({ audience, key, digest, own }) => (broadcasts, at) => {
        const fields = own ? ['b'] : null;
        const given = { key, digest, at, fields, liveMax: 3 };
        return broadcasts.create(aBroadcast(audience, given));
      }),
  ],
  // As it is done: the next ones are fed, and nobody else.
  [
    8,
    fc
      .record({ id, max, seq, state: fc.constantFrom('queued', 'skipped', 'sent') })
      .map(({ id, max, seq, state }) => async (broadcasts, at) => {
        const next = await broadcasts.next({ id, max });
        const rows = next.map((one, i) => {
          const number = state === 'skipped' ? null : at * 100 + seq + i * 13;
          return { n: one.n, seq: number, state, reason: state === 'skipped' ? 'blocked' : null };
        });
        return [next, await broadcasts.fed({ id, rows, at })];
      }),
  ],
  [
    8,
    fc
      .record({ id, after, max, states: fc.array(ended, { minLength: 1, maxLength: 5 }) })
      .map(({ id, after, max, states }) => async (broadcasts, at) => {
        const road = await broadcasts.onRoad({ id, after, max });
        const rows = road.map(({ seq }, i) => {
          return { seq, state: states[i % states.length]!, reason: `r${i}` };
        });
        return [road, await broadcasts.settle({ rows: [...rows, ...rows.slice(0, 1)], at })];
      }),
  ],
  [
    3,
    fc
      .record({ id, to: fc.constantFrom('running', 'paused', 'cancelled') })
      .map((change) => (broadcasts, at) => broadcasts.change({ ...change, at })),
  ],
  [
    4,
    fc
      .record({ id, state: fc.option(state), after, max })
      .map((query) => (broadcasts) => broadcasts.recipients(query)),
  ],
  [1, fc.record({ after, max }).map((query) => (broadcasts) => broadcasts.unfinished(query))],
  [
    1,
    fc
      .record({ before: fc.option(id), max })
      .map((query) => (broadcasts) => broadcasts.list(query)),
  ],
  [1, fc.record({ name }).map((query) => (broadcasts) => broadcasts.forget(query))],
  [1, fc.record({ name }).map((query) => (broadcasts) => broadcasts.named(query))],
  [1, fc.record({ audience: n }).map((one) => (broadcasts) => broadcasts.drop(one))],
  [
    1,
    fc
      .integer({ min: 0, max: 20 })
      .map((age) => (broadcasts, at) => broadcasts.dropOpen({ before: at - age })),
  ],
  [
    1,
    fc
      .record({ account, chat })
      .map((one) => (broadcasts, at) => broadcasts.block({ chats: [{ ...one, reason: 'r' }], at })),
  ],
  [
    1,
    fc.record({ account, chat }).map((one) => async (broadcasts) => {
      return [await broadcasts.unblock({ chats: [one] }), await broadcasts.isBlocked(one)];
    }),
  ],
  [
    2,
    fc.record({ age: fc.integer({ min: 0, max: 20 }), max }).map(
      ({ age, max }) =>
        (broadcasts, at) =>
          broadcasts.sweep({ endedBefore: at - age, max }),
    ),
  ],
];

const command = fc.oneof(...commands.map(([weight, arbitrary]) => ({ weight, arbitrary })));

test('memory and SQLite give the same answers', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 30, maxLength: 80 }), async (all) => {
      const memory = createMemoryStore().journal;
      const sqlite = inlineHarness();
      try {
        for (const [at, run] of all.entries()) {
          const told = await run(memory.broadcasts, at);
          expect(await run(sqlite.journal.broadcasts, at)).toEqual(told);
        }
      } finally {
        await sqlite.dispose();
      }
    }),
    { numRuns: RUNS },
  );
});
