// What every journal must do with the sessions of the page.

import { describe, expect, test } from 'vitest';
import type { StoredSession } from '../ports/sessions.ts';
import type { Harness } from './journal.fixture.ts';

function aSession(changes: Partial<StoredSession> = {}): StoredSession {
  return { hash: 'h-1', key: 'k-1', proof: 'p', expiresAt: 2_000.5, ...changes };
}

export function sessions(store: () => Harness): void {
  describe('sessions', () => {
    const all = () => store().journal.sessions;

    test('outlive a restart, the oldest first, until they are removed', async () => {
      const [first, admin, last] = [
        aSession({ hash: 'h-3', expiresAt: 1_000 }),
        aSession({ key: null }),
        aSession({ hash: 'h-2', expiresAt: 3_000 }),
      ];
      for (const one of [last, first, admin]) await all().save(one);
      await store().reopen();
      expect(await all().open(0)).toEqual([first, admin, last]);
      await all().remove('h-1');
      await all().remove('h-9');
      expect(await all().open(0)).toEqual([first, last]);
    });

    test('that are over are forgotten', async () => {
      for (const n of [1, 2, 3]) await all().save(aSession({ hash: `h-${n}`, expiresAt: n }));
      expect(await all().prune({ endedBefore: 3 })).toBe(2);
      expect(await all().open(0)).toMatchObject([{ hash: 'h-3' }]);
      expect(await all().open(3)).toEqual([]);
    });
  });
}
