// Callers who hold the line, and what the next process is told of them.

import { describe, expect, test } from 'vitest';
import { WITHDRAWN_AT_STOP } from '../../domain/delivery.ts';
import { fingerprintOf } from '../fingerprint.ts';
import {
  accepted,
  aDelivery,
  aMove,
  aSettlement,
  delivered,
  type Harness,
  RETRIED,
  ROOM,
} from './journal.fixture.ts';

const BOUNDS = { endedMsMax: 600_000, max: 100 };
const PRINT = fingerprintOf(aDelivery());

export function callers(store: () => Harness): void {
  const restart = async () => {
    await store().journal.close();
    await store().reopen();
  };
  const unanswered = () => store().journal.callers.unanswered(BOUNDS);
  const seqs = async () => (await unanswered()).map(({ seq }) => seq);

  describe('callers', () => {
    test('those without an answer are told to the next process, oldest first', async () => {
      const { journal } = store();
      const queued = await accepted(journal, { held: true });
      await accepted(journal, {});
      const begun = await journal.append(aDelivery({ held: true }), {
        ...ROOM,
        beginAt: 2_000,
      });
      const slotted = await accepted(journal, { held: true, slot: 's', thread: '5' });
      await delivered(journal, { held: true }, {});
      expect(await unanswered()).toEqual([]);
      await restart();
      const print = fingerprintOf(aDelivery({ thread: '5' }));
      expect(begun).toMatchObject({ kind: 'accepted', begun: true });
      expect(await unanswered()).toEqual([
        { seq: queued, print: PRINT, answered: false },
        { seq: 3, print: PRINT, answered: false },
        { seq: slotted, print, answered: false },
      ]);
    });

    test('are told apart by their holder, also when a cure has changed the call', async () => {
      const { journal } = store();
      const whole = await accepted(journal, { held: true, holder: 'one' });
      const cured = await accepted(journal, { held: true, holder: 'two', slot: 's' });
      await journal.begin(cured, 2_000);
      const cure = { name: 'plain_text', chat: '8', body: '{"text":"changed"}' };
      await journal.settle(aSettlement({ ...RETRIED, seq: cured, cure }));
      const own = await accepted(journal, { held: true });
      await restart();
      const printOf = (holder: string) => fingerprintOf(aDelivery({ holder }));
      expect(new Set([PRINT, printOf('one'), printOf('two')]).size).toBe(3);
      expect(await unanswered()).toEqual([
        { seq: whole, print: printOf('one'), answered: false },
        { seq: cured, print: printOf('two'), answered: false },
        { seq: own, print: PRINT, answered: false },
      ]);
    });

    test('one who left before the end has none, and one who came back has', async () => {
      const { journal } = store();
      const left = await accepted(journal, { held: true });
      await journal.callers.caller(left, false);
      await journal.begin(left, 2_000);
      await journal.settle(aSettlement({ seq: left }));
      const late = await delivered(journal, { held: true }, {});
      await journal.callers.caller(late, false);
      const back = await accepted(journal, { held: true });
      await journal.callers.caller(back, false);
      await journal.callers.caller(back, true);
      await journal.begin(back, 2_000);
      await journal.settle(aSettlement({ seq: back }));
      await restart();
      expect(await seqs()).toEqual([left, late]);
      await store().journal.callers.caller(late, true);
      await restart();
      expect(await seqs()).toEqual([left]);
    });

    test('what ends in the next process has no answer until its caller is back', async () => {
      const first = await accepted(store().journal, { held: true });
      const second = await accepted(store().journal, { held: true });
      await restart();
      const { journal } = store();
      await journal.callers.caller(second, true);
      for (const seq of [first, second]) {
        await journal.begin(seq, 2_000);
        await journal.settle(aSettlement({ seq }));
      }
      await restart();
      expect(await seqs()).toEqual([first]);
    });

    test('one who never held the line is never there', async () => {
      const seq = await accepted(store().journal, {});
      await store().journal.callers.caller(seq, false);
      await restart();
      expect(await seqs()).toEqual([]);
    });

    test('what failed, expired, was cancelled or ended long before answers no repeat', async () => {
      const { journal } = store();
      const gone = { held: true, acceptedAt: 1_000 };
      const dead = await delivered(journal, gone, { outcome: 'refused', to: 'dead', reason: 'no' });
      const old = await delivered(journal, gone, {});
      const cancelled = await accepted(journal, gone);
      for (const seq of [dead, old, cancelled]) await journal.callers.caller(seq, false);
      await journal.move(aMove({ seq: cancelled }));
      const now = 3_000 + BOUNDS.endedMsMax + 1;
      const kept = await delivered(
        journal,
        { held: true, acceptedAt: now },
        { to: 'uncertain', outcome: 'uncertain', reason: 'lost', endedAt: now },
      );
      // Of late, and still no answer to a repeat.
      const refused = { outcome: 'refused', to: 'dead', reason: 'no', endedAt: now } as const;
      const deadOfLate = await delivered(journal, { held: true, acceptedAt: now }, refused);
      const cancelledOfLate = await accepted(journal, { held: true, acceptedAt: now });
      for (const seq of [kept, deadOfLate, cancelledOfLate])
        await journal.callers.caller(seq, false);
      await journal.move(aMove({ seq: cancelledOfLate, at: now }));
      await restart();
      expect(await seqs()).toEqual([kept]);
    });

    test('a call is known by what was asked, whatever a cure made of it', async () => {
      const { journal } = store();
      const seq = await accepted(journal, { held: true });
      for (const n of [1, 2]) {
        await journal.begin(seq, 2_000);
        const cure = { name: `cure${n}`, chat: '-100', body: `{"text":"${n}"}` };
        await journal.settle(aSettlement({ seq, n, ...RETRIED, cure }));
      }
      await restart();
      expect(await unanswered()).toEqual([{ seq, print: PRINT, answered: false }]);
    });

    test('the newest are told when there are too many', async () => {
      const { journal } = store();
      for (let i = 0; i < 5; i++) await accepted(journal, { held: true });
      await restart();
      const told = await store().journal.callers.unanswered({ ...BOUNDS, max: 2 });
      expect(told.map(({ seq }) => seq)).toEqual([4, 5]);
    });

    test('what may be out already is not withdrawn', async () => {
      const { journal } = store();
      const withdraw = { to: 'cancelled', reason: WITHDRAWN_AT_STOP } as const;
      const doubtful = await delivered(journal, {}, { ...RETRIED, doubted: true });
      const illegal = { kind: 'illegal', state: 'queued' };
      expect(await journal.move(aMove({ seq: doubtful, ...withdraw }))).toEqual(illegal);
      const cure = { name: 'next_part', chat: null, body: '{"text":"rest"}' };
      const partly = await delivered(journal, {}, { ...RETRIED, failed: false, cure });
      expect(await journal.move(aMove({ seq: partly, ...withdraw }))).toEqual(illegal);
      const failed = await delivered(journal, {}, RETRIED);
      expect(await journal.move(aMove({ seq: failed, ...withdraw }))).toMatchObject({
        kind: 'moved',
      });
      // By hand it is another matter.
      expect(await journal.move(aMove({ seq: doubtful }))).toMatchObject({ kind: 'moved' });
    });

    test('what is withdrawn at a stop frees its key', async () => {
      const { journal } = store();
      const seq = await accepted(journal, { idempotencyKey: 'k' });
      await journal.move(aMove({ seq, reason: WITHDRAWN_AT_STOP }));
      expect(await journal.append(aDelivery({ idempotencyKey: 'k' }), ROOM)).toMatchObject({
        kind: 'accepted',
      });
    });

    test('what may repeat another says which', async () => {
      const { journal, ledger } = store();
      const first = await accepted(journal, {});
      const second = await accepted(journal, { repeats: first });
      expect(await ledger.get(second)).toMatchObject({ repeats: first });
      expect(await ledger.get(first)).toMatchObject({ repeats: null });
    });
  });
}
