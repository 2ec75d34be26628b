// What a message shows is known from our own calls, and only while nothing casts doubt on it.

import { describe, expect, test } from 'vitest';
import { aQueued } from '../../domain/delivery.fixture.ts';
import type { Delivery } from '../../domain/delivery.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { AccountLimits } from '../../limits/limits.ts';
import type { OutgoingCall, Platform } from '../../platforms/platform.ts';
import { JournalUnavailable } from '../../store/ports/unavailable.ts';
import { virtualClock } from '../../system/virtual-clock.ts';
import { aRoad, message, NEVER, SENT, START, submit } from '../dispatch.fixture.ts';
import { ContentCache, PlainSends, resolve } from './messages.ts';

const EDITED = {
  kind: 'sent',
  messageId: '7',
  result: '{"ok":true,"edited":1}',
} as const satisfies Outcome;
// "message is not modified": it is as it should be, and the answer does not say more.
const BARE = {
  kind: 'sent',
  messageId: null,
  result: '{"ok":true,"result":true}',
} as const satisfies Outcome;
const LOST: Outcome = { kind: 'uncertain', reason: 'reset', detail: '' };
const BROKEN: Outcome = { kind: 'refused', reason: 'x', detail: '', result: '{}', cure: null };
const edit = { method: 'edit', family: 'edit', body: '"text"' } as const;

function aChat(say: (call: OutgoingCall, nth: number) => Outcome) {
  const road = aRoad(say);
  const bodies = () => road.calls.map(({ method, body }) => `${method} ${body}`);
  // To its end.
  const deliver = async (changes: Parameters<typeof submit>[1]) => {
    const seq = await submit(road.road, changes);
    const end = road.road.ended(seq, NEVER);
    await road.run(5_000);
    return end;
  };
  return { ...road, bodies, deliver };
}

describe('an edit', () => {
  test('that leaves the message as it is needs no call, and is answered with the message', async () => {
    const { dispatch, bodies, deliver } = aChat(() => EDITED);
    await dispatch.start();
    await deliver(edit);
    expect(await deliver(edit)).toMatchObject({ state: 'sent', result: EDITED.result });
    expect(bodies()).toEqual(['edit "text"']);
    await deliver({ ...edit, body: '"other"' });
    await deliver(edit);
    expect(bodies()).toEqual(['edit "text"', 'edit "other"', 'edit "text"']);
  });

  test('knows what was sent, too, and keeps accounts and chats apart', async () => {
    const { dispatch, bodies, deliver } = aChat(() => SENT);
    await dispatch.start();
    await deliver({ body: '"text"' });
    expect(await deliver(edit)).toMatchObject({ state: 'sent', result: '{"ok":true}' });
    expect(bodies()).toEqual(['send "text"']);
    await deliver({ ...edit, chat: 'd' });
    await deliver({ ...edit, account: 'fake:2' });
    expect(bodies()).toEqual(['send "text"', 'edit "text"', 'edit "text"']);
  });

  test('answered "as it is" by the platform is answered with the message known before', async () => {
    const { dispatch, deliver, run } = aChat((_call, nth) => (nth === 1 ? EDITED : BARE));
    await dispatch.start();
    await deliver(edit);
    expect(await deliver({ ...edit, body: '"same to them"' })).toMatchObject({
      messageId: '7',
      result: EDITED.result,
    });
    // Of a message nobody here knows, as the platform said it.
    await run(11 * 60_000);
    expect(await deliver({ ...edit, body: '"x"' })).toMatchObject({ result: BARE.result });
  });

  test.each([
    ['an answer that was lost', LOST],
    ['a call that was refused', BROKEN],
  ])('after %s nothing is known', async (_name, outcome) => {
    const { dispatch, bodies, deliver } = aChat((_call, nth) => (nth === 2 ? outcome : EDITED));
    await dispatch.start();
    await deliver(edit);
    await deliver({ ...edit, body: '"other"' });
    const before = bodies().length;
    await deliver(edit);
    expect(bodies()).toHaveLength(before + 1);
  });

  test('is known for minutes, not for ever: others may hold the token', async () => {
    const { dispatch, bodies, deliver, run } = aChat(() => EDITED);
    await dispatch.start();
    await deliver(edit);
    await run(5 * 60_000);
    await deliver(edit);
    expect(bodies()).toHaveLength(1);
    await run(30 * 60_000);
    await deliver(edit);
    expect(bodies()).toHaveLength(2);
  });

  test('while another call of its chat is under way asks nothing of what is known', async () => {
    const { dispatch, road, run, deliver } = aChat(() => EDITED);
    await dispatch.start();
    await deliver(edit);
    const asked = { ...edit, account: 'fake:1' as const, chat: 'c' };
    const known = () => road.unchanged({ ...message(), ...asked });
    expect(known()).not.toBeNull();
    await submit(road, { ...edit, body: '"other"' });
    expect(known()).toBeNull();
    await run(5_000);
    expect(known()).toBeNull();
    expect(road.unchanged({ ...message(), ...asked, body: '"other"' })).not.toBeNull();
  });
});

