// What every journal must do. Run by the test of each implementation, with its own way to open a store,
// to close it, and to open it again as a new process would.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Ledger } from '../ledger/ledger.ts';
import {
  accepted,
  aDelivery,
  aMove,
  aSettlement,
  delivered,
  REFUSED,
  RETRIED,
  ROOM,
} from './journal.fixture.ts';
import type { Journal, Recovered } from './journal.ts';
import { IDEMPOTENCY_MS } from './rules.ts';

export interface Harness {
  journal: Journal;
  ledger: Ledger;
  // Where nothing is yet.
  readonly snapshotPath: string;
  // Ends the process and starts the next one on the same store.
  reopen(): Promise<void>;
  dispose(): Promise<void>;
}

export async function recovered(journal: Journal): Promise<Recovered[]> {
  const all: Recovered[] = [];
  for await (const one of journal.recover()) all.push(one);
  return all;
}

export function journalContract(name: string, open: () => Promise<Harness>): void {
  describe(`journal: ${name}`, () => {
    let store: Harness;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.dispose());

    appending(() => store);
    slots(() => store);
    attempting(() => store);
    moving(() => store);
    keeping(() => store);
  });
}

function appending(store: () => Harness): void {
  describe('append', () => {
    test('numbers deliveries in order and tells the scheduler all it needs', async () => {
      const { journal } = store();
      const delivery = aDelivery({
        session: 'abc',
        priority: 'high',
        live: true,
        expiresAt: 5_000,
      });
      const first = await journal.append(delivery, ROOM);
      expect(first).toEqual({
        kind: 'accepted',
        replaced: null,
        queued: {
          seq: 1,
          account: 'telegram:1',
          chat: '42',
          lane: 's:abc',
          user: null,
          method: 'sendMessage',
          family: 'send',
          gate: 'broadcast',
          priority: 'high',
          cost: 1,
          live: true,
          final: false,
          slot: null,
          enterAt: 1_000,
          rank: 1,
          dueAt: 0,
          expiresAt: 5_000,
        },
      });
      expect(await accepted(journal)).toBe(2);
    });

    test('a scheduled delivery enters the order at its time', async () => {
      const appended = await store().journal.append(aDelivery({ notBefore: 7_000.5 }), ROOM);
      expect(appended).toMatchObject({ queued: { enterAt: 7_000.5, dueAt: 7_000.5 } });
    });

    test('many at once are each answered with their own', async () => {
      const { journal } = store();
      const chats = Array.from({ length: 5_000 }, (_, i) => `chat ${i}`);
      const bounds = { queueMax: 10_000 };
      const all = await Promise.all(
        chats.map((chat) => journal.append(aDelivery({ chat }), bounds)),
      );
      const told = all.map((one) => (one.kind === 'accepted' ? one.queued : null));
      expect(told.map((queued) => queued?.chat)).toEqual(chats);
      expect(told.map((queued) => queued?.seq)).toEqual(chats.map((_, i) => i + 1));
    });

    test('a full account refuses, others do not notice', async () => {
      const { journal } = store();
      const bounds = { queueMax: 2 };
      await journal.append(aDelivery(), bounds);
      await journal.append(aDelivery(), bounds);
      const full = { kind: 'full', waiting: 2, queueMax: 2 };
      expect(await journal.append(aDelivery(), bounds)).toEqual(full);
      const other = await journal.append(aDelivery({ account: 'telegram:2' }), bounds);
      expect(other.kind).toBe('accepted');
      await store().reopen();
      expect(await store().journal.append(aDelivery(), bounds)).toEqual(full);
      await store().journal.move(aMove({ seq: 1 }));
      expect(await store().journal.append(aDelivery(), bounds)).toMatchObject({ kind: 'accepted' });
    });

    test('one idempotency key names one call of an account, for a day', async () => {
      const { journal } = store();
      const keyed = aDelivery({ idempotencyKey: 'k' });
      const later = keyed.acceptedAt + IDEMPOTENCY_MS;
      expect(await journal.append(keyed, ROOM)).toMatchObject({ kind: 'accepted' });
      const repeated = { kind: 'repeated', seq: 1, state: 'queued' };
      expect(await journal.append({ ...keyed, acceptedAt: later - 1 }, ROOM)).toEqual(repeated);
      const changed = { ...keyed, body: '{"text":"other"}' };
      expect(await journal.append(changed, ROOM)).toEqual({ kind: 'conflict', seq: 1 });
      expect(await accepted(journal, { ...keyed, account: 'telegram:2' })).toBe(2);
      expect(await accepted(journal, { ...keyed, acceptedAt: later })).toBe(3);
      await store().reopen();
      const again = await store().journal.append({ ...keyed, acceptedAt: later }, ROOM);
      expect(again).toEqual({ ...repeated, seq: 3 });
    });
  });
}

