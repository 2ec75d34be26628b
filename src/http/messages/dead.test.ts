import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ACCOUNT, AUTH, type Bench, bench, message } from '../context.fixture.ts';

let at: Bench;
beforeEach(async () => {
  at = await bench();
});
afterEach(() => at.app.close());

type Method = 'GET' | 'POST' | 'PATCH';
const ask = (method: Method, url: string, body?: object) =>
  at.app.inject({
    method,
    url,
    headers: AUTH,
    ...(body === undefined ? {} : { payload: body }),
  });
const idOf = (seq: number) => `${at.journal.tag}-${seq}`;

async function deaths(...reasons: string[]) {
  for (const reason of reasons) {
    await ask('POST', '/v1/messages', message());
    await at.road.die(at.road.submitted.length, reason);
  }
}

const stateOf = async (seq: number) =>
  (await ask('GET', `/v1/messages/${idOf(seq)}`)).json().state as string;

describe('listing', () => {
  test('newest first, and by cause', async () => {
    await deaths('chat_not_found', 'blocked', 'blocked');
    const list = (await ask('GET', '/v1/dead')).json();
    expect(list.items.map((item: { id: string }) => item.id)).toEqual([3, 2, 1].map(idOf));
    expect(list.items[0]).toMatchObject({ state: 'dead', reason: 'blocked' });
    const { groups } = (await ask('GET', '/v1/dead?group=cause')).json();
    expect(groups).toMatchObject([
      { account: ACCOUNT, reason: 'blocked', count: 2 },
      { reason: 'chat_not_found', count: 1, example: idOf(1) },
    ]);
    expect((await ask('GET', '/v1/dead?reason=blocked')).json().items).toHaveLength(2);
  });

  test.each(['group=chat', 'state=sent', 'x=1'])('a wrong query: %s', async (query) => {
    expect((await ask('GET', `/v1/dead?${query}`)).json().code).toBe('invalid_query');
  });
});

