// What every journal must do with the sums of minutes.

import { describe, expect, test } from 'vitest';
import { ALL_ACCOUNTS, type MinuteSum } from '../ports/minutes.ts';
import type { Harness } from './journal.fixture.ts';

function aSum(changes: Partial<MinuteSum> = {}): MinuteSum {
  const counts = { sent: 7, failed: 2, dead: 1, waits: [4, 0, 3] };
  return { minute: 100, account: ALL_ACCOUNTS, node: 'a', ...counts, ...changes };
}

export function minutes(store: () => Harness): void {
  describe('minutes', () => {
    const all = () => store().journal.minutes;
    const since = (minute: number, account = ALL_ACCOUNTS) => all().since({ account, minute });

    test('are found as they were saved last, also after a restart', async () => {
      await all().save([aSum()]);
      const anew = aSum({ sent: 8, waits: [4, 1, 3] });
      await all().save([anew]);
      await store().reopen();
      expect(await since(0)).toEqual([anew]);
    });

    test('come by account, from a minute on, in order; each process has its own', async () => {
      const own = aSum({ account: 'telegram:1', minute: 101 });
      const [later, other, first] = [aSum({ minute: 102 }), aSum({ node: 'b' }), aSum()];
      await all().save([later, own, other, first, aSum({ minute: 99 })]);
      expect(await since(100)).toEqual([first, other, later]);
      expect(await since(100, 'telegram:1')).toEqual([own]);
      expect(await since(103)).toEqual([]);
    });

    test('are forgotten oldest first, so many at a time', async () => {
      await all().save([5, 3, 4, 6].map((minute) => aSum({ minute })));
      await all().save([]);
      expect(await all().prune({ before: 6, max: 2 })).toBe(2);
      expect((await since(0)).map(({ minute }) => minute)).toEqual([5, 6]);
      expect(await all().prune({ before: 6, max: 2 })).toBe(1);
      expect(await all().prune({ before: 6, max: 2 })).toBe(0);
    });
  });
}
