// What every ledger must tell, given what a journal wrote. Run over each store.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { formatId } from '../domain/ids.ts';
import {
  accepted,
  aMove,
  aSettlement,
  delivered,
  type Harness,
  REFUSED,
  RETRIED,
} from '../store/contract/journal.fixture.ts';
import type { Filter } from './ledger.ts';

export function ledgerContract(name: string, open: () => Promise<Harness>): void {
  describe(`ledger: ${name}`, () => {
    let store: Harness;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.dispose());

    telling(() => store);
    searching(() => store);
    grouping(() => store);
  });
}

function telling(store: () => Harness): void {
  test('the whole record, and null for what is not there', async () => {
    const { journal, ledger } = store();
    await accepted(journal, { thread: '5', correlation: 'c', user: 'u', slot: 's', final: true });
    expect(await ledger.get(1)).toEqual({
      seq: 1,
      id: `${journal.tag}-1`,
      account: 'telegram:1',
      platform: 'telegram',
      chat: '42',
      thread: '5',
      session: null,
      lane: 't:5',
      user: 'u',
      correlation: 'c',
      method: 'sendMessage',
      family: 'send',
      budget: 'broadcast',
      priority: 'normal',
      cost: 1,
      live: false,
      final: true,
      slot: 's',
      enterAt: 1_000,
      rank: 1,
      dueAt: 0,
      expiresAt: 0,
      acceptedAt: 1_000,
      state: 'queued',
      reason: null,
      detail: null,
      settledAt: null,
      attempts: 0,
      failures: 0,
      doubts: 0,
      cures: [],
      messageId: null,
      result: null,
      supersededBy: null,
      repeats: null,
      body: '{"text":"hello"}',
      damaged: false,
    });
    expect(await ledger.get(2)).toBeNull();
    await accepted(journal);
    expect(await ledger.get(2)).toMatchObject({ correlation: `${journal.tag}-2` });
  });

  test('several in the order asked, missing ones left out', async () => {
    const { journal, ledger } = store();
    for (let i = 0; i < 3; i += 1) await accepted(journal);
    const found = await ledger.getMany([3, 9, 1, 3]);
    expect(found.map(({ seq }) => seq)).toEqual([3, 1, 3]);
    expect(await ledger.getMany([])).toEqual([]);
  });

  test('what observers got of a message, until it is forgotten', async () => {
    const { journal, ledger } = store();
    expect(await ledger.hasCopies()).toBe(false);
    const origin = await accepted(journal);
    await accepted(journal, { copyOf: origin });
    await accepted(journal, { copyOf: origin, slot: 's', account: 'telegram:2' });
    await accepted(journal, { copyOf: 99 });
    expect(await ledger.hasCopies()).toBe(true);
    expect((await ledger.copiesOf(origin)).map(({ seq }) => seq)).toEqual([2, 3]);
    expect(await ledger.copiesOf(2)).toEqual([]);
    await journal.move(aMove({ seq: 2, at: 10_000 }));
    await journal.prune({ endedBefore: 20_000, deadBefore: 0, max: 10 });
    expect((await ledger.copiesOf(origin)).map(({ seq }) => seq)).toEqual([3]);
  });

  test('attempts and moves in the order they happened', async () => {
    const { journal, ledger } = store();
    await delivered(journal, {}, RETRIED);
    await journal.begin(1, 9_000);
    await journal.settle(aSettlement({ n: 2, endedAt: 9_500, retryAfterMs: 4, ...REFUSED }));
    await journal.move(aMove({ to: 'queued', at: 10_000 }));
    await journal.move(aMove({ at: 11_000 }));
    const attempts = await ledger.attempts(1);
    expect(attempts.map(({ n, outcome }) => [n, outcome])).toEqual([
      [1, 'failed'],
      [2, 'refused'],
    ]);
    expect(attempts[1]).toMatchObject({ startedAt: 9_000, endedAt: 9_500, retryAfterMs: 4 });
    const history = await ledger.history(1);
    expect(history.map(({ at, from, to }) => [at, from, to])).toEqual([
      [10_000, 'dead', 'queued'],
      [11_000, 'queued', 'cancelled'],
    ]);
  });
}

