// What every journal must do with live output.

import { describe, expect, test } from 'vitest';
import { NO_EPOCH, NOT_OWNER } from '../ports/ownership.ts';
import type { StoredStream } from '../ports/streams.ts';
import type { Harness } from './journal.fixture.ts';

const FIRST = { after: '', max: 100 };

function aStream(changes: Partial<StoredStream> = {}): StoredStream {
  const named = { id: 's-1', account: 'telegram:1' as const, endedAt: null };
  return { ...named, text: 'half an ans', record: '{"a":1}', ...changes };
}

export function streams(store: () => Harness): void {
  describe('streams', () => {
    const all = () => store().journal.streams;

    test('the newest text is what is found, also after a restart', async () => {
      await all().save(aStream());
      const grown = aStream({ text: 'half an answer ü🙂', record: '{"a":2}' });
      await all().save(grown);
      await store().reopen();
      expect(await all().get('s-1')).toEqual(grown);
      expect(await all().get('s-2')).toBeNull();
      await all().save(aStream({ account: 'telegram:2' }));
      expect(await all().get('s-1')).toMatchObject({ account: 'telegram:1' });
    });

    test('those that have not ended are found page by page', async () => {
      for (const id of ['s-3', 's-1', 's-4', 's-2']) await all().save(aStream({ id }));
      await all().save(aStream({ id: 's-2', endedAt: 5_000.5 }));
      await store().reopen();
      const ids = async (page: { after: string; max: number }) =>
        (await all().open(page)).map(({ id }) => id);
      expect(await ids({ ...FIRST, max: 2 })).toEqual(['s-1', 's-3']);
      expect(await ids({ after: 's-3', max: 2 })).toEqual(['s-4']);
      expect((await all().open(FIRST))[0]).toEqual(aStream());
    });

    test('what has ended stays as it ended', async () => {
      const ended = aStream({ endedAt: 5_000, text: 'an answer' });
      await all().save(ended);
      await all().save(aStream({ text: 'late' }));
      await all().save(aStream({ endedAt: 6_000, text: 'later' }));
      expect(await all().get('s-1')).toEqual(ended);
      expect(await all().open(FIRST)).toEqual([]);
    });

    test('is written by the owner of its account alone: a late save changes nothing', async () => {
      const { store: first } = store().journal;
      const late = await first.openAccount('telegram:1');
      expect(await first.streams.save(late, aStream())).toEqual({ kind: 'kept' });
      const second = store().second();
      const now = await second.openAccount('telegram:1');
      const other = await first.openAccount('telegram:2');
      for (const changes of [{}, { id: 's-2' }, { endedAt: 5_000 }]) {
        const stream = aStream({ text: 'late', ...changes });
        expect(await first.streams.save(late, stream)).toEqual(NOT_OWNER);
        expect(await first.streams.save({ ...late, epoch: NO_EPOCH }, stream)).toEqual(NOT_OWNER);
      }
      const ofOther = aStream({ account: 'telegram:2', text: 'of another' });
      expect(await first.streams.save(other, ofOther)).toEqual(NOT_OWNER);
      expect(await all().open(FIRST)).toEqual([aStream()]);
      const newer = aStream({ text: 'of the new owner' });
      expect(await second.streams.save(now, newer)).toEqual({ kind: 'kept' });
      expect(await all().get('s-1')).toEqual(newer);
      expect(await second.streams.save(now, aStream({ endedAt: 6_000 }))).toEqual({ kind: 'kept' });
      expect(await first.streams.save(late, newer)).toEqual(NOT_OWNER);
      expect(await all().get('s-1')).toEqual(aStream({ endedAt: 6_000 }));
    });

    test('refused and taken in one commit, each by its own epoch', async () => {
      const { store: first } = store().journal;
      const late = await first.openAccount('telegram:1');
      const other = await first.openAccount('telegram:2');
      const ofOther = aStream({ id: 's-2', account: 'telegram:2' });
      const answers = await Promise.all([
        first.streams.save(late, aStream()),
        store().second().openAccount('telegram:1'),
        first.streams.save(late, aStream({ text: 'late' })),
        first.streams.save(other, ofOther),
      ]);
      expect(answers.map((answer) => 'kind' in answer && answer.kind)).toEqual([
        'kept',
        false,
        'not_owner',
        'kept',
      ]);
      expect(await all().open(FIRST)).toEqual([aStream(), ofOther]);
    });

    test('is forgotten in the order of its end, and only then', async () => {
      for (const [i, id] of ['s-3', 's-1', 's-2'].entries()) {
        await all().save(aStream({ id, endedAt: 1_000 + i }));
      }
      await all().save(aStream({ id: 's-0' }));
      expect(await all().prune({ endedBefore: 1_002, max: 1 })).toBe(1);
      expect(await all().get('s-3')).toBeNull();
      expect(await all().prune({ endedBefore: 1_002, max: 9 })).toBe(1);
      expect(await all().prune({ endedBefore: 1_002, max: 9 })).toBe(0);
      expect(await all().get('s-2')).not.toBeNull();
      expect(await all().get('s-0')).not.toBeNull();
    });
  });
}
