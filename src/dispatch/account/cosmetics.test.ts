// Typing signs and drafts go now or never, and stand in no message's way.

import { describe, expect, test } from 'vitest';
import type { AccountId } from '../../domain/ids.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { aRoad, submit } from '../dispatch.fixture.ts';

const SENT: Outcome = { kind: 'sent', messageId: null, result: '{"ok":true,"result":true}' };
const typing = {
  account: 'fake:1',
  chat: 'c',
  method: 'typing',
  family: 'typing',
  budget: 'open',
  user: null,
  body: '{}',
} as const;
const limited = { kind: 'limited', retryAfterMs: 5000, scope: 'family', result: '{}' } as const;
const refusedForGood = (reason: string): Outcome => ({
  kind: 'refused',
  reason,
  detail: '',
  result: '{"ok":false}',
  cure: null,
});

describe('a typing sign', () => {
  test('goes at once, and another while the window is closed not at all', async () => {
    const { dispatch, road, calls, events, run } = aRoad(() => SENT);
    await dispatch.start();
    const first = road.cosmetic(typing);
    expect(await road.cosmetic(typing)).toEqual({ end: 'dropped', result: null });
    await run(200);
    expect(await first).toMatchObject({ end: 'sent', result: SENT.result });
    await run(5000);
    const later = road.cosmetic(typing);
    await run(200);
    expect((await later).end).toBe('sent');
    expect(calls).toHaveLength(2);
    const ends = events.flatMap((event) => (event.kind === 'cosmetic' ? [event.end] : []));
    expect(ends).toEqual(['dropped', 'sent', 'sent']);
  });

  test('that the platform refuses is the caller’s to hear; a wait is not', async () => {
    const { dispatch, road, run, store } = aRoad((_call, nth) =>
      nth === 1 ? refusedForGood('draft_not_possible') : limited,
    );
    await dispatch.start();
    const refused = road.cosmetic(typing);
    await run(5000);
    expect(await refused).toEqual({ end: 'refused', result: '{"ok":false}' });
    const flooded = road.cosmetic(typing);
    await run(200);
    expect((await flooded).end).toBe('dropped');
    // The freeze is known to the next process too, and to the next sign.
    const keys = (await store.journal.limits([typing.account])).map(({ key }) => key);
    expect(keys).toContain('freeze|family|typing|c');
    expect((await road.cosmetic(typing)).end).toBe('dropped');
  });

  test('never probes: not a frozen chat, not an open breaker, not a paused account', async () => {
    const { dispatch, road, calls, run } = aRoad(() => SENT);
    await dispatch.start();
    dispatch.state.openAccount('fake:1').limits.freeze('c', 1, 'test', 0);
    expect((await road.cosmetic(typing)).end).toBe('dropped');
    const elsewhere = { ...typing, chat: 'd' };
    dispatch.state.availability.setPaused('fake:1', true);
    expect((await road.cosmetic(elsewhere)).end).toBe('dropped');
    dispatch.state.availability.setPaused('fake:1', false);
    const sent = road.cosmetic(elsewhere);
    await run(200);
    expect((await sent).end).toBe('sent');
    expect(calls).toHaveLength(1);
  });

  test('of a revoked token tells the account, and nothing calls again', async () => {
    const { dispatch, road, calls, refused, run } = aRoad(() => refusedForGood('unauthorized'), {
      identify: () => ({ kind: 'refused', status: 401, detail: 'Unauthorized' }),
    });
    await dispatch.start();
    const first = road.cosmetic(typing);
    await run(200);
    expect((await first).end).toBe('refused');
    expect(refused).toEqual(['fake:1']);
    expect((await road.cosmetic({ ...typing, chat: 'd' })).end).toBe('dropped');
    await submit(road);
    await run(60_000);
    expect(calls).toHaveLength(1);
  });

  test('is dropped while many of its account hang, and goes again when they are over', async () => {
    const hangsMs = 30_000;
    const many = 1_000;
    const { dispatch, road, calls, run } = aRoad(() => SENT, { typingMs: hangsMs });
    await dispatch.start();
    const ends: string[] = [];
    const make = (account: AccountId, chat: string) =>
      road.cosmetic({ ...typing, account, chat }).then(({ end }) => ends.push(end));
    for (let i = 0; i < many; i++) void make('fake:1', `c${i}`);
    await run(1_000);
    const hanging = calls.length;
    expect(hanging).toBeGreaterThanOrEqual(10);
    expect(hanging).toBeLessThanOrEqual(many / 2);
    expect(ends).toEqual(Array(many - hanging).fill('dropped'));
    // Another account has its own room.
    void make('fake:2', 'c');
    await run(1);
    expect(calls).toHaveLength(hanging + 1);
    await run(hangsMs);
    expect(ends.filter((end) => end === 'sent').length).toBeGreaterThanOrEqual(hanging);
    void make('fake:1', 'again');
    await run(1);
    expect(calls).toHaveLength(hanging + 2);
  });

  test('waits in no message’s way, however long it hangs', async () => {
    const { dispatch, road, calls, run } = aRoad(() => SENT, { typingMs: 60_000 });
    await dispatch.start();
    void road.cosmetic(typing);
    await submit(road);
    await run(1000);
    expect(calls.map(({ method }) => method)).toEqual(['typing', 'send']);
  });
});
