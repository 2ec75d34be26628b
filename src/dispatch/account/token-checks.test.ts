// A token is refused when the platform says so twice; and it may be taken again.

import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../domain/outcome.ts';
import type { Identified } from '../../platforms/platform.ts';
import { aRoad, SENT, submit } from '../dispatch.fixture.ts';

const UNAUTHORIZED: Outcome = {
  kind: 'refused',
  reason: 'unauthorized',
  detail: 'Unauthorized',
  result: '',
  cure: null,
};
const NO: Identified = { kind: 'refused', status: 401, detail: 'Unauthorized' };
const YES: Identified = { kind: 'known', id: '1' };
const HOUR_MS = 3_600_000;

async function start(isBad: () => boolean, identify: () => Identified) {
  let asked = 0;
  const made = aRoad(() => (isBad() ? UNAUTHORIZED : SENT), {
    identify: () => {
      asked += 1;
      return identify();
    },
  });
  await made.dispatch.start();
  const stateOf = async (seq: number) => (await made.store.ledger.get(seq))?.state;
  return { ...made, asked: () => asked, stateOf };
}

describe('a single refusal of the token', () => {
  test('is not believed when the platform knows the account: the message goes later', async () => {
    let refusals = 1;
    const { road, run, refused, stateOf, dispatch } = await start(
      () => refusals-- > 0,
      () => YES,
    );
    const seq = await submit(road);
    await run(60_000);
    expect(refused).toEqual([]);
    expect(await stateOf(seq)).toBe('sent');
    expect(dispatch.state.availability.hasClosedBreakers('fake:1')).toBe(true);
  });

  test('nor when nobody can be asked', async () => {
    let refusals = 1;
    const { road, run, refused, stateOf } = await start(
      () => refusals-- > 0,
      () => ({ kind: 'unreachable', detail: 'timeout' }),
    );
    const seq = await submit(road);
    await run(60_000);
    expect(refused).toEqual([]);
    expect(await stateOf(seq)).toBe('sent');
  });

  test('holds all other calls back while the platform is asked', async () => {
    const { road, run, calls, refused } = await start(
      () => true,
      () => NO,
    );
    for (let n = 0; n < 5; n++) await submit(road, { chat: 'c' });
    await run(HOUR_MS);
    expect(calls).toHaveLength(1);
    expect(refused).toEqual(['fake:1']);
  });
});

test('a question about a call that was no delivery is shared, and neither holds nor keeps anything', async () => {
  const { road, run, asked, refused, stateOf } = await start(
    () => false,
    () => NO,
  );
  const questions = Array.from({ length: 9 }, () => road.isTokenRefused('fake:1'));
  const seq = await submit(road);
  expect(await Promise.all(questions)).toEqual(Array(9).fill(true));
  expect(asked()).toBe(1);
  await run(1000);
  expect(await stateOf(seq)).toBe('sent');
  expect(refused).toEqual([]);
});

describe('a refused token', () => {
  test('is asked about after growing pauses, and works again without a person', async () => {
    let isBad = true;
    const { road, run, calls, asked, stateOf } = await start(
      () => isBad,
      () => (isBad ? NO : YES),
    );
    const told: string[] = [];
    road.listen((event) => {
      if (event.kind === 'token') told.push(`${event.account} ${event.state}: ${event.detail}`);
    }, 'trouble');
    const seq = await submit(road);
    await run(24 * HOUR_MS);
    expect(calls).toHaveLength(1);
    // Told once, not at every question.
    expect(told).toEqual(['fake:1 refused: the platform says 401: Unauthorized']);
    // After 1, 2, 4 … minutes, and then once an hour.
    expect(asked()).toBeGreaterThan(24);
    expect(asked()).toBeLessThan(34);
    isBad = false;
    await run(HOUR_MS + 1000);
    expect(await stateOf(seq)).toBe('sent');
    expect(told.slice(1)).toEqual(['fake:1 taken: the platform accepts its token']);
  });

  test('is asked about at once by hand, which says what it found', async () => {
    let isBad = true;
    const { road, run, stateOf } = await start(
      () => isBad,
      () => (isBad ? NO : YES),
    );
    const account = 'telegram:1';
    const seq = await submit(road, { account });
    await run(1000);
    expect(await road.probe(account)).toMatchObject({
      found: 'refused',
      detail: 'the platform says 401: Unauthorized',
    });
    isBad = false;
    expect(await road.probe(account)).toMatchObject({ found: 'taken' });
    await run(1000);
    expect(await stateOf(seq)).toBe('sent');
    expect(await road.probe('fake:unknown')).toBeNull();
  });
});

test('a probe by hand does not wait for an open breaker', async () => {
  let isDown = true;
  const down: Outcome = { kind: 'failed', reason: 'refused', detail: '', hostDown: true };
  const { dispatch, road, run, calls } = aRoad(() => (isDown ? down : SENT));
  await dispatch.start();
  const account = 'telegram:1';
  for (let n = 0; n < 5; n++) await submit(road, { account, chat: `c${n}` });
  await run(HOUR_MS);
  isDown = false;
  const before = calls.length;
  await road.probe(account);
  await run(500);
  expect(calls.length).toBeGreaterThan(before);
  expect(dispatch.state.availability.hasClosedBreakers(account)).toBe(true);
});
