// What every journal must do with what comes in.

import { describe, expect, test } from 'vitest';
import type { AccountId } from '../../domain/ids.ts';
import type { NewIncoming } from '../ports/updates.ts';
import type { Harness } from './journal.fixture.ts';

const FIRST = { afterAccount: '', afterUpdateId: 0, max: 100 };

function anUpdate(changes: Partial<NewIncoming> = {}): NewIncoming {
  return {
    account: 'telegram:1',
    updateId: 7,
    at: 1_000,
    chat: '42',
    messageId: '5',
    voice: 'wrote',
    state: 'waiting',
    body: '{"update_id":7}',
    ...changes,
  };
}

export function incoming(store: () => Harness): void {
  describe('incoming', () => {
    const all = () => store().journal.incoming;
    const ids = async (account: AccountId = 'telegram:1') =>
      (await all().read({ account, from: 0, max: 100 })).map(({ updateId }) => updateId);

    test('is recorded once per account and update id, whatever comes after', async () => {
      const other = anUpdate({ account: 'telegram:2' });
      const again = anUpdate({ at: 2_000, body: 'changed' });
      expect(await all().record([anUpdate(), again, other])).toEqual([true, false, true]);
      await all().done({ account: 'telegram:1', from: 7, before: 8 });
      await store().reopen();
      expect(await all().record([again])).toEqual([false]);
      expect(await ids()).toEqual([]);
      expect(await ids('telegram:2')).toEqual([7]);
    });

    test('one that was only seen may still wait; one that waits is not unmade', async () => {
      const seen = anUpdate({ state: 'seen', body: '' });
      expect(await all().record([seen, seen])).toEqual([true, false]);
      expect(await ids()).toEqual([]);
      expect(await all().record([anUpdate({ at: 9_000 }), seen])).toEqual([true, false]);
      expect(await all().read({ account: 'telegram:1', from: 0, max: 1 })).toEqual([
        { updateId: 7, at: 1_000, body: '{"update_id":7}' },
      ]);
    });

    test('waits in the order of its ids, page by page, across a restart', async () => {
      const batch = [9, 3, 5].map((updateId) => anUpdate({ updateId, at: 1_000 + updateId }));
      await all().record([...batch, anUpdate({ account: 'telegram:0', chat: null })]);
      await store().reopen();
      const page = await all().waiting({ ...FIRST, max: 2 });
      expect(page).toMatchObject([{ account: 'telegram:0', chat: null }, { updateId: 3 }]);
      const rest = { afterAccount: 'telegram:1', afterUpdateId: 3, max: 2 };
      expect(await all().waiting(rest)).toEqual([
        { account: 'telegram:1', updateId: 5, chat: '42', at: 1_005, attempts: 0, dueAt: 0 },
        { account: 'telegram:1', updateId: 9, chat: '42', at: 1_009, attempts: 0, dueAt: 0 },
      ]);
      expect(await all().read({ account: 'telegram:1', from: 4, max: 1 })).toMatchObject([
        { updateId: 5 },
      ]);
    });

    test('is done up to an id, and what is done stays done', async () => {
      await all().record([1, 2, 3, 4].map((updateId) => anUpdate({ updateId })));
      expect(await all().done({ account: 'telegram:1', from: 2, before: 4 })).toBe(2);
      expect(await all().done({ account: 'telegram:1', from: 2, before: 4 })).toBe(0);
      expect(await ids()).toEqual([1, 4]);
    });

    test('remembers a try that failed', async () => {
      await all().record([anUpdate()]);
      const retry = { account: 'telegram:1', updateId: 7, attempts: 3, dueAt: 4_000.5 } as const;
      await all().retry(retry);
      await store().reopen();
      expect(await all().waiting(FIRST)).toMatchObject([{ attempts: 3, dueAt: 4_000.5 }]);
      await all().done({ account: 'telegram:1', from: 7, before: 8 });
      await all().retry(retry);
      expect(await all().waiting(FIRST)).toEqual([]);
    });

    test('tells who wrote since, the newest of too many', async () => {
      const batch = [1, 2, 3].map((updateId) => anUpdate({ updateId, at: 1_000 * updateId }));
      await all().record([...batch, anUpdate({ updateId: 4, at: 4_000, voice: 'addressed' })]);
      const seen = { chat: '42', messageId: '5', voice: 'wrote' };
      const query = { account: 'telegram:1' as const, since: 2_000, max: 2 };
      expect(await all().since({ ...query, max: 9 })).toHaveLength(3);
      expect(await all().since(query)).toEqual([
        { ...seen, at: 3_000 },
        { ...seen, at: 4_000, voice: 'addressed' },
      ]);
      expect(await all().since({ ...query, account: 'telegram:2' })).toEqual([]);
    });

    test('is forgotten oldest first, and says what nobody took', async () => {
      await all().record([1, 2, 3].map((updateId) => anUpdate({ updateId, at: updateId })));
      await all().done({ account: 'telegram:1', from: 1, before: 2 });
      const command = { before: 3, max: 1 };
      expect(await all().prune(command)).toEqual({ removed: 1, untaken: [] });
      expect(await all().prune(command)).toEqual({ removed: 1, untaken: ['telegram:1'] });
      expect(await all().prune(command)).toEqual({ removed: 0, untaken: [] });
      expect(await ids()).toEqual([3]);
      expect(await all().record([anUpdate({ updateId: 1 })])).toEqual([true]);
    });
  });
}
