import { describe, expect, test } from 'vitest';
import { aQueued } from '../domain/delivery.fixture.ts';
import type { Queued } from '../domain/delivery.ts';
import { PRIORITIES } from '../domain/priority.ts';
import type { Cause, Charge } from '../limits/limits.ts';
import { intBelow, pick, seededRandom } from '../system/random.ts';
import type { Pacing } from './pacing.ts';
import { type Order, Scheduler } from './scheduler.ts';

const NOW = 1e6;

// Limits under the test's hand: a time per chat.
class FakePacing implements Pacing {
  opensAt = new Map<string, number>();
  earliestChat = ({ chat }: Charge) => this.opensAt.get(chat) ?? 0;
  earliestAccount = () => 0;
  take = (charge: Charge) => ({ charge });
  project = (charge: Charge, ahead: number, now: number) =>
    Math.max(now, this.earliestChat(charge)) + 1000 * ahead;
  projectAccount = (_charge: Charge, _ahead: number, now: number) => now;
  decisive = () => null;
  explain = (charge: Charge, now: number): Cause[] => {
    const until = this.earliestChat(charge);
    const frozen = {
      kind: 'freeze',
      scope: 'chat',
      name: charge.chat,
      detail: 'said wait',
    } as const;
    return until > now ? [{ ...frozen, until }] : [];
  };
}

function setUp(order: Order = 'platform', inFlightMax = 100) {
  let lastSeq = 0;
  const scheduler = new Scheduler();
  const pacing = new FakePacing();
  scheduler.addAccount('p:a', pacing, { platform: 'p', inFlightMax, order });
  const add = (changes: Partial<Queued> = {}, now = NOW): Queued => {
    lastSeq += 1;
    const place = { seq: lastSeq, enterAt: now, rank: lastSeq };
    const one = aQueued({ account: 'p:a', chat: 'c', ...place, ...changes });
    scheduler.add(one, now);
    return one;
  };
  return { scheduler, pacing, add };
}

function nextOf(scheduler: Scheduler, now = NOW): Queued | null {
  const decision = scheduler.next(now);
  return decision.kind === 'send' ? decision.queued : null;
}

