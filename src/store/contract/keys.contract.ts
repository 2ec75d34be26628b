// What every journal must do with keys and the audit log.

import { describe, expect, test } from 'vitest';
import type { NewAuditEntry } from '../ports/audit.ts';
import { NEVER, type StoredKey } from '../ports/keys.ts';
import type { Harness } from './journal.fixture.ts';

const FIRST = { after: '', max: 100 };

function aKey(changes: Partial<StoredKey> = {}): StoredKey {
  return {
    id: 'k-1',
    kind: 'key',
    hash: `hash of ${changes.id ?? 'k-1'}`,
    name: 'ci',
    role: 'sender',
    scope: '{"chats":["-100"]}',
    active: true,
    expiresAt: NEVER,
    createdAt: 1_000.5,
    usedAt: null,
    ...changes,
  };
}

function anEntry(changes: Partial<NewAuditEntry> = {}): NewAuditEntry {
  return {
    at: 1_000,
    by: 'admin',
    key: null,
    action: 'POST /v1/accounts/:id/pause',
    target: 'telegram:42',
    result: '200',
    ...changes,
  };
}

export function keys(store: () => Harness): void {
  describe('keys', () => {
    const all = () => store().journal.keys;

    test('are found as they were saved last, also after a restart', async () => {
      await all().save(aKey());
      const revoked = aKey({ active: false, expiresAt: 5_000.25, usedAt: 4_000 });
      await all().save(revoked);
      await store().reopen();
      expect(await all().page(FIRST)).toEqual([revoked]);
    });

    test('are over for good, whatever is saved by who has not heard of it', async () => {
      const revoked = aKey({ active: false, expiresAt: 5_000 });
      await all().save(aKey());
      await all().save(revoked);
      await all().save(aKey({ expiresAt: 9_000 }));
      expect(await all().page(FIRST)).toEqual([revoked]);
      await all().save(aKey({ id: 'k-2', expiresAt: 5_000 }));
      await all().save(aKey({ id: 'k-2', expiresAt: 9_000 }));
      await all().save(aKey({ id: 'k-2', expiresAt: 4_000 }));
      expect((await all().page(FIRST))[1]).toMatchObject({ id: 'k-2', expiresAt: 4_000 });
    });

    test('come page by page, in order of id', async () => {
      const ids = ['k-3', 'k-1', 'k-4', 'k-2'];
      for (const id of ids) await all().save(aKey({ id, kind: 'virtual', role: 'admin' }));
      const page = async (after: string, max: number) =>
        (await all().page({ after, max })).map(({ id }) => id);
      expect(await page('', 3)).toEqual(['k-1', 'k-2', 'k-3']);
      expect(await page('k-3', 3)).toEqual(['k-4']);
      expect((await all().page({ after: 'k-3', max: 1 }))[0]).toMatchObject({ kind: 'virtual' });
    });

    test('remember when they were used last', async () => {
      await all().save(aKey());
      await all().save(aKey({ id: 'k-2' }));
      const uses = [
        { id: 'k-2', at: 7_000.5 },
        { id: 'k-9', at: 8_000 },
      ];
      await all().used(uses);
      await all().used([]);
      const used = (await all().page(FIRST)).map(({ id, usedAt }) => [id, usedAt]);
      expect(used).toEqual([
        ['k-1', null],
        ['k-2', 7_000.5],
      ]);
    });

    test('are forgotten when they are long over, oldest first', async () => {
      for (const [i, id] of ['k-3', 'k-1', 'k-2'].entries()) {
        await all().save(aKey({ id, expiresAt: 1_000 + i }));
      }
      await all().save(aKey({ id: 'k-0' }));
      expect(await all().prune({ endedBefore: 1_002, max: 1 })).toBe(1);
      expect((await all().page(FIRST)).map(({ id }) => id)).toEqual(['k-0', 'k-1', 'k-2']);
      expect(await all().prune({ endedBefore: 1_002, max: 9 })).toBe(1);
      expect(await all().prune({ endedBefore: 1_002, max: 9 })).toBe(0);
      expect((await all().page(FIRST)).map(({ id }) => id)).toEqual(['k-0', 'k-2']);
    });
  });

  describe('the audit log', () => {
    const log = () => store().journal.audit;

    test('is read backwards, page by page, also after a restart', async () => {
      for (const target of ['a', 'b', 'c']) await log().note(anEntry({ target }));
      await store().reopen();
      const newest = await log().page({ before: null, max: 2 });
      expect(newest.map(({ target }) => target)).toEqual(['c', 'b']);
      const rest = await log().page({ before: newest[1]!.n, max: 2 });
      expect(rest).toEqual([{ ...anEntry({ target: 'a' }), n: rest[0]!.n }]);
    });

    test('forgets the oldest, and gives no number twice', async () => {
      for (const at of [1_000, 1_001, 1_002]) await log().note(anEntry({ at }));
      const { n } = (await log().page({ before: null, max: 1 }))[0]!;
      expect(await log().prune({ endedBefore: 1_002, max: 1 })).toBe(1);
      expect(await log().prune({ endedBefore: 2_000, max: 9 })).toBe(2);
      await log().note(anEntry({ at: 3_000, key: 'k-1' }));
      expect(await log().page({ before: null, max: 9 })).toEqual([
        { ...anEntry({ at: 3_000, key: 'k-1' }), n: n + 1 },
      ]);
    });
  });
}
