// A broadcast beside people who talk to the bot: it takes as long as the platform makes it, and they do not notice.

import { expect, test } from 'vitest';
import { aDelivery } from '../domain/delivery.fixture.ts';
import { ACCOUNT, aWorld, broadcastTo, START } from './broadcast.fixture.ts';

const RECIPIENTS = 900;
const LEAST_MS = (RECIPIENTS / 30) * 1000;
const EVERY_MS = 173;

// Messages of the given kind to chats of their own, every so often; how long each took to arrive.
async function talk(budget: string, recipients: number) {
  const world = aWorld();
  await world.start();
  const id = recipients === 0 ? null : await broadcastTo(world, recipients);
  const saidAt = new Map<string, number>();
  for (let i = 0; world.clock.now() < START + LEAST_MS; i++) {
    const chat = String(5000 + i);
    if (budget === 'reply') world.model.userWrote('1:token', chat, world.clock.now());
    const now = world.clock.now();
    saidAt.set(chat, now);
    const call = { account: ACCOUNT, platform: 'telegram', chat, budget, acceptedAt: now };
    const body = JSON.stringify({ chat_id: Number(chat), text: 'hi' });
    await world.now.road.submit(aDelivery({ ...call, method: 'sendMessage', body }));
    await world.run(EVERY_MS);
  }
  await world.run(10 * LEAST_MS);
  const { calls } = world;
  const delays = calls.flatMap(({ chat, arrivedAt }) => {
    const from = saidAt.get(chat ?? '');
    return from === undefined ? [] : [arrivedAt - from];
  });
  expect(delays).toHaveLength(saidAt.size);
  const broadcast = calls.filter(({ chat }) => Number(chat) < 5000);
  const view = id === null ? null : await world.now.broadcasting.get(id);
  await world.stop();
  return {
    longest: Math.max(...delays),
    floods: calls.filter(({ status }) => status === 429).length,
    tookMs: (broadcast.at(-1)?.acceptedAt ?? START) - START,
    view,
  };
}

test('answers are not delayed at all, and nothing is refused', async () => {
  const alone = await talk('reply', 0);
  const beside = await talk('reply', RECIPIENTS);
  expect(beside.longest).toBeLessThanOrEqual(alone.longest + 1);
  expect(beside.floods).toBe(0);
  expect(beside.view).toMatchObject({ state: 'done', progress: { sent: RECIPIENTS } });
  expect(beside.tookMs).toBeLessThan(LEAST_MS * 1.05);
});

test('who shares its budget waits for the next slot, never for a burst of it', async () => {
  const alone = await talk('broadcast', 0);
  const beside = await talk('broadcast', RECIPIENTS);
  // A burst would use up the budget of a whole second.
  expect(beside.longest).toBeLessThan(alone.longest + 300);
  expect(beside.floods).toBe(0);
  expect(beside.view).toMatchObject({ state: 'done', progress: { sent: RECIPIENTS } });
});