describe.each(['account', 'platform'] as const)('with order: %s', (order) => {
  test('all leave as they were accepted, whatever chat, lane, class or final', () => {
    const { scheduler, add } = setUp(order);
    const all = [
      add({ chat: 'x', priority: 'low' }),
      add({ chat: 'y', priority: 'critical' }),
      add({ chat: 'x', lane: 't:1', priority: 'high' }),
      add({ chat: 'z', lane: 's:1', final: true }),
    ];
    for (const each of all) {
      expect(nextOf(scheduler)?.seq).toBe(each.seq);
      // One at a time: the next could otherwise arrive before it.
      expect(nextOf(scheduler)).toBeNull();
      scheduler.finished(each.seq, null, NOW);
    }
    expect(scheduler.next(NOW)).toEqual({ kind: 'idle' });
  });

  test('a frozen chat and a retry hold all others up, and it is explained', () => {
    const { scheduler, pacing, add } = setUp(order);
    pacing.opensAt.set('frozen', 9e6);
    const [first, second] = [add({ chat: 'frozen' }), add({ chat: 'well' })];
    expect(scheduler.next(NOW)).toEqual({ kind: 'wait', until: 9e6 });
    const explained = scheduler.explain(second.seq, NOW)!;
    expect(explained).toMatchObject({ position: 2, eta: 9e6 });
    expect(explained.causes).toMatchObject([
      { kind: 'ahead', name: 'account', detail: expect.stringContaining('strictly in order') },
      { kind: 'freeze', name: 'frozen', until: 9e6, detail: expect.stringContaining('first') },
    ]);
    expect(nextOf(scheduler, 9e6)?.seq).toBe(first.seq);
    scheduler.finished(first.seq, { ...first, dueAt: 9.5e6 }, 9e6);
    expect(scheduler.next(9e6)).toEqual({ kind: 'wait', until: 9.5e6 });
    expect(nextOf(scheduler, 9.5e6)?.seq).toBe(first.seq);
    scheduler.finished(first.seq, null, 9.5e6);
    expect(nextOf(scheduler, 9.5e6)?.seq).toBe(second.seq);
  });

  test('nothing goes at once past what waits or is in flight', () => {
    const { scheduler, add } = setUp(order);
    const ahead = add({ chat: 'x' });
    const late = aQueued({ account: 'p:a', chat: 'y', seq: 0 });
    expect(scheduler.reserve(late, NOW)).toBeNull();
    nextOf(scheduler);
    expect(scheduler.reserve(late, NOW)).toBeNull();
    scheduler.finished(ahead.seq, null, NOW);
    expect(scheduler.reserve(late, NOW)).not.toBeNull();
    add({ chat: 'z' });
    expect(nextOf(scheduler)).toBeNull();
    scheduler.release(late, NOW);
    expect(nextOf(scheduler)).not.toBeNull();
  });

  test('typing signs keep out of it', () => {
    const { scheduler, pacing, add } = setUp(order);
    pacing.opensAt.set('frozen', 9e6);
    add({ chat: 'frozen' });
    const typing = add({ chat: 'well', lane: 'c:typing', family: 'typing' });
    expect(nextOf(scheduler)?.seq).toBe(typing.seq);
  });

  test('a chat with a new id keeps its place in the queue', () => {
    const { scheduler, add } = setUp(order);
    const [first, second] = [add({ chat: 'old' }), add({ chat: 'other' })];
    const third = add({ chat: 'old' });
    scheduler.moveChat('p:a', 'old', 'new', NOW);
    const sent = [first, second, third].map(({ seq }) => {
      const one = nextOf(scheduler)!;
      scheduler.finished(seq, null, NOW);
      return `${one.seq} ${one.chat}`;
    });
    expect(sent).toEqual([`${first.seq} new`, `${second.seq} other`, `${third.seq} new`]);
    expect(scheduler.isQuiet('p:a', 'new')).toBe(true);
  });

  test('the estimate counts those ahead of its own chat only', () => {
    const { scheduler, add } = setUp(order);
    for (let n = 0; n < 10; n++) add({ chat: n % 2 === 0 ? 'even' : 'odd' });
    const last = add({ chat: 'odd' });
    expect(scheduler.place(last.seq, NOW)).toEqual({ position: 11, eta: NOW + 5000 });
  });
});

