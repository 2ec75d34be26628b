import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { prepareArrays } from '../../system/databases/sqlite.ts';
import { journalContract } from '../contract/journal.contract.ts';
import { openStore } from './files/open.ts';
import {
  PAGE_ROWS_MAX,
  PageReader,
  PageWriter,
  type RecoveryPage,
  recoverPages,
} from './recovery.ts';
import { queuedOfRow } from './rows.ts';
import { makeFolder, openHarness } from './sqlite.fixture.ts';
import { SQL } from './statements.ts';

journalContract('sqlite', openHarness);

// Of every kind some, with numbers small, large and broken; more than fit into one page.
const FILL = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
  INSERT INTO deliveries (seq, account, platform, chat, thread, session, user, correlation, method,
    family, budget, priority, cost, live, final, slot, due_at, expires_at, accepted_at, enter_at, rank,
    body, state, attempts, failures, doubts, cures)
  SELECT i * 4000000, 'a:' || (i % 7), 'a', 'chat ' || (i % 50), iif(i % 3 = 0, 't' || (i % 5), NULL),
    iif(i % 11 = 0, 's', NULL), iif(i % 13 = 0, 'u' || i, NULL), iif(i % 17 = 0, 'c' || i, NULL),
    'call' || (i % 2), iif(i % 4 = 0, 'typing', 'send'), iif(i % 5 = 0, 'reply', 'open'), i % 4,
    iif(i % 9 = 0, 0.25, i % 3), i % 2, i % 3 = 0, iif(i % 19 = 0, 'slot' || i, NULL),
    iif(i % 23 = 0, 1.7e12 + i + 0.125, 0), iif(i % 29 = 0, 1.8e12 + i, 0), 1.6e12 + i + 0.0625,
    1.7e12 + i + 0.25, i * 3000000, 'ü' || i, iif(i % 1000 = 0, 'sending', 'queued'), i % 3, 2, 1,
    iif(i % 2000 = 0, '["thread"]', NULL)
  FROM n`;

test('what is alive comes back page by page as it stands in its rows', async () => {
  const dir = makeFolder();
  const store = openStore({ dir, pageCountMax: null });
  try {
    const count = 2 * PAGE_ROWS_MAX + 3;
    store.db.prepare(FILL).run(count);
    const writer = new PageWriter(store.db);
    const reader = new PageReader();
    const row = prepareArrays(store.db, SQL.queued);
    const sizes: number[] = [];
    let sending = 0;
    const fetch = async (isFirst: boolean): Promise<RecoveryPage> =>
      structuredClone(writer.read(1, isFirst));
    for await (const page of recoverPages(fetch)) {
      reader.add(page);
      sizes.push(page.rows);
      for (let i = 0; i < page.rows; i += 1) {
        const found = reader.recovered(page, i);
        if (found.kind === 'not_owner') throw new Error('no owner was named');
        const { seq } = found.queued;
        const at = seq / 4_000_000;
        expect(found.queued).toEqual(queuedOfRow(row.get(seq)));
        expect(reader.accountOf(page, i)).toBe(found.queued.account);
        expect(found.kind).toBe(at % 1000 === 0 ? 'sending' : 'queued');
        if (found.kind === 'queued') continue;
        sending += 1;
        const cures = at % 2000 === 0 ? ['thread'] : [];
        const past = { acceptedAt: 1.6e12 + at + 0.0625, failures: 2, doubts: 1, cures };
        expect(found).toMatchObject({ n: at % 3, past });
      }
    }
    expect(sizes).toEqual([PAGE_ROWS_MAX, PAGE_ROWS_MAX, 3]);
    expect(sending).toBe(Math.floor(count / 1000));
  } finally {
    store.close();
    rmSync(dir, { recursive: true });
  }
});

test('a page that was asked for ahead and is not needed may fail', async () => {
  const dir = makeFolder();
  const store = openStore({ dir, pageCountMax: null });
  try {
    store.db.prepare(FILL).run(5);
    const writer = new PageWriter(store.db);
    const pages: number[] = [];
    const fetch = async (isFirst: boolean): Promise<RecoveryPage> => {
      if (!isFirst) throw new Error('closed meanwhile');
      return writer.read(1, isFirst);
    };
    for await (const { rows } of recoverPages(fetch)) pages.push(rows);
    expect(pages).toEqual([5]);
    expect(writer.read(1, false).rows).toBe(0);
  } finally {
    store.close();
    rmSync(dir, { recursive: true });
  }
});
