// What every journal must do with what comes in.

import { describe, expect, test } from 'vitest';
import type { AccountId } from '../../domain/ids.ts';
import type { NewIncoming } from '../ports/updates.ts';
import type { Harness } from './journal.fixture.ts';

const BEFORE_ALL = { order: 0, updateId: '' };
const FIRST = { afterAccount: '', after: BEFORE_ALL, max: 100 };
const SEVEN = { account: 'telegram:1', updateId: '7' } as const;

function anUpdate(changes: Partial<NewIncoming> = {}): NewIncoming {
  return {
    ...SEVEN,
    order: 7,
    at: 1_000,
    chat: '42',
    messageId: '5',
    voice: 'wrote',
    state: 'waiting',
    body: '{"update_id":7}',
    ...changes,
  };
}

function numbered(order: number, changes: Partial<NewIncoming> = {}): NewIncoming {
  return anUpdate({ updateId: String(order), order, ...changes });
}

export function incoming(store: () => Harness): void {
  describe('incoming', () => {
    const all = () => store().journal.incoming;
    const ids = async (account: AccountId = 'telegram:1') =>
      (await all().read({ account, after: BEFORE_ALL, max: 100 })).map(({ updateId }) => updateId);

    test('is recorded once per account and update id, whatever comes after', async () => {
      const other = anUpdate({ account: 'telegram:2' });
      const again = anUpdate({ at: 2_000, body: 'changed' });
      expect(await all().record([anUpdate(), again, other])).toEqual([true, false, true]);
      await all().done(SEVEN);
      await store().reopen();
      expect(await all().record([again])).toEqual([false]);
      expect(await ids()).toEqual([]);
      expect(await ids('telegram:2')).toEqual(['7']);
    });

    test('one that was only seen may still wait; one that waits is not unmade', async () => {
      const seen = anUpdate({ state: 'seen', body: '' });
      expect(await all().record([seen, seen])).toEqual([true, false]);
      expect(await ids()).toEqual([]);
      expect(await all().record([anUpdate({ at: 9_000 }), seen])).toEqual([true, false]);
      const one = { account: 'telegram:1', after: BEFORE_ALL, max: 1 } as const;
      expect(await all().read(one)).toEqual([
        { order: 7, updateId: '7', at: 1_000, body: '{"update_id":7}' },
      ]);
    });

    test('waits in its order, page by page, across a restart', async () => {
      const batch = [10, 3, 5].map((order) => numbered(order, { at: 1_000 + order }));
      await all().record([...batch, anUpdate({ account: 'telegram:0', chat: null })]);
      await store().reopen();
      const page = await all().waiting({ ...FIRST, max: 2 });
      expect(page).toMatchObject([{ account: 'telegram:0', chat: null }, { updateId: '3' }]);
      const rest = { afterAccount: 'telegram:1', after: page[1]!, max: 2 };
      const alike = { account: 'telegram:1', chat: '42', attempts: 0, dueAt: 0 };
      expect(await all().waiting(rest)).toEqual([
        { ...alike, order: 5, updateId: '5', at: 1_005 },
        { ...alike, order: 10, updateId: '10', at: 1_010 },
      ]);
      const from4 = { account: 'telegram:1', after: { order: 4, updateId: '' }, max: 1 } as const;
      expect(await all().read(from4)).toMatchObject([{ updateId: '5' }]);
    });

    test('is known by its id, also among those of the same order', async () => {
      const batch = ['Ev9', 'Ev10', 'Ev1'].map((updateId) =>
        anUpdate({ updateId, order: 5, body: updateId }),
      );
      expect(await all().record([...batch, anUpdate({ updateId: '5', order: 6 })])).toEqual(
        Array(4).fill(true),
      );
      expect(await ids()).toEqual(['Ev1', 'Ev10', 'Ev9', '5']);
      const told: string[] = [];
      for (let after = BEFORE_ALL; ; ) {
        const [next] = await all().waiting({ afterAccount: 'telegram:1', after, max: 1 });
        if (next === undefined) break;
        const [read] = await all().read({ account: 'telegram:1', after, max: 1 });
        expect(read).toMatchObject({ order: next.order, updateId: next.updateId });
        told.push(next.updateId);
        after = next;
      }
      expect(told).toEqual(['Ev1', 'Ev10', 'Ev9', '5']);
      const one = { account: 'telegram:1', updateId: 'Ev10' } as const;
      expect(await all().body(one)).toBe('Ev10');
      await all().done(one);
      expect(await all().body(one)).toBeNull();
      expect(await ids()).toEqual(['Ev1', 'Ev9', '5']);
    });

    test('is done one by one or before an order, and what is done stays done', async () => {
      await all().record([1, 2, 3, 4].map((order) => numbered(order)));
      const before3 = { account: 'telegram:1', order: 3 } as const;
      await all().done({ ...SEVEN, updateId: '1' });
      await all().done({ ...SEVEN, account: 'telegram:2', updateId: '2' });
      expect(await ids()).toEqual(['2', '3', '4']);
      expect(await all().doneBefore(before3)).toBe(1);
      expect(await all().doneBefore(before3)).toBe(0);
      expect(await ids()).toEqual(['3', '4']);
    });

    test('remembers a try that failed', async () => {
      await all().record([anUpdate()]);
      const retry = { ...SEVEN, attempts: 3, dueAt: 4_000.5 };
      await all().retry(retry);
      await store().reopen();
      expect(await all().waiting(FIRST)).toMatchObject([{ attempts: 3, dueAt: 4_000.5 }]);
      await all().done(SEVEN);
      await all().retry(retry);
      expect(await all().waiting(FIRST)).toEqual([]);
    });

    test('tells who wrote since, the newest of too many', async () => {
      const batch = [1, 2, 3].map((order) => numbered(order, { at: 1_000 * order }));
      await all().record([...batch, numbered(4, { at: 4_000, voice: 'addressed' })]);
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
      await all().record([1, 2, 3].map((order) => numbered(order, { at: order })));
      await all().done({ ...SEVEN, updateId: '1' });
      const command = { before: 3, max: 1 };
      expect(await all().prune(command)).toEqual({ removed: 1, untaken: [] });
      expect(await all().prune(command)).toEqual({ removed: 1, untaken: ['telegram:1'] });
      expect(await all().prune(command)).toEqual({ removed: 0, untaken: [] });
      expect(await ids()).toEqual(['3']);
      expect(await all().record([numbered(1)])).toEqual([true]);
    });
  });
}
