import { expect, test } from 'vitest';
import type { NewDelivery } from '../domain/delivery.ts';
import type { LiveCall, Platform } from '../platforms/platform.ts';
import { createTelegram } from '../platforms/telegram/telegram.ts';
import type { CosmeticCall } from '../road/road.ts';
import { cosmeticOf, deliveryOf } from './calls.ts';
import { aNewStream } from './stream-state.fixture.ts';
import { Stream } from './stream-state.ts';

const NOWHERE = async () => ({ kind: 'failed', reason: 'unsent', detail: '' }) as never;
const telegram = createTelegram({ transport: { send: NOWHERE } as never });
const ports = {
  platforms: new Map<string, Platform>([['telegram', telegram]]),
  budgetFor: (_account: string, { budget }: { budget: NewDelivery['budget'] }) => budget,
};
const WISHES = { slot: 's', final: true, slotAt: 0, key: null, now: 1 };
const RESERVED = { 'sluice:parts': null, 'sluice:files': { a: 1 }, 'sluice:': 1 };
const OWN = { chat_id: 5, text: 'hi', 'a sluice:parts': 1 };

// A stream's body is the caller's own: nothing in it may pass for what Sluice keeps in the body of a delivery.
test('members with names of ours do not reach a delivery of a stream, whatever its transport', () => {
  const stream = new Stream('s-1', aNewStream({ params: RESERVED }), 'edit', 1000);
  const params = { ...RESERVED, ...OWN };
  const bodies: (NewDelivery | CosmeticCall)[] = [
    deliveryOf(ports, stream, { method: 'sendMessage', params } as LiveCall, WISHES),
    cosmeticOf(ports, stream, { method: 'sendMessageDraft', params } as LiveCall),
  ];
  for (const { body } of bodies) expect(JSON.parse(body)).toEqual(OWN);
});

test('previews and the final have classes of their own, unless the caller named one', () => {
  const classes = { message: 'normal', answer: 'high', notice: 'high' } as const;
  const set = {
    ...ports,
    classesOf: () => ({ ...classes, preview: 'low', final: 'high' }) as const,
  };
  const unset = {
    ...ports,
    classesOf: () => ({ ...classes, preview: null, final: null }) as const,
  };
  const call = { method: 'sendMessage', params: OWN } as LiveCall;
  const classOf = (used: typeof set | typeof unset, asked: object, final: boolean) => {
    const stream = new Stream('s-1', aNewStream(asked), 'edit', 1000);
    return deliveryOf(used, stream, call, { ...WISHES, final }).priority;
  };
  expect([false, true].map((final) => classOf(set, {}, final))).toEqual(['low', 'high']);
  expect([false, true].map((final) => classOf(unset, { priority: 'high' }, final))).toEqual([
    'high',
    'high',
  ]);
  const own = { priority: 'critical', hasOwnPriority: true };
  expect([false, true].map((final) => classOf(set, own, final))).toEqual(['critical', 'critical']);
});
