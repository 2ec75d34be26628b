import { expect, test } from 'vitest';
import { aRoad, message, SENT, submit } from '../dispatch.fixture.ts';

const ACCOUNT = 'fake:1';

test('an account that was taken over is neither accepted for nor sent for any more', async () => {
  const { dispatch, road, calls, run, store } = aRoad(() => SENT);
  await dispatch.start();
  const inFlight = await submit(road);
  const waiting = await submit(road);
  expect(calls).toHaveLength(1);
  const second = store.journal.beside('second');
  const owner = await second.openAccount(ACCOUNT);
  await run(5000);
  // Its answer came too late to be written, and the next was never begun.
  expect(calls).toHaveLength(1);
  expect(await store.ledger.get(inFlight)).toMatchObject({ state: 'sending' });
  expect(await store.ledger.get(waiting)).toMatchObject({ state: 'queued', attempts: 0 });
  expect(await road.submit(message())).toEqual({ kind: 'not_owner' });
  expect(dispatch.state.scheduler.depthOf(ACCOUNT)).toEqual({ waiting: 0, inFlight: 0 });
  // Nothing of it stays in memory.
  await run(20_000);
  expect(dispatch.state.accounts.has(ACCOUNT)).toBe(false);
  for (const slot of [null, 's']) {
    expect(await road.submit(message({ slot }))).toEqual({ kind: 'not_owner' });
    expect(dispatch.state.accounts.has(ACCOUNT)).toBe(true);
    await run(20_000);
    expect(dispatch.state.accounts.has(ACCOUNT)).toBe(false);
  }
  // Another account is not touched by it.
  await submit(road, { account: 'fake:2' });
  await run(500);
  expect(calls).toHaveLength(2);
  // The next owner finds both.
  const found: number[] = [];
  for await (const page of second.recover([owner]))
    for (const one of page) {
      if (one.kind !== 'not_owner') found.push(one.queued.seq);
    }
  expect(found).toEqual([inFlight, waiting]);
});

test('the first messages of an account keep their order while it is being opened', async () => {
  const { dispatch, road, calls, run } = aRoad(() => SENT);
  await dispatch.start();
  await Promise.all([1, 2, 3].map((n) => submit(road, { body: `"${n}"` })));
  await run(10_000);
  expect(calls.map(({ body }) => body)).toEqual(['"1"', '"2"', '"3"']);
});
