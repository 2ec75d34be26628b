import { afterEach, describe, expect, test } from 'vitest';
import { ownKey } from '../../domain/idempotency.ts';
import type { AccountId } from '../../domain/ids.ts';
import { JournalUnavailable } from '../../store/ports/unavailable.ts';
import { ACCOUNT, AUTH, type Bench, bench, message, START, TOKEN } from '../context.fixture.ts';

let open: Bench | null = null;
afterEach(async () => {
  await open?.app.close();
  open = null;
});

async function start(...settings: Parameters<typeof bench>) {
  open = await bench(...settings);
  return open;
}

const post = (at: Bench, payload: unknown, headers: object = {}) =>
  at.app.inject({
    method: 'POST',
    url: '/v1/messages',
    headers: { ...AUTH, ...headers, 'content-type': 'application/json' },
    payload: JSON.stringify(payload),
  });
const get = (at: Bench, url: string) => at.app.inject({ url, headers: AUTH });

describe('POST /v1/messages', () => {
  test('is accepted with an id, a position and an eta', async () => {
    const at = await start();
    const answer = await post(at, message());
    expect(answer.statusCode).toBe(202);
    expect(answer.json()).toEqual({
      id: `${at.journal.tag}-1`,
      correlation: `${at.journal.tag}-1`,
      state: 'queued',
      position: 1,
      eta: new Date(START + 1000).toISOString(),
    });
    expect(answer.headers['x-sluice-delivery']).toBe(`${at.journal.tag}-1`);
    expect(answer.headers['x-correlation-id']).toBe(`${at.journal.tag}-1`);
    expect(at.road.submitted[0]).toMatchObject({
      account: ACCOUNT,
      chat: '-100',
      method: 'sendMessage',
      priority: 'normal',
      live: false,
      body: '{"text":"hello","chat_id":-100}',
    });
  });

  test('the correlation is the caller’s own id of it, else the delivery’s; a repeat has the first’s', async () => {
    const at = await start();
    const named = await post(at, message({ idempotencyKey: 'k', correlation: 'order 9' }));
    const again = await post(at, message({ idempotencyKey: 'k' }));
    for (const answer of [named, again]) {
      expect(answer.headers['x-correlation-id']).toBe('order 9');
      expect(answer.json().correlation).toBe('order 9');
    }
    const { id } = (await post(at, message())).json();
    for (const correlation of ['order 9', id]) {
      const { items } = (await get(at, `/v1/messages?correlation=${correlation}`)).json();
      expect(items).toMatchObject([{ correlation }]);
      const explained = await get(at, `/v1/messages/${items[0].id}/explain`);
      expect(explained.json()).toMatchObject({ id: items[0].id, correlation });
    }
  });

  test('a call whose answer is what it is made for waits, unless its caller or its time says otherwise', async () => {
    const at = await start();
    const result = '{"ok":true,"result":{"message_thread_id":7}}';
    at.road.onWait = (seq) => at.road.end(seq, 'sent', { result });
    const topic = { method: 'CreateForumTopic', body: { name: 'news' } };
    const made = await post(at, message(topic));
    expect(made.statusCode).toBe(200);
    expect(made.json().result).toEqual(JSON.parse(result));
    const { to } = message();
    const observers = [{ ...to, chat: -101 }];
    const fanned = await post(at, message({ ...topic, to: { origin: to, observers } }));
    expect(fanned.statusCode).toBe(200);
    expect(fanned.json().observers).toMatchObject([{ state: 'queued' }]);
    const later = new Date(START + 60_000).toISOString();
    for (const more of [{ wait: false }, { wait: 0 }, { notBefore: later }]) {
      expect((await post(at, message({ ...topic, ...more }))).statusCode).toBe(202);
    }
    expect((await post(at, message())).statusCode).toBe(202);
  });

  test('every wish reaches the delivery', async () => {
    const at = await start();
    const sendOptions = {
      to: { platform: 'telegram', account: 42, chat: -100, thread: 7 },
      priority: 'high',
      session: 'one',
      user: 99,
      coalesce: 'answer',
      ttl: 60,
      notBefore: new Date(START + 5000).toISOString(),
    };
    const headers = { 'x-correlation-id': 'order-1', 'idempotency-key': 'k1' };
    expect((await post(at, message(sendOptions), headers)).statusCode).toBe(202);
    expect(at.road.submitted[0]).toMatchObject({
      thread: '7',
      session: 'one',
      user: '99',
      correlation: 'order-1',
      idempotencyKey: ownKey('admin', 'k1'),
      priority: 'high',
      slot: 'key:-100:s:one:answer',
      live: true,
      notBefore: START + 5000,
      expiresAt: START + 60_000,
    });
  });

  test('coalescing: by message on its own, by session when asked, never when told', async () => {
    const at = await start();
    const edit = { method: 'editMessageText', body: { message_id: 5, text: 'x' } };
    await post(at, message(edit));
    await post(at, message({ ...edit, coalesce: false }));
    await post(at, message({ coalesce: true, session: 's', final: true }));
    const [byMessage, never, bySession] = at.road.submitted;
    expect(byMessage!.slot).toContain('5');
    expect(never!.slot).toBeNull();
    expect(bySession).toMatchObject({ slot: 'session:-100:s:s', final: true, live: false });
  });

  test('the account may be given by its full token, and is then known', async () => {
    const at = await start();
    const to = { platform: 'telegram', account: '7:good-x', chat: 1 };
    expect((await post(at, message({ to }))).statusCode).toBe(202);
    expect(at.road.submitted[0]!.account).toBe('telegram:7');
    expect(at.accounts.credentialOf('telegram:7')).toBe('7:good-x');
  });

  test('waits for the result', async () => {
    const at = await start();
    at.road.onWait = (seq) =>
      at.road.end(seq, 'sent', { messageId: '77', result: '{"ok":true,"result":{}}' });
    const answer = await post(at, message({ wait: 5 }));
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({
      state: 'sent',
      messageId: '77',
      result: { ok: true, result: {} },
      position: null,
    });
  });

  test('a wait that runs out answers 202 with the state', async () => {
    const at = await start();
    at.road.onWait = () => void at.clock.run(START + 2000);
    const answer = await post(at, message({ wait: 1 }));
    expect(answer.statusCode).toBe(202);
    expect(answer.json()).toMatchObject({ state: 'queued', position: 1 });
  });

  test('the same idempotency key answers with the same delivery, other content is a conflict', async () => {
    const at = await start();
    const key = { 'idempotency-key': 'k' };
    const first = await post(at, message(), key);
    const again = await post(at, message(), key);
    expect(again.json()).toMatchObject({ id: first.json().id, repeated: true });
    const other = await post(at, message({ body: { text: 'other' } }), key);
    expect(other.statusCode).toBe(409);
    expect(other.json()).toMatchObject({ code: 'idempotency_conflict', id: first.json().id });
    expect(other.headers['x-sluice-delivery']).toBe(first.json().id);
  });

  test('a full queue refuses with a code and a time', async () => {
    const at = await start();
    for (let i = 0; i < 10; i++) await post(at, message());
    const answer = await post(at, message());
    expect(answer.statusCode).toBe(429);
    expect(answer.json()).toMatchObject({ code: 'queue_full', waiting: 10, queueMax: 10 });
    expect(answer.headers['retry-after']).toBe('5');
  });

  test.each(['disk_full', 'journal_failed'] as const)('%s: 503, nothing accepted', async (code) => {
    const at = await start();
    at.road.failure = new JournalUnavailable(code, 'no');
    const answer = await post(at, message());
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toMatchObject({ code });
    expect(answer.headers['content-type']).toContain('application/problem+json');
  });

  test('a mistake of ours is logged, and shown without its inside', async () => {
    const at = await start();
    at.road.failure = new Error(`inside ${TOKEN}`);
    const answer = await post(at, message());
    expect(answer.statusCode).toBe(500);
    expect(answer.json().code).toBe('internal');
    expect(answer.body).not.toContain('inside');
    expect(at.logged).toHaveLength(1);
  });
});