describe('the memory of what messages show', () => {
  const LONG = 'x'.repeat(20_000);
  const MANY = 30_000;
  const platform = {
    content: {
      touch: (_: string, body: string) => ({ messages: [body.split(' ')[0]!], content: body }),
    },
  } as unknown as Platform;
  const place = { account: 'fake:1', chat: 'c', method: 'edit', family: 'edit' } as const;
  const sent = (messageId: string | null, result = '{}') =>
    ({ kind: 'sent', messageId, result }) as const;
  const memory = () => new ContentCache(virtualClock(START));
  const show = (shown: ContentCache, body: string, outcome: Outcome = sent('7')) => {
    shown.arrive(shown.depart(platform, place, body)!, aQueued(place), outcome);
  };

  test('knows nothing after two calls on one message at a time: their order is not known', () => {
    const shown = memory();
    const first = shown.depart(platform, place, '7 one')!;
    const second = shown.depart(platform, place, '7 two')!;
    shown.arrive(second, aQueued(place), sent('7'));
    shown.arrive(first, aQueued(place), sent('7'));
    expect(shown.same(platform, place, '7 one')).toBeNull();
    expect(shown.same(platform, place, '7 two')).toBeNull();
    show(shown, '7 two');
    expect(shown.same(platform, place, '7 two')).not.toBeNull();
    expect(shown.same(platform, place, '7 one')).toBeNull();
  });

  test('knows nothing while a call is under way', () => {
    const shown = memory();
    show(shown, '7 one');
    shown.depart(platform, place, '7 two');
    expect(shown.same(platform, place, '7 one')).toBeNull();
  });

  test('knows nothing of an account that was closed, nor of a call that left before', () => {
    const shown = memory();
    show(shown, '7 one');
    const departure = shown.depart(platform, place, '8 one')!;
    shown.forget(place.account);
    shown.arrive(departure, aQueued(place), sent('8'));
    expect(shown.same(platform, place, '7 one')).toBeNull();
    expect(shown.same(platform, place, '8 one')).toBeNull();
    show(shown, '9 one');
    expect(shown.same(platform, place, '9 one')).not.toBeNull();
    expect(shown.same(platform, place, '7 one')).toBeNull();
    expect(shown.same(platform, place, '8 one')).toBeNull();
  });

  test('is bounded: the oldest are forgotten, the newest are not', () => {
    const shown = memory();
    for (let i = 0; i < MANY; i++) show(shown, `${i} text`);
    const known = (i: number) => shown.same(platform, place, `${i} text`) !== null;
    const kept = Array.from({ length: MANY }, (_, i) => i).filter(known);
    expect(kept.length).toBeLessThanOrEqual(MANY / 2);
    expect(kept.length).toBeGreaterThanOrEqual(1_000);
    expect(kept[0]).toBe(MANY - kept.length);
  });

  test('does not keep long answers or long texts', () => {
    const shown = memory();
    show(shown, '7 text', sent('7', LONG));
    expect(shown.same(platform, place, '7 text')).toBeNull();
    expect(shown.depart(platform, { ...place, family: 'send' }, LONG)).toBeNull();
  });
});

describe('a message that another mentions', () => {
  const references = {
    mentions: () => [50],
    named: (_: string, ids: Map<number, string>) => ids.get(50),
  };
  const platform = { references } as unknown as Platform;
  const positions = { place: () => null };
  const mentioned = (get: () => Promise<Partial<Delivery> | null>, queued: Partial<Delivery>) => {
    const records = { get: get as () => Promise<Delivery | null> };
    return resolve(platform, { records, positions, now: () => 0 }, aQueued(queued), '{}');
  };
  const sent = {
    seq: 50,
    rank: 5,
    account: aQueued().account,
    state: 'sent',
    messageId: '7',
  } as const;

  test('came before it by its number, or by its rank where the number was drawn ahead', async () => {
    const ready = { kind: 'ready', body: '7' };
    expect(await mentioned(async () => sent, { seq: 51, rank: 6 })).toEqual(ready);
    expect(await mentioned(async () => sent, { seq: 9, rank: 6 })).toEqual(ready);
    expect(await mentioned(async () => sent, { seq: 9, rank: 4 })).toMatchObject({ kind: 'lost' });
    expect(await mentioned(async () => sent, { seq: 50, rank: 5 })).toMatchObject({ kind: 'lost' });
  });

  test('is asked for again while the store is away', async () => {
    const away = async () => {
      throw new JournalUnavailable('journal_failed', 'away');
    };
    expect(await mentioned(away, { seq: 51, rank: 6 })).toMatchObject({ kind: 'wait' });
  });
});

test('plain sends of an account are forgotten with it, and of no other', () => {
  const charged: number[] = [];
  const limits = {
    hasLiveRules: () => true,
    wasLive: (_charge: object, at: number) => charged.push(at),
  } as unknown as AccountLimits;
  const sends = new PlainSends();
  const sent = (account: string) => ({ ...aQueued({ account: `x:${account}` }), message: '7' });
  sends.learn(limits, sent('1'), 1);
  sends.learn(limits, sent('12'), 12);
  sends.forget('x:1');
  sends.beganLive(limits, sent('1'));
  expect(charged).toEqual([]);
  sends.beganLive(limits, sent('12'));
  expect(charged).toEqual([12]);
});
