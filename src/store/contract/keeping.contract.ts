// What every journal must keep, and how it forgets.

import { describe, expect, test } from 'vitest';
import type { StoredAccount } from '../ports/accounts.ts';
import {
  accepted,
  aDelivery,
  aMove,
  delivered,
  type Harness,
  REFUSED,
  ROOM,
} from './journal.fixture.ts';

export function keeping(store: () => Harness): void {
  describe('keeping', () => {
    test('limits are replaced by key, and deleted by an empty value', async () => {
      const { journal } = store();
      const limit = { account: 'telegram:1' as const, key: 'a', value: '1', updatedAt: 1.5 };
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
      const account: StoredAccount = {
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

    test('an account that was removed is gone, and no other is', async () => {
      const { journal } = store();
      const rest = {
        platform: 'telegram',
        sealed: 'x',
        paused: false,
        refused: null,
        createdAt: 1,
      };
      await journal.saveAccount({ id: 'telegram:1', ...rest });
      await journal.saveAccount({ id: 'telegram:2', ...rest });
      await journal.removeAccount('telegram:1');
      await journal.removeAccount('telegram:9');
      await store().reopen();
      expect(await store().journal.accounts()).toEqual([{ id: 'telegram:2', ...rest }]);
    });

    test('times follow a clock that was set: calls of late, retries, expiries, not what is scheduled', async () => {
      const { journal } = store();
      expect(await journal.lastCallAt()).toBe(0);
      const retried = { to: 'queued', outcome: 'failed', reason: 'no', failed: true } as const;
      await delivered(journal, { acceptedAt: 100 }, { endedAt: 1_000, dueAt: 0 }, 900);
      const tried = await delivered(
        journal,
        { acceptedAt: 5_000, expiresAt: 90_000 },
        { ...retried, endedAt: 6_000, dueAt: 7_000 },
        5_500,
      );
      const scheduled = await accepted(journal, {
        acceptedAt: 5_000,
        notBefore: 8_000,
        expiresAt: 9_000,
      });
      const waiting = await accepted(journal, { acceptedAt: 6_500 });
      expect(await journal.lastCallAt()).toBe(6_000);
      const limit = { account: 'p:a' as const, key: 'k', value: '1', updatedAt: 1 };
      const shift = { now: 106_400, limits: [limit] };
      await journal.shiftTimes({
        ...shift,
        calls: { since: 2_000, byMs: 100_000 },
        waiting: { byMs: 100_000, dueAtMax: Number.MAX_SAFE_INTEGER },
      });
      await store().reopen();
      const times = async () =>
        (await store().ledger.getMany([tried, scheduled, waiting])).map(
          ({ dueAt, enterAt, expiresAt }) => [dueAt, enterAt, expiresAt],
        );
      expect(await times()).toEqual([
        [107_000, 105_000, 190_000],
        [8_000, 8_000, 109_000],
        [0, 106_400, 0],
      ]);
      const calls = (await store().journal.callsSince(0)).map(({ startedAt, endedAt }) => [
        startedAt,
        endedAt,
      ]);
      expect(calls).toEqual([
        [900, 1_000],
        [105_500, 106_000],
      ]);
      expect(await store().journal.limits()).toEqual([limit]);
      // No retry later than its bound.
      await store().journal.shiftTimes({
        ...shift,
        calls: { since: Number.MAX_SAFE_INTEGER, byMs: 5 },
        waiting: { byMs: 0, dueAtMax: 106_500 },
      });
      expect(await times()).toEqual([
        [106_500, 105_000, 190_000],
        [8_000, 8_000, 109_000],
        [0, 106_400, 0],
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
      const command = { endedBefore: 3_004, deadBefore: 0, max: 2 };
      expect(await journal.prune(command)).toBe(2);
      expect(await journal.prune(command)).toBe(1);
      expect(await journal.prune(command)).toBe(0);
      expect(await ledger.getMany([1, 2, 3, 4, 5])).toMatchObject([{ seq: 4 }, { seq: 5 }]);
      expect(await ledger.attempts(1)).toEqual([]);
      expect(await journal.callsSince(0)).toHaveLength(1);
      expect(await journal.append(aDelivery({ idempotencyKey: 'k1' }), ROOM)).toMatchObject({
        kind: 'accepted',
      });
      expect(await journal.move(aMove({ seq: 1 }))).toEqual({ kind: 'unknown' });
    });

    test('dead and uncertain letters have an age of their own', async () => {
      const { journal, ledger } = store();
      const doubt = { outcome: 'uncertain', to: 'uncertain', reason: 'timeout' } as const;
      await delivered(journal, {}, { ...REFUSED, endedAt: 3_001 });
      await delivered(journal, {}, { endedAt: 3_002 });
      await delivered(journal, {}, { ...doubt, endedAt: 3_003 });
      await journal.move(aMove({ seq: await accepted(journal), at: 3_004 }));
      const states = async () => (await ledger.getMany([1, 2, 3, 4])).map(({ state }) => state);

      expect(await journal.prune({ endedBefore: 9_000, deadBefore: 3_001, max: 9 })).toBe(2);
      expect(await states()).toEqual(['dead', 'uncertain']);
      expect(await journal.prune({ endedBefore: 9_000, deadBefore: 3_002, max: 9 })).toBe(1);
      expect(await states()).toEqual(['uncertain']);
      // One brought back by hand is not old any more.
      await journal.move(aMove({ seq: 3, to: 'queued', at: 9_000 }));
      expect(await journal.prune({ endedBefore: 9_999, deadBefore: 9_999, max: 9 })).toBe(0);
    });

    test('one step takes no more than it may, of both together', async () => {
      const { journal, ledger } = store();
      await delivered(journal, {}, { ...REFUSED, endedAt: 3_001 });
      await delivered(journal, {}, { ...REFUSED, endedAt: 3_002 });
      await delivered(journal, {}, { endedAt: 3_003 });
      const command = { endedBefore: 9_000, deadBefore: 9_000, max: 2 };
      expect(await journal.prune(command)).toBe(2);
      expect(await ledger.getMany([1, 2, 3])).toMatchObject([{ seq: 2 }]);
      expect(await journal.prune(command)).toBe(1);
    });

    test('files are in use while their delivery may still go', async () => {
      const { journal } = store();
      const doubt = { outcome: 'uncertain', to: 'uncertain', reason: 'timeout' } as const;
      await accepted(journal, { files: ['q', 'both'] });
      await delivered(journal, { files: ['dead', 'both'] }, REFUSED);
      await delivered(journal, { files: ['doubt'] }, doubt);
      await delivered(journal, { files: ['sent', 'both'] }, {});
      await accepted(journal, { files: ['slot'], slot: 'x' });
      await accepted(journal, { slot: 'x' });
      await journal.begin(await accepted(journal, { files: ['inFlight', 'inFlight'] }), 2_000);
      await store().reopen();
      const inUse = () => store().journal.filesInUse();
      expect(await inUse()).toEqual(['both', 'dead', 'doubt', 'inFlight', 'q']);
      await store().journal.move(aMove({ seq: 1 }));
      await store().journal.prune({ endedBefore: 0, deadBefore: 9_000, max: 1 });
      expect(await inUse()).toEqual(['doubt', 'inFlight']);
      await store().journal.move(aMove({ seq: 3, to: 'queued' }));
      expect(await inUse()).toEqual(['doubt', 'inFlight']);
    });

    test('a number is never given twice, whatever retention removed', async () => {
      await delivered(store().journal, {}, {});
      await delivered(store().journal, {}, {});
      const command = { endedBefore: 9_000, deadBefore: 9_000, max: 10 };
      expect(await store().journal.prune(command)).toBe(2);
      await store().reopen();
      expect(await accepted(store().journal)).toBe(3);
    });
  });
}