function slots(store: () => Harness): void {
  describe('slots', () => {
    const preview = (text: string) => aDelivery({ slot: 'draft', body: text });
    const final = (text: string) => ({ ...preview(text), final: true });

    test('a newer text takes the place of the one that waits', async () => {
      const { journal, ledger } = store();
      await accepted(journal, preview('one'));
      const second = await journal.append({ ...preview('two'), acceptedAt: 1_500 }, ROOM);
      expect(second).toMatchObject({
        kind: 'accepted',
        replaced: 1,
        queued: { seq: 2, enterAt: 1_000, rank: 1 },
      });
      expect(await ledger.get(1)).toMatchObject({
        state: 'superseded',
        supersededBy: 2,
        settledAt: 1_500,
      });
      expect(await ledger.history(1)).toEqual([
        {
          seq: 1,
          at: 1_500,
          from: 'queued',
          to: 'superseded',
          reason: 'superseded',
          by: 'sluice',
        },
      ]);
      expect(await journal.begin(1, 2_000)).toEqual({ kind: 'gone', state: 'superseded' });
    });

    test('a slot belongs to its account', async () => {
      const { journal } = store();
      await accepted(journal, preview('one'));
      const other = await journal.append({ ...preview('x'), account: 'telegram:2' }, ROOM);
      expect(other).toMatchObject({ kind: 'accepted', replaced: null });
    });

    test('a late preview never takes the place of a final', async () => {
      const { journal, ledger } = store();
      await accepted(journal, final('the end'));
      const late = await journal.append(preview('late'), ROOM);
      expect(late).toEqual({ kind: 'superseded', seq: 2, by: 1 });
      expect(await ledger.get(2)).toMatchObject({ state: 'superseded', supersededBy: 1 });
      expect(await recovered(journal)).toHaveLength(1);
    });

    test('a replacement needs no room of its own', async () => {
      const { journal } = store();
      await journal.append(preview('one'), { queueMax: 1 });
      const replacing = await journal.append(preview('two'), { queueMax: 1 });
      expect(replacing).toMatchObject({ kind: 'accepted', replaced: 1 });
    });

    test('what is being sent is not replaced; its retry yields to the newer text', async () => {
      const { journal, ledger } = store();
      await accepted(journal, preview('one'));
      await journal.begin(1, 2_000);
      const newer = await journal.append(preview('two'), ROOM);
      expect(newer).toMatchObject({ kind: 'accepted', replaced: null });
      const settled = await journal.settle(aSettlement({ seq: 1, ...RETRIED }));
      expect(settled).toEqual({
        kind: 'settled',
        state: 'superseded',
        queued: null,
        supersededBy: 2,
      });
      expect(await ledger.get(1)).toMatchObject({ state: 'superseded', failures: 1 });
      expect(await ledger.countByState()).toEqual([
        { account: 'telegram:1', state: 'queued', count: 1 },
        { account: 'telegram:1', state: 'superseded', count: 1 },
      ]);
    });

    test('a final that must be retried outlives the preview that came after it', async () => {
      const { journal, ledger } = store();
      await accepted(journal, final('the end'));
      await journal.begin(1, 2_000);
      await accepted(journal, preview('late'));
      const settled = await journal.settle(aSettlement({ seq: 1, ...RETRIED }));
      expect(settled).toMatchObject({ kind: 'settled', state: 'queued', queued: { seq: 1 } });
      expect(await ledger.get(2)).toMatchObject({ state: 'superseded', supersededBy: 1 });
      expect(await journal.begin(2, 3_000)).toEqual({ kind: 'gone', state: 'superseded' });
    });

    test('a dead text brought back by hand yields to the newer one that waits', async () => {
      const { journal, ledger } = store();
      await delivered(journal, preview('one'), REFUSED);
      await accepted(journal, preview('two'));
      const moved = await journal.move(aMove({ seq: 1, to: 'queued' }));
      expect(moved).toEqual({ kind: 'moved', from: 'dead', queued: null });
      expect(await ledger.history(1)).toMatchObject([
        { from: 'dead', to: 'queued', by: 'operator' },
        { from: 'queued', to: 'superseded', by: 'sluice' },
      ]);
    });
  });
}

