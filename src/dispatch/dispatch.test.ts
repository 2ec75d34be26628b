import { describe, expect, test } from 'vitest';
import type { Outcome } from '../domain/outcome.ts';
import { CommandRefused, JournalUnavailable } from '../store/ports/unavailable.ts';
import { aRoad, NEVER, SENT, START, submit } from './dispatch.fixture.ts';

describe('the loop', () => {
  test('sends at the pace of the limits, in order, and tells the end', async () => {
    const { dispatch, road, calls, run, store } = aRoad(() => SENT);
    await dispatch.start();
    const seqs = [];
    for (const body of ['"1"', '"2"', '"3"']) seqs.push(await submit(road, { body }));
    const end = road.ended(seqs[2]!, NEVER);
    await run(1500);
    expect(calls.map((call) => call.body)).toEqual(['"1"', '"2"']);
    await run(1500);
    expect(await end).toMatchObject({ state: 'sent', messageId: '7', result: '{"ok":true}' });
    expect(await store.ledger.get(seqs[2]!)).toMatchObject({ state: 'sent', attempts: 1 });
    expect(await road.ended(seqs[0]!, NEVER)).toMatchObject({ state: 'sent' });
  });

  test('what can go at once is accepted and begun in one commit; what follows queues', async () => {
    const { dispatch, road, calls, run, store } = aRoad(() => SENT);
    await dispatch.start();
    let begins = 0;
    const { begin } = store.journal;
    store.journal.begin = (...args) => {
      begins += 1;
      return begin.apply(store.journal, args);
    };
    const [first, second] = [
      await submit(road, { body: '"1"' }),
      await submit(road, { body: '"2"' }),
    ];
    expect(await store.ledger.get(first)).toMatchObject({ state: 'sending', attempts: 1 });
    expect(await store.ledger.get(second)).toMatchObject({ state: 'queued' });
    await run(5000);
    expect(calls.map((call) => call.body)).toEqual(['"1"', '"2"']);
    expect(begins).toBe(1);
    expect(dispatch.state.scheduler.depthOf('fake:1')).toEqual({ waiting: 0, inFlight: 0 });
  });

  test('room that was taken for a message the store refused is given back', async () => {
    const { dispatch, road, calls, run, store } = aRoad(() => SENT);
    await dispatch.start();
    const { append } = store.journal;
    store.journal.append = () => {
      const refused = () => Promise.reject(new JournalUnavailable('disk_full', 'full'));
      return { written: refused(), durable: refused() };
    };
    await expect(submit(road)).rejects.toThrow(JournalUnavailable);
    store.journal.append = append.bind(store.journal);
    await submit(road);
    await run(500);
    expect(calls).toHaveLength(1);
    expect(dispatch.state.scheduler.depthOf('fake:1')).toEqual({ waiting: 0, inFlight: 0 });
  });

  test('nothing calls a chat inside its freeze, also after a restart', async () => {
    const limited: Outcome = { kind: 'limited', retryAfterMs: 7.2e6, scope: 'chat', result: '' };
    const first = aRoad((_call, nth) => (nth === 1 ? limited : SENT));
    await first.dispatch.start();
    const seq = await submit(first.road);
    await submit(first.road, { chat: 'other' });
    await first.run(60_000);
    expect(first.calls).toHaveLength(2);
    expect(first.road.explain(seq)).toMatchObject({ state: 'queued' });
    expect(first.events).toContainEqual(expect.objectContaining({ kind: 'frozen' }));

    const second = aRoad(() => SENT, { disk: first.disk });
    await second.run(60_000);
    await second.dispatch.start();
    await second.run(7.2e6 - 120_000);
    expect(second.calls).toHaveLength(0);
    await second.run(120_000);
    expect(second.calls).toHaveLength(1);
  });

  test('what was in flight at a crash is sent again, once, and marked', async () => {
    const first = aRoad(() => SENT);
    await first.dispatch.start();
    const seq = await submit(first.road);
    await first.run(50);
    expect(first.calls).toHaveLength(1);
    const second = aRoad(() => SENT, { disk: first.disk });
    await second.dispatch.start();
    await second.run(120_000);
    expect(second.calls).toHaveLength(1);
    const record = await second.store.ledger.get(seq);
    expect(record).toMatchObject({ state: 'sent', attempts: 2, doubts: 1 });
    expect((await second.store.ledger.attempts(seq)).map((a) => a.outcome)).toEqual([
      'uncertain',
      'sent',
    ]);
  });

  test.each([
    ['spends', { method: 'gift' }],
    ['is paid for', { budget: 'paid' }],
  ] as const)('what %s and was in flight at a crash waits for a person', async (_name, what) => {
    const first = aRoad(() => SENT);
    await first.dispatch.start();
    const seq = await submit(first.road, what);
    await first.run(50);
    expect(first.calls).toHaveLength(1);
    const second = aRoad(() => SENT, { disk: first.disk });
    await second.dispatch.start();
    await second.run(120_000);
    expect(second.calls).toHaveLength(0);
    expect(await second.store.ledger.get(seq)).toMatchObject({ state: 'uncertain', doubts: 1 });
  });

  test('a store that cannot be written at the start is told, not waited for', async () => {
    const first = aRoad(() => SENT);
    await first.dispatch.start();
    await submit(first.road);
    await first.run(50);
    const second = aRoad(() => SENT, { disk: first.disk });
    second.store.journal.settle = () => Promise.reject(new JournalUnavailable('disk_full', 'full'));
    await expect(second.dispatch.start()).rejects.toThrow(JournalUnavailable);
  });

  test('an older edit in flight that must be retried gives way to the newer one', async () => {
    const broken: Outcome = { kind: 'failed', reason: 'x', detail: '', hostDown: false };
    const { dispatch, road, calls, run, store } = aRoad((_c, nth) => (nth === 1 ? broken : SENT));
    await dispatch.start();
    const old = await submit(road, { slot: 's', body: '"old"' });
    await run(50);
    const newer = await submit(road, { slot: 's', body: '"new"' });
    const end = road.ended(old, NEVER);
    await run(30_000);
    expect(calls.map((call) => call.body)).toEqual(['"old"', '"new"']);
    expect(await end).toMatchObject({ seq: newer, state: 'sent' });
    expect(await store.ledger.get(old)).toMatchObject({ state: 'superseded', supersededBy: newer });
  });

  test('a waiting edit is replaced in place and its caller gets the newer result', async () => {
    const { dispatch, road, calls, run } = aRoad(() => SENT);
    await dispatch.start();
    await submit(road);
    const old = await submit(road, { slot: 's', body: '"old"' });
    const end = road.ended(old, NEVER);
    await submit(road, { body: '"behind"' });
    const newer = await submit(road, { slot: 's', body: '"new"' });
    await run(10_000);
    expect(calls.map((call) => call.body)).toEqual(['{}', '"new"', '"behind"']);
    expect(await end).toMatchObject({ seq: newer });
  });

  test('cancel and expiry come before sending, and end the waiting', async () => {
    const { dispatch, road, calls, run, clock } = aRoad(() => SENT);
    await dispatch.start();
    await submit(road);
    const gone = await submit(road);
    const stale = await submit(road, { expiresAt: START + 500 });
    const ends = [road.ended(gone, NEVER), road.ended(stale, NEVER)];
    const rest = { reason: 'cancelled', by: 'me', body: null, queueMax: 9 };
    const cancel = {
      account: 'fake:1',
      seq: gone,
      to: 'cancelled',
      at: clock.now(),
      ...rest,
    } as const;
    expect(await road.move(cancel)).toMatchObject({ kind: 'moved', from: 'queued' });
    await run(10_000);
    expect((await Promise.all(ends)).map((end) => end.state)).toEqual(['cancelled', 'expired']);
    expect(calls).toHaveLength(1);
    expect(await road.move(cancel)).toMatchObject({ kind: 'illegal' });
  });
});

