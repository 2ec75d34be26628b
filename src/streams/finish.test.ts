// A final and the showing before it, whose number is not known yet.

import { expect, test } from 'vitest';
import type { NewDelivery } from '../domain/delivery.ts';
import { createTelegram } from '../platforms/telegram/telegram.ts';
import type { AskedRoad } from '../road/road.ts';
import { JournalUnavailable } from '../store/ports/unavailable.ts';
import { type VirtualClock, virtualClock } from '../system/virtual-clock.ts';
import { type FinalPorts, follow, placeAll } from './finish.ts';
import { aNewStream } from './stream-state.fixture.ts';
import { Stream } from './stream-state.ts';
import { StreamWriter } from './writer.ts';

function portsOver(road: object): FinalPorts & { readonly clock: VirtualClock } {
  const platform = createTelegram({ transport: null as never });
  return {
    road: road as AskedRoad,
    clock: virtualClock(0),
    writer: new StreamWriter({ save: async () => ({ kind: 'kept' }) }, () => {}),
    platforms: new Map([[platform.name, platform]]),
    budgetFor: (_account, call) => call.budget,
    slotFor: () => 0,
    isStopped: () => false,
  };
}

test('it waits for the number, and then changes that message instead of sending another', async () => {
  const submitted: NewDelivery[] = [];
  const ports = portsOver({
    isWaiting: () => false,
    async submit(delivery: NewDelivery) {
      submitted.push(delivery);
      return { kind: 'accepted', queued: { seq: 9 }, replaced: null };
    },
  });
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

test('of one that another process has by now nobody waits for the end to be written', async () => {
  const ports = portsOver({
    ended: async (seq: number) => ({ seq, state: 'sent', messageId: '7' }),
  });
  const stream = new Stream('s-1', aNewStream(), 'edit', 0);
  stream.finals = [{ seq: 9, part: 0 }];
  stream.isLeft = true;
  let isOver = false;
  void follow(ports, stream).then(() => {
    isOver = true;
  });
  await ports.clock.run(10_000);
  expect(isOver).toBe(true);
});

test('that the ledger cannot be read for a while is no failure of its final', async () => {
  let asked = 0;
  const ports = portsOver({
    async ended(seq: number) {
      asked += 1;
      if (asked < 3) throw new JournalUnavailable('journal_failed', 'the database is away');
      return { seq, state: 'sent', messageId: '7' };
    },
  });
  const stream = new Stream('s-1', aNewStream(), 'edit', 0);
  stream.finals = [{ seq: 9, part: 0 }];
  const followed = follow(ports, stream);
  await ports.clock.run(10_000);
  await followed;
  expect(stream).toMatchObject({ state: 'done', reason: null });
});
