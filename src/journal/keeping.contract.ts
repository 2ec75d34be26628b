// What every journal must keep, and how it forgets.

import { describe, expect, test } from 'vitest';
import { accepted, aDelivery, aMove, delivered, type Harness, ROOM } from './journal.fixture.ts';

export function keeping(store: () => Harness): void {
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
