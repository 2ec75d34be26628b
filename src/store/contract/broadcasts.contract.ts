// What every journal must do with broadcasts.

import { describe, expect, test } from 'vitest';
import { ownKey } from '../../domain/idempotency.ts';
import type { AccountId } from '../../domain/ids.ts';
import type { NewBroadcast, RecipientState } from '../ports/broadcasts.ts';
import type { Harness } from './journal.fixture.ts';

const ACCOUNT: AccountId = 'telegram:1';
const ROOM = { audiencesMax: 10 };

export function aBroadcast(audience: number, changes: Partial<NewBroadcast> = {}): NewBroadcast {
  return {
    account: ACCOUNT,
    platform: 'telegram',
    audience,
    fields: null,
    name: null,
    correlation: null,
    method: 'sendMessage',
    body: '{"text":"hello {{name}}"}',
    priority: 'low',
    notBefore: 0,
    key: null,
    digest: 'd',
    at: 1_000,
    liveMax: 10,
    ...changes,
  };
}

const chats = (...names: string[]) => names.map((chat) => ({ chat, fields: '' }));

export function broadcasts(store: () => Harness): void {
  const all = () => store().journal.broadcasts;
  const anAudience = async (name: string | null, ...names: string[]) => {
    const audience = (await all().open({ name, at: 500, ...ROOM }))!;
    await all().fill({ audience, members: chats(...names) });
    await all().seal({ audience, fields: ['name'] });
    return audience;
  };
  const created = async (...names: string[]) => {
    const made = await all().create(aBroadcast(await anAudience('all', ...names)));
    if (made.kind !== 'created') throw new Error(made.kind);
    return made.broadcast.id;
  };
  const feed = (id: number, n: number, seq: number | null, state: RecipientState = 'queued') =>
    all().fed({ id, at: 2_000, rows: [{ n, seq, state, reason: null }] });
  const settle = (seq: number, state: RecipientState, reason: string | null = null) =>
    all().settle({ at: 3_000, rows: [{ seq, state, reason }] });
  const nexts = async (id: number) => (await all().next({ id, max: 9 })).map(({ n }) => n);
  const inState = async (id: number, state: RecipientState | null) => {
    const found = await all().recipients({ id, state, after: 0, max: 9 });
    return found.map((one) => `${one.chat} ${one.state}`);
  };

  describe('audiences', () => {
    test('hold everyone once, under a name that may move on', async () => {
      const first = (await all().open({ name: 'all', at: 500, ...ROOM }))!;
      expect(await all().fill({ audience: first, members: chats('1', '2', '1') })).toEqual({
        added: 2,
        repeated: 1,
      });
      expect(await all().named({ name: 'all' })).toBeNull();
      expect(await all().seal({ audience: first, fields: ['name'] })).toEqual({
        id: first,
        account: null,
        name: 'all',
        count: 2,
        fields: ['name'],
        createdAt: 500,
      });
      expect(await all().fill({ audience: first, members: chats('3') })).toMatchObject({
        added: 0,
      });
      expect(await all().seal({ audience: first, fields: [] })).toBeNull();
      await store().reopen();
      const second = await anAudience('all', '7');
      expect(await all().named({ name: 'all' })).toMatchObject({ id: second, count: 1 });
      await anAudience('some', '7');
      const names = async (after: string) =>
        (await all().audiences({ after, max: 9 })).map(({ name }) => name);
      expect(await names('')).toEqual(['all', 'some']);
      expect(await names('all')).toEqual(['some']);
    });

    test('that nobody needs are swept away, member by member', async () => {
      const audience = await anAudience('all', '1', '2', '3');
      await all().create(aBroadcast(audience));
      expect(await all().forget({ name: 'all' })).toBe(true);
      expect(await all().forget({ name: 'all' })).toBe(false);
      const sweep = () => all().sweep({ endedBefore: 9_000, max: 2 });
      expect(await sweep()).toBe(0);
      await all().change({ id: 1, to: 'cancelled', at: 4_000 });
      // The broadcast and a member; two members; the audience.
      expect([await sweep(), await sweep(), await sweep(), await sweep()]).toEqual([2, 2, 1, 0]);
      expect(await all().create(aBroadcast(audience))).toEqual({ kind: 'no_audience' });
    });

    test('that were never sealed are of no use', async () => {
      const audience = (await all().open({ name: 'all', at: 500, ...ROOM }))!;
      await all().fill({ audience, members: chats('1') });
      expect(await all().create(aBroadcast(audience))).toEqual({ kind: 'no_audience' });
      await all().dropOpen({ before: 500 });
      expect(await all().fill({ audience, members: chats('2') })).toMatchObject({ added: 1 });
      await all().dropOpen({ before: 501 });
      expect(await all().seal({ audience, fields: [] })).toBeNull();
      expect(await all().sweep({ endedBefore: 0, max: 9 })).toBe(3);
    });

    test('are bounded', async () => {
      await anAudience('all', '1');
      expect(await all().open({ name: null, at: 1, audiencesMax: 1 })).toBeNull();
    });
  });

  describe('broadcasts', () => {
    test('are made once per key, and not too many', async () => {
      const audience = await anAudience('all', '1');
      const keyed = aBroadcast(audience, { key: 'k', liveMax: 1 });
      const first = await all().create(keyed);
      expect(first).toMatchObject({ kind: 'created', broadcast: { id: 1, total: 1, cursor: 1 } });
      expect(await all().create(keyed)).toEqual({ ...first, kind: 'repeated' });
      expect(await all().create({ ...keyed, digest: 'e' })).toEqual({ kind: 'conflict', id: 1 });
      const other = aBroadcast(audience, { liveMax: 1 });
      expect(await all().create(other)).toEqual({ kind: 'full', liveMax: 1 });
      expect(await all().get({ id: 1 })).toMatchObject({ priority: 'low', endedAt: null });
      expect(await all().get({ id: 2 })).toBeNull();
    });

    test('have keys by holder, and those of before holders are everybody’s', async () => {
      const audience = await anAudience('all', '1');
      const keyed = (key: string) => aBroadcast(audience, { key });
      const first = await all().create(keyed(ownKey('one', 'k')));
      expect(await all().create(keyed(ownKey('two', 'k')))).toMatchObject({ kind: 'created' });
      expect(await all().create(keyed(ownKey('one', 'k')))).toEqual({ ...first, kind: 'repeated' });
      const old = await all().create(keyed('old'));
      expect(await all().create(keyed(ownKey('one', 'old')))).toEqual({ ...old, kind: 'repeated' });
      const forged = ownKey('two', ownKey('one', 'k'));
      expect(await all().create(keyed(forged))).toMatchObject({ kind: 'created' });
    });

    test('may bring an audience of their own', async () => {
      const audience = (await all().open({ name: null, at: 500, ...ROOM }))!;
      await all().fill({ audience, members: chats('1', '2') });
      const made = await all().create(aBroadcast(audience, { fields: [] }));
      expect(made).toMatchObject({ kind: 'created', broadcast: { total: 2 } });
    });

    test('to nobody are done at once', async () => {
      expect(await all().create(aBroadcast(await anAudience('none')))).toMatchObject({
        broadcast: { state: 'done', endedAt: 1_000 },
      });
    });

    test('go from one to the next, across a restart, and are done when all have ended', async () => {
      const id = await created('1', '2', '3');
      expect(await nexts(id)).toEqual([1, 2, 3]);
      expect(await feed(id, 1, 11)).toEqual({ done: [] });
      await feed(id, 2, null, 'skipped');
      await store().reopen();
      expect(await nexts(id)).toEqual([3]);
      expect(await all().unfinished({ after: 0, max: 9 })).toMatchObject([
        { id, cursor: 3, counts: { queued: 1, skipped: 1, sent: 0 } },
      ]);
      expect(await all().onRoad({ id, after: 0, max: 9 })).toEqual([{ n: 1, seq: 11 }]);
      expect(await all().known({ seqs: [11, 12] })).toEqual([true, false]);
      await feed(id, 3, 13);
      expect(await settle(11, 'sent')).toEqual({ done: [] });
      expect(await settle(99, 'sent')).toEqual({ done: [] });
      expect(await settle(13, 'dead', 'bot_blocked')).toEqual({ done: [id] });
      expect(await all().get({ id })).toMatchObject({ state: 'done', endedAt: 3_000 });
      expect(await all().unfinished({ after: 0, max: 9 })).toEqual([]);
      expect(await all().recipients({ id, state: 'dead', after: 0, max: 9 })).toEqual([
        { n: 3, chat: '3', state: 'dead', reason: 'bot_blocked', seq: 13, at: 3_000 },
      ]);
      expect(await inState(id, null)).toEqual(['1 sent', '2 skipped', '3 dead']);
    });

    test('a letter that is retried by hand counts where it ends', async () => {
      const id = await created('1');
      await feed(id, 1, 11);
      await settle(11, 'dead', 'x');
      await settle(11, 'queued');
      expect(await all().get({ id })).toMatchObject({
        state: 'done',
        counts: { queued: 1, dead: 0 },
      });
      await settle(11, 'sent');
      expect(await all().get({ id })).toMatchObject({ counts: { queued: 0, sent: 1, dead: 0 } });
    });

    test('who is withdrawn by a pause goes first after it', async () => {
      const id = await created('1', '2', '3');
      await feed(id, 1, 11);
      await feed(id, 2, 12);
      await all().change({ id, to: 'paused', at: 2_500 });
      await settle(11, 'pending');
      await settle(12, 'sent');
      expect(await nexts(id)).toEqual([1, 3]);
      expect(await inState(id, 'pending')).toEqual(['1 pending', '3 pending']);
      await feed(id, 3, 13);
      await settle(13, 'sent');
      expect(await all().get({ id })).toMatchObject({ state: 'paused' });
      await all().change({ id, to: 'running', at: 4_000 });
      await feed(id, 1, 14);
      // Its first delivery is no longer its.
      await settle(11, 'dead');
      expect(await settle(14, 'sent')).toEqual({ done: [id] });
    });

    test('resumed with nobody left is done', async () => {
      const id = await created('1');
      await feed(id, 1, 11);
      await all().change({ id, to: 'paused', at: 2_500 });
      expect(await settle(11, 'sent')).toEqual({ done: [] });
      expect(await all().change({ id, to: 'running', at: 4_000 })).toMatchObject({
        kind: 'changed',
        broadcast: { state: 'done', endedAt: 4_000 },
      });
    });

    test('cancelled is cancelled for all who were not sent to', async () => {
      const id = await created('1', '2', '3');
      await feed(id, 1, 11);
      await feed(id, 2, 12);
      await settle(12, 'pending');
      expect(await all().change({ id, to: 'cancelled', at: 2_500 })).toMatchObject({
        broadcast: { state: 'cancelled', endedAt: 2_500, counts: { cancelled: 1, queued: 1 } },
      });
      expect(await all().unfinished({ after: 0, max: 9 })).toHaveLength(1);
      await settle(11, 'sent');
      expect(await all().unfinished({ after: 0, max: 9 })).toEqual([]);
      expect(await inState(id, null)).toEqual(['1 sent', '2 cancelled', '3 cancelled']);
      expect(await inState(id, 'cancelled')).toEqual(['2 cancelled', '3 cancelled']);
      expect(await inState(id, 'pending')).toEqual([]);
      const to = 'running' as const;
      expect(await all().change({ id, to, at: 9 })).toEqual({
        kind: 'illegal',
        state: 'cancelled',
      });
      expect(await all().change({ id: 7, to, at: 9 })).toEqual({ kind: 'unknown' });
    });

    test('are listed newest first, page by page, and forgotten when they are old', async () => {
      const audience = await anAudience('all', '1');
      for (const at of [1, 2, 3]) await all().create(aBroadcast(audience, { at }));
      const ids = async (before: number | null) =>
        (await all().list({ before, max: 2 })).map(({ id }) => id);
      expect(await ids(null)).toEqual([3, 2]);
      expect(await ids(2)).toEqual([1]);
      await all().change({ id: 2, to: 'cancelled', at: 10 });
      await all().change({ id: 3, to: 'cancelled', at: 20 });
      expect(await all().sweep({ endedBefore: 20, max: 9 })).toBe(1);
      expect(await ids(null)).toEqual([3, 1]);
      // A number is never given twice.
      await all().sweep({ endedBefore: 99, max: 9 });
      const next = await all().create(aBroadcast(audience));
      expect(next).toMatchObject({ broadcast: { id: 4 } });
    });
  });

  test('forgotten in part, nobody of it seems to wait again', async () => {
    const id = await created('1', '2', '3', '4');
    for (const n of [1, 2, 3]) await feed(id, n, n, 'sent');
    await all().change({ id, to: 'cancelled', at: 10 });
    expect(await all().sweep({ endedBefore: 11, max: 2 })).toBe(2);
    expect(await inState(id, null)).toEqual(['3 sent', '4 cancelled']);
    expect(await inState(id, 'cancelled')).toEqual(['4 cancelled']);
    expect(await inState(id, 'pending')).toEqual([]);
    await all().sweep({ endedBefore: 11, max: 1 });
    expect(await inState(id, null)).toEqual(['4 cancelled']);
  });

  test('chats that refuse an account are told with whom is next', async () => {
    const id = await created('1', '2');
    const chat = (name: string) => ({ account: ACCOUNT, chat: name });
    expect(await all().isBlocked({ account: ACCOUNT })).toBe(false);
    expect(await all().isBlocked({ account: null })).toBe(false);
    const blocked = { ...chat('2'), reason: 'bot_blocked' };
    await all().block({ chats: [blocked, { ...blocked, account: 'telegram:9' }], at: 700 });
    await all().block({ chats: [blocked], at: 800 });
    await store().reopen();
    expect(await all().isBlocked({ account: ACCOUNT })).toBe(true);
    expect(await all().isBlocked({ account: 'telegram:none' })).toBe(false);
    expect(await all().isBlocked({ account: null })).toBe(true);
    const next = await all().next({ id, max: 2 });
    expect(next.map(({ blockedAt }) => blockedAt)).toEqual([null, 800]);
    expect(await all().unblock({ chats: [chat('1'), chat('2'), chat('2')] })).toBe(1);
    expect(await all().isBlocked({ account: ACCOUNT })).toBe(false);
    // By another account's chat still.
    expect(await all().isBlocked({ account: null })).toBe(true);
  });
}
