import { describe, expect, test } from 'vitest';
import { aQueued } from '../domain/delivery.fixture.ts';
import type { Queued } from '../domain/delivery.ts';
import type { AccountId } from '../domain/ids.ts';
import { PRIORITIES, type Priority } from '../domain/priority.ts';
import type { Charge } from '../limits/limits.ts';
import { intBelow, pick, seededRandom } from '../system/random.ts';
import type { Pacing } from './pacing.ts';
import { Scheduler, URGENT_RUN_MAX } from './scheduler.ts';

let lastSeq = 0;

function queued(changes: Partial<Queued> = {}): Queued {
  lastSeq += 1;
  const place = { seq: lastSeq, enterAt: lastSeq, rank: lastSeq };
  return aQueued({ account: 'p:a', chat: 'c', ...place, ...changes });
}

// Limits under the test's hand: a time per chat and per account.
class FakePacing implements Pacing {
  chatOpensAt = new Map<string, number>();
  accountOpensAt = 0;
  taken: Charge[] = [];
  earliestChat = (charge: Charge) => this.chatOpensAt.get(charge.chat) ?? 0;
  earliestAccount = () => this.accountOpensAt;
  take = (charge: Charge) => {
    this.taken.push(charge);
    return { charge };
  };
  project = (charge: Charge, _ahead: number, now: number) =>
    Math.max(now, this.earliestChat(charge));
  projectAccount = (_charge: Charge, _ahead: number, now: number) => now;
  explain = () => [];
  decisive = () => null;
}

function setUp(accounts: AccountId[] = ['p:a'], inFlightMax = 1_000_000) {
  const scheduler = new Scheduler();
  const pacing = new Map(accounts.map((id) => [id, new FakePacing()]));
  for (const [id, limits] of pacing) scheduler.addAccount(id, limits, { inFlightMax });
  return { scheduler, pacing };
}

function sendNext(scheduler: Scheduler, now: number): Queued | null {
  const decision = scheduler.next(now);
  if (decision.kind !== 'send') return null;
  scheduler.finished(decision.queued.seq, null, now);
  return decision.queued;
}

describe('what joins the end', () => {
  test('makes a chat a long one while it waits, with every second turn from then on', () => {
    const { scheduler } = setUp();
    const chats = Array.from({ length: 10 }, (_, i) => String(i));
    for (const chat of [...chats, ...Array(20).fill('9')]) scheduler.add(queued({ chat }), 1e6);
    const served = Array.from({ length: 6 }, () => sendNext(scheduler, 1e6)!.chat);
    expect(served).toEqual(['0', '9', '1', '9', '2', '9']);
  });

  test('is expected until it has arrived, and leaves no trace if it never came', () => {
    const { scheduler } = setUp();
    const place = queued();
    const expected = scheduler.expect(place, 16);
    expect(scheduler.hasRoomFor(place, 1e6)).toBe(false);
    expect(scheduler.loadOf(place.account).deliveries).toBe(1);
    scheduler.arrived(expected);
    expect(scheduler.hasRoomFor(place, 1e6)).toBe(true);
    expect(scheduler.loadOf(place.account).deliveries).toBe(0);
  });
});