describe('bad messages', () => {
  const target = { platform: 'telegram', account: ACCOUNT, chat: '-100' };
  test.each<[string, unknown, string, string]>([
    ['no object', 5, 'invalid_message', '/'],
    ['no target', { body: {} }, 'invalid_message', '/to'],
    ['no body', { to: target }, 'invalid_message', '/body'],
    ['wrong type', message({ body: 'text' }), 'invalid_message', '/body'],
    ['unknown field', message({ priorty: 'high' }), 'invalid_message', '/priorty'],
    [
      'unknown target field',
      message({ to: { ...target, topic: 1 } }),
      'invalid_message',
      '/to/topic',
    ],
    ['wrong priority', message({ priority: 'urgent' }), 'invalid_message', '/priority'],
    ['no chat', message({ to: { ...target, chat: null } }), 'invalid_message', '/to/chat'],
    ['no platform', message({ to: { account: 'x', chat: 1 } }), 'invalid_message', '/to/platform'],
    ['ttl of 0', message({ ttl: 0 }), 'invalid_message', '/ttl'],
    ['no time', message({ notBefore: 'soon' }), 'invalid_message', '/notBefore'],
    ['far time', message({ notBefore: '9999-01-01' }), 'invalid_message', '/notBefore'],
    ['ttl first', message({ ttl: 1, notBefore: START + 5000 }), 'invalid_message', '/ttl'],
    ['long wait', message({ wait: 301 }), 'invalid_message', '/wait'],
    ['negative wait', message({ wait: -1 }), 'invalid_message', '/wait'],
    ['nothing to coalesce by', message({ coalesce: true }), 'invalid_message', '/coalesce'],
    ['a read', message({ method: 'getMe' }), 'invalid_message', '/method'],
    ['long name', message({ session: 'x'.repeat(257) }), 'invalid_message', '/session'],
    ['fan-out gone wrong', message({ to: { origin: target } }), 'invalid_message', '/to/observers'],
  ])('%s: the place and what would be right', async (_name, payload, code, path) => {
    const at = await start();
    const answer = await post(at, payload);
    expect(answer.statusCode).toBe(422);
    const problem = answer.json();
    expect(problem.code).toBe(code);
    expect(problem.problems.map((each: { path: string }) => each.path)).toContain(path);
    expect(at.road.submitted).toEqual([]);
  });

  test.each([
    [{ ...target, platform: 'icq' }, 422, 'unknown_platform'],
    [{ ...target, account: '99' }, 404, 'unknown_account'],
    [{ ...target, account: 'telegram:99' }, 404, 'unknown_account'],
    [{ ...target, account: '9:stolen-token' }, 422, 'account_refused'],
  ])('a wrong account: %#', async (to, status, code) => {
    const at = await start();
    const answer = await post(at, message({ to }));
    expect(answer.statusCode).toBe(status);
    expect(answer.json().code).toBe(code);
    expect(answer.body).not.toContain('stolen');
  });

  test('broken JSON, other types and big bodies have codes too', async () => {
    const at = await start();
    const send = (payload: string, type = 'application/json') =>
      at.app.inject({
        method: 'POST',
        url: '/v1/messages',
        headers: { ...AUTH, 'content-type': type },
        payload,
      });
    expect((await send('{"to":')).json().code).toBe('invalid_json');
    expect((await send('{"__proto__":1}')).json().code).toBe('invalid_json');
    expect((await send('')).json().code).toBe('invalid_message');
    expect((await send('x', 'text/plain')).json().code).toBe('unsupported_media_type');
    expect((await send('x', 'multipart/form-data')).statusCode).toBe(415);
    const big = await send(JSON.stringify(message({ body: { text: 'x'.repeat(70_000) } })));
    expect(big.statusCode).toBe(413);
    expect(big.json().code).toBe('too_large');
  });

  test('a header that is too long is refused', async () => {
    const at = await start();
    const answer = await post(at, message(), { 'idempotency-key': 'x'.repeat(300) });
    expect(answer.json().code).toBe('invalid_message');
  });
});

