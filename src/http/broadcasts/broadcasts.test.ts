import { afterEach, describe, expect, test } from 'vitest';
import { ACCOUNT, AUTH, type Bench, bench } from '../context.fixture.ts';

let at: Bench;
afterEach(() => at.app.close());

const JSON_TYPE = 'application/json';

async function ask(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  body?: unknown,
  type = JSON_TYPE,
) {
  const payload =
    type === JSON_TYPE && body !== undefined ? JSON.stringify(body) : (body as string);
  const headers = { ...AUTH, ...(body === undefined ? {} : { 'content-type': type }) };
  const answer = await at.app.inject({
    method,
    url,
    headers,
    ...(body === undefined ? {} : { payload }),
  });
  return { status: answer.statusCode, body: answer.json() };
}

const order = (extra: object = {}) => ({
  to: { account: ACCOUNT },
  body: { text: 'hello {{name|friend}}' },
  ...extra,
});

const save = (name: string, list: string) => ask('PUT', `/v1/audiences/${name}`, list, 'text/csv');

describe('POST /v1/broadcasts', () => {
  test('takes a list, and says how it stands', async () => {
    at = await bench();
    const made = await ask('POST', '/v1/broadcasts', order({ chats: [1, '2', 2], name: 'news' }));
    expect(made).toMatchObject({
      status: 202,
      body: { state: 'running', total: 2, name: 'news', priority: 'low', account: ACCOUNT },
    });
    const shown = async () => (await ask('GET', `/v1/broadcasts/${made.body.id}`)).body;
    // The breaker of this account is open; then it is closed.
    expect(made.body.eta).toBeNull();
    const [account] = at.road.accounts();
    const breaker = { ...account!.breaker, state: 'closed' };
    Object.assign(at.road, { accounts: () => [{ ...account, breaker }] });
    expect((await shown()).eta).toMatch(/^\d{4}-/);
    expect((await shown()).total).toBe(2);
    const { items, next } = (await ask('GET', '/v1/broadcasts')).body;
    expect([items.length, next]).toEqual([1, null]);
  });

  test('fills the fields of each recipient', async () => {
    at = await bench();
    const recipients = [{ chat: 1, fields: { name: 'Ada' } }, { chat: 2 }];
    await ask('POST', '/v1/broadcasts', order({ recipients }));
    await at.clock.run(at.clock.now());
    const texts = at.road.submitted.map(({ body }) => JSON.parse(body));
    expect(texts).toEqual([
      { text: 'hello Ada', chat_id: 1 },
      { text: 'hello friend', chat_id: 2 },
    ]);
    expect(at.road.submitted[0]).toMatchObject({ priority: 'low', budget: 'broadcast' });
  });

  test('takes a form with the list beside the message', async () => {
    at = await bench();
    const form = (list: string, message: object = order()) =>
      [
        '--b',
        'content-disposition: form-data; name="recipients"; filename="a.csv"',
        'content-type: text/csv',
        '',
        list,
        '--b',
        'content-disposition: form-data; name="message"',
        '',
        JSON.stringify(message),
        '--b--',
        '',
      ].join('\r\n');
    const type = 'multipart/form-data; boundary=b';
    const post = (body: string) => ask('POST', '/v1/broadcasts', body, type);
    expect(await post(form('chat,name\n1,Ada\n2,Bo'))).toMatchObject({
      status: 202,
      body: { total: 2 },
    });
    expect((await post(form('chat\n1\n,\n'))).body).toMatchObject({
      code: 'invalid_recipients',
      problems: [{ path: 'line 3' }],
    });
    expect((await post(form('chat\n1', order({ audience: 'x' })))).body.code).toBe(
      'invalid_message',
    );
    expect((await post('--b--\r\n')).body.code).toBe('invalid_message');
    expect((await post(form('chat\n1').slice(0, 90))).body.code).toBe('invalid_recipients');
    expect((await ask('GET', '/v1/broadcasts')).body.items).toHaveLength(1);
  });

  test('repeats nothing under one key', async () => {
    at = await bench();
    const keyed = order({ chats: [1], idempotencyKey: 'k' });
    const first = await ask('POST', '/v1/broadcasts', keyed);
    expect(await ask('POST', '/v1/broadcasts', keyed)).toMatchObject({
      status: 202,
      body: { id: first.body.id, repeated: true },
    });
    const other = await ask('POST', '/v1/broadcasts', { ...keyed, chats: [2] });
    expect(other.body).toMatchObject({ code: 'idempotency_conflict', id: first.body.id });
  });

  test.each([
    [{}, 'invalid_message'],
    [order(), 'invalid_message'],
    [order({ chats: [1], audience: 'all' }), 'invalid_message'],
    [order({ chats: ['two words'] }), 'invalid_recipients'],
    [order({ audience: 'all' }), 'unknown_audience'],
    [order({ chats: [1], body: { text: '{{nam}}' } }), 'unknown_field'],
    [order({ chats: [1], method: 'getMe' }), 'invalid_message'],
    [order({ chats: [1], notBefore: 'soon' }), 'invalid_message'],
    [order({ chats: [1], body: { text: 'x'.repeat(65_000) } }), 'too_large'],
    [order({ chats: [1], to: { account: 'telegram:9' } }), 'unknown_account'],
    [order({ chats: [1], to: { account: 'icq:9' } }), 'invalid_message'],
    [order({ chats: Array.from({ length: 1001 }, (_, i) => i) }), 'too_many_recipients'],
  ])('refuses %j', async (wrong, code) => {
    at = await bench({ bodyBytesMax: 65_000 });
    expect((await ask('POST', '/v1/broadcasts', wrong)).body.code).toBe(code);
  });

  test('bounds how many there are', async () => {
    at = await bench();
    const post = () => ask('POST', '/v1/broadcasts', order({ chats: [1] }));
    await post();
    await post();
    expect((await post()).body.code).toBe('broadcasts_full');
  });
});

