// What a platform tells of messages after it has taken them: late, in any order, more than once.

import { describe, expect, test } from 'vitest';
import type { ReceiptCommand, ReceiptStatus } from '../ports/delivery.ts';
import { accepted, delivered, type Harness } from './journal.fixture.ts';

const receipt = (status: ReceiptStatus, change: Partial<ReceiptCommand> = {}): ReceiptCommand => ({
  ...{ seq: 1, status, messageId: 'wamid.1', at: 9_000, result: null },
  ...{ reason: status === 'failed' ? 'undeliverable' : null, detail: null },
  ...change,
});

const SENT = { messageId: 'wamid.1', result: '{"id":"wamid.1"}' };
const LOST = { outcome: 'uncertain', to: 'uncertain', doubted: true, messageId: null } as const;

const ORDERS: readonly ReceiptStatus[][] = [
  ['sent', 'delivered', 'read'],
  ['read', 'delivered', 'sent'],
  ['delivered', 'failed', 'read', 'delivered'],
  ['failed', 'sent', 'read'],
  ['failed', 'failed', 'delivered', 'read', 'failed'],
];

export function receipts(store: () => Harness): void {
  describe('receipt', () => {
    test.each(ORDERS)('%s, %s, %s … end in a message that was read', async (...order) => {
      const { journal, ledger } = store();
      await delivered(journal, {}, SENT);
      for (const status of order) await journal.receipt(receipt(status));
      expect(await ledger.get(1)).toMatchObject({ state: 'sent', reason: null, ...SENT });
      const told = (await ledger.history(1)).map(({ reason }) => reason);
      expect(told.at(-1)).toBe('read');
      expect(new Set(told).size).toBe(told.length);
    });

    test('what failed after it was sent is dead with its reason, and can be brought back', async () => {
      const { journal, ledger } = store();
      await delivered(journal, {}, SENT);
      const failed = receipt('failed', { detail: 'no such user' });
      expect(await journal.receipt(failed)).toMatchObject({
        kind: 'moved',
        from: 'sent',
        to: 'dead',
      });
      expect(await journal.receipt(failed)).toEqual({ kind: 'ignored', state: 'dead' });
      expect(await journal.receipt(receipt('sent'))).toEqual({ kind: 'ignored', state: 'dead' });
      expect(await ledger.get(1)).toMatchObject({
        ...{ state: 'dead', reason: 'undeliverable', detail: 'no such user', settledAt: 9_000 },
      });
      expect(await ledger.history(1)).toMatchObject([
        { from: 'sent', to: 'dead', reason: 'failed', by: 'platform' },
      ]);
      expect(await ledger.countByState()).toMatchObject([{ state: 'dead', count: 1 }]);
    });

    test('what is in doubt is sent, with the answer that was lost', async () => {
      const { journal, ledger } = store();
      await delivered(journal, {}, LOST);
      const result = '{"id":"wamid.1"}';
      const effect = await journal.receipt(receipt('delivered', { result }));
      expect(effect).toMatchObject({ kind: 'moved', from: 'uncertain', to: 'sent' });
      expect(await ledger.get(1)).toMatchObject({ state: 'sent', ...SENT });
    });

    test('what waits to be sent again because of a doubt is not sent again', async () => {
      const { journal, ledger } = store();
      await delivered(journal, {}, { ...LOST, to: 'queued', dueAt: 40_000 });
      expect(await journal.receipt(receipt('failed'))).toEqual({
        kind: 'ignored',
        state: 'queued',
      });
      expect(await journal.receipt(receipt('sent'))).toMatchObject({
        ...{ kind: 'moved', from: 'queued', to: 'sent', queued: { seq: 1 } },
      });
      expect(await journal.begin(1, 50_000)).toEqual({ kind: 'gone', state: 'sent' });
      expect(await ledger.countByState()).toMatchObject([{ state: 'sent', count: 1 }]);
    });

    test('nothing is told of another message, of one that waits, or of nobody’s', async () => {
      const { journal } = store();
      await delivered(journal, {}, SENT);
      await accepted(journal);
      const other = receipt('failed', { messageId: 'wamid.of-an-earlier-try' });
      expect(await journal.receipt(other)).toEqual({ kind: 'ignored', state: 'sent' });
      expect(await journal.receipt(receipt('read', { seq: 2 }))).toEqual({
        ...{ kind: 'ignored', state: 'queued' },
      });
      expect(await journal.receipt(receipt('read', { seq: 7 }))).toEqual({ kind: 'unknown' });
      await journal.begin(2, 3_000);
      expect(await journal.receipt(receipt('read', { seq: 2 }))).toEqual({ kind: 'in_flight' });
    });
  });
}
