// A host that is away is away for all its accounts: they share one breaker and one probe.

import { describe, expect, test } from 'vitest';
import type { AccountId } from '../../domain/ids.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { aRoad, SENT, submit } from '../dispatch.fixture.ts';

const DOWN: Outcome = { kind: 'failed', reason: 'refused', detail: '', hostDown: true };
const ACCOUNTS = 10;
const OUTAGE_MS = 600_000;
const accounts = Array.from({ length: ACCOUNTS }, (_, i): AccountId => `fake:${i + 1}`);

// An outage that the first account meets; then the others have something to send, too.
async function outage(hostOf: (account: AccountId) => string) {
  let away = true;
  const made = aRoad(() => (away ? DOWN : SENT), { hostOf });
  const { dispatch, road, run, calls } = made;
  await dispatch.start();
  for (let i = 0; i < 5; i++) await submit(road, { chat: `c${i}` });
  await run(5_000);
  const opening = calls.length;
  const seqs: number[] = [];
  for (const account of accounts) seqs.push(await submit(road, { account, chat: 'd' }));
  return { ...made, opening, seqs, returns: () => (away = false) };
}

describe('accounts of one host', () => {
  test('make together as few calls during an outage as one of them alone', async () => {
    const shared = await outage(() => 'one host');
    await shared.run(OUTAGE_MS);
    const apart = await outage((account) => `host of ${account}`);
    await apart.run(OUTAGE_MS);
    const together = shared.calls.length - shared.opening;
    expect(together).toBeGreaterThan(0);
    // Apart, each of the ten finds out for itself.
    expect(apart.calls.length - apart.opening).toBeGreaterThan(together * (ACCOUNTS / 2));
  });

  test('wait without a call of their own, are told why, and all go when it is back', async () => {
    const { run, calls, opening, seqs, road, dispatch, store, events, returns } = await outage(
      () => 'one host',
    );
    expect(calls).toHaveLength(opening);
    expect(road.explain(seqs[9]!)?.causes).toContainEqual(
      expect.objectContaining({ kind: 'held' }),
    );
    expect(dispatch.state.availability.isBlocked('fake:10')).toBe(true);
    const told = events.flatMap((one) => (one.kind === 'breaker' ? [one.account] : []));
    expect(told).toContain('fake:1');
    returns();
    await run(OUTAGE_MS);
    const states = (await store.ledger.getMany(seqs)).map(({ state }) => state);
    expect(states).toEqual(seqs.map(() => 'sent'));
    expect(dispatch.state.availability.isBlocked('fake:10')).toBe(false);
  });

  test('the message that probes is being sent, and is told why the others wait', async () => {
    const { run, seqs, road, dispatch, calls } = await outage(() => 'one host');
    const before = calls.length;
    while (calls.length === before) await run(10);
    const explained = seqs.map((seq) => road.explain(seq)!);
    const probing = explained.filter(({ state }) => state === 'sending');
    expect(probing.map(({ summary }) => summary)).toEqual([
      'it is being sent now; one call probes whether the platform works again',
    ]);
    expect(dispatch.state.availability.isBlocked('fake:1')).toBe(true);
  });

  test('an account of another host does not notice', async () => {
    const { calls, opening, run, road } = await outage((account) =>
      account === 'fake:2' ? 'another' : 'one host',
    );
    const before = calls.length;
    expect(before).toBe(opening + 1);
    await submit(road, { account: 'fake:3', chat: 'e' });
    await run(1);
    expect(calls).toHaveLength(before);
  });

  test('an answer to any of them closes it for all', async () => {
    const { dispatch, run, returns, road, calls } = await outage(() => 'one host');
    returns();
    while (dispatch.state.availability.isBlocked('fake:2')) await run(1_000);
    const before = calls.length;
    await submit(road, { account: 'fake:11', chat: 'new' });
    await run(100);
    expect(calls.length).toBeGreaterThan(before);
  });
});

describe('an account whose calls are answered with 503 or a page of a stranger', () => {
  const SICK: Outcome = { ...DOWN, isAnswered: true } as Outcome;

  test('opens its own breaker, and the others of its host go on', async () => {
    const { dispatch, road, run, calls, store } = aRoad((call) =>
      call.body.includes('sick') ? SICK : SENT,
    );
    await dispatch.start();
    for (let i = 0; i < 5; i++) await submit(road, { chat: `c${i}`, body: '{"text":"sick"}' });
    await run(5_000);
    expect(dispatch.state.availability.isBlocked('fake:1')).toBe(true);
    const before = calls.length;
    const seqs: number[] = [];
    for (const account of accounts.slice(1)) seqs.push(await submit(road, { account, chat: 'd' }));
    await run(200);
    expect(calls.length - before).toBeGreaterThanOrEqual(seqs.length);
    const states = (await store.ledger.getMany(seqs)).map(({ state }) => state);
    expect(states).toEqual(seqs.map(() => 'sent'));
  });

  test("is the host's trouble when several say so", async () => {
    const { dispatch, road, run } = aRoad(() => SICK);
    await dispatch.start();
    for (const account of accounts.slice(0, 4)) await submit(road, { account });
    await run(5_000);
    await submit(road, { account: 'fake:10' });
    expect(dispatch.state.availability.isBlocked('fake:10')).toBe(true);
  });
});

test('what waits for ever is told what would end it', async () => {
  const reasons = ['unauthorized', 'sandbox_off', 'internal'];
  const { dispatch, road, run, calls } = aRoad(() => SENT, {
    refusedOf: (account) => reasons[Number(account.split(':')[1]) - 1] ?? null,
  });
  await dispatch.start();
  const said: string[] = [];
  const ends: unknown[] = [];
  for (const account of accounts.slice(0, 3)) {
    const seq = await submit(road, { account });
    await run(1000);
    const { summary, cause, waitsFor, eta } = road.explain(seq)!;
    said.push(summary);
    ends.push([cause, waitsFor, eta]);
  }
  expect(calls).toEqual([]);
  expect(said).toEqual([
    expect.stringContaining('the platform refuses its token; it needs a new one'),
    expect.stringMatching(/simulator, which is switched off here; SLUICE_SANDBOX=on /),
    expect.stringContaining('a fault of Sluice keeps its token from being used'),
  ]);
  for (const words of said.slice(1)) expect(words).not.toContain('the platform refuses');
  expect(ends).toEqual([
    ['unauthorized', 'a token the platform takes', null],
    ['sandbox_off', 'the simulator to be switched on', null],
    ['internal', 'a new token', null],
  ]);
});