describe('order', () => {
  test('a lane is first in, first out, one call at a time', () => {
    const { scheduler } = setUp();
    const [first, second] = [queued(), queued()];
    scheduler.add(first, 1e6);
    scheduler.add(second, 1e6);
    expect(scheduler.next(1e6)).toMatchObject({ kind: 'send', queued: first });
    expect(scheduler.next(1e6)).toEqual({ kind: 'idle' });
    scheduler.finished(first.seq, null, 1e6);
    expect(scheduler.next(1e6)).toMatchObject({ kind: 'send', queued: second });
  });

  test('a retry keeps its place: the lane waits for it, other priorities and lanes do not', () => {
    const { scheduler } = setUp();
    const [first, second] = [queued(), queued()];
    const [urgent, other] = [queued({ priority: 'high' }), queued({ lane: 't:2' })];
    scheduler.add(first, 1e6);
    scheduler.next(1e6);
    for (const each of [second, urgent, other]) scheduler.add(each, 1e6);
    scheduler.finished(first.seq, { ...first, dueAt: 2e6 }, 1e6);
    expect([sendNext(scheduler, 1e6), sendNext(scheduler, 1e6)]).toEqual(
      expect.arrayContaining([urgent, other]),
    );
    expect(scheduler.next(1e6)).toEqual({ kind: 'wait', until: 2e6 });
    expect(sendNext(scheduler, 2e6)?.seq).toBe(first.seq);
    expect(sendNext(scheduler, 2e6)).toBe(second);
  });

  test('those that wait to be tried again are counted, and nothing else that waits for a time', () => {
    const { scheduler } = setUp();
    const retries = () => scheduler.depths().retry;
    const [first, second, urgent] = [queued(), queued(), queued({ priority: 'high' })];
    const again = { ...first, dueAt: 2e6 };
    scheduler.add(queued({ enterAt: 5e6, dueAt: 5e6 }), 1e6);
    for (const each of [first, second]) scheduler.add(each, 1e6);
    expect(retries()).toBe(0);
    expect(scheduler.next(1e6)).toMatchObject({ kind: 'send', queued: first });
    scheduler.finished(first.seq, again, 1e6);
    expect(retries()).toBe(1);
    // Also while another class of its lane is in flight.
    scheduler.add(urgent, 1e6);
    expect(scheduler.next(1e6)).toMatchObject({ kind: 'send', queued: urgent });
    expect(scheduler.depths()).toMatchObject({ normal: 3, high: 0, retry: 1 });
    scheduler.finished(urgent.seq, null, 1e6);
    expect(scheduler.next(2e6)).toMatchObject({ kind: 'send', queued: again });
    expect(retries()).toBe(0);
    scheduler.finished(again.seq, { ...first, dueAt: 3e6 }, 2e6);
    scheduler.remove(first.seq, 2e6);
    expect(scheduler.depths()).toMatchObject({ normal: 2, retry: 0 });
  });

  test('what is scheduled for later does not block its lane and enters it when due', () => {
    const { scheduler } = setUp();
    const later = queued({ enterAt: 5e6, dueAt: 5e6 });
    const soon = queued({ enterAt: 1e6 });
    scheduler.add(later, 1e6);
    scheduler.add(soon, 1e6);
    expect(sendNext(scheduler, 1e6)).toBe(soon);
    expect(scheduler.next(1e6)).toEqual({ kind: 'wait', until: 5e6 });
    expect(sendNext(scheduler, 5e6)).toBe(later);
  });

  test('a replacement takes the place of what it replaces', () => {
    const { scheduler } = setUp();
    const [old, behind] = [queued({ slot: 'x' }), queued()];
    scheduler.add(old, 1e6);
    scheduler.add(behind, 1e6);
    const newer = { ...queued({ slot: 'x' }), enterAt: old.enterAt, rank: old.rank };
    scheduler.remove(old.seq, 1e6);
    scheduler.add(newer, 1e6);
    expect(sendNext(scheduler, 1e6)).toBe(newer);
    expect(sendNext(scheduler, 1e6)).toBe(behind);
  });

  test('a final moves its lane to the next slot, but not past its lane', () => {
    const { scheduler, pacing } = setUp();
    pacing.get('p:a')!.chatOpensAt.set('c', 2e6);
    const others = ['s:1', 's:2', 's:3'].map((lane) => queued({ lane }));
    const before = queued({ lane: 's:4' });
    const final = queued({ lane: 's:4', final: true });
    for (const each of [...others, before, final]) scheduler.add(each, 1e6);
    expect(sendNext(scheduler, 2e6)).toBe(before);
    expect(sendNext(scheduler, 2e6)).toBe(final);
  });
});