describe('trouble', () => {
  test('a dead account is called once, keeps its messages, and others go on', async () => {
    const { dispatch, road, calls, run, refused, clock } = aRoad(
      (_call, nth) =>
        nth === 1
          ? { kind: 'refused', reason: 'unauthorized', detail: '', result: '', cure: null }
          : SENT,
      { identify: () => ({ kind: 'refused', status: 401, detail: 'Unauthorized' }) },
    );
    await dispatch.start();
    const seq = await submit(road);
    await run(86_400_000);
    expect(calls).toHaveLength(1);
    expect(refused).toEqual(['fake:1']);
    expect(road.explain(seq)?.causes).toContainEqual(expect.objectContaining({ kind: 'held' }));
    dispatch.state.availability.renew('fake:1', clock.now());
    dispatch.state.wake();
    await run(10_000);
    expect(calls).toHaveLength(2);
  });

  test('a host that is away is probed by one call at a time and kills nothing', async () => {
    let away = true;
    const down: Outcome = { kind: 'failed', reason: 'refused', detail: '', hostDown: true };
    const { dispatch, road, calls, run, store } = aRoad(() => (away ? down : SENT));
    await dispatch.start();
    const seqs = [];
    for (let i = 0; i < 20; i++) seqs.push(await submit(road, { chat: `c${i}` }));
    await run(600_000);
    // In ten minutes: the first calls together, then one probe every 10 s for five minutes, and less and less often.
    expect(calls.length).toBeLessThan(10 + 30 + 30 * Math.LN2 + 2);
    away = false;
    await run(120_000);
    const records = await store.ledger.getMany(seqs);
    expect(records.map((record) => record.state)).toEqual(seqs.map(() => 'sent'));
  });

  test('a store that cannot be written loses nothing and sends nothing twice', async () => {
    const { dispatch, road, calls, run, store } = aRoad(() => SENT);
    await dispatch.start();
    const { begin, settle } = store.journal;
    let full = true;
    const whenFull =
      <A extends unknown[], R>(f: (...args: A) => Promise<R>) =>
      async (...args: A) => {
        if (full) throw new JournalUnavailable('disk_full', 'full');
        return f.apply(store.journal, args);
      };
    store.journal.begin = whenFull(begin);
    // Not plain, so that it is begun apart.
    const seq = await submit(road, { correlation: 'x' });
    await run(5000);
    expect(calls).toHaveLength(0);
    // Whoever asks is told why, not that nothing holds it.
    expect(road.explain(seq)?.summary).toContain('the disk is full');
    full = false;
    await run(1000);
    expect(calls).toHaveLength(1);
    full = true;
    store.journal.settle = whenFull(settle);
    const second = await submit(road, { chat: 'd' });
    store.journal.begin = begin.bind(store.journal);
    await run(5000);
    expect(await store.ledger.get(second)).toMatchObject({ state: 'sending' });
    full = false;
    await run(1000);
    expect(await store.ledger.get(second)).toMatchObject({ state: 'sent', attempts: 1 });
    expect(await store.ledger.get(seq)).toMatchObject({ state: 'sent', attempts: 1 });
  });

  test('what the platform said is more than the store takes: it ends as it ended, without that', async () => {
    const { dispatch, road, run, store } = aRoad(() => ({
      ...SENT,
      messageId: 'long',
      result: 'r',
    }));
    await dispatch.start();
    const { settle } = store.journal;
    store.journal.settle = async (owner, settlement) => {
      if (settlement.messageId !== null) throw new CommandRefused('journal_failed', 'too long');
      return settle.call(store.journal, owner, settlement);
    };
    const seq = await submit(road);
    await run(5000);
    expect(await store.ledger.get(seq)).toMatchObject({
      state: 'sent',
      attempts: 1,
      messageId: null,
    });
  });

  test('stop waits for what is in flight and starts nothing more', async () => {
    const { dispatch, road, calls, run, store } = aRoad(() => SENT);
    await dispatch.start();
    const seq = await submit(road);
    await submit(road);
    await run(50);
    const stopped = dispatch.stop(10_000);
    await run(200);
    await stopped;
    await run(60_000);
    expect(calls).toHaveLength(1);
    expect(await store.ledger.get(seq)).toMatchObject({ state: 'sent' });
    await dispatch.stop(10_000);
  });
});
