import { expect, test } from 'vitest';
import { aQueued } from '../domain/delivery.fixture.ts';
import type { Queued } from '../domain/delivery.ts';
import { AccountLimits, type Plan, type Signal } from '../limits/limits.ts';
import type { Order } from './chat.ts';
import { PROBING, Scheduler } from './scheduler.ts';

const NOW = 1e6;
const NO_RULES: Plan = { account: [], chat: [] };

function setUp(plan: Plan = NO_RULES, { inFlightMax = 100, order = 'lane' as Order } = {}) {
  const scheduler = new Scheduler();
  const limits = new AccountLimits({ account: 'p:a', priors: { planOf: () => plan } });
  scheduler.addAccount('p:a', limits, { inFlightMax, order });
  let lastSeq = 0;
  const add = (changes: Partial<Queued>, at: number): Queued => {
    lastSeq += 1;
    const place = { seq: lastSeq, enterAt: at, rank: lastSeq, dueAt: 0 };
    const one = aQueued({ account: 'p:a', chat: 'c', ...place, ...changes });
    scheduler.add(one, at);
    return one;
  };
  // What the next one waited for; null: nothing goes.
  const take = (at: number) => {
    const decision = scheduler.next(at);
    if (decision.kind !== 'send') return null;
    limits.departed(decision.ticket, at);
    const waited = decision.waited ?? [];
    const brief = waited.map(({ cause, from, to }) => {
      return `${from - NOW}-${to - NOW} ${cause.kind}: ${cause.detail}`;
    });
    const end = (ended: number, signal: Signal = { kind: 'ok' }, again: Queued | null = null) => {
      limits.settled(decision.ticket, signal, ended);
      scheduler.finished(decision.queued.seq, again, ended);
    };
    return { ...decision, brief, end };
  };
  const hold = (at: number, until: number, why: string, name: string) => {
    scheduler.hold('p:a', until, why, name);
    if (until > at) expect(take(at)).toBeNull();
  };
  return { add, take, hold };
}

test('a window of the account, over many chats', () => {
  const rule = { name: 'second', scope: 'account', count: 1, perMs: 1000 } as const;
  const { add, take } = setUp({ account: [rule], chat: [] });
  for (const chat of ['a', 'b', 'c']) add({ chat }, NOW);
  take(NOW)!.end(NOW);
  expect(take(NOW)).toBeNull();
  take(NOW + 1000)!.end(NOW + 1000);
  expect(take(NOW + 1000)).toBeNull();
  expect(take(NOW + 2000)!.brief).toEqual([
    '0-2000 window: this account takes one call a second; 1 was sent',
  ]);
});

test('the retry of the one ahead, for its lane alone', () => {
  const { add, take } = setUp();
  const first = add({}, NOW);
  add({}, NOW);
  add({ lane: 's' }, NOW);
  add({ lane: 's' }, NOW);
  const tried = take(NOW)!;
  tried.end(NOW + 100, { kind: 'judged' }, { ...first, dueAt: NOW + 5000 });
  const other = take(NOW + 100)!;
  expect(other.brief).toEqual(['0-100 ahead: one other of its chat went before it']);
  expect(take(NOW + 100)).toBeNull();
  other.end(NOW + 3000);
  expect(take(NOW + 3000)!.brief).toEqual(['0-3000 ahead: 2 others of its chat went before it']);
  const again = take(NOW + 5000)!;
  // Its own retry is told by its try.
  expect(again.brief).toEqual([]);
  again.end(NOW + 5100);
  expect(take(NOW + 5100)!.brief).toEqual([
    '0-100 ahead: 4 others of its chat went before it',
    '100-5000 due: waits for the retry of the one ahead of it',
    '5000-5100 ahead: 4 others of its chat went before it',
  ]);
});

test('a freeze that the one ahead in its lane waits for', () => {
  const { add, take } = setUp();
  const first = add({}, NOW);
  add({}, NOW);
  const signal = { kind: 'limited', retryAfterMs: 9000, scope: 'chat' } as const;
  take(NOW)!.end(NOW, signal, { ...first, dueAt: NOW + 9000 });
  expect(take(NOW + 8999)).toBeNull();
  take(NOW + 12_000)!.end(NOW + 12_000);
  const [frozen] = take(NOW + 12_000)!.brief;
  expect(frozen).toMatch(/^0-9000 freeze: the platform refused a message and asked to wait 9 s/);
});

test('a hold is one with its probes; another one is told apart', () => {
  const { add, take, hold } = setUp();
  hold(NOW, NOW + 1000, 'no answer', 'unsent');
  add({}, NOW);
  for (let at = NOW + 1000; at < NOW + 60_000; at += 1000) {
    hold(at, Infinity, 'one call probes', PROBING);
    hold(at + 400, at + 1000, `no answer since ${at}`, 'unsent');
  }
  hold(NOW + 60_000, Infinity, 'paused by an operator', 'paused');
  hold(NOW + 90_000, 0, '', '');
  expect(take(NOW + 90_000)!.brief).toEqual([
    '0-60000 held: no answer',
    '60000-90000 held: paused by an operator',
  ]);
});

test('calls in flight at their bound; the account in strict order', () => {
  const few = setUp(NO_RULES, { inFlightMax: 1 });
  for (const chat of ['a', 'b']) few.add({ chat }, NOW);
  const first = few.take(NOW)!;
  expect(few.take(NOW)).toBeNull();
  first.end(NOW + 700);
  expect(few.take(NOW + 700)!.brief).toEqual([
    '0-700 in_flight: calls of the account were in flight, the bound is 1',
  ]);
  const strict = setUp(NO_RULES, { order: 'account' });
  for (const chat of ['a', 'b', 'c']) strict.add({ chat }, NOW);
  for (const at of [NOW, NOW + 300]) strict.take(at)!.end(at + 300);
  expect(strict.take(NOW + 600)!.brief).toEqual([
    '0-600 ahead: 2 others of its account went before it',
  ]);
});

test('of very many reasons the last few are told', () => {
  const { add, take, hold } = setUp();
  hold(NOW, Infinity, 'reason 0', 'r0');
  add({}, NOW);
  for (let n = 1; n < 100; n++) hold(NOW + n * 1000, Infinity, `reason ${n}`, `r${n}`);
  hold(NOW + 100_000, 0, '', '');
  const { brief } = take(NOW + 100_000)!;
  expect(brief).toHaveLength(6);
  expect(brief.at(-1)).toBe('99000-100000 held: reason 99');
});