describe('isolation', () => {
  test('a closed chat, a held account and a full account delay no other', () => {
    const { scheduler, pacing } = setUp(['p:a', 'p:b', 'p:d'], 1);
    pacing.get('p:a')!.chatOpensAt.set('frozen', 9e9);
    for (let i = 0; i < 100; i++) scheduler.add(queued({ chat: 'frozen' }), 1e6);
    scheduler.hold('p:b', Number.POSITIVE_INFINITY, 'dead');
    for (let i = 0; i < 100; i++) scheduler.add(queued({ account: 'p:b', chat: `b${i}` }), 1e6);
    const well = queued({ chat: 'well' });
    scheduler.add(well, 1e6);
    const full = queued({ account: 'p:d', chat: 'full' });
    scheduler.add(full, 1e6);
    scheduler.add(queued({ account: 'p:d', chat: 'other' }), 1e6);
    const sent = [scheduler.next(1e6), scheduler.next(1e6)];
    expect(sent.map((d) => d.kind === 'send' && d.queued)).toEqual(
      expect.arrayContaining([well, full]),
    );
    // All that is left waits for an answer in flight or for an operator.
    expect(scheduler.next(1e6)).toEqual({ kind: 'idle' });
    scheduler.finished(well.seq, null, 1e6);
    expect(scheduler.next(1e6)).toEqual({ kind: 'wait', until: 9e9 });
  });

  test('holding and releasing an account', () => {
    const { scheduler } = setUp();
    const one = queued();
    scheduler.add(one, 1e6);
    scheduler.hold('p:a', 2e6, 'breaker');
    expect(scheduler.next(1e6)).toEqual({ kind: 'wait', until: 2e6 });
    scheduler.hold('p:a', 0, '');
    expect(sendNext(scheduler, 1e6)).toBe(one);
  });

  test('the account budget closes without losing the turn', () => {
    const { scheduler, pacing } = setUp();
    pacing.get('p:a')!.accountOpensAt = 3e6;
    const one = queued();
    scheduler.add(one, 1e6);
    expect(scheduler.next(1e6)).toEqual({ kind: 'wait', until: 3e6 });
    expect(sendNext(scheduler, 3e6)).toBe(one);
  });
});

describe('shares', () => {
  const classes: Priority[] = [...PRIORITIES];

  // Keeps every class saturated over `lanes` lanes each and counts who was served.
  function saturate(chatOf: (c: Priority, lane: number) => string, lanes: number, turns: number) {
    const { scheduler } = setUp();
    const served = new Map<string, number>();
    const refill = (priority: Priority, lane: number) =>
      scheduler.add(
        queued({ priority, chat: chatOf(priority, lane), lane: `s:${priority}${lane}` }),
        1e9,
      );
    for (const priority of classes) {
      for (let lane = 0; lane < lanes; lane++) for (let i = 0; i < 2; i++) refill(priority, lane);
    }
    for (let i = 0; i < turns; i++) {
      const sent = sendNext(scheduler, 1e9)!;
      served.set(sent.lane, (served.get(sent.lane) ?? 0) + 1);
      refill(sent.priority, Number(sent.lane.replace(/\D/g, '')));
    }
    const of = (priority: Priority) =>
      Array.from({ length: lanes }, (_, lane) => served.get(`s:${priority}${lane}`) ?? 0);
    return { of, total: (p: Priority) => of(p).reduce((a, b) => a + b, 0) };
  }

  for (const [name, chatOf] of [
    ['in one chat', () => 'c'],
    ['over chats of one class each', (p: Priority, lane: number) => `${p}${lane}`],
    ['over chats of all classes', (_p: Priority, lane: number) => `${lane}`],
  ] as const) {
    test(`weights hold with all four classes saturated ${name}`, () => {
      const turns = 42_000;
      const { total, of } = saturate(chatOf, 5, turns);
      const others = turns / (URGENT_RUN_MAX + 1);
      const near = (count: number, share: number) =>
        expect(Math.abs(count / (others * share) - 1)).toBeLessThan(0.05);
      near(total('high'), 16 / 21);
      near(total('normal'), 4 / 21);
      near(total('low'), 1 / 21);
      for (const priority of classes) expect(jain(of(priority))).toBeGreaterThan(0.99);
    });
  }

  test('without critical traffic the others share 16 : 4 : 1', () => {
    const { scheduler } = setUp();
    const counts = { high: 0, normal: 0, low: 0 } as Record<string, number>;
    const refill = (priority: Priority) => scheduler.add(queued({ priority }), 1e9);
    for (const priority of ['high', 'normal', 'low'] as const) refill(priority);
    for (let i = 0; i < 2100; i++) {
      const { priority } = sendNext(scheduler, 1e9)!;
      counts[priority]! += 1;
      refill(priority);
    }
    expect(counts).toEqual({ high: 1600, normal: 400, low: 100 });
  });

  test('an album of ten pays ten turns', () => {
    const { scheduler } = setUp();
    const spent = { album: 0, single: 0 } as Record<string, number>;
    const refill = (chat: string) =>
      scheduler.add(queued({ chat, cost: chat === 'album' ? 10 : 1 }), 1e9);
    for (const chat of ['album', 'single', 'album', 'single']) refill(chat);
    for (let i = 0; i < 1100; i++) {
      const { chat, cost } = sendNext(scheduler, 1e9)!;
      spent[chat]! += cost;
      refill(chat);
    }
    expect(Math.abs(spent.album! / spent.single! - 1)).toBeLessThan(0.05);
  });
});