describe('a broadcast', () => {
  test('is paused, resumed and cancelled, and tells of everyone', async () => {
    at = await bench();
    const { id } = (await ask('POST', '/v1/broadcasts', order({ chats: [1, 2, 3] }))).body;
    const verb = (name: string) => ask('POST', `/v1/broadcasts/${id}/${name}`);
    expect((await verb('pause')).body).toMatchObject({ state: 'paused', eta: null });
    expect((await verb('resume')).body).toMatchObject({ state: 'running' });
    expect((await verb('cancel')).body).toMatchObject({ state: 'cancelled' });
    expect((await verb('resume')).body).toMatchObject({
      code: 'broadcast_over',
      state: 'cancelled',
    });
    const url = `/v1/broadcasts/${id}/recipients`;
    const page = (await ask('GET', `${url}?limit=2`)).body;
    expect(page).toMatchObject({
      items: [
        { n: 1, chat: '1' },
        { n: 2, chat: '2' },
      ],
      next: '2',
    });
    expect((await ask('GET', `${url}?limit=2&cursor=2`)).body.items).toMatchObject([{ n: 3 }]);
    expect((await ask('GET', `${url}?state=sent`)).body).toEqual({ items: [], next: null });
    expect((await ask('GET', `${url}?state=lost`)).body.code).toBe('invalid_query');
    expect((await ask('GET', `${url}?cursor=x`)).body.code).toBe('invalid_query');
  });

  test('that never was is not found', async () => {
    at = await bench();
    for (const path of ['', '/recipients']) {
      expect((await ask('GET', `/v1/broadcasts/b-local-9${path}`)).status).toBe(404);
    }
    expect((await ask('POST', '/v1/broadcasts/x/pause')).status).toBe(404);
  });
});

describe('audiences', () => {
  test('are saved under a name, listed, used and forgotten', async () => {
    at = await bench();
    expect(await save('all', 'chat,name\n1,Ada\n1,Ada\n2,Bo\n')).toMatchObject({
      status: 201,
      body: { name: 'all', count: 2, repeated: 1, fields: ['name'] },
    });
    expect((await ask('GET', '/v1/audiences')).body).toMatchObject({ items: [{ count: 2 }] });
    const named = order({ audience: 'all', body: { text: '{{name}}' } });
    expect((await ask('POST', '/v1/broadcasts', named)).body).toMatchObject({ total: 2 });
    expect((await ask('DELETE', '/v1/audiences/all')).status).toBe(200);
    expect((await ask('DELETE', '/v1/audiences/all')).body.code).toBe('unknown_audience');
    expect((await ask('GET', '/v1/audiences')).body.items).toEqual([]);
  });

  test('come whole or not at all', async () => {
    at = await bench();
    const wrong = await save('all', `chat\n1\n${',\n'.repeat(30)}`);
    expect(wrong.body).toMatchObject({ code: 'invalid_recipients', bad: 30 });
    expect(wrong.body.problems).toHaveLength(20);
    expect((await save('all', 'chat\n')).body.code).toBe('invalid_recipients');
    const many = Array.from({ length: 1001 }, (_, i) => i).join('\n');
    expect((await save('all', `chat\n${many}`)).body.code).toBe('too_many_recipients');
    expect((await ask('GET', '/v1/audiences')).body.items).toEqual([]);
  });

  test('say what they are', async () => {
    at = await bench();
    const put = (query: string, type: string) =>
      ask('PUT', `/v1/audiences/a${query}`, '1\n2', type);
    expect((await put('', 'image/png')).body.code).toBe('unsupported_media_type');
    expect((await put('?format=text', 'image/png')).body.count).toBe(2);
    expect((await put('?format=xml', 'text/plain')).body.code).toBe('invalid_query');
    expect((await put('', 'text/plain')).body.count).toBe(2);
  });
});
