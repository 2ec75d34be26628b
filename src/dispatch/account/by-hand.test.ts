import { describe, expect, test } from 'vitest';
import { aDelivery } from '../../domain/delivery.fixture.ts';
import type { NewDelivery } from '../../domain/delivery.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { assert } from '../../system/assert.ts';
import { aRoad, SENT } from '../dispatch.fixture.ts';

const MINUTE = 60_000;

type Road = ReturnType<typeof aRoad>;

const submit = (road: Road, changes: Partial<NewDelivery> = {}) =>
  road.road.submit(
    aDelivery({
      acceptedAt: road.clock.now(),
      body: JSON.stringify({ chat_id: changes.chat }),
      ...changes,
    }),
  );

const limited: Outcome = {
  kind: 'limited',
  retryAfterMs: 60 * MINUTE,
  scope: 'chat',
  result: '{}',
};
const { account } = aDelivery();

async function started(outcome: () => Outcome = () => SENT, options = {}) {
  const at = aRoad(outcome, options);
  await at.dispatch.start();
  return at;
}

const chatsOf = (at: Road) =>
  at.calls.map(({ body }) => String((JSON.parse(body) as { chat_id: unknown }).chat_id));

describe('a freeze by hand', () => {
  test('closes one chat until its time and no other, and says why', async () => {
    const at = await started();
    const until = at.clock.now() + 10 * MINUTE;
    expect(await at.road.freeze({ account, chat: 'closed' }, until, 'maintenance')).toBe(until);
    const held = await submit(at, { chat: 'closed' });
    assert(held.kind === 'accepted', 'taken');
    await submit(at, { chat: 'open' });
    await at.run(9 * MINUTE);
    expect(chatsOf(at)).toEqual(['open']);
    expect(at.road.explain(held.queued.seq)?.summary).toContain('maintenance');
    await at.run(2 * MINUTE);
    expect(chatsOf(at)).toEqual(['open', 'closed']);
  });

  test('does not shorten a longer one, and answers until when that holds', async () => {
    const at = await started();
    const now = at.clock.now();
    await at.road.freeze({ account, chat: 'a' }, now + 10 * MINUTE, 'long');
    const freeze = (minutes: number) =>
      at.road.freeze({ account, chat: 'a' }, now + minutes * MINUTE, 'again');
    expect(await freeze(1)).toBe(now + 10 * MINUTE);
    expect(await freeze(20)).toBe(now + 20 * MINUTE);
  });

  test('closes a chat that is ready to go', async () => {
    const at = await started();
    await submit(at, { chat: 'a' });
    await submit(at, { chat: 'a' });
    await at.road.freeze({ account, chat: 'a' }, at.clock.now() + MINUTE, 'by hand');
    await at.run(MINUTE / 2);
    expect(at.calls.length).toBeLessThanOrEqual(1);
  });

  test('of an account holds all its chats, and outlives the process', async () => {
    const at = await started();
    await at.road.freeze({ account, chat: null }, at.clock.now() + 10 * MINUTE, 'by hand');
    await submit(at, { chat: 'a' });
    await submit(at, { chat: 'b' });
    await at.run(MINUTE);
    expect(at.calls).toEqual([]);
    await at.dispatch.stop(0);
    const next = await started(() => SENT, { disk: at.disk, startAt: at.clock.now() });
    await next.run(5 * MINUTE);
    expect(next.calls).toEqual([]);
    expect(await next.road.thaw({ account, chat: null })).toBe(1);
    await next.run(MINUTE);
    expect(next.calls).toHaveLength(2);
  });
});

describe('a thaw by hand', () => {
  test('ends a wait of the platform; one call goes first and shows whether it agrees', async () => {
    const outcomes = [limited, limited, SENT, SENT];
    const at = await started(() => outcomes.shift() ?? SENT);
    await submit(at, { chat: 'a' });
    await submit(at, { chat: 'a' });
    await at.run(MINUTE);
    expect(at.calls).toHaveLength(1);
    expect(await at.road.thaw({ account, chat: 'a' })).toBe(1);
    await at.run(MINUTE);
    expect(at.calls).toHaveLength(2);
    expect(await at.road.thaw({ account, chat: 'a' })).toBe(1);
    await at.run(MINUTE);
    expect(at.calls).toHaveLength(4);
  });

  test('of what is not frozen, or not known, changes nothing', async () => {
    const at = await started();
    expect(await at.road.thaw({ account, chat: 'a' })).toBe(0);
    expect(await at.road.freeze({ account: 'fake:404', chat: null }, 1, 'x')).toBeNull();
    expect(await at.road.thaw({ account: 'fake:404', chat: null })).toBe(0);
  });
});
