// A disk that fills up, made by a bound on the store's pages: the engine reports the very same
// error.

import { expect, test } from 'vitest';
import { accepted, aDelivery, aMove, ROOM, recovered } from '../../contract/journal.fixture.ts';
import type { OwnedStore } from '../../contract/sole-owner.fixture.ts';
import { JournalUnavailable } from '../../ports/unavailable.ts';
import { openHarness } from '../sqlite.fixture.ts';

// The tables and indexes themselves take half of them.
const PAGES = 150;
const BODY = 'x'.repeat(2_000);
const BURST = 20;

// Appends until the store refuses; the numbers of what it accepted.
async function fill(journal: OwnedStore): Promise<number[]> {
  const seqs: number[] = [];
  for (;;) {
    const burst = Array.from({ length: BURST }, () =>
      journal.append(aDelivery({ body: BODY }), ROOM),
    );
    const answers = await Promise.allSettled(burst);
    for (const answer of answers) {
      if (answer.status === 'fulfilled' && answer.value.kind === 'accepted') {
        seqs.push(answer.value.queued.seq);
      }
    }
    if (answers.some(({ status }) => status === 'rejected')) return seqs;
  }
}

test('a full disk refuses, loses nothing, and works again when there is room', async () => {
  const store = await openHarness({ pageCountMax: PAGES });
  const kept = await fill(store.journal);
  expect(kept.length).toBeGreaterThan(0);

  // More than what the burst that was refused has left free.
  const refused = store.journal.append(aDelivery({ body: BODY.repeat(2 * BURST) }), ROOM);
  await expect(refused).rejects.toBeInstanceOf(JournalUnavailable);
  await expect(refused).rejects.toMatchObject({ code: 'disk_full' });
  // Nor is a look at broadcasts part of what is refused, whatever comes in the same turn.
  const large = store.journal.append(aDelivery({ body: BODY.repeat(2 * BURST) }), ROOM);
  const looks = [
    store.journal.broadcasts.list({ before: null, max: 9 }),
    store.journal.broadcasts.get({ id: 1 }),
  ];
  await expect(large).rejects.toMatchObject({ code: 'disk_full' });
  expect(await Promise.all(looks)).toEqual([[], null]);
  const live = await recovered(store.journal);
  expect(live.map(({ queued }) => queued.seq)).toEqual(kept);

  await store.journal.move(aMove({ seq: kept[0]!, at: 1 }));
  await store.journal.move(aMove({ seq: kept[1]!, at: 1 }));
  expect(await store.journal.prune({ endedBefore: 2, deadBefore: 2, max: 10 })).toBe(2);
  expect(await accepted(store.journal, { body: BODY })).toBeGreaterThan(kept.at(-1)!);
  await fill(store.journal);

  await store.reopen({ pageCountMax: 2 * PAGES });
  await accepted(store.journal, { body: BODY });
  const counts = await store.ledger.countByState();
  const waiting = await recovered(store.journal);
  expect(counts).toEqual([{ account: 'telegram:1', state: 'queued', count: waiting.length }]);
  await store.dispose();
});

test('what is asked of a closed journal is refused', async () => {
  const store = await openHarness();
  const last = accepted(store.journal);
  await store.journal.close();
  expect(await last).toBe(1);
  await expect(accepted(store.journal)).rejects.toMatchObject({ code: 'journal_failed' });
  await store.dispose();
});
