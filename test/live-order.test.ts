// What is said after a last text comes after it, as everything in a lane, also where many end together and the last
// texts wait for their slots.

import { expect, test } from 'vitest';
import { delivery, sendFirst } from './live/edits.ts';
import { GROUP, type LiveWorld, liveWorld } from './live/world.ts';

const SESSIONS = 12;
const GROWS_MS = 30_000;
const UNTIL_SENT_MS = 300_000;

function sayAfter(world: LiveWorld, n: number): void {
  const call = { chat_id: GROUP, text: `after ${n}` };
  void world.live.edits.submit(delivery(world, 'sendMessage', call, { session: `s${n}` }));
}

// Of each session the order in which its last text and what was said after it came.
async function orders(world: LiveWorld): Promise<string[]> {
  await world.run(UNTIL_SENT_MS);
  const texts = world.calls.flatMap(({ acceptedAt, text }) => (acceptedAt === null ? [] : [text]));
  return Array.from({ length: SESSIONS }, (_, n) => {
    const own = texts.filter((text) => text.endsWith(`last ${n}`) || text === `after ${n}`);
    return own.map((text) => text.slice(-`after ${n}`.length).trim()).join(', ');
  });
}

const IN_ORDER = Array.from({ length: SESSIONS }, (_, n) => `last ${n}, after ${n}`);

async function streamsThatEnd(world: LiveWorld): Promise<void> {
  const ids: string[] = [];
  for (let n = 0; n < SESSIONS; n++) ids.push(await world.open({ session: `s${n}` }));
  for (const id of ids) void world.live.change(id, { kind: 'append', text: 'Begun, ' });
  await world.run(GROWS_MS);
  for (const [n, id] of ids.entries()) {
    await world.done(world.live.final(id, { kind: 'append', text: `last ${n}` }));
    sayAfter(world, n);
  }
}

test('of streams, whatever else their sessions say', async () => {
  const world = await liveWorld();
  await streamsThatEnd(world);
  expect(world.road.depths().retry).toBe(0);
  expect(await orders(world)).toEqual(IN_ORDER);
});

test('also by the next process', async () => {
  const world = await liveWorld();
  await streamsThatEnd(world);
  await world.run(100);
  await world.crash();
  expect(await orders(world)).toEqual(IN_ORDER);
});

test.each([
  ['', false],
  [', also by the next process', true],
])('of edits of sessions, the last of which are said to be%s', async (_, crashes) => {
  const world = await liveWorld();
  const ids = await world.done(sendFirst(world, SESSIONS, { inTopics: false }));
  const edit = (n: number, text: string, final = false) => {
    const params = { chat_id: GROUP, message_id: Number(ids[n]), text };
    void world.live.edits.submit(
      delivery(world, 'editMessageText', params, { session: `s${n}`, final }),
    );
  };
  for (let ms = 0; ms < GROWS_MS; ms += 500) {
    for (const n of ids.keys()) edit(n, `${ms} ms of ${n}`);
    await world.run(500);
  }
  for (const n of ids.keys()) edit(n, `last ${n}`, true);
  await world.run(50);
  for (const n of ids.keys()) sayAfter(world, n);
  if (crashes) {
    await world.run(100);
    await world.crash();
  }
  expect(await orders(world)).toEqual(IN_ORDER);
});

test('why it waits is told', async () => {
  const world = await liveWorld();
  await streamsThatEnd(world);
  await world.run(50);
  const last = world.live.list().at(-1)!;
  const ownWait = world.road.explain(last.finals[0]!);
  expect(ownWait?.causes.map(({ detail }) => detail)).toContain('waits for its own slot');
  const waiting = world.dispatch.state.scheduler.waitingOf(last.account);
  const after = waiting.find(({ final, lane }) => !final && lane.endsWith(last.session!))!;
  const explained = world.road.explain(after.seq);
  expect(explained?.causes.map(({ detail }) => detail)).toContain(
    'waits for the slot of the one ahead of it',
  );
});
