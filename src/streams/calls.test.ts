import { expect, test } from 'vitest';
import type { NewDelivery } from '../domain/delivery.ts';
import type { LiveCall, Platform } from '../platforms/platform.ts';
import { createTelegram } from '../platforms/telegram/telegram.ts';
import type { CosmeticCall } from '../road/road.ts';
import { cosmeticOf, deliveryOf } from './calls.ts';
import { aNewStream } from './stream.fixture.ts';
import { Stream } from './stream.ts';

const NOWHERE = async () => ({ kind: 'failed', reason: 'unsent', detail: '' }) as never;
const telegram = createTelegram({ transport: { send: NOWHERE } as never });
const ports = {
  platforms: new Map<string, Platform>([['telegram', telegram]]),
  gateFor: (_account: string, { gate }: { gate: NewDelivery['gate'] }) => gate,
};
const WISHES = { slot: 's', final: true, notBefore: 0, key: null, now: 1 };
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