describe('batches and fan-out', () => {
  test('each item is judged alone, in order', async () => {
    const at = await start();
    const answer = await post(at, [message(), { body: 1 }, message({ body: { text: 'b' } })]);
    expect(answer.statusCode).toBe(207);
    expect(answer.json()).toMatchObject([
      { status: 202, id: `${at.journal.tag}-1`, state: 'queued' },
      { status: 422, code: 'invalid_message' },
      { status: 202, id: `${at.journal.tag}-2` },
    ]);
  });

  test('an unknown token in the middle does not change the order', async () => {
    const at = await start();
    const unknown = { platform: 'telegram', account: '7:good-new', chat: 1 };
    await post(at, [message({ to: unknown }), message()]);
    expect(at.road.submitted.map(({ account }) => account)).toEqual(['telegram:7', ACCOUNT]);
  });

  test('one key for a batch makes the whole batch repeatable', async () => {
    const at = await start();
    const key = { 'idempotency-key': 'b' };
    const batch = [message(), message()];
    const first = (await post(at, batch, key)).json();
    const again = (await post(at, batch, key)).json();
    expect(first.map((item: { id: string }) => item.id)).toEqual(
      again.map((item: { id: string }) => item.id),
    );
    expect(again[0].repeated).toBe(true);
  });

  test('too many items are refused before any is read', async () => {
    const at = await start();
    const answer = await post(at, Array(6).fill(message()));
    expect(answer.statusCode).toBe(413);
    expect(answer.json().code).toBe('batch_too_large');
    expect(at.road.submitted).toEqual([]);
  });

  test('the origin is answered for, observers get their copies best-effort', async () => {
    const at = await start();
    const to = (chat: number, account: AccountId | number = 42) => ({
      platform: 'telegram',
      account,
      chat,
    });
    const fanOut = { to: { origin: to(1), observers: [to(2), to(3, 99)] }, idempotencyKey: 'f' };
    const answer = await post(at, message(fanOut));
    expect(answer.statusCode).toBe(202);
    expect(answer.json()).toMatchObject({
      id: `${at.journal.tag}-1`,
      observers: [{ id: `${at.journal.tag}-2` }, { code: 'unknown_account' }],
    });
    expect(at.road.submitted.map(({ chat }) => chat)).toEqual(['1', '2']);
  });
});