describe('with order: platform, over the accounts of a platform', () => {
  function setUpTwo() {
    const set = setUp('platform');
    const other = new FakePacing();
    set.scheduler.addAccount('p:b', other, { platform: 'p', inFlightMax: 9, order: 'platform' });
    set.scheduler.addAccount('p:far', other, { platform: 'q', inFlightMax: 9, order: 'platform' });
    set.scheduler.addAccount('p:free', other, { platform: 'p', inFlightMax: 9 });
    return set;
  }

  test('they leave as they were accepted, one at a time; other platforms and accounts do not wait', () => {
    const { scheduler, add } = setUpTwo();
    const all = (['p:b', 'p:a', 'p:a', 'p:b', 'p:a'] as const).map((account) => add({ account }));
    const others = [add({ account: 'p:far' }).seq, add({ account: 'p:free' }).seq];
    const sent: number[] = [];
    for (let step = 0; step < 10; step++) {
      const inFlight = [nextOf(scheduler), nextOf(scheduler), nextOf(scheduler)].filter(
        (q) => q !== null,
      );
      expect(inFlight.filter(({ seq }) => !others.includes(seq)).length).toBeLessThanOrEqual(1);
      if (step === 0) expect(inFlight).toHaveLength(3);
      for (const { seq } of inFlight) scheduler.finished(seq, null, NOW);
      sent.push(...inFlight.map(({ seq }) => seq));
    }
    expect(sent.filter((seq) => !others.includes(seq))).toEqual(all.map(({ seq }) => seq));
  });

  test('of one moment the first to come is the first to leave, whatever their numbers; a retry keeps its place', () => {
    const { scheduler, add } = setUpTwo();
    const first = add({ account: 'p:a', seq: 90 });
    const second = add({ account: 'p:b', seq: 20 });
    const third = add({ account: 'p:a', seq: 91 });
    const places = [first, second, third].map(({ seq }) => scheduler.place(seq, NOW)?.position);
    expect(places).toEqual([1, 2, 3]);
    expect(nextOf(scheduler)?.seq).toBe(first.seq);
    scheduler.finished(first.seq, first, NOW);
    expect(nextOf(scheduler)?.seq).toBe(first.seq);
    scheduler.finished(first.seq, null, NOW);
    // What has left counts anew when it comes back.
    expect(scheduler.remove(second.seq, NOW)).not.toBeNull();
    scheduler.add(second, NOW);
    const fourth = add({ account: 'p:b', seq: 93 });
    scheduler.add({ ...first, rank: 9 }, NOW);
    for (const { seq } of [third, second, fourth, first]) {
      expect(nextOf(scheduler)?.seq).toBe(seq);
      scheduler.finished(seq, null, NOW);
    }
  });

  test('what went at once and is to be tried again goes before what came meanwhile', () => {
    const { scheduler, add } = setUpTwo();
    const first = aQueued({ account: 'p:a', chat: 'c', seq: 90, enterAt: NOW });
    expect(scheduler.reserve({ ...first, seq: 0 }, NOW)).not.toBeNull();
    scheduler.launched(first);
    const second = add({ account: 'p:b', seq: 20 });
    scheduler.finished(first.seq, first, NOW);
    expect(nextOf(scheduler)?.seq).toBe(first.seq);
    scheduler.finished(first.seq, null, NOW);
    expect(nextOf(scheduler)?.seq).toBe(second.seq);
  });

  test("one account's frozen chat holds the others up, and it is explained", () => {
    const { scheduler, pacing, add } = setUpTwo();
    pacing.opensAt.set('frozen', 9e6);
    const [first, second] = [add({ chat: 'frozen' }), add({ account: 'p:b', chat: 'well' })];
    expect(scheduler.next(NOW)).toEqual({ kind: 'wait', until: 9e6 });
    const explained = scheduler.explain(second.seq, NOW)!;
    expect(explained).toMatchObject({ position: 2, eta: 9e6 });
    expect(explained.causes).toMatchObject([
      { kind: 'ahead', name: 'platform', detail: expect.stringContaining('1 of other accounts') },
      { kind: 'freeze', name: 'frozen', detail: expect.stringContaining('of account p:a') },
    ]);
    // It makes way when it is withdrawn.
    scheduler.remove(first.seq, NOW);
    expect(nextOf(scheduler)?.seq).toBe(second.seq);
  });

  test('a paused account steps aside, and comes first again', () => {
    const { scheduler, add } = setUpTwo();
    const [first, second] = [add({ account: 'p:a' }), add({ account: 'p:b' })];
    const third = add({ account: 'p:b' });
    scheduler.hold('p:a', Number.POSITIVE_INFINITY, 'paused');
    expect(nextOf(scheduler)?.seq).toBe(second.seq);
    scheduler.hold('p:a', 0, '');
    scheduler.finished(second.seq, null, NOW);
    expect(nextOf(scheduler)?.seq).toBe(first.seq);
    scheduler.finished(first.seq, null, NOW);
    expect(nextOf(scheduler)?.seq).toBe(third.seq);
  });

  test('nothing of an account goes at once past what another has waiting or in flight', () => {
    const { scheduler, add } = setUpTwo();
    const late = aQueued({ account: 'p:b', chat: 'y', seq: 0 });
    const ahead = add({ account: 'p:a' });
    expect(scheduler.reserve(late, NOW)).toBeNull();
    nextOf(scheduler);
    expect(scheduler.reserve(late, NOW)).toBeNull();
    scheduler.finished(ahead.seq, null, NOW);
    expect(scheduler.reserve(late, NOW)).not.toBeNull();
    add({ account: 'p:a' });
    expect(nextOf(scheduler)).toBeNull();
    scheduler.release(late, NOW);
    expect(nextOf(scheduler)).not.toBeNull();
  });
});