function attempting(store: () => Harness): void {
  describe('begin and settle', () => {
    test('begin hands out the payload and what settling needs to know', async () => {
      const { journal } = store();
      await accepted(journal, { acceptedAt: 1_234.5 });
      expect(await journal.begin(1, 2_000)).toEqual({
        kind: 'begun',
        n: 1,
        body: '{"text":"hello"}',
        record: { acceptedAt: 1_234.5, failures: 0, doubts: 0, cures: [] },
      });
      expect(await journal.begin(1, 2_001)).toEqual({ kind: 'gone', state: 'sending' });
      expect(await journal.begin(99, 2_002)).toMatchObject({ kind: 'gone' });
    });

    test('sent: the answer, the attempt and the limits are kept together', async () => {
      const { journal, ledger } = store();
      const limit = { account: 'telegram:1', key: 'freeze', value: '{}', updatedAt: 3_000 };
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
        },
      ]);
      expect(await store().journal.limits()).toEqual([limit]);
      expect(await recovered(store().journal)).toEqual([]);
      await ledger.close();
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
        record: { failures: 1, doubts: 1 },
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
      expect(second).toMatchObject({ body: '{"text":"hello"}', record: { cures: ['move_chat'] } });
      await journal.settle(aSettlement({ n: 2, ...cured('plain_text', null, '{"text":"plain"}') }));
      expect(await ledger.get(1)).toMatchObject({
        chat: '-100',
        body: '{"text":"plain"}',
        cures: ['move_chat', 'plain_text'],
      });
    });

    test('a late settlement changes nothing and says so', async () => {
      const { journal, ledger } = store();
      await accepted(journal);
      expect(await journal.settle(aSettlement())).toEqual({ kind: 'stale', state: 'queued' });
      await journal.begin(1, 2_000);
      await journal.settle(aSettlement(RETRIED));
      await journal.begin(1, 9_000);
      const limits = [{ account: 'telegram:1', key: 'k', value: '1', updatedAt: 1 }];
      const late = await journal.settle(aSettlement({ n: 1, limits }));
      expect(late).toEqual({ kind: 'stale', state: 'sending' });
      expect(await journal.settle(aSettlement({ seq: 99 }))).toMatchObject({ kind: 'stale' });
      expect(await journal.limits()).toEqual([]);
      expect(await ledger.attempts(1)).toMatchObject([{ outcome: 'failed' }, { outcome: null }]);
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
          record: { acceptedAt: 1_000, failures: 0, doubts: 0, cures: [] },
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
      const recent = await journal.callsSince(2_000);
      expect(recent).toMatchObject([
        { startedAt: 2_000, endedAt: 2_200, outcome: 'limited', chat: '42' },
        { startedAt: 2_100, endedAt: null, outcome: null },
      ]);
      expect((await journal.callsSince(0))[0]).toEqual({
        account: 'telegram:1',
        chat: '42',
        user: 'u',
        family: 'send',
        gate: 'broadcast',
        live: true,
        cost: 3,
        startedAt: 1_999,
        endedAt: null,
        outcome: null,
      });
    });
  });
}

function moving(store: () => Harness): void {
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

function keeping(store: () => Harness): void {
  describe('keeping', () => {
    test('limits are replaced by key, and deleted by an empty value', async () => {
      const { journal } = store();
      const limit = { account: 'telegram:1', key: 'a', value: '1', updatedAt: 1.5 };
      await journal.saveLimits([{ ...limit, key: 'b' }, limit]);
      await journal.saveLimits([{ ...limit, value: '2' }]);
      expect(await journal.limits()).toEqual([
        { ...limit, value: '2' },
        { ...limit, key: 'b' },
      ]);
      await journal.saveLimits([{ ...limit, value: '' }]);
      expect(await journal.limits()).toEqual([{ ...limit, key: 'b' }]);
    });

    test('accounts survive', async () => {
      const account = {
        id: 'telegram:1',
        platform: 'telegram',
        sealed: 'xyz',
        paused: false,
        refused: null,
        createdAt: 1,
      };
      await store().journal.saveAccount(account);
      await store().journal.saveAccount({ ...account, paused: true, refused: 'unauthorized' });
      await store().reopen();
      expect(await store().journal.accounts()).toEqual([
        { ...account, paused: true, refused: 'unauthorized' },
      ]);
    });

    test('the tag stays with the store', async () => {
      const { tag } = store().journal;
      expect(tag).toMatch(/^[0-9a-z]{5}$/);
      await store().reopen();
      expect(store().journal.tag).toBe(tag);
    });

    test('prune takes what ended long ago, oldest first, and all that belongs to it', async () => {
      const { journal, ledger } = store();
      for (let i = 1; i <= 4; i += 1) {
        await delivered(journal, { idempotencyKey: `k${i}` }, { endedAt: 3_000 + i, result: 'r' });
      }
      await accepted(journal);
      expect(await journal.prune(3_004, 2)).toBe(2);
      expect(await journal.prune(3_004, 2)).toBe(1);
      expect(await journal.prune(3_004, 2)).toBe(0);
      expect(await ledger.getMany([1, 2, 3, 4, 5])).toMatchObject([{ seq: 4 }, { seq: 5 }]);
      expect(await ledger.attempts(1)).toEqual([]);
      expect(await journal.callsSince(0)).toHaveLength(1);
      expect(await journal.append(aDelivery({ idempotencyKey: 'k1' }), ROOM)).toMatchObject({
        kind: 'accepted',
      });
      expect(await journal.move(aMove({ seq: 1 }))).toEqual({ kind: 'unknown' });
    });

    test('a number is never given twice, whatever retention removed', async () => {
      await delivered(store().journal, {}, {});
      await delivered(store().journal, {}, {});
      expect(await store().journal.prune(9_000, 10)).toBe(2);
      await store().reopen();
      expect(await accepted(store().journal)).toBe(3);
    });

    test('a snapshot is refused where a file is', async () => {
      await store()
        .journal.snapshot('/dev/null')
        .catch(() => {});
      await expect(store().journal.snapshot('/dev/null')).rejects.toMatchObject({ code: 'exists' });
    });
  });
}
