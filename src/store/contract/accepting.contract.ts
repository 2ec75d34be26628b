// What every journal must do when it accepts: numbers, bounds, idempotency keys, slots.

import { describe, expect, test } from 'vitest';
import { type Delivery, type NewDelivery, WITHDRAWN } from '../../domain/delivery.ts';
import { ownKey } from '../../domain/idempotency.ts';
import type { Appended } from '../ports/delivery.ts';
import { IDEMPOTENCY_MS } from '../rules.ts';
import {
  accepted,
  aDelivery,
  aMove,
  aSettlement,
  delivered,
  type Harness,
  REFUSED,
  RETRIED,
  ROOM,
  recovered,
} from './journal.fixture.ts';

export function appending(store: () => Harness): void {
  describe('append', () => {
    test('begins a plain message in the same commit when asked, and nothing else', async () => {
      const harness = store();
      const beginAt = 2_000;
      const order: unknown[] = [];
      const written = (appended: Appended) => order.push(['written', appended]);
      const plain = await harness.journal.append(aDelivery(), { ...ROOM, beginAt }, written);
      order.push('durable');
      expect(plain).toMatchObject({ kind: 'accepted', begun: true, queued: { seq: 1 } });
      expect(order).toEqual([['written', plain], 'durable']);
      const wished = await harness.journal.append(aDelivery({ slot: 's' }), { ...ROOM, beginAt });
      expect(wished).not.toHaveProperty('begun');
      expect(await harness.ledger.get(1)).toMatchObject({ state: 'sending', attempts: 1 });
      expect(await harness.ledger.attempts(1)).toMatchObject([{ n: 1, startedAt: beginAt }]);
      const full = await harness.journal.append(aDelivery(), { queueMax: 2, beginAt });
      expect(full).toEqual({ kind: 'full', waiting: 2, queueMax: 2 });
      await harness.reopen();
      expect(await recovered(harness.journal)).toMatchObject([
        { kind: 'sending', n: 1, queued: { seq: 1 } },
        { kind: 'queued', queued: { seq: 2 } },
      ]);
      const settled = await harness.journal.settle(aSettlement({ seq: 1 }));
      expect(settled).toMatchObject({ kind: 'settled', state: 'sent' });
    });

    test('numbers deliveries in order and tells the scheduler all it needs', async () => {
      const { journal } = store();
      const delivery = aDelivery({
        session: 'abc',
        correlation: 'c',
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
          correlation: 'c',
          method: 'sendMessage',
          family: 'send',
          budget: 'broadcast',
          priority: 'high',
          cost: 1,
          live: true,
          final: false,
          slot: null,
          enterAt: 1_000,
          rank: 1,
          dueAt: 0,
          expiresAt: 5_000,
          bytes: 16,
        },
      });
      expect(await accepted(journal)).toBe(2);
    });

    test('a crowd that comes at once is numbered in its order, each with its own, whatever is among it', async () => {
      const { journal, ledger } = store();
      const given = Array.from({ length: 30 }, (_, i) => ({
        ...{ chat: `${i}`, body: `{"text":"${i}"}`, acceptedAt: 1_000 + i },
        ...(i === 11 && { slot: 's' }),
      }));
      const appended = await Promise.all(
        given.map((changes, i) =>
          journal.append(aDelivery(changes), i === 5 ? { ...ROOM, beginAt: 2_000 } : ROOM),
        ),
      );
      expect(appended).toMatchObject(given.map((_, i) => ({ queued: { seq: i + 1 } })));
      const known = await Promise.all(given.map((_, i) => ledger.get(i + 1)));
      expect(known).toMatchObject(
        given.map((changes, i) => ({
          ...changes,
          ...{ enterAt: 1_000 + i, rank: i + 1, state: i === 5 ? 'sending' : 'queued' },
        })),
      );
    });

    test('each of a crowd keeps what it does not share with the one before it', async () => {
      const { journal, ledger } = store();
      const changes: Partial<NewDelivery>[] = [
        { account: 'telegram:2' },
        { account: 'terminal:1', platform: 'terminal' },
        { method: 'sendPhoto' },
        { family: 'edit' },
        { budget: 'reply' },
        { priority: 'low' },
        { chat: '77', body: '{"text":"other"}', acceptedAt: 1_234 },
        { session: 'abc' },
      ];
      const given = changes
        .flatMap((change) => [{}, {}, change, change])
        .map((change) => aDelivery(change));
      await Promise.all(given.map((delivery) => journal.append(delivery, ROOM)));
      const known = await Promise.all(given.map((_, i) => ledger.get(i + 1)));
      const told = ({
        account,
        platform,
        chat,
        method,
        family,
        budget,
        priority,
        ...rest
      }: NewDelivery | Delivery) => {
        const { session, acceptedAt, body } = rest;
        const call = { account, platform, chat, method, family, budget, priority };
        return { ...call, session, acceptedAt, body };
      };
      expect(known.map((each) => told(each!))).toEqual(given.map(told));
    });

    test('a bound that is smaller than of the one before it is kept', async () => {
      const { journal } = store();
      const bounds = [ROOM, ROOM, { queueMax: 2 }, ROOM, { queueMax: 3 }];
      const answers = await Promise.all(bounds.map((each) => journal.append(aDelivery(), each)));
      const kinds = ['accepted', 'accepted', 'full', 'accepted', 'full'];
      expect(answers.map(({ kind }) => kind)).toEqual(kinds);
    });

    test('what follows in the same breath finds what was accepted before it', async () => {
      const { journal } = store();
      const [, , moved] = await Promise.all([
        journal.append(aDelivery(), ROOM),
        journal.append(aDelivery(), ROOM),
        journal.move(aMove({ seq: 1 })),
      ]);
      expect(moved).toMatchObject({ kind: 'moved' });
    });

    test('a scheduled delivery enters the order at its time', async () => {
      const appended = await store().journal.append(aDelivery({ notBefore: 7_000.5 }), ROOM);
      expect(appended).toMatchObject({ queued: { enterAt: 7_000.5, dueAt: 7_000.5 } });
    });

    test('the key of what was withdrawn is free again; of what was cancelled it is not', async () => {
      const { journal } = store();
      const keyed = aDelivery({ idempotencyKey: 'k' });
      await journal.append(keyed, ROOM);
      await journal.move(aMove({ reason: WITHDRAWN }));
      expect(await journal.append(keyed, ROOM)).toMatchObject({ kind: 'accepted' });
      await journal.move(aMove({ seq: 2 }));
      const repeated = { kind: 'repeated', seq: 2, state: 'cancelled' };
      expect(await journal.append(keyed, ROOM)).toEqual(repeated);
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

    test('a key of one holder is not that of another, and one of before holders is everybody’s', async () => {
      const { journal } = store();
      const keyed = (holder: string, body: string, key = 'k') =>
        aDelivery({ idempotencyKey: ownKey(holder, key), body });
      expect(await accepted(journal, keyed('one', '1'))).toBe(1);
      expect(await accepted(journal, keyed('two', '2'))).toBe(2);
      const repeated = { kind: 'repeated', seq: 1, state: 'queued' };
      expect(await journal.append(keyed('one', '1'), ROOM)).toEqual(repeated);
      expect(await journal.append(keyed('one', '2'), ROOM)).toEqual({ kind: 'conflict', seq: 1 });
      // Nobody gets at another's key by spelling it out.
      expect(await accepted(journal, keyed('three', '1', ownKey('one', 'k')))).toBe(3);
      // As a store of before has it.
      expect(await accepted(journal, aDelivery({ idempotencyKey: 'old', body: '4' }))).toBe(4);
      await store().reopen();
      for (const holder of ['one', 'two']) {
        const again = await store().journal.append(keyed(holder, '4', 'old'), ROOM);
        expect(again).toEqual({ ...repeated, seq: 4 });
      }
      const late = {
        ...keyed('one', '4', 'old'),
        acceptedAt: aDelivery().acceptedAt + IDEMPOTENCY_MS,
      };
      expect(await accepted(store().journal, late)).toBe(5);
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

export function slots(store: () => Harness): void {
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

    test('a newer text for later does not wait in that place', async () => {
      const { journal } = store();
      await accepted(journal, preview('one'));
      const enters = async (changes: Partial<NewDelivery>) => {
        const appended = await journal.append({ ...preview('next'), ...changes }, ROOM);
        if (appended.kind !== 'accepted') throw new Error(appended.kind);
        const { enterAt, rank } = appended.queued;
        expect(await recovered(journal)).toMatchObject([{ queued: { enterAt, rank } }]);
        return [enterAt, rank];
      };
      expect(await enters({ notBefore: 7_000 })).toEqual([7_000, 1]);
      expect(await enters({ notBefore: 9_000 })).toEqual([9_000, 1]);
      // While the time of the one it replaces has not come, that one has no place either.
      expect(await enters({ acceptedAt: 3_000, notBefore: 5_000 })).toEqual([5_000, 1]);
      expect(await enters({ acceptedAt: 4_000, final: true })).toEqual([4_000, 1]);
      expect(await enters({ acceptedAt: 6_000, final: true })).toEqual([4_000, 1]);
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
