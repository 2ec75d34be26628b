import { describe, expect, test } from 'vitest';
import type { AccountId } from '../domain/ids.ts';
import type { Poll } from '../platforms/platform.ts';
import { UPDATES } from '../platforms/telegram/updates/updates.ts';
import { createMemoryStore } from '../store/memory/memory.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { Polls } from './polls.ts';

const ACCOUNT: AccountId = 'telegram:42';
const NOBODY = new AbortController().signal;

function world() {
  const clock = virtualClock(0);
  const { incoming } = createMemoryStore().journal;
  let taken = 0;
  const polls = new Polls({
    clock,
    incoming,
    taken(_account, count) {
      taken += count;
    },
  });
  const arrive = async (order: number, kind = 'message', account = ACCOUNT) => {
    await arriveAs(order, JSON.stringify({ update_id: order, [kind]: {} }), account);
  };
  const arriveAs = async (order: number, body: string, account = ACCOUNT) => {
    const rest = { chat: null, messageId: null, voice: 'none', state: 'waiting', body } as const;
    await incoming.record([{ account, updateId: String(order), order, at: 0, ...rest }]);
    polls.wake(account);
  };
  const poll = async (ask: Partial<Poll> = {}, signal = NOBODY) => {
    const all = { offset: 0, limit: 100, timeoutMs: 0, allowed: [], ...ask };
    const polled = await polls.poll(ACCOUNT, UPDATES, all, signal);
    if (polled.kind === 'conflict') return 'conflict';
    return polled.bodies.map((body) => (JSON.parse(body) as { update_id: number }).update_id);
  };
  return { clock, polls, poll, arrive, arriveAs, taken: () => taken };
}

describe('getUpdates from the store', () => {
  test('tells what waits until an offset confirms it', async () => {
    const { poll, arrive, taken } = world();
    for (const id of [1, 2, 3]) await arrive(id);
    await arrive(9, 'message', 'telegram:43');
    expect(await poll({ limit: 2 })).toEqual([1, 2]);
    expect(await poll()).toEqual([1, 2, 3]);
    expect(await poll({ offset: 3 })).toEqual([3]);
    expect(await poll()).toEqual([3]);
    expect(taken()).toBe(2);
    expect(await poll({ offset: 4 })).toEqual([]);
  });

  test('one that the store no longer holds whole is left out, and the others are told', async () => {
    const { poll, arrive, arriveAs } = world();
    await arrive(1);
    const broken = ['{"update_id":2,', '', 'null', `{"update_id":5,"message":${'['.repeat(9000)}`];
    for (const [i, body] of broken.entries()) await arriveAs(2 + i, body);
    await arrive(6);
    expect(await poll()).toEqual([1, 6]);
    expect(await poll({ limit: 2 })).toEqual([1, 6]);
    expect(await poll({ allowed: ['message'] })).toEqual([1, 6]);
    // And they end with those before.
    expect(await poll({ offset: 6 })).toEqual([6]);
  });

  test('a negative offset counts from the end and forgets what is before', async () => {
    const { poll, arrive } = world();
    for (let id = 1; id <= 250; id++) await arrive(id);
    expect(await poll({ offset: -2 })).toEqual([249, 250]);
    expect(await poll()).toEqual([249, 250]);
    expect(await poll({ offset: -9 })).toEqual([249, 250]);
  });

  test('waits for an update, and no longer than it is asked to', async () => {
    const { clock, poll, arrive } = world();
    const first = poll({ timeoutMs: 30_000 });
    await clock.run(10_000);
    await arrive(1);
    expect(await first).toEqual([1]);
    const second = poll({ offset: 2, timeoutMs: 30_000 });
    await clock.run(40_001);
    expect(await second).toEqual([]);
  });

  test('a second poller sends the first away', async () => {
    const { clock, poll, arrive } = world();
    const first = poll({ timeoutMs: 30_000 });
    await clock.run(1000);
    const second = poll({ timeoutMs: 30_000 });
    expect(await first).toBe('conflict');
    await clock.run(2000);
    await arrive(1);
    expect(await second).toEqual([1]);
  });

  test('who hangs up, and a stop, end the waiting', async () => {
    const { clock, polls, poll, arrive } = world();
    const caller = new AbortController();
    const left = poll({ timeoutMs: 30_000 }, caller.signal);
    await clock.run(1000);
    caller.abort();
    expect(await left).toEqual([]);
    const stopped = poll({ timeoutMs: 30_000 });
    await clock.run(2000);
    polls.stop();
    expect(await stopped).toEqual([]);
    await arrive(1);
    expect(await poll()).toEqual([1]);
  });

  test('kinds that are not asked for are passed over', async () => {
    const { poll, arrive } = world();
    for (let id = 1; id <= 150; id++) await arrive(id, 'chat_member');
    await arrive(151);
    expect(await poll({ allowed: ['message'], limit: 1 })).toEqual([151]);
  });
});

test('parameters are read typed or as text, and bounded as on the platform', () => {
  const all = { offset: 0, limit: 100, timeoutMs: 0, allowed: [] };
  expect(UPDATES.readPoll({})).toEqual(all);
  expect(
    UPDATES.readPoll({ offset: '-1', limit: '5', timeout: '99', allowed_updates: '["a"]' }),
  ).toEqual({
    offset: -1,
    limit: 5,
    timeoutMs: 50_000,
    allowed: ['a'],
  });
  expect(UPDATES.readPoll({ offset: 'x', limit: 0, timeout: -3, allowed_updates: '{' })).toEqual(
    all,
  );
});