describe('housekeeping', () => {
  test('expired ones leave the queue and are handed out once', () => {
    const { scheduler } = setUp();
    const [short, long] = [queued({ expiresAt: 2e6 }), queued({ expiresAt: 4e6 })];
    scheduler.hold('p:a', Number.POSITIVE_INFINITY, 'paused');
    scheduler.add(short, 1e6);
    scheduler.add(long, 1e6);
    expect(scheduler.next(1e6)).toEqual({ kind: 'wait', until: 2e6 });
    expect(scheduler.expired(2e6)).toEqual([short]);
    expect(scheduler.expired(2e6)).toEqual([]);
    expect(scheduler.depthOf('p:a').waiting).toBe(1);
  });

  test('position and causes of a waiting delivery', () => {
    const { scheduler } = setUp();
    scheduler.hold('p:a', 2e6, 'the host does not answer');
    const [first, second] = [queued(), queued()];
    scheduler.add(first, 1e6);
    scheduler.add(second, 1e6);
    expect(scheduler.place(second.seq, 1e6)).toEqual({ position: 2, eta: 2e6 });
    expect(scheduler.explain(second.seq, 1e6)?.causes.map((c) => c.kind)).toEqual([
      'held',
      'ahead',
    ]);
    expect(scheduler.place(first.seq + 1000, 1e6)).toBeNull();
  });
});

// Random commands against the plainest possible model: a list per (lane, priority).
test('any sequence of commands keeps order, loses nothing, invents nothing', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = seededRandom(seed);
    const { scheduler, pacing } = setUp(['p:a', 'p:b'], 3);
    const waiting = new Map<string, Queued[]>();
    const inFlight: Queued[] = [];
    let now = 1e6;
    const keyOf = (q: Queued) => `${q.account}|${q.chat}|${q.lane}|${q.priority}`;
    for (let step = 0; step < 300; step++) {
      now += intBelow(random, 50);
      const roll = random.next();
      if (roll < 0.4) {
        const one = queued({
          account: pick(random, ['p:a', 'p:b'] as const),
          chat: pick(random, ['x', 'y', 'z']),
          lane: pick(random, ['', 't:1', 't:2']),
          priority: pick(random, PRIORITIES),
          cost: pick(random, [1, 1, 1, 4]),
          enterAt: now,
        });
        const key = keyOf(one);
        waiting.set(key, [...(waiting.get(key) ?? []), one]);
        scheduler.add(one, now);
      } else if (roll < 0.5) {
        pacing
          .get(pick(random, ['p:a', 'p:b'] as const))!
          .chatOpensAt.set(pick(random, ['x', 'y']), now + 100);
      } else if (roll < 0.8) {
        const decision = scheduler.next(now);
        if (decision.kind !== 'send') continue;
        const list = waiting.get(keyOf(decision.queued))!;
        expect(list[0]?.seq, `seed ${seed}`).toBe(decision.queued.seq);
        list.shift();
        inFlight.push(decision.queued);
      } else if (inFlight.length > 0) {
        const [one] = inFlight.splice(intBelow(random, inFlight.length), 1);
        const again = random.next() < 0.4 ? { ...one!, dueAt: now + 30 } : null;
        if (again !== null) waiting.get(keyOf(again))!.unshift(again);
        scheduler.finished(one!.seq, again, now);
      }
    }
    for (const one of inFlight) scheduler.finished(one.seq, null, now);
    const left = [...waiting.values()].reduce((sum, list) => sum + list.length, 0);
    let drained = 0;
    while (sendNext(scheduler, now + 1000) !== null) drained += 1;
    expect(drained, `seed ${seed}`).toBe(left);
    expect(scheduler.next(now + 1000)).toEqual({ kind: 'idle' });
  }
});

function jain(values: readonly number[]): number {
  const sum = values.reduce((a, b) => a + b, 0);
  const squares = values.reduce((a, b) => a + b * b, 0);
  return (sum * sum) / (values.length * squares);
}
