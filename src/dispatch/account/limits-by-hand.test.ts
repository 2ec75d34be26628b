import { expect, test } from 'vitest';
import type { LimitsByHand } from '../../domain/limit-setting.ts';
import type { Priors } from '../../limits/limits.ts';
import { createMemoryStore } from '../../store/memory/memory.ts';
import { virtualClock } from '../../system/virtual-clock.ts';
import { aRoad, SENT, START, submit } from '../dispatch.fixture.ts';
import type { LimitSettings } from './limits-by-hand.ts';

const ACCOUNT = 'fake:1';

// One limit, `spacing_ms`, from 1 to 60,000, as settings would know it.
function spacing() {
  let byHand: LimitsByHand = {};
  const value = () => byHand.spacing_ms ?? 1000;
  const limitSettings: LimitSettings = {
    check(_account, { spacing_ms: asked }) {
      if (asked === null) return { kind: 'right', byHand: {} };
      return typeof asked === 'number' && asked >= 1 && asked <= 60_000
        ? { kind: 'right', byHand: { spacing_ms: asked } }
        : { kind: 'wrong', problems: [{ name: 'spacing_ms', expected: 'a number to 60000' }] };
    },
    set(_account, given) {
      const isRight = (given.spacing_ms ?? 1) <= 60_000;
      byHand = isRight ? given : {};
      return isRight ? [] : [{ name: 'spacing_ms', expected: 'a number to 60000' }];
    },
    view: () => [
      {
        ...{ name: 'spacing_ms', meaning: '', unit: null, expected: '', usual: 1000 },
        value: value(),
        from: byHand.spacing_ms === undefined ? 'default' : 'hand',
      },
    ],
  };
  const priors = (): Priors => {
    const rule = { name: 'chat_second', scope: 'chat', count: 1, perMs: value() } as const;
    return { planOf: () => ({ account: [], chat: [rule] }) };
  };
  return { limitSettings, priors };
}

async function nodes() {
  const shared = { made: createMemoryStore(), virtual: virtualClock(START) };
  const first = aRoad(() => SENT, { ...shared, ...spacing(), node: 'first' });
  const second = aRoad(() => SENT, { ...shared, ...spacing(), node: 'second' });
  await first.dispatch.start();
  await second.dispatch.start();
  await first.dispatch.take(ACCOUNT);
  return { first, second };
}

const handOn = (at: ReturnType<typeof aRoad>) => at.dispatch.state.byHand;

test('a limit set by hand holds for what waits already, sooner and later', async () => {
  const { first } = await nodes();
  for (let n = 0; n < 4; n++) await submit(first.road);
  await first.run(50);
  expect(first.calls).toHaveLength(1);
  const set = await handOn(first).change(ACCOUNT, { spacing_ms: 10_000 });
  expect(set).toMatchObject({ kind: 'set', settings: [{ value: 10_000, from: 'hand' }] });
  await first.run(9_000);
  expect(first.calls).toHaveLength(1);
  await handOn(first).change(ACCOUNT, { spacing_ms: 100 });
  await first.run(500);
  expect(first.calls.length).toBeGreaterThanOrEqual(3);
});

test('it goes with the account to its next owner, and who owns it no longer changes nothing', async () => {
  const { first, second } = await nodes();
  await handOn(first).change(ACCOUNT, { spacing_ms: 10_000 });
  await second.dispatch.take(ACCOUNT);
  expect(handOn(second).view(ACCOUNT)).toMatchObject([{ value: 10_000, from: 'hand' }]);
  await submit(second.road);
  await submit(second.road);
  await second.run(5_000);
  expect(second.calls).toHaveLength(1);
  expect(await handOn(first).change(ACCOUNT, { spacing_ms: 5 })).toEqual({ kind: 'not_owner' });
  expect(handOn(first).view(ACCOUNT)).toMatchObject([{ value: 10_000 }]);
  // And the way back, too.
  await handOn(second).change(ACCOUNT, { spacing_ms: null });
  await first.dispatch.take(ACCOUNT);
  expect(handOn(first).view(ACCOUNT)).toMatchObject([{ value: 1000, from: 'default' }]);
});

test('what is wrong changes nothing; what is not known, or cannot be set, is said', async () => {
  const { first } = await nodes();
  const wrong = await handOn(first).change(ACCOUNT, { spacing_ms: 0 });
  expect(wrong).toMatchObject({ kind: 'wrong', problems: [{ name: 'spacing_ms' }] });
  expect(handOn(first).view(ACCOUNT)).toMatchObject([{ value: 1000, from: 'default' }]);
  expect(first.road.limitSettings('fake:404')).toBeNull();
  expect(await first.road.setLimits('fake:404', { spacing_ms: 5 })).toEqual({ kind: 'unknown' });
});

test('a limit on disk that is wrong by now is reported, and the account opens without it', async () => {
  const made = createMemoryStore();
  const told: string[] = [];
  const shared = { made, virtual: virtualClock(START) };
  const owner = await made.journal.openAccount(ACCOUNT);
  const value = JSON.stringify({ spacing_ms: 1e9 });
  await made.journal.saveLimits(owner, [
    { account: ACCOUNT, key: 'settings|by_hand', value, updatedAt: START },
  ]);
  const at = aRoad(() => SENT, {
    ...{ ...shared, ...spacing() },
    report: (stage, error) => void told.push(`${stage}: ${(error as Error).message}`),
  });
  await at.dispatch.start();
  expect(told).toEqual(['recovery: limit spacing_ms by hand: a number to 60000']);
  expect(handOn(at).view(ACCOUNT)).toMatchObject([{ value: 1000, from: 'default' }]);
});