describe('looking a message up', () => {
  test('all that is known of it', async () => {
    const at = await start();
    const { id } = (await post(at, message({ correlation: 'c' }))).json();
    await at.road.die(1, '', 'sent');
    const answer = await get(at, `/v1/messages/${id}`);
    expect(answer.json()).toMatchObject({
      id,
      state: 'sent',
      account: ACCOUNT,
      correlation: 'c',
      messageId: '77',
      tries: 1,
      body: { text: 'hello', chat_id: -100 },
      result: { ok: true },
      attempts: [{ n: 1, outcome: 'sent' }],
      history: [],
      position: 1,
    });
  });

  test.each(['GET', 'DELETE'] as const)('%s of ids that name nothing', async (method) => {
    const at = await start();
    const ask = (id: string) => at.app.inject({ method, url: `/v1/messages/${id}`, headers: AUTH });
    const other = at.journal.tag === 'zzzzz' ? 'yyyyy-1' : 'zzzzz-1';
    expect((await ask(other)).json()).toMatchObject({ code: 'not_found', status: 404 });
    expect((await ask(other)).json().detail).toContain('another store');
    expect((await ask('nonsense')).json().detail).toContain('look like');
    expect((await ask(`${at.journal.tag}-99`)).json().detail).toContain('No such delivery');
  });

  test('search by filter, page by page', async () => {
    const at = await start();
    for (let i = 0; i < 3; i++) await post(at, message({ session: 's' }));
    await post(at, message({ session: 'other' }));
    const first = (await get(at, '/v1/messages?session=s&limit=2')).json();
    expect(first.items).toHaveLength(2);
    const second = (await get(at, `/v1/messages?session=s&limit=2&cursor=${first.next}`)).json();
    expect(second.items).toHaveLength(1);
    expect(second.next).toBeNull();
    expect((await get(at, `/v1/messages?since=${START + 1}`)).json().items).toEqual([]);
    expect(JSON.stringify(first)).not.toContain('hello');
  });

  test.each([
    ['state=gone', '/state'],
    ['limit=0', '/limit'],
    ['limit=1001', '/limit'],
    ['limit=many', '/limit'],
    ['cursor=x', '/cursor'],
    ['since=yesterday', '/since'],
    ['colour=red', '/colour'],
  ])('a wrong query: %s', async (query, path) => {
    const answer = await get(await start(), `/v1/messages?${query}`);
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({ code: 'invalid_query', problems: [{ path }] });
  });

  test('cancel, once', async () => {
    const at = await start();
    const { id } = (await post(at, message())).json();
    const cancel = () =>
      at.app.inject({ method: 'DELETE', url: `/v1/messages/${id}`, headers: AUTH });
    expect((await cancel()).json()).toEqual({ id, state: 'cancelled' });
    expect((await cancel()).json()).toMatchObject({ code: 'illegal_move', state: 'cancelled' });
    const history = (await get(at, `/v1/messages/${id}`)).json().history;
    expect(history).toMatchObject([{ from: 'queued', to: 'cancelled', by: 'admin' }]);
  });

  test('explain: what holds it, or what became of it', async () => {
    const at = await start();
    const waits = (await post(at, message())).json().id;
    const ended = (await post(at, message())).json().id;
    await at.road.die(2, 'chat_not_found');
    expect((await get(at, `/v1/messages/${waits}/explain`)).json()).toMatchObject({
      id: waits,
      summary: 'the chat is frozen',
      causes: [{ kind: 'freeze', until: new Date(START + 9000).toISOString() }],
    });
    const dead = (await get(at, `/v1/messages/${ended}/explain`)).json();
    expect(dead.summary).toContain('it is dead');
    expect(dead.summary).not.toContain('chat_not_found');
    expect(dead.cause).toBe('chat_not_found');
    expect(dead.past).toEqual(expect.any(Array));
    expect((await get(at, `/v1/messages/${waits}/explain`)).json()).not.toHaveProperty('past');
    expect((await get(at, '/v1/messages/zz/explain')).statusCode).toBe(404);
  });
});