describe('retry and discard', () => {
  test('by ids, each judged alone', async () => {
    await deaths('blocked', 'blocked');
    await ask('POST', '/v1/messages', message());
    const ids = [idOf(1), idOf(3), idOf(99), 'nonsense'];
    const answer = (await ask('POST', '/v1/dead/retry', { ids })).json();
    expect(answer).toMatchObject({ done: 1, failed: 3, next: null });
    expect(
      new Map(answer.failures.map((f: { id: string; code: string }) => [f.id, f.code])),
    ).toEqual(
      new Map([
        [idOf(3), 'illegal_move'],
        [idOf(99), 'not_found'],
        ['nonsense', 'not_found'],
      ]),
    );
    expect(await stateOf(1)).toBe('queued');
    expect(await stateOf(2)).toBe('dead');
  });

  test('by filter, in bounded steps until there is no next', async () => {
    await deaths(...Array(7).fill('blocked'), 'chat_not_found');
    const filter = { reason: 'blocked' };
    const first = (await ask('POST', '/v1/dead/discard', { filter })).json();
    expect(first).toMatchObject({ done: 5, failed: 0, failures: [] });
    const cursor = first.next;
    const second = (await ask('POST', '/v1/dead/discard', { filter, cursor })).json();
    expect(second).toMatchObject({ done: 2, next: null });
    expect(await stateOf(1)).toBe('cancelled');
    expect(await stateOf(8)).toBe('dead');
  });

  test('retries go out in the order they came, also over several steps', async () => {
    await deaths(...Array(7).fill('a'));
    const moved: number[] = [];
    const move = at.road.move.bind(at.road);
    at.road.move = (command) => {
      moved.push(command.seq);
      return move(command);
    };
    const { next: cursor } = (await ask('POST', '/v1/dead/retry', { filter: {} })).json();
    await ask('POST', '/v1/dead/retry', { filter: {}, cursor });
    await ask('POST', '/v1/dead/discard', { ids: [3, 1, 2].map(idOf) });
    expect(moved).toEqual([1, 2, 3, 4, 5, 6, 7, 1, 2, 3]);
  });

  test('letters of an account are moved together, the oldest first', async () => {
    await deaths(...Array(4).fill('a'));
    const together: number[][] = [];
    const move = at.road.moveTogether.bind(at.road);
    at.road.moveTogether = (orders) => {
      together.push(orders.map(({ seq }) => seq));
      return move(orders);
    };
    const answer = (await ask('POST', '/v1/dead/retry', { ids: [4, 1, 3].map(idOf) })).json();
    expect(answer).toMatchObject({ done: 3, failed: 0 });
    expect(together).toEqual([[1, 3, 4]]);
  });

  test('a full queue takes no letter back', async () => {
    await deaths('blocked');
    for (let i = 0; i < 10; i++) await ask('POST', '/v1/messages', message());
    const answer = (await ask('POST', '/v1/dead/retry', { ids: [idOf(1)] })).json();
    expect(answer).toMatchObject({ done: 0, failures: [{ code: 'queue_full' }] });
  });

  test('a queue that is full in bytes takes none back either, edited or not', async () => {
    await deaths('blocked');
    at.road.full = { unit: 'bytes', waiting: 9, queueMax: 10, whose: 'unconfigured' };
    const answer = (await ask('POST', '/v1/dead/retry', { ids: [idOf(1)] })).json();
    const detail = '9 of 10 bytes of all accounts that are not configured wait.';
    expect(answer).toMatchObject({ done: 0, failures: [{ code: 'queue_full', detail }] });
    const edited = await ask('PATCH', `/v1/dead/${idOf(1)}`, { body: { text: 'x' } });
    expect([edited.statusCode, edited.json().code]).toEqual([429, 'queue_full']);
    const discarded = await ask('POST', '/v1/dead/discard', { ids: [idOf(1)] });
    expect(discarded.json()).toMatchObject({ done: 1 });
  });

  test.each([
    [{}, 'invalid_message'],
    [{ ids: ['a'], filter: {} }, 'invalid_message'],
    [{ ids: [] }, 'invalid_message'],
    [{ ids: [1] }, 'invalid_message'],
    [{ filter: { state: 'sent' } }, 'invalid_message'],
    [{ filter: { since: 'x' } }, 'invalid_query'],
    [{ ids: Array(6).fill('a') }, 'batch_too_large'],
  ])('a wrong command: %j', async (body, code) => {
    expect((await ask('POST', '/v1/dead/retry', body)).json().code).toBe(code);
  });
});

describe('edit', () => {
  test('the content changes, the target stays, and it is queued again', async () => {
    await deaths('too_long');
    const path = `/v1/dead/${idOf(1)}`;
    const answer = await ask('PATCH', path, { body: { text: 'short', chat_id: 666 } });
    expect(answer.json()).toEqual({ id: idOf(1), state: 'queued' });
    const now = (await ask('GET', `/v1/messages/${idOf(1)}`)).json();
    expect(now).toMatchObject({ state: 'queued', body: { text: 'short', chat_id: -100 } });
    expect(now.history).toMatchObject([
      { from: 'dead', to: 'queued', reason: 'edited', by: 'admin' },
    ]);
    expect((await ask('PATCH', path, { body: { text: 'x' } })).json().code).toBe('illegal_move');
  });

  test('bad edits', async () => {
    await deaths('too_long');
    const edit = (id: string, body: object) => ask('PATCH', `/v1/dead/${id}`, body);
    expect((await edit(idOf(1), {})).json().code).toBe('invalid_message');
    expect((await edit(idOf(1), { body: {}, retry: false })).json().code).toBe('invalid_message');
    expect((await edit(idOf(9), { body: {} })).statusCode).toBe(404);
    expect((await edit('x', { body: {} })).statusCode).toBe(404);
  });
});
