// How late a call may be: its caller's own time to live, and what it answers.

import { expect, test } from 'vitest';
import type { AnswersWithin, DescribedCall } from '../domain/call.ts';
import type { NewDelivery } from '../domain/delivery.ts';
import { compose, NO_SEND_OPTIONS } from './draft.ts';

const NOW = 1_000_000;
const CALL: DescribedCall = {
  ...{ kind: 'call', method: 'answer', chat: '1', thread: null, family: 'free', budget: 'open' },
  ...{ cost: 1, slot: null },
};

function expiryOf(answers: AnswersWithin, ttlMs: number | null = null): number {
  const from = { account: 'a:1' as const, platform: 'a', call: { ...CALL, answers }, body: '{}' };
  return (compose(NOW, from, { ...NO_SEND_OPTIONS, ttlMs }) as NewDelivery).expiresAt;
}

test('a call that answers something is too late when that is too long ago', () => {
  expect(expiryOf({ ms: 3000, since: NOW - 1000 })).toBe(NOW + 2000);
  expect(expiryOf({ ms: 3000, since: null })).toBe(NOW + 3000);
});

test('clocks differ: what seems to be over, or still to come, is for the platform to judge', () => {
  expect(expiryOf({ ms: 3000, since: NOW - 4000 })).toBe(NOW + 3000);
  expect(expiryOf({ ms: 3000, since: NOW + 5000 })).toBe(NOW + 3000);
});

test('no clock is off by minutes: what was over long ago is not asked for', () => {
  expect(expiryOf({ ms: 3000, since: NOW - 600_000 })).toBe(NOW - 597_000);
  expect(expiryOf({ ms: 900_000, since: NOW - 900_000 - 300_001 })).toBeLessThan(NOW);
});

test('the shorter of its times holds', () => {
  expect(expiryOf({ ms: 3000, since: NOW }, 1000)).toBe(NOW + 1000);
  expect(expiryOf({ ms: 3000, since: NOW }, 9000)).toBe(NOW + 3000);
});
