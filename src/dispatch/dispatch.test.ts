import { describe, expect, test } from 'vitest';
import { aDelivery } from '../domain/delivery.fixture.ts';
import type { NewDelivery } from '../domain/delivery.ts';
import type { RoadEvent } from '../domain/event.ts';
import type { Outcome } from '../domain/outcome.ts';
import { JournalUnavailable } from '../journal/journal.ts';
import { createMemoryDisk, createMemoryStore } from '../journal/memory.ts';
import type { OutgoingCall, Platform } from '../platforms/platform.ts';
import { Scheduler } from '../scheduler/scheduler.ts';
import { seededRandom } from '../system/random.ts';
import type { Reply } from '../system/transport.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { Dispatch, type Profile } from './dispatch.ts';
import { createRoad } from './front.ts';

const START = 1_700_000_000_000;
const NEVER = new AbortController().signal;
const SENT: Outcome = { kind: 'sent', messageId: '7', result: '{"ok":true}' };

// A platform under the test's hand: each call takes 100 ms and comes to what `say` says.
function fakePlatform(
  say: (call: OutgoingCall, nth: number) => Outcome,
  delay: () => Promise<void>,
) {
  const calls: OutgoingCall[] = [];
  const outcomes = new WeakMap<Reply, Outcome>();
  const platform: Platform = {
    name: 'fake',
    describe: () => ({ kind: 'invalid', detail: '' }),
    address: (params) => ({ ...params }),
    planOf: () => ({
      account: [],
      chat: [{ name: 'chat_second', scope: 'chat', count: 1, perMs: 1000 }],
    }),
    async send(call) {
      calls.push(call);
      const outcome = say(call, calls.length);
      await delay();
      const reply: Reply = { kind: 'answered', status: 200, headers: {}, body: '' };
      outcomes.set(reply, outcome);
      return reply;
    },
    classify: (_method, reply) => outcomes.get(reply)!,
    cure: (_cure, _method, body) => ({ chat: null, body: body.replace('<b>', '') }),
    isIdempotent: (method) => method === 'edit',
    identify: async () => ({ kind: 'known', id: '1' }),
    close: async () => {},
  };
  return { platform, calls };
}

function world(say: (call: OutgoingCall, nth: number) => Outcome, disk = createMemoryDisk()) {
  const clock = virtualClock(START);
  const tick = (ms: number) =>
    new Promise<void>((resolve) => {
      clock.schedule(clock.now() + ms, resolve);
    });
  const { platform, calls } = fakePlatform(say, () => tick(100));
  const store = createMemoryStore(disk);
  const profile: Profile = {
    platform,
    priors: platform,
    host: 'fake',
    retry: {
      baseMs: 1000,
      maxMs: 30_000,
      attemptsMax: 3,
      deadAgeMinMs: 60_000,
      uncertain: 'resend',
    },
    breaker: { failuresMax: 3, openMs: 10_000, openMsMax: 60_000 },
    deadlineMs: 1000,
    queueMax: 100,
    inFlightMax: 10,
  };
  const refused: string[] = [];
  const dispatch = new Dispatch({
    journal: store.journal,
    clock,
    random: seededRandom(1),
    scheduler: new Scheduler(),
    breaker: { failuresMax: 3, openMs: 10_000, openMsMax: 60_000 },
    accounts: {
      profileOf: () => profile,
      stateOf: () => ({ paused: false, refused: null }),
      credentialOf: () => 'secret',
      setRefused: async (id) => refused.push(id),
    },
    fatal: (error) => {
      throw error;
    },
  });
  const road = createRoad({
    dispatch,
    ledger: store.ledger,
    clock,
    accounts: { list: () => [], setPaused: async () => true },
  });
  const events: RoadEvent[] = [];
  road.listen((event) => events.push(event));
  const run = (ms: number) => clock.run(clock.now() + ms);
  return { clock, dispatch, road, calls, events, store, disk, run, refused };
}

function message(changes: Partial<NewDelivery> = {}): NewDelivery {
  const call = { account: 'fake:1', platform: 'fake', chat: 'c', method: 'send' };
  return aDelivery({ ...call, gate: 'open', acceptedAt: START, body: '{}', ...changes });
}

async function submit(
  road: ReturnType<typeof world>['road'],
  overrides: Partial<NewDelivery> = {},
) {
  const appended = await road.submit(message(overrides));
  if (appended.kind !== 'accepted') throw new Error(`not accepted: ${appended.kind}`);
  return appended.queued.seq;
}

