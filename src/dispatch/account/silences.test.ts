import { expect, test } from 'vitest';
import type { AccountId } from '../../domain/ids.ts';
import type { Platform } from '../../platforms/platform.ts';
import type { Clock } from '../../system/clock.ts';
import { aRoad, SENT, START, submit } from '../dispatch.fixture.ts';
import { Silences } from '../events.ts';

const DEADLINE_MS = 60_000;
const ACCOUNT: AccountId = 'telegram:1';

// Calls whose body says so get no answer: they are given up at their deadline.
function someHang(platform: Platform, clock: Clock): Platform {
  const { wire } = platform;
  return {
    ...platform,
    wire: {
      ...wire,
      send: async (call) => {
        if (!call.body.includes('hangs')) return wire.send(call);
        await new Promise<void>((resolve) => clock.schedule(clock.now() + DEADLINE_MS, resolve));
        return { kind: 'lost', reason: 'answer_timeout', detail: 'no complete answer' };
      },
      classify: (method, reply, isRepeated) =>
        reply.kind === 'answered'
          ? wire.classify(method, reply, isRepeated)
          : { kind: 'failed', reason: reply.reason, detail: reply.detail, hostDown: false },
    },
  };
}

test('calls that hang are told soon, and for as long as they hang, also when they are tried again', async () => {
  const { road, dispatch, run } = aRoad(() => SENT, { wrap: someHang });
  const hangs = { account: ACCOUNT, body: '{"text":"hangs"}' };
  const silentSince = () => road.accounts()[0]!.silentSince;
  await dispatch.start();
  await submit(road, { ...hangs, chat: 'a' });
  await submit(road, { ...hangs, chat: 'b' });
  await run(9_900);
  expect(silentSince()).toBeNull();
  await run(200);
  expect(silentSince()).toBe(START);
  expect(road.accounts()).toMatchObject([{ breaker: { state: 'closed' }, inFlight: 2 }]);
  // Given up, and on their way once more.
  await run(DEADLINE_MS);
  expect(silentSince()).toBe(START);
  // Another chat's is answered.
  await submit(road, { account: ACCOUNT, chat: 'c' });
  await run(200);
  expect(silentSince()).toBeNull();
  await run(10_200);
  expect(silentSince()).toBeGreaterThan(START + DEADLINE_MS);
});

test('a slow call while others are answered is no silence, nor a file that takes its time', async () => {
  const { road, dispatch, run } = aRoad(() => SENT, { wrap: someHang });
  await dispatch.start();
  await submit(road, { account: ACCOUNT, chat: 'a', body: '{"text":"hangs"}' });
  for (let i = 0; i < 4; i++) {
    await run(9_000);
    expect(road.accounts()[0]!.silentSince).toBeNull();
    await submit(road, { account: ACCOUNT, chat: 'b' });
  }
  const other = aRoad(() => SENT, { wrap: someHang });
  await other.dispatch.start();
  await submit(other.road, { account: ACCOUNT, body: '{"sluice:files":{},"caption":"hangs"}' });
  await other.run(30_000);
  expect(other.road.accounts()).toMatchObject([{ inFlight: 1, silentSince: null }]);
});

test('what is usual decides: an account whose answers take 8 s is waited for longer', () => {
  const silences = new Silences();
  for (let i = 0; i < 50; i++) {
    silences.left(ACCOUNT, 0);
    silences.over(ACCOUNT, 0, true, 8_000);
  }
  silences.left(ACCOUNT, 100_000);
  expect(silences.since(ACCOUNT, 130_000)).toBeNull();
  expect(silences.since(ACCOUNT, 132_000)).toBe(100_000);
});

test('a call long after one without an answer begins anew', () => {
  const silences = new Silences();
  silences.left(ACCOUNT, 0);
  silences.over(ACCOUNT, 0, false, 1_000);
  expect(silences.since(ACCOUNT, 50_000)).toBeNull();
  silences.left(ACCOUNT, 1_000_000);
  expect(silences.since(ACCOUNT, 1_005_000)).toBeNull();
  expect(silences.since(ACCOUNT, 1_010_000)).toBe(1_000_000);
});
