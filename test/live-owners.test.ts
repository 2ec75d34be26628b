// Streams of a fleet: only the owner of their account has them, and what is another's stays as that one wrote it.

import { describe, expect, test, vi } from 'vitest';
import { openAccount } from '../src/store/memory/owners.ts';
import { FIRST_EPOCH, NOT_OWNER } from '../src/store/ports/ownership.ts';
import { TakenOver } from '../src/store/ports/unavailable.ts';
import type { Fed } from '../src/streams/streams.ts';
import { delivery, send } from './live/edits.ts';
import { ACCOUNT, GROUP, liveWorld } from './live/world.ts';

const OWNER = { account: ACCOUNT, epoch: FIRST_EPOCH };

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
  const left = await world.done(world.live.openFor(OWNER, asked));
  expect(left).toMatchObject({ kind: 'opened', view: { state: 'open' } });
  expect(world.live.list()).toEqual([]);
  const again = await world.done(world.live.openFor(OWNER, asked));
  expect(again.kind).toBe('repeated');
  owned.is = true;
  await world.done(world.live.takeUp());
  expect(world.live.list()).toMatchObject([{ state: 'open' }]);
});

test('edits of an account that another has are not held here: nobody could release them there', async () => {
  const { world, owned } = await aWorld();
  const message = await send(world, { chat_id: GROUP, text: 'begun' });
  owned.is = false;
  const notBefore: number[] = [];
  for (const text of ['a', 'b', 'c']) {
    const params = { chat_id: GROUP, message_id: Number(message), text };
    const asked = delivery(world, 'editMessageText', params);
    const appended = await world.done(world.live.edits.submit(asked));
    if (appended.kind !== 'accepted') throw new Error(appended.kind);
    notBefore.push(appended.queued.dueAt);
    expect(world.live.edits.road.isPreview(appended.queued.seq)).toBe(false);
  }
  expect(notBefore).toEqual([0, 0, 0]);
  await world.run(5000);
  expect(world.texts()).toEqual(['c']);
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

describe('an account that was taken over while this process stood still', () => {
  const change = { kind: 'append', text: ', and later' } as const;

  // Another node has taken the account over and gone on with the stream; this one still thinks that it has it.
  async function takenOver() {
    const { world, owned } = await aWorld();
    const id = await world.open();
    await world.done(world.live.change(id, { kind: 'append', text: 'as taken over' }));
    // Shown, so that nothing of it is under way.
    await world.run(10_000);
    const other = world.beside('other');
    const owner = await world.done(other.openAccount(ACCOUNT));
    const stored = (await world.done(other.streams.get(id)))!;
    const theirs = { ...stored, text: 'as taken over, and gone on' };
    expect(await world.done(other.streams.save(owner, theirs))).toEqual({ kind: 'kept' });
    return { world, owned, id, other, owner, theirs };
  }

  test('its streams stop here with the first save, and the text of the owner stays', async () => {
    const { world, id, theirs } = await takenOver();
    const waiting = world.live.ended(id, new AbortController().signal);
    const calls = world.calls.length;
    const lost = vi.spyOn(world.dispatch.state, 'lose');
    await expect(world.done(world.live.change(id, change))).rejects.toThrow(TakenOver);
    expect(world.live.list()).toEqual([]);
    // All else of the account goes as well, as when a message is refused.
    expect(lost.mock.calls).toMatchObject([[ACCOUNT, expect.any(Number)]]);
    expect(await world.done(waiting)).toMatchObject({ state: 'open' });
    await world.run(200_000);
    expect(world.disk.streams.get(id)).toEqual(theirs);
    expect(world.calls).toHaveLength(calls);
    await expect(world.done(world.live.open(world.aStream()))).rejects.toThrow(TakenOver);
    expect(await world.done(world.live.openFor(OWNER, world.aStream()))).toEqual(NOT_OWNER);
  });

  test('what nobody waits for stops it as well', async () => {
    const { world, id, theirs } = await takenOver();
    await world.done(world.live.change(id, change, 'lazy'));
    await world.run(200_000);
    expect(world.live.list()).toEqual([]);
    expect(world.disk.streams.get(id)).toEqual(theirs);
    expect(world.texts()).toEqual(['as taken over']);
  });

  test('its final, its cancelling and its watchdog write nothing', async () => {
    for (const end of ['final', 'cancel', 'silence'] as const) {
      const { world, id, theirs } = await takenOver();
      if (end === 'final') {
        await expect(world.done(world.live.final(id, change))).rejects.toThrow(TakenOver);
      } else if (end === 'cancel') {
        await expect(world.done(world.live.cancel(id))).rejects.toThrow(TakenOver);
      }
      await world.run(200_000);
      expect(world.live.list()).toEqual([]);
      expect(world.disk.streams.get(id)).toEqual(theirs);
      expect(world.texts()).toEqual(['as taken over']);
    }
  });

  test('the end of a final that it has sent is its owner’s to write', async () => {
    const world = await liveWorld({ commitMsMax: 50 });
    const id = await world.open();
    await world.done(world.live.change(id, { kind: 'append', text: 'all of it' }));
    await world.run(10_000);
    const { view } = (await world.done(world.live.final(id, change))) as Fed & { kind: 'taken' };
    const final = () => world.disk.deliveries.get(view.finals[0]!);
    while (final()!.state !== 'sent') await world.run(1);
    openAccount(world.disk, ACCOUNT, 'other');
    await world.run(10_000);
    expect(world.live.list()).toEqual([]);
    expect(world.disk.streams.get(id)).toMatchObject({ endedAt: null });
  });

  test('one that came back is taken up as the other left it, not as it is remembered', async () => {
    const { world, id, other, owner, theirs } = await takenOver();
    await world.done(other.closeAccount(owner));
    await world.done(world.dispatch.state.owners.take(ACCOUNT));
    await world.done(world.live.takeUp());
    expect(world.live.list()).toMatchObject([{ id, text: theirs.text }]);
    await world.done(world.live.change(id, { kind: 'append', text: '!' }));
    expect(world.disk.streams.get(id)).toMatchObject({ text: `${theirs.text}!` });
  });
});
