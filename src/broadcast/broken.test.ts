// Broadcasts and recipients that a store no longer holds whole: each is set apart alone, and the others go on.

import { expect, test } from 'vitest';
import { aWorld, broadcastTo, START, settled } from './broadcast.fixture.ts';

const LATER = { notBefore: START + 1000 };

function brokenWorld() {
  const faults: { stage: string; about: object }[] = [];
  const world = aWorld({ report: (stage, _error, about) => void faults.push({ stage, about }) });
  const get = (id: string) => settled(world.clock, world.now.broadcasting.get(id));
  return { world, faults, get };
}

test('a recipient whose fields cannot be read is skipped, and the others are sent to', async () => {
  const { world, faults, get } = brokenWorld();
  await world.start();
  const id = await broadcastTo(world, 5, LATER);
  const [audience] = world.disk.broadcasts.audiences.values();
  audience!.members[1] = { chat: '1002', fields: '{"name":' };
  audience!.members[3] = { chat: '1004', fields: 'null' };
  await world.run(10_000);
  const progress = { sent: 3, skipped: 2 };
  expect(await get(id)).toMatchObject({ state: 'done', progress });
  const [outcomes] = world.disk.broadcasts.outcomes.values();
  const skipped = [...outcomes!.values()].filter(({ state }) => state === 'skipped');
  expect(skipped.map(({ n, reason }) => [n, reason])).toEqual([
    [2, 'internal'],
    [4, 'internal'],
  ]);
  const about = (recipient: number) => ({ broadcast: id, recipient });
  expect(faults).toEqual([
    { stage: 'broadcast', about: about(2) },
    { stage: 'broadcast', about: about(4) },
  ]);
  expect(world.calls.map(({ chat }) => chat)).toEqual(['1001', '1003', '1005']);
  await world.stop();
});

test('one whose message cannot be read is paused at the start, and the others go on', async () => {
  const { world, faults, get } = brokenWorld();
  await world.start();
  const ids = [
    await broadcastTo(world, 3, LATER),
    await broadcastTo(world, 3, LATER),
    await broadcastTo(world, 3, LATER),
  ];
  const rows = [...world.disk.broadcasts.broadcasts.values()];
  rows[0]!.body = '{"text":';
  rows[1]!.platform = 'gone';
  for (const start of [1, 2]) {
    await world.crash();
    expect(faults.map(({ stage }) => stage)).toEqual(Array(2 * start).fill('recovery'));
    expect([rows[0]!.state, rows[1]!.state], `start ${start}`).toEqual(['paused', 'paused']);
  }
  await world.run(10_000);
  expect(await get(ids[2]!)).toMatchObject({ state: 'done', progress: { sent: 3 } });
  expect(world.calls).toHaveLength(3);
  const { broadcasting } = world.now;
  const listed = await settled(world.clock, broadcasting.list({ before: null, max: 9 }));
  expect(listed.map(({ state }) => state).sort()).toEqual(['done', 'paused', 'paused']);
  await world.stop();
});
