// An account that was removed: what waits ends on record, what limits it is kept as long as it matters, and then
// nothing of it stays in memory.

import { describe, expect, test } from 'vitest';
import { ACCOUNT_REMOVED } from '../domain/delivery.ts';
import type { Outcome } from '../domain/outcome.ts';
import { aRoad, SENT, submit } from './dispatch.fixture.ts';

const ACCOUNT = 'fake:1';
const FREEZE_MS = 7_200_000;
const LIMITED: Outcome = { kind: 'limited', retryAfterMs: FREEZE_MS, scope: 'chat', result: '' };

describe('an account that was removed', () => {
  test('what waits is cancelled, with the reason and who did it', async () => {
    const { dispatch, road, store, run, calls } = aRoad(() => SENT);
    await dispatch.start();
    const seqs = [];
    for (let n = 0; n < 5; n++) seqs.push(await submit(road, { body: `"${n}"` }));
    const later = await submit(road, { chat: 'later', notBefore: dispatch.lastTurnAt + 60_000 });
    const other = await submit(road, { account: 'fake:2', chat: 'other' });
    expect(await dispatch.cancelAll(ACCOUNT, ACCOUNT_REMOVED, 'admin')).toBe(5);
    dispatch.leave(ACCOUNT);
    await run(5000);
    // The first was in flight.
    expect(await store.ledger.get(seqs[0]!)).toMatchObject({ state: 'sent' });
    for (const seq of [...seqs.slice(1), later]) {
      expect(await store.ledger.get(seq)).toMatchObject({
        state: 'cancelled',
        reason: ACCOUNT_REMOVED,
      });
      expect(await store.ledger.history(seq)).toMatchObject([{ to: 'cancelled', by: 'admin' }]);
    }
    expect(await store.ledger.get(other)).toMatchObject({ state: 'sent' });
    expect(calls).toHaveLength(2);
  });

  test('what comes back from a failed call is cancelled too', async () => {
    const failed: Outcome = {
      kind: 'failed',
      reason: 'server',
      detail: 'x',
      hostDown: false,
    };
    const { dispatch, road, store, run } = aRoad(() => failed);
    await dispatch.start();
    const seq = await submit(road);
    dispatch.leave(ACCOUNT);
    await run(30_000);
    expect(await store.ledger.get(seq)).toMatchObject({
      state: 'cancelled',
      reason: ACCOUNT_REMOVED,
    });
  });

  test('is forgotten when its windows are empty, and starts afresh when it returns', async () => {
    const { dispatch, road, run } = aRoad(() => SENT);
    await dispatch.start();
    await submit(road);
    await run(500);
    dispatch.leave(ACCOUNT);
    expect(dispatch.state.accounts.has(ACCOUNT)).toBe(true);
    await run(60_000);
    expect(dispatch.state.accounts.has(ACCOUNT)).toBe(false);
    expect(dispatch.state.scheduler.isIdle(ACCOUNT)).toBe(true);
    dispatch.state.stay(ACCOUNT);
    await submit(road);
    await run(500);
    expect(dispatch.state.accounts.has(ACCOUNT)).toBe(true);
  });

  test('is no way around a wait: added again, its chat is as frozen as before', async () => {
    const { dispatch, road, run, calls } = aRoad((_call, nth) => (nth === 1 ? LIMITED : SENT));
    await dispatch.start();
    await submit(road);
    await run(500);
    await dispatch.cancelAll(ACCOUNT, ACCOUNT_REMOVED, 'admin');
    dispatch.leave(ACCOUNT);
    await run(600_000);
    dispatch.state.stay(ACCOUNT);
    await submit(road, { body: '"again"' });
    await run(FREEZE_MS - 700_000);
    expect(calls).toHaveLength(1);
    await run(200_000);
    expect(calls).toHaveLength(2);
  });
});

describe('an account that gave way to others', () => {
  test('what comes for it all the same is not cancelled: it waits, and goes when the account is back', async () => {
    const { dispatch, road, store, run, calls, events } = aRoad(() => SENT);
    await dispatch.start();
    await submit(road);
    await run(500);
    dispatch.leave(ACCOUNT, 'evicted');
    const seq = await submit(road, { body: '"late"' });
    await run(120_000);
    expect(await store.ledger.get(seq)).toMatchObject({ state: 'queued' });
    expect(calls).toHaveLength(1);
    expect(events.filter(({ kind }) => kind === 'breaker')).toEqual([]);
    dispatch.state.stay(ACCOUNT);
    await run(5_000);
    expect(await store.ledger.get(seq)).toMatchObject({ state: 'sent' });
  });

  test('is forgotten when its windows are empty', async () => {
    const { dispatch, road, run } = aRoad(() => SENT);
    await dispatch.start();
    await submit(road);
    await run(500);
    dispatch.leave(ACCOUNT, 'evicted');
    await run(60_000);
    expect(dispatch.state.accounts.has(ACCOUNT)).toBe(false);
  });
});
