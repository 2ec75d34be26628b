import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatId } from '../../../domain/ids.ts';
import { ledgerContract } from '../../../ledger/ledger.contract.ts';
import type { Filter } from '../../../ledger/ledger.ts';
import { openDatabase, storeFileOf } from '../../../system/databases/sqlite.ts';
import { accepted } from '../../contract/journal.fixture.ts';
import { soleOwner } from '../../contract/sole-owner.fixture.ts';
import { createMemoryDisk, createMemoryStore } from '../../memory/memory.ts';
import { inlineHarness, openHarness, type SqliteHarness } from '../sqlite.fixture.ts';
import { openSqliteLedger } from './ledger.ts';
import { deadGroupsSql } from './reader.ts';
import { ATTEMPTS_SELECT, HISTORY_SELECT } from './rows.ts';
import { searchQueries } from './search.ts';

ledgerContract('memory', async () => {
  const disk = createMemoryDisk();
  const { journal, ledger } = createMemoryStore(disk);
  return {
    journal: soleOwner(journal),
    ledger,
    second: () => journal.beside('second'),
    async reopen() {},
    async damage(seq, change) {
      Object.assign(disk.deliveries.get(seq)!, change);
    },
    async dispose() {},
  };
});

ledgerContract('sqlite', async () => inlineHarness());

describe('the ledger on its own thread', () => {
  let store: SqliteHarness;
  beforeAll(async () => {
    store = await openHarness();
  });
  afterAll(() => store.dispose());

  test('sees what the journal has acknowledged', async () => {
    const seq = await accepted(store.journal);
    expect(await store.ledger.get(seq)).toMatchObject({ state: 'queued' });
    expect(await store.ledger.size()).toBeGreaterThan(0);
  });

  test('refuses a page without bound, and goes on', async () => {
    const asked = store.ledger.search({}, { limit: 1e9, before: null });
    await expect(asked).rejects.toMatchObject({ name: 'LedgerUnavailable' });
    expect(await store.ledger.getMany([1])).toHaveLength(1);
  });

  test('a store that is not there is an error, not an end', async () => {
    const nowhere = openSqliteLedger({ dir: `${store.dir}/nowhere` });
    await expect(nowhere.get(1)).rejects.toMatchObject({ name: 'LedgerUnavailable' });
    await expect(nowhere.get(1)).rejects.toMatchObject({ name: 'LedgerUnavailable' });
    await nowhere.close();
  });

  describe('is led by an index', () => {
    const TAG = 'abcde';
    const plan = (sql: string) => {
      const db = openDatabase(storeFileOf(store.dir), { readOnly: true, busyMsMax: 0 });
      const rows = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
      db.close();
      return rows.map(({ detail }) => String(detail)).join('\n');
    };
    const planOf = (filter: Filter, order: 'ASC' | 'DESC') =>
      searchQueries(TAG, filter, { from: 0, before: 9 }, { order, limit: 9 }).map(({ sql }) =>
        plan(sql),
      );

    test.each<[string, Filter, string[]]>([
      ['nothing in particular', {}, ['PRIMARY KEY (rowid>? AND rowid<?)']],
      ['an account', { account: 'a' }, ['PRIMARY KEY (rowid>? AND rowid<?)']],
      ['a session', { session: 's' }, ['deliveries_session (session=? AND']],
      ['a correlation id', { correlation: 'c' }, ['deliveries_correlation (correlation=? AND']],
      [
        'a correlation id that may be a delivery’s own',
        { correlation: formatId(TAG, 7) },
        ['deliveries_correlation (correlation=? AND', 'PRIMARY KEY (rowid=?)'],
      ],
      ['a message', { messageId: '7' }, ['deliveries_message (message_id=? AND']],
      ['a message of a chat', { messageId: '7', chat: '42' }, ['deliveries_message (message_id=?']],
      ['dead letters', { state: 'dead' }, ['deliveries_stuck (state=? AND seq>? AND seq<?)']],
      ['what waits', { state: 'queued' }, ['deliveries_live (seq>? AND seq<?)']],
      ['a chat', { chat: 'c' }, ['deliveries_ended_chat (chat=? AND', 'deliveries_live (seq>?']],
      ['sent in a chat', { chat: 'c', state: 'sent' }, ['deliveries_ended_chat (chat=? AND']],
    ])('search: %s', (_what, filter, indexes) => {
      const plans = [...planOf(filter, 'DESC'), ...planOf(filter, 'ASC')];
      expect(plans).toHaveLength(2 * indexes.length);
      for (const [i, index] of [...indexes, ...indexes].entries()) {
        expect(plans[i]).toContain(`SEARCH deliveries USING`);
        expect(plans[i]).toContain(index);
        expect(plans[i]).not.toMatch(/SCAN|TEMP B-TREE/);
      }
    });

    test('attempts, history and causes of death', () => {
      expect(plan(ATTEMPTS_SELECT)).toContain('attempts_seq (seq=?)');
      expect(plan(HISTORY_SELECT)).toContain('history_seq (seq=?)');
      expect(plan(deadGroupsSql(TAG, {}).sql)).toContain('deliveries_stuck (state=?)');
    });
  });
});
