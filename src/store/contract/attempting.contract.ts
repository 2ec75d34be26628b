// What every journal must do when a delivery is tried, settled, or moved by hand.

import { describe, expect, test } from 'vitest';
import { aDelivery } from '../../domain/delivery.fixture.ts';
import {
  accepted,
  aMove,
  aSettlement,
  delivered,
  type Harness,
  REFUSED,
  RETRIED,
  ROOM,
  recovered,
} from './journal.fixture.ts';

export function attempting(store: () => Harness): void {
  describe('begin and settle', () => {
    test('begin hands out the payload and what settling needs to know', async () => {
      const { journal } = store();
      await accepted(journal, { acceptedAt: 1_234.5 });
      expect(await journal.begin(1, 2_000)).toEqual({
        kind: 'begun',
        n: 1,
        body: '{"text":"hello"}',
        past: { acceptedAt: 1_234.5, failures: 0, doubts: 0, cures: [] },
      });
      expect(await journal.begin(1, 2_001)).toEqual({ kind: 'gone', state: 'sending' });
      expect(await journal.begin(99, 2_002)).toMatchObject({ kind: 'gone' });
    });

    test('sent: the answer, the attempt and the limits are kept together', async () => {
      const { journal, ledger } = store();
      const limit = {
        account: 'telegram:1' as const,
        key: 'freeze',
        value: '{}',
        updatedAt: 3_000,
      };
      const answer = { messageId: '7', result: '{"ok":true}' };
      await delivered(journal, {}, { ...answer, limits: [limit] });
      await store().reopen();
      expect(await store().ledger.get(1)).toMatchObject({
        ...answer,
        state: 'sent',
        settledAt: 3_000,
        attempts: 1,
        id: `${journal.tag}-1`,
      });
      expect(await store().ledger.attempts(1)).toEqual([
        {
          seq: 1,
          n: 1,
          startedAt: 2_000,
          endedAt: 3_000,
          outcome: 'sent',
          reason: null,
          detail: null,
          retryAfterMs: null,
          waitedFor: null,
        },
      ]);
      expect(await store().journal.limits()).toEqual([limit]);
      expect(await recovered(store().journal)).toEqual([]);
      await ledger.close();
    });

    test('what it waited for is kept with each attempt', async () => {
      const { journal } = store();
      const waited = '[["held",1000,900,"paused \\u0000 \\ud83d’é"]]';
      await accepted(journal);
      await journal.begin(1, 2_000, waited);
      await journal.settle(aSettlement(RETRIED));
      await journal.begin(1, 9_000);
      await store().reopen();
      expect(await store().ledger.attempts(1)).toMatchObject([
        { n: 1, waitedFor: waited, outcome: 'failed' },
        { n: 2, waitedFor: null },
      ]);
    });

    test('a retry keeps its place in the order and counts its failures', async () => {
      const { journal } = store();
      await accepted(journal);
      await journal.begin(1, 2_000);
      const settled = await journal.settle(aSettlement({ ...RETRIED, doubted: true }));
      expect(settled).toMatchObject({
        kind: 'settled',
        state: 'queued',
        queued: { seq: 1, rank: 1, enterAt: 1_000, dueAt: 9_000 },
      });
      expect(await journal.begin(1, 9_000)).toMatchObject({
        n: 2,
        past: { failures: 1, doubts: 1 },
      });
    });

    test('a cure changes the call and is remembered', async () => {
      const { journal, ledger } = store();
      const cured = (name: string, chat: string | null, body: string | null) => ({
        ...RETRIED,
        cure: { name, chat, body },
      });
      await delivered(journal, {}, cured('move_chat', '-100', null));
      const second = await journal.begin(1, 9_000);
      expect(second).toMatchObject({ body: '{"text":"hello"}', past: { cures: ['move_chat'] } });
      await journal.settle(aSettlement({ n: 2, ...cured('plain_text', null, '{"text":"plain"}') }));
      expect(await ledger.get(1)).toMatchObject({
        chat: '-100',
        body: '{"text":"plain"}',
        cures: ['move_chat', 'plain_text'],
      });
      // Each try spent the budget of the chat it went to.
      expect(await journal.callsSince(0)).toMatchObject([{ chat: '42' }, { chat: '-100' }]);
    });

    test('a late settlement changes nothing and says so', async () => {
      const { journal, ledger } = store();
      await accepted(journal);
      expect(await journal.settle(aSettlement())).toEqual({ kind: 'stale', state: 'queued' });
      await journal.begin(1, 2_000);
      await journal.settle(aSettlement(RETRIED));
      await journal.begin(1, 9_000);
      const limits = [{ account: 'telegram:1' as const, key: 'k', value: '1', updatedAt: 1 }];
      const late = await journal.settle(aSettlement({ n: 1, limits }));
      expect(late).toEqual({ kind: 'stale', state: 'sending' });
      expect(await journal.settle(aSettlement({ seq: 99 }))).toMatchObject({ kind: 'stale' });
      expect(await journal.limits()).toEqual([]);
      expect(await ledger.attempts(1)).toMatchObject([{ outcome: 'failed' }, { outcome: null }]);
    });

    test('tells the bytes of a payload as they are on disk, changed or recovered', async () => {
      const { journal } = store();
      // Letters of one, two, three and four bytes.
      const body = 'aé€😀';
      expect(await journal.append(aDelivery({ body }), ROOM)).toMatchObject({
        queued: { bytes: 10 },
      });
      const plain = { ...ROOM, beginAt: 2_000 };
      expect(await journal.append(aDelivery({ body }), plain)).toMatchObject({
        queued: { bytes: 10 },
      });
      const cure = { name: 'plain', chat: null, body: 'é' };
      const settled = await journal.settle(aSettlement({ seq: 2, to: 'queued', cure }));
      expect(settled).toMatchObject({ queued: { bytes: 2 } });
      await store().reopen();
      const found = await recovered(store().journal);
      expect(found.map(({ queued }) => queued.bytes)).toEqual([10, 2]);
    });

    test('what was in flight when the process ended comes back as such', async () => {
      await accepted(store().journal, { chat: 'a', slot: 's', user: 'u', thread: '9' });
      await accepted(store().journal, { chat: 'b' });
      await delivered(store().journal, {}, {});
      await store().journal.begin(2, 2_000);
      await store().reopen();
      const found = await recovered(store().journal);
      expect(found).toMatchObject([
        { kind: 'queued', queued: { seq: 1, chat: 'a', slot: 's', user: 'u', lane: 't:9' } },
        {
          kind: 'sending',
          queued: { seq: 2, chat: 'b' },
          n: 1,
          past: { acceptedAt: 1_000, failures: 0, doubts: 0, cures: [] },
        },
      ]);
    });

    test('recent calls are told oldest first, with what limits need', async () => {
      const { journal } = store();
      await accepted(journal, { user: 'u', cost: 3, live: true });
      await accepted(journal);
      await accepted(journal);
      await journal.begin(1, 1_999);
      await journal.begin(2, 2_000);
      await journal.begin(3, 2_100);
      await journal.settle(aSettlement({ seq: 2, endedAt: 2_200, outcome: 'limited' }));
      await journal.settle(aSettlement({ seq: 3, endedAt: 2_300, messageId: '77' }));
      const recent = await journal.callsSince(2_000);
      expect(recent).toMatchObject([
        { startedAt: 2_000, endedAt: 2_200, outcome: 'limited', chat: '42' },
        { startedAt: 2_100, endedAt: 2_300, outcome: 'sent', messageId: '77' },
      ]);
      expect((await journal.callsSince(0))[0]).toEqual({
        account: 'telegram:1',
        chat: '42',
        user: 'u',
        family: 'send',
        budget: 'broadcast',
        live: true,
        cost: 3,
        messageId: null,
        startedAt: 1_999,
        endedAt: null,
        outcome: null,
      });
    });
  });
}

