// A final and the showing before it, whose number is not known yet.

import { expect, test } from 'vitest';
import type { NewDelivery } from '../domain/delivery.ts';
import { createTelegram } from '../platforms/telegram/telegram.ts';
import type { AskedRoad } from '../road/road.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { type FinalPorts, placeAll } from './finish.ts';
import { aNewStream } from './stream-state.fixture.ts';
import { Stream } from './stream-state.ts';
import { StreamWriter } from './writer.ts';

test('it waits for the number, and then changes that message instead of sending another', async () => {
  const submitted: NewDelivery[] = [];
  const road = {
    isWaiting: () => false,
    async submit(delivery: NewDelivery) {
      submitted.push(delivery);
      return { kind: 'accepted', queued: { seq: 9 }, replaced: null };
    },
  } as unknown as AskedRoad;
  const platform = createTelegram({ transport: null as never });
  const ports: FinalPorts = {
    road,
    clock: virtualClock(0),
    writer: new StreamWriter({ save: async () => {} }),
    platforms: new Map([[platform.name, platform]]),
    budgetFor: (_account, call) => call.budget,
    slotFor: () => 0,
    isStopped: () => false,
  };
  const stream = new Stream('s-1', aNewStream(), 'edit', 0);
  stream.durable = 'All of it';
  const showing = Promise.withResolvers<void>();
  stream.submitting = showing.promise;
  const placed = placeAll(ports, stream);
  await Promise.resolve();
  expect(submitted).toEqual([]);
  stream.parts = [{ seq: 8, messageId: null, digest: 'old', isLost: false }];
  stream.frame = { kind: 'call', seq: 8, part: 0, isSend: true };
  showing.resolve();
  expect(await placed).toEqual({ kind: 'finished' });
  expect(submitted).toMatchObject([{ method: 'editMessageText', final: true, live: false }]);
  expect(JSON.parse(submitted[0]!.body)).toMatchObject({ message_id: -8, text: 'All of it' });
  expect(stream.finals).toEqual([{ seq: 9, part: 0 }]);
});
