// Observers of a stream over a kill: the store is opened again, and each of them ends with the text of the origin.

import { expect, test } from 'vitest';
import { GROUP, type LiveWorld, liveWorld, OBSERVING } from './live/world.ts';

const PERSON = '42';
const OTHER_GROUP = '-1001000000002';
const CHATS = [GROUP, PERSON, OTHER_GROUP];

async function open(world: LiveWorld): Promise<string> {
  const observers = [
    world.aStream({ chat: PERSON }),
    world.aStream({ account: OBSERVING, chat: OTHER_GROUP }),
  ];
  const asked = { observers: observers.map((one) => Promise.resolve(one)) };
  const opened = await world.done(world.observed.open(world.aStream(asked)));
  if (opened.kind !== 'opened') throw new Error(opened.kind);
  return opened.view.id;
}

function append(world: LiveWorld, id: string, text: string) {
  return world.done(world.observed.change(id, { kind: 'append', text }));
}

// Of the last process alone: no stream is left open.
async function allShow(world: LiveWorld, text: string, when: string): Promise<void> {
  await world.run(60_000);
  for (const chat of CHATS) expect(world.texts(chat), `${chat} ${when}`).toEqual([text]);
  expect(world.observed.list(), when).toEqual([]);
}

test('killed at any moment after the origin’s final was taken', async () => {
  for (let offsetMs = 0; offsetMs < 120; offsetMs += 3) {
    const world = await liveWorld({ seed: offsetMs + 1 });
    const id = await open(world);
    await append(world, id, 'First');
    await world.run(2000);
    await append(world, id, ' and more');
    await world.done(world.observed.final(id, { kind: 'append', text: ' and last' }));
    await world.run(offsetMs);
    await world.crash();
    await allShow(world, 'First and more and last', `after ${offsetMs} ms`);
  }
});

test('killed in the moment between the final of the origin and theirs', async () => {
  const world = await liveWorld();
  const id = await open(world);
  await append(world, id, 'First');
  await world.run(2000);
  world.live.listen((view) => {
    if (view.id === id && view.state === 'finishing') world.kill();
  });
  await world.done(world.observed.final(id, { kind: 'append', text: ' and last' }));
  await world.crash();
  await allShow(world, 'First and last', 'in between');
});

test('killed while it grows: the origin goes on, and its observers with it', async () => {
  for (let offsetMs = 0; offsetMs < 60; offsetMs += 3) {
    const world = await liveWorld({ seed: offsetMs + 1 });
    const id = await open(world);
    await append(world, id, 'First');
    await world.run(2000);
    await append(world, id, ' and more');
    await world.run(offsetMs);
    await world.crash();
    await append(world, id, ' and on');
    await world.done(world.observed.final(id, { kind: 'append', text: ' and last' }));
    await allShow(world, 'First and more and on and last', `after ${offsetMs} ms`);
  }
});

test('killed twice, and the producer never comes back', async () => {
  const world = await liveWorld();
  const id = await open(world);
  await append(world, id, 'First');
  // A first message that is on its way at a kill may come twice.
  await world.run(2000);
  await append(world, id, ' and last');
  await world.crash();
  await world.crash();
  await world.run(150_000);
  await allShow(world, 'First and last', 'after the silence');
  expect(await world.done(world.observed.get(id))).toMatchObject({ reason: 'producer_silent' });
});

test('its origin is silent for longer than an observer is given, and goes on', async () => {
  const world = await liveWorld();
  const observer = world.aStream({ chat: PERSON, idleMs: 10_000 });
  const asked = world.aStream({ observers: [Promise.resolve(observer)] });
  const opened = await world.done(world.observed.open(asked));
  if (opened.kind !== 'opened') throw new Error(opened.kind);
  const { id } = opened.view;
  await append(world, id, 'First');
  await world.run(100_000);
  expect(world.observed.list()).toHaveLength(2);
  await world.done(world.observed.final(id, { kind: 'append', text: ' and last' }));
  await world.run(60_000);
  for (const chat of [GROUP, PERSON]) expect(world.texts(chat)).toEqual(['First and last']);
});