export function moving(store: () => Harness): void {
  describe('move', () => {
    test('cancels what waits, and only that', async () => {
      const { journal, ledger } = store();
      await accepted(journal);
      const moved = await journal.move(aMove());
      expect(moved).toEqual({ kind: 'moved', from: 'queued', queued: null });
      expect(await journal.move(aMove())).toEqual({ kind: 'illegal', state: 'cancelled' });
      expect(await journal.move(aMove({ seq: 5 }))).toEqual({ kind: 'unknown' });
      expect(await ledger.get(1)).toMatchObject({ state: 'cancelled', reason: 'asked' });
      expect(await ledger.history(1)).toEqual([
        {
          seq: 1,
          at: 4_000,
          from: 'queued',
          to: 'cancelled',
          reason: 'asked',
          by: 'operator',
        },
      ]);
    });

    test('nobody moves an attempt in flight', async () => {
      const { journal } = store();
      await accepted(journal);
      await journal.begin(1, 2_000);
      for (const to of ['queued', 'cancelled', 'expired'] as const) {
        expect(await journal.move(aMove({ to }))).toEqual({ kind: 'illegal', state: 'sending' });
      }
    });

    test('a dead letter goes back to its place, edited, with a clean record', async () => {
      const { journal, ledger } = store();
      await delivered(journal, {}, { ...REFUSED, failed: true, result: '{"ok":false}' });
      const retry = aMove({ to: 'queued', body: '{"text":"edited"}' });
      expect(await journal.move(retry)).toMatchObject({
        kind: 'moved',
        from: 'dead',
        queued: { seq: 1, rank: 1, enterAt: 1_000, dueAt: 0 },
      });
      expect(await ledger.get(1)).toMatchObject({
        state: 'queued',
        settledAt: null,
        result: null,
        failures: 0,
        attempts: 1,
      });
      expect(await journal.begin(1, 5_000)).toMatchObject({ n: 2, body: '{"text":"edited"}' });
    });

    test('bringing back needs room', async () => {
      const { journal } = store();
      await delivered(journal, {}, REFUSED);
      await accepted(journal);
      const retry = aMove({ to: 'queued', queueMax: 1 });
      expect(await journal.move(retry)).toEqual({ kind: 'full', waiting: 1, queueMax: 1 });
      expect(await journal.move({ ...retry, queueMax: 2 })).toMatchObject({ kind: 'moved' });
    });
  });
}