test.each([
  ['account', ['p:a']],
  ['platform', ['p:a', 'p:b', 'p:c']],
] as const)(
  'any sequence of commands keeps the one order of %s, also across retries, and its count',
  (order, accounts) => {
    for (let seed = 1; seed <= 200; seed++) {
      const random = seededRandom(seed);
      const { scheduler, pacing, add } = setUp(order, 3);
      for (const id of accounts.slice(1)) {
        scheduler.addAccount(id, pacing, { platform: 'p', inFlightMax: 3, order });
      }
      const waiting: number[] = [];
      let inFlight: Queued | null = null;
      let now = NOW;
      for (let step = 0; step < 200; step++) {
        now += intBelow(random, 50);
        const roll = random.next();
        const changes = {
          account: pick(random, accounts),
          chat: pick(random, ['x', 'y', 'z']),
          lane: pick(random, ['', 't:1', 's:2']),
          priority: pick(random, PRIORITIES),
          final: random.next() < 0.2,
        };
        if (roll < 0.4) waiting.push(add(changes, now).seq);
        else if (roll < 0.5) pacing.opensAt.set(pick(random, ['x', 'y']), now + 100);
        else if (roll < 0.55 && waiting.length > 0) {
          const [gone] = waiting.splice(intBelow(random, waiting.length), 1);
          expect(scheduler.remove(gone!, now)?.seq).toBe(gone);
        } else if (roll < 0.8) {
          const next = nextOf(scheduler, now);
          if (next === null) continue;
          expect(inFlight, `seed ${seed}: one at a time`).toBeNull();
          expect(next.seq, `seed ${seed}`).toBe(waiting.shift());
          inFlight = next;
        } else if (inFlight !== null) {
          const again: Queued | null =
            random.next() < 0.4 ? { ...inFlight, dueAt: now + 30 } : null;
          if (again !== null) waiting.unshift(again.seq);
          scheduler.finished(inFlight.seq, again, now);
          inFlight = null;
        }
        const live = waiting.length + (inFlight === null ? 0 : 1);
        expect(scheduler.loadOf('p:a').platform).toMatchObject({
          deliveries: live,
          bytes: 16 * live,
        });
      }
      if (inFlight !== null) scheduler.finished(inFlight.seq, null, now);
      for (const seq of waiting) {
        expect(nextOf(scheduler, now + 1000)?.seq, `seed ${seed}`).toBe(seq);
        scheduler.finished(seq, null, now + 1000);
      }
      expect(scheduler.next(now + 1000)).toEqual({ kind: 'idle' });
      expect(scheduler.loadOf('p:a').platform.deliveries).toBe(0);
    }
  },
);

test('a platform counts what is about to go, and what was given back', () => {
  const { scheduler, add } = setUp('lane');
  const one = aQueued({ account: 'p:a', chat: 'c', seq: 0 });
  scheduler.reserve(one, NOW);
  expect(scheduler.loadOf('p:a').platform.deliveries).toBe(1);
  expect(scheduler.livePlatforms()).toEqual({ p: 1 });
  scheduler.release(one, NOW);
  expect(scheduler.loadOf('p:a').platform.deliveries).toBe(0);
  add({ expiresAt: NOW + 1 });
  expect(scheduler.expired(NOW + 1)).toHaveLength(1);
  expect(scheduler.loadOf('p:a').platform.deliveries).toBe(0);
  expect(scheduler.livePlatforms()).toEqual({});
});

test('what waits and what is in flight, by platform', () => {
  const { scheduler, add } = setUp('lane');
  scheduler.addAccount('p:b', new FakePacing(), { platform: 'p', inFlightMax: 1 });
  scheduler.addAccount('p:q', new FakePacing(), { platform: 'other', inFlightMax: 1 });
  for (const account of ['p:a', 'p:a', 'p:b'] as const) add({ account });
  nextOf(scheduler);
  const depths = scheduler.platformDepths();
  expect(depths.get('p')).toEqual({ waiting: 2, inFlight: 1 });
  expect(depths.get('other')).toEqual({ waiting: 0, inFlight: 0 });
});
