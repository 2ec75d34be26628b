// Promise 6 in virtual time, all of its cases: 1, 2 and 10 of 34 chats that always answer 429, told to wait 10 s, 60 s
// and an hour, leave the others as they are in calm. isolation.test.ts has them on a real process.

import { expect, test } from 'vitest';
import { aDelivery } from '../src/domain/delivery.fixture.ts';
import type { Faults } from '../src/sim/sim.ts';
import { ACCOUNT, liveWorld } from './live/world.ts';

const CHATS = 34;
// A chat's own limit is one message in a second.
const ROUND_MS = 1300;
// Two minutes.
const ROUNDS = 92;
const FIRST = 1000;

interface Trouble {
  readonly count: number;
  readonly seconds: number;
}

const CALM: Trouble = { count: 0, seconds: 0 };

// How long 95 of 100 messages to the healthy chats took at the most, in ms, and how often the others refused.
async function lived({ count, seconds }: Trouble): Promise<{ p95Ms: number; refusals: number }> {
  const isTroubled = (chat: number) => chat < FIRST + count;
  let isTrouble = false;
  // Every call to one of them begins its wait anew.
  const faults: Faults = {
    next({ token, chat }, now) {
      if (isTrouble && isTroubled(Number(chat))) world.model.freeze(token, chat, seconds, now);
      return null;
    },
  };
  const world = await liveWorld({ faults });
  const askedAt = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round++) {
    // They were fine before: that is when their refusals look most like the account's.
    isTrouble = round > 0;
    for (let n = 0; n < CHATS; n++) {
      const chat = String(FIRST + ((n * 7) % CHATS));
      const text = `${chat} ${round}`;
      askedAt.set(text, world.clock.now());
      const place = { account: ACCOUNT, platform: 'telegram', chat, method: 'sendMessage' };
      const body = JSON.stringify({ chat_id: Number(chat), text });
      const rest = { acceptedAt: world.clock.now(), body };
      void world.road.submit(aDelivery({ ...place, ...rest }));
      await world.run(ROUND_MS / CHATS);
    }
  }
  await world.run(10_000);
  const took = new Map<string, number>();
  for (const { text, arrivedAt, status, chat } of world.calls) {
    if (status === 200 && !isTroubled(Number(chat))) took.set(text, arrivedAt - askedAt.get(text)!);
  }
  // None is missing.
  expect(took.size).toBe((CHATS - count) * ROUNDS);
  const sorted = [...took.values()].sort((a, b) => a - b);
  const refusals = world.calls.filter(({ status }) => status === 429).length;
  return { p95Ms: sorted[Math.floor(sorted.length * 0.95)]!, refusals };
}

const calm = lived(CALM);

test.each([1, 2, 10].flatMap((count) => [10, 60, 3600].map((seconds) => ({ count, seconds }))))(
  '$count of 34 chats always refuse, for $seconds s',
  { timeout: 60_000 },
  async (trouble) => {
    const { p95Ms, refusals } = await lived(trouble);
    expect(refusals).toBeGreaterThanOrEqual(trouble.count);
    expect(p95Ms).toBeLessThanOrEqual(2 * (await calm).p95Ms);
  },
);
