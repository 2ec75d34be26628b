// Streams of a fleet: only the owner of their account has them, and what is another's stays as that one wrote it.

import { expect, test } from 'vitest';
import { TakenOver } from '../src/store/ports/unavailable.ts';
import { liveWorld } from './live/world.ts';

async function aWorld() {
  const owned = { is: true };
  const world = await liveWorld({ owns: () => owned.is });
  return { world, owned };
}

test('none is opened for an account that another has; for its owner it is only written down', async () => {
  const { world, owned } = await aWorld();
  owned.is = false;
  await expect(world.live.open(world.aStream())).rejects.toThrow(TakenOver);
  const asked = world.aStream({ key: 'k' });
  const left = await world.done(world.live.open(asked, 'for_owner'));
  expect(left).toMatchObject({ kind: 'opened', view: { state: 'open' } });
  expect(world.live.list()).toEqual([]);
  const again = await world.done(world.live.open(asked, 'for_owner'));
  expect(again.kind).toBe('repeated');
  owned.is = true;
  await world.done(world.live.takeUp());
  expect(world.live.list()).toMatchObject([{ state: 'open' }]);
});

test('one that was handed over has not ended: who asks is to ask again', async () => {
  const { world } = await aWorld();
  const id = await world.open();
  const { account } = world.aStream();
  await world.done(world.live.change(id, { kind: 'append', text: 'half' }, 'lazy'));
  await world.done(world.live.leave(account));
  const change = { kind: 'append', text: ' more' } as const;
  await expect(world.done(world.live.change(id, change))).rejects.toThrow(TakenOver);
  await expect(world.done(world.live.final(id, null))).rejects.toThrow(TakenOver);
  expect(await world.done(world.live.get(id))).toMatchObject({ state: 'open', text: 'half' });
});

test('one that was taken over is not written any more', async () => {
  const { world, owned } = await aWorld();
  const id = await world.open();
  await world.done(world.live.change(id, { kind: 'append', text: 'as taken over' }));
  // Shown, so that the next showing is a while ahead: that would write down what it shows.
  await world.run(500);
  await world.done(world.live.change(id, { kind: 'append', text: ', and later' }, 'lazy'));
  owned.is = false;
  await world.done(world.live.leave(world.aStream().account));
  expect(await world.done(world.live.get(id))).toMatchObject({ text: 'as taken over' });
});