describe('the loop', () => {
  test('sends at the pace of the limits, in order, and tells the end', async () => {
    const { dispatch, road, calls, run, store } = world(() => SENT);
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

  test('nothing calls a chat inside its freeze, also after a restart', async () => {
    const limited: Outcome = { kind: 'limited', retryAfterMs: 7.2e6, scope: 'chat', result: '' };
    const first = world((_call, nth) => (nth === 1 ? limited : SENT));
    await first.dispatch.start();
    const seq = await submit(first.road);
    await submit(first.road, { chat: 'other' });
    await first.run(60_000);
    expect(first.calls).toHaveLength(2);
    expect(first.road.explain(seq)).toMatchObject({ state: 'queued' });
    expect(first.events).toContainEqual(expect.objectContaining({ kind: 'frozen' }));

    const second = world(() => SENT, first.disk);
    await second.run(60_000);
    await second.dispatch.start();
    await second.run(7.2e6 - 120_000);
    expect(second.calls).toHaveLength(0);
    await second.run(120_000);
    expect(second.calls).toHaveLength(1);
  });

  test('what was in flight at a crash is sent again, once, and marked', async () => {
    const first = world(() => SENT);
    await first.dispatch.start();
    const seq = await submit(first.road);
    await first.run(50);
    expect(first.calls).toHaveLength(1);
    const second = world(() => SENT, first.disk);
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

  test('an older edit in flight that must be retried gives way to the newer one', async () => {
    const broken: Outcome = { kind: 'failed', reason: 'x', detail: '', hostDown: false };
    const { dispatch, road, calls, run, store } = world((_c, nth) => (nth === 1 ? broken : SENT));
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
    const { dispatch, road, calls, run } = world(() => SENT);
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
    const { dispatch, road, calls, run, clock } = world(() => SENT);
    await dispatch.start();
    await submit(road);
    const gone = await submit(road);
    const stale = await submit(road, { expiresAt: START + 500 });
    const ends = [road.ended(gone, NEVER), road.ended(stale, NEVER)];
    const rest = { reason: 'cancelled', by: 'me', body: null, queueMax: 9 };
    const cancel = { seq: gone, to: 'cancelled', at: clock.now(), ...rest } as const;
    expect(await road.move(cancel)).toMatchObject({ kind: 'moved', from: 'queued' });
    await run(10_000);
    expect((await Promise.all(ends)).map((end) => end.state)).toEqual(['cancelled', 'expired']);
    expect(calls).toHaveLength(1);
    expect(await road.move(cancel)).toMatchObject({ kind: 'illegal' });
  });
});

describe('trouble', () => {
  test('a dead account is called once, keeps its messages, and others go on', async () => {
    const { dispatch, road, calls, run, refused, clock } = world((_call, nth) =>
      nth === 1
        ? { kind: 'refused', reason: 'unauthorized', detail: '', result: '', cure: null }
        : SENT,
    );
    await dispatch.start();
    const seq = await submit(road);
    await run(86_400_000);
    expect(calls).toHaveLength(1);
    expect(refused).toEqual(['fake:1']);
    expect(road.explain(seq)?.causes).toContainEqual(expect.objectContaining({ kind: 'held' }));
    dispatch.holds.renew('fake:1', clock.now());
    dispatch.wake();
    await run(10_000);
    expect(calls).toHaveLength(2);
  });

  test('a host that is away is probed by one call at a time and kills nothing', async () => {
    let away = true;
    const down: Outcome = { kind: 'failed', reason: 'refused', detail: '', hostDown: true };
    const { dispatch, road, calls, run, store } = world(() => (away ? down : SENT));
    await dispatch.start();
    const seqs = [];
    for (let i = 0; i < 20; i++) seqs.push(await submit(road, { chat: `c${i}` }));
    await run(600_000);
    // In ten minutes: the first calls together, then one probe per opening (10, 20, 40, 60, 60 … s).
    expect(calls.length).toBeLessThan(10 + 20);
    away = false;
    await run(120_000);
    const records = await store.ledger.getMany(seqs);
    expect(records.map((record) => record.state)).toEqual(seqs.map(() => 'sent'));
  });

  test('a store that cannot be written loses nothing and sends nothing twice', async () => {
    const { dispatch, road, calls, run, store } = world(() => SENT);
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
    const seq = await submit(road);
    await run(5000);
    expect(calls).toHaveLength(0);
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

  test('stop waits for what is in flight and starts nothing more', async () => {
    const { dispatch, road, calls, run, store } = world(() => SENT);
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