function searching(store: () => Harness): void {
  const HOUR = 3_600_000;
  const cases: [string, Filter, number[]][] = [
    ['everything, newest first', {}, [6, 5, 4, 3, 2, 1]],
    ['an account', { account: 'telegram:2' }, [4]],
    ['a chat, ended or waiting', { chat: '42' }, [6, 4, 3, 1]],
    ['a chat of an account', { chat: '42', account: 'telegram:1' }, [6, 3, 1]],
    ['a session', { session: 'abc' }, [5, 2]],
    ['a correlation id', { correlation: 'order 9' }, [6]],
    ['a message, in whatever chat', { messageId: '77' }, [2, 1]],
    ['a message of a chat', { messageId: '77', chat: '42' }, [1]],
    ['what waits', { state: 'queued' }, [6, 4]],
    ['what waits in a chat', { state: 'queued', chat: '42', account: 'telegram:1' }, [6]],
    ['what was sent', { state: 'sent' }, [2, 1]],
    ['what was sent to a chat', { state: 'sent', chat: '42' }, [1]],
    ['what is dead', { state: 'dead' }, [5, 3]],
    ['what is dead for a reason', { state: 'dead', reason: 'blocked' }, [5]],
    ['a session and a state', { session: 'abc', state: 'dead' }, [5]],
    ['accepted since', { since: 4 * HOUR }, [6, 5, 4]],
    ['accepted before', { until: 4 * HOUR }, [3, 2, 1]],
    ['accepted between, in a chat', { since: 2 * HOUR, until: 6 * HOUR, chat: '42' }, [4, 3]],
    ['nothing', { account: 'telegram:9' }, []],
    ['nothing so late', { since: 99 * HOUR }, []],
  ];

  test('search finds exactly what the filter names', async () => {
    const { journal, ledger } = store();
    const blocked = { ...REFUSED, reason: 'blocked' };
    const session = 'abc';
    await delivered(journal, { acceptedAt: 1 * HOUR }, { messageId: '77' });
    await delivered(journal, { acceptedAt: 2 * HOUR, session, chat: '43' }, { messageId: '77' });
    await delivered(journal, { acceptedAt: 3 * HOUR }, REFUSED);
    await accepted(journal, { acceptedAt: 4 * HOUR, account: 'telegram:2' });
    await delivered(journal, { acceptedAt: 5 * HOUR, session, chat: '43' }, blocked);
    await accepted(journal, { acceptedAt: 6 * HOUR, correlation: 'order 9' });
    const idOf = (seq: number) => formatId(journal.tag, seq);
    const byId: [string, Filter, number[]][] = [
      ['the id of one that nobody named', { correlation: idOf(5) }, [5]],
      ['and of what is dead', { correlation: idOf(5), state: 'dead' }, [5]],
      ['and of another chat', { correlation: idOf(5), chat: '42' }, []],
      ['the id of one that its caller named', { correlation: idOf(6) }, []],
    ];
    for (const [what, filter, expected] of [...cases, ...byId]) {
      const found = await ledger.search(filter, { limit: 10, before: null });
      expect
        .soft(
          found.map(({ seq }) => seq),
          what,
        )
        .toEqual(expected);
      const page = await ledger.search(filter, { limit: 2, before: 5 });
      const paged = expected.filter((seq) => seq < 5).slice(0, 2);
      expect
        .soft(
          page.map(({ seq }) => seq),
          `${what}, paged`,
        )
        .toEqual(paged);
      const back = await ledger.search(filter, { limit: 2, after: 2 });
      const oldest = expected.filter((seq) => seq > 2).reverse();
      expect
        .soft(
          back.map(({ seq }) => seq),
          `${what}, oldest first`,
        )
        .toEqual(oldest.slice(0, 2));
    }
  });

  test('search by text finds it as it was written', async () => {
    const { journal, ledger } = store();
    const texts = ['Order 9 is "late"', 'order 90\nöäü', '100 % sure_ly', 'nothing'];
    for (const text of texts) await accepted(journal, { body: JSON.stringify({ text }) });
    const find = async (text: string, more: Filter = {}) => {
      const found = await ledger.search({ ...more, text }, { limit: 10, before: null });
      return found.map(({ seq }) => seq);
    };
    expect(await find('ORDER 9')).toEqual([2, 1]);
    expect(await find('"late"')).toEqual([1]);
    expect(await find('90\nöä')).toEqual([2]);
    expect(await find('0 % s')).toEqual([3]);
    expect(await find('e_l')).toEqual([3]);
    expect(await find('e%')).toEqual([]);
    expect(await find('order', { state: 'queued', chat: '42' })).toEqual([2, 1]);
    expect(await find('order', { state: 'dead' })).toEqual([]);
  });

  test('an empty store has nothing to find', async () => {
    const page = { limit: 10, before: null };
    expect(await store().ledger.search({ since: 5, until: 9 }, page)).toEqual([]);
  });
}

function grouping(store: () => Harness): void {
  test('dead letters by cause, the largest group first', async () => {
    const { journal, ledger } = store();
    const blocked = { ...REFUSED, reason: 'blocked' };
    await delivered(journal, {}, { ...blocked, endedAt: 3_000 });
    await delivered(journal, {}, { ...REFUSED, endedAt: 3_100 });
    await delivered(journal, {}, { ...REFUSED, endedAt: 3_200 });
    await delivered(journal, { account: 'telegram:2' }, { ...blocked, endedAt: 3_300 });
    await delivered(journal, {}, {});
    const missing = { account: 'telegram:1', reason: 'chat_not_found', count: 2 };
    const one = { account: 'telegram:1', reason: 'blocked', count: 1 };
    const two = { account: 'telegram:2', reason: 'blocked', count: 1 };
    const groups = await ledger.deadByCause({});
    expect(groups).toMatchObject([missing, one, two]);
    expect(groups[0]).toMatchObject({ oldestAt: 3_100, newestAt: 3_200, example: 3 });
    expect(await ledger.deadByCause({ account: 'telegram:2' })).toMatchObject([two]);
    const correlation = formatId(journal.tag, 4);
    expect(await ledger.deadByCause({ correlation })).toMatchObject([two]);
  });

  test('counts per account and state, without a trace of what is gone', async () => {
    const { journal, ledger } = store();
    await delivered(journal, {}, {});
    await delivered(journal, {}, REFUSED);
    await accepted(journal);
    await accepted(journal, { account: 'telegram:2' });
    await journal.prune({ endedBefore: 9_999, deadBefore: 0, max: 1 });
    expect(await ledger.countByState()).toEqual([
      { account: 'telegram:1', state: 'queued', count: 1 },
      { account: 'telegram:1', state: 'dead', count: 1 },
      { account: 'telegram:2', state: 'queued', count: 1 },
    ]);
  });
}
