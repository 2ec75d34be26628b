// What every journal does with a row that is no longer what was written: it is told, never sent, and no later change
// makes it pass for whole.

import { describe, expect, test } from 'vitest';
import {
  accepted,
  aDelivery,
  aMove,
  aSettlement,
  type Damage,
  type Harness,
  RETRIED,
  ROOM,
} from './journal.fixture.ts';

const DAMAGES: readonly (readonly [string, Damage])[] = [
  ['body', { body: '{"text":"hellp"}' }],
  ['chat', { chat: '-101' }],
  ['method', { method: 'sendDocument' }],
];

const DAMAGED_END = { outcome: 'failed', to: 'dead', reason: 'damaged' } as const;

export function damaged(store: () => Harness): void {
  describe('a damaged row', () => {
    test.each(DAMAGES)('is not begun as if it were whole: %s', async (_what, damage) => {
      const { journal, ledger } = store();
      const plain = await accepted(journal);
      const threaded = await accepted(journal, { thread: '7' });
      const whole = await accepted(journal);
      for (const seq of [plain, threaded]) {
        expect(await ledger.get(seq)).toMatchObject({ damaged: false });
        await store().damage(seq, damage);
        expect(await ledger.get(seq)).toMatchObject({ damaged: true });
        const begun = await journal.begin(seq, 2_000);
        expect(begun).toMatchObject({ kind: 'damaged', n: 1, past: { failures: 0 } });
        expect(begun).not.toHaveProperty('body');
        await journal.settle(aSettlement({ seq, ...DAMAGED_END }));
        expect(await ledger.get(seq)).toMatchObject({ state: 'dead', reason: 'damaged' });
      }
      expect(await journal.begin(whole, 2_000)).toMatchObject({ kind: 'begun' });
    });

    test('is known after a restart, also of one that was begun at once', async () => {
      const { journal } = store();
      await journal.append(aDelivery(), { ...ROOM, beginAt: 2_000 });
      await journal.settle(aSettlement({ ...RETRIED }));
      await store().damage(1, { body: '{}' });
      await store().reopen();
      expect(await store().journal.begin(1, 9_000)).toMatchObject({ kind: 'damaged', n: 2 });
    });

    test('the check follows cures and edits', async () => {
      const { journal, ledger } = store();
      const cures = [
        { name: 'move_chat', chat: '-200', body: null },
        { name: 'plain_text', chat: null, body: '{"text":"plain"}' },
        { name: 'move_chat', chat: '-300', body: '{"text":"there"}' },
      ];
      const seq = await accepted(journal, { thread: '7' });
      for (const [i, cure] of cures.entries()) {
        expect(await journal.begin(seq, 2_000)).toMatchObject({ kind: 'begun', n: i + 1 });
        await journal.settle(aSettlement({ seq, n: i + 1, ...RETRIED, cure }));
      }
      expect(await journal.begin(seq, 2_000)).toMatchObject({ body: '{"text":"there"}' });
      await journal.settle(aSettlement({ seq, n: 4, ...DAMAGED_END, reason: 'bad_request' }));
      await journal.move(aMove({ seq, to: 'queued', body: '{"text":"edited"}' }));
      expect(await ledger.get(seq)).toMatchObject({ damaged: false });
      expect(await journal.begin(seq, 3_000)).toMatchObject({ body: '{"text":"edited"}' });
    });

    test('a cure does not vouch for what was damaged before it', async () => {
      const { journal } = store();
      for (const cure of [
        { name: 'move_chat', chat: '-200', body: null },
        { name: 'plain_text', chat: null, body: '{"text":"plain"}' },
      ]) {
        const seq = await accepted(journal);
        await journal.begin(seq, 2_000);
        await store().damage(seq, { method: 'sendDocument' });
        await journal.settle(aSettlement({ seq, ...RETRIED, cure }));
        expect(await journal.begin(seq, 9_000)).toMatchObject({ kind: 'damaged', n: 2 });
      }
    });

    test.each([null, '{"text":"edited"}'])('is not brought back by hand: %s', async (body) => {
      const { journal, ledger } = store();
      const seq = await accepted(journal);
      await store().damage(seq, { chat: '-101' });
      await journal.begin(seq, 2_000);
      await journal.settle(aSettlement({ seq, ...DAMAGED_END }));
      expect(await journal.move(aMove({ seq, to: 'queued', body }))).toEqual({ kind: 'damaged' });
      expect(await ledger.get(seq)).toMatchObject({ state: 'dead', damaged: true });
      expect(await journal.move(aMove({ seq }))).toMatchObject({ kind: 'moved' });
    });
  });
}
