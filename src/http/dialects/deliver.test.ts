import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FULL_MS } from '../../accept/callers.ts';
import { HOLDERS, ownKey } from '../../domain/idempotency.ts';
import { JournalUnavailable } from '../../store/ports/unavailable.ts';
import { answered, type Bench, bench, START, TOKEN } from '../context.fixture.ts';

let at: Bench;
beforeEach(async () => {
  at = await bench();
});
afterEach(() => at.app.close());

const SENT = '{"ok":true,"result":{"message_id":5}}';
const call = (
  method: string,
  payload: object | string = { chat_id: -100, text: 'hi' },
  headers: Record<string, string> = {},
  token = TOKEN,
) =>
  at.app.inject({
    method: 'POST',
    url: `/bot${token}/${method}`,
    headers: { 'content-type': 'application/json', ...headers },
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  });
const endAs = (
  ...end: Parameters<Bench['road']['end']> extends [number, ...infer R] ? R : never
) => {
  at.road.onWait = (seq) => at.road.end(seq, ...end);
};

describe('a call that sends', () => {
  test('is answered with the words of Telegram, and a receipt', async () => {
    endAs('sent', { result: SENT });
    const answer = await call('sendMessage');
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toBe(SENT);
    expect(answer.headers['content-type']).toContain('application/json');
    expect(answer.headers['x-sluice-delivery']).toBe(`${at.journal.tag}-1`);
    expect(answer.headers['x-correlation-id']).toBe(`${at.journal.tag}-1`);
    expect(at.road.submitted[0]).toMatchObject({
      account: 'telegram:42',
      chat: '-100',
      body: '{"chat_id":-100,"text":"hi"}',
    });
  });

  test.each([
    ['GET', `/bot${TOKEN}/sendmessage?chat_id=-100&text=hi`, undefined, {}],
    [
      'POST',
      `/bot${TOKEN}/SENDMESSAGE?chat_id=-100`,
      'text=h%C3%A9',
      { 'content-type': 'application/x-www-form-urlencoded' },
    ],
    ['POST', `/bot${TOKEN.replace(':', '%3A')}/sendMessage?chat_id=-100`, undefined, {}],
  ] as const)('%s %#: query and form, any case', async (method, url, payload, headers) => {
    endAs('sent', { result: SENT });
    const body = payload === undefined ? {} : { payload };
    const answer = await at.app.inject({ method, url, headers, ...body });
    expect(answer.statusCode).toBe(200);
    expect(at.road.submitted[0]).toMatchObject({ method: 'sendMessage', chat: '-100' });
  });

  test('is on behalf of the person of a private chat, where users are paced', async () => {
    endAs('sent', { result: SENT });
    at.road.isPacingUsers = true;
    await call('sendMessage', { chat_id: 7, text: 'hi' });
    await call('sendMessage', { chat_id: 7, text: 'hi' }, { 'x-sluice-user': 'u' });
    await call('sendMessage', { chat_id: -100, text: 'hi' });
    at.road.isPacingUsers = false;
    await call('sendMessage', { chat_id: 7, text: 'hi' });
    expect(at.road.submitted.map(({ user }) => user)).toEqual(['7', 'u', null, null]);
  });

  test('headers are options of the send', async () => {
    endAs('sent', { result: SENT });
    const answer = await call('sendMessage', undefined, {
      priority: 'u=1, i',
      'idempotency-key': 'k',
      'x-sluice-ttl': '30',
      'x-sluice-session': 's',
      'x-sluice-user': 'u',
      'x-correlation-id': 'c',
    });
    expect(answer.headers['x-correlation-id']).toBe('c');
    expect(at.road.submitted[0]).toMatchObject({
      priority: 'critical',
      idempotencyKey: ownKey(HOLDERS.bot, 'k'),
      expiresAt: START + 30_000,
      session: 's',
      user: 'u',
      correlation: 'c',
    });
  });

  test.each([
    ['dead', { result: '{"ok":false,"error_code":403,"description":"Forbidden: x"}' }, 403],
    ['dead', { result: '<html>', reason: 'bad_gateway' }, 502],
    ['dead', { reason: 'timeout' }, 502],
    ['expired', {}, 408],
    ['cancelled', {}, 410],
    ['uncertain', {}, 409],
    ['superseded', {}, 409],
  ] as const)('that ends as %s %#', async (state, given, status) => {
    endAs(state, given);
    const answer = await call('sendMessage');
    expect(answer.statusCode).toBe(status);
    expect(answer.json()).toMatchObject({ ok: false, error_code: status });
    expect(answer.headers['x-sluice-delivery']).toBeDefined();
  });

  test.each([
    ['sent', '{"ok":true,"result":true}', 200],
    ['dropped', null, 200],
    ['failed', null, 200],
    ['refused', '{"ok":false,"error_code":400,"description":"Bad Request: x"}', 400],
  ] as const)('a typing sign is %s: never queued', async (end, result, status) => {
    at.road.cosmeticAnswer = { end, result };
    const answer = await call('sendChatAction', { chat_id: 1, action: 'typing' });
    expect(answer.statusCode).toBe(status);
    expect(answer.json()).toMatchObject({ ok: status === 200 });
    expect(at.road.submitted).toEqual([]);
    expect(at.road.cosmetics).toMatchObject([{ chat: '1', family: 'typing' }]);
    // No delivery stands for it.
    expect(answer.headers).not.toHaveProperty('x-sluice-delivery');
  });

  test('a preview is answered at once with the message as it will be, unless its caller says wait', async () => {
    at.road.arePreviews = true;
    const params = { chat_id: -100, message_id: 7, text: 'half' };
    const answer = await call('editMessageText', params);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ ok: true, result: { message_id: 7, text: 'half' } });
    expect(answer.headers['x-sluice-delivery']).toBe(`${at.journal.tag}-1`);
    expect(answer.headers).not.toHaveProperty('preference-applied');
    endAs('sent', { result: SENT });
    const waited = await call('editMessageText', params, { prefer: 'wait=5' });
    expect(waited.body).toBe(SENT);
  });

  test('respond-async answers at once with a message that is not there yet', async () => {
    const answer = await call('sendMessage', undefined, { prefer: 'respond-async' });
    expect(answer.statusCode).toBe(202);
    expect(answer.headers['preference-applied']).toBe('respond-async');
    expect(answer.json()).toEqual({
      ok: true,
      result: { message_id: -1, date: START / 1000, chat: { id: -100, type: 'group' }, text: 'hi' },
    });
  });

  test('wait=N withdraws it and tells honestly when to come back', async () => {
    at.road.onWait = () => void at.clock.run(START + 500);
    const answer = await call('sendMessage', undefined, { prefer: 'wait=0' });
    expect(answer.statusCode).toBe(429);
    expect(answer.json()).toEqual({
      ok: false,
      error_code: 429,
      description: 'Too Many Requests: retry after 1',
      parameters: { retry_after: 1 },
    });
    expect(answer.headers['retry-after']).toBe('1');
    const moved = await at.road.move({
      seq: 1,
      to: 'cancelled',
      at: START,
      reason: 'x',
      by: 'x',
      body: null,
      queueMax: 0,
    });
    expect(moved).toEqual({ kind: 'illegal', state: 'cancelled' });
  });

  test('what is being sent cannot be withdrawn: its answer is waited for', async () => {
    let waits = 0;
    at.road.onWait = async (seq) => {
      waits += 1;
      if (waits === 2) return at.road.end(seq, 'sent', { result: SENT });
      await at.journal.begin({ account: 'telegram:42', epoch: 1 }, seq, START);
      await at.clock.run(START + 2000);
    };
    const answer = await call('sendMessage', undefined, { prefer: 'wait=1' });
    expect(answer.body).toBe(SENT);
  });

  test('SLUICE_WAIT decides where the caller says nothing', async () => {
    await at.app.close();
    at = await bench({ wait: { kind: 'async' } });
    expect((await call('sendMessage')).statusCode).toBe(202);
  });

  test('a gateway that stops says so, and keeps the delivery', async () => {
    const waits = new Promise<void>((resolve) => {
      at.road.onWait = () => resolve();
    });
    const answer = call('sendMessage');
    await waits;
    await at.app.close();
    expect((await answer).json()).toMatchObject({ ok: false, error_code: 503 });
    expect((await answer).headers['x-sluice-delivery']).toBeDefined();
  });
});

describe('refusals look like those of Telegram', () => {
  test.each([
    ['no chat', { text: 'x' }, {}, 400, 'Bad Request: chat_id is empty'],
    ['not an object', [1], {}, 400, 'Bad Request: JSON object expected'],
    ['broken JSON', '{', {}, 400, 'Bad Request'],
    ['odd ttl', undefined, { 'x-sluice-ttl': 'soon' }, 400, 'X-Sluice-TTL'],
    ['a long user', undefined, { 'x-sluice-user': 'u'.repeat(257) }, 400, 'x-sluice-user'],
    ['empty session', undefined, { 'x-sluice-session': '' }, 400, 'x-sluice-session'],
    ['odd type', 'x', { 'content-type': 'application/xml' }, 400, 'chat_id is empty'],
  ] as const)('%s', async (_name, payload, headers, status, text) => {
    const answer = await call('sendMessage', payload as object | string | undefined, {
      ...headers,
    });
    expect(answer.statusCode).toBe(status);
    expect(answer.json()).toMatchObject({ ok: false, error_code: status });
    expect(answer.json().description).toContain(text);
  });

  test('a body that is too large: the status alone, and the line is closed', async () => {
    const answer = await call('sendMessage', 'x'.repeat(70_000));
    expect(answer.statusCode).toBe(413);
    expect(answer.body).toBe('');
    expect(answer.headers.connection).toBe('close');
  });

  test.each([
    ['9:not-known', 401, 'Unauthorized'],
    ['nonsense', 404, 'Not Found'],
    ['42:a%2F..%2Fb', 404, 'Not Found'],
  ])('a token that is none: %s', async (token, status, description) => {
    const answer = await call('sendMessage', undefined, {}, token);
    expect(answer.statusCode).toBe(status);
    expect(answer.json()).toEqual({ ok: false, error_code: status, description });
    expect(at.road.submitted).toEqual([]);
  });

  test('a full queue is a wait, a full disk is not ours to hide', async () => {
    for (let i = 0; i < 10; i++) await call('sendMessage', undefined, { prefer: 'respond-async' });
    const full = await call('sendMessage');
    expect(full.json()).toMatchObject({ error_code: 429, parameters: { retry_after: 5 } });
    expect(full.headers['x-sluice-error']).toBe('queue_full');
    at.road.failure = new JournalUnavailable('disk_full', 'no');
    const disk = await call('sendMessage');
    expect(disk.statusCode).toBe(503);
    expect(disk.headers['x-sluice-error']).toBe('disk_full');
  });

  test('a disk that stays full keeps nobody waiting; the same call again finds its message', async () => {
    const store = (trouble: 'disk_full' | null) =>
      at.road.emit({ kind: 'store', at: at.clock.now(), trouble });
    // A moment of it is no reason.
    at.road.onWait = () => {
      at.road.onWait = () => {};
      store('disk_full');
      store(null);
      void at.clock.run(START + FULL_MS).then(() => {
        store('disk_full');
        return at.clock.run(START + 2 * FULL_MS);
      });
    };
    const full = await call('sendMessage');
    expect(at.clock.now()).toBe(START + 2 * FULL_MS);
    expect(full.statusCode).toBe(503);
    expect(full.headers['x-sluice-error']).toBe('disk_full');
    const { 'x-sluice-delivery': id } = full.headers;
    expect(full.json().description).toContain(`The disk is full: ${id} is accepted`);
    expect((await call('sendMessage')).statusCode).toBe(503);
    store(null);
    endAs('sent', { result: SENT });
    const again = await call('sendMessage');
    expect([again.body, again.headers['x-sluice-delivery']]).toEqual([SENT, id]);
    expect(at.road.submitted).toHaveLength(1);
  });

  test('a key used for another content is a conflict with its receipt', async () => {
    endAs('sent', { result: SENT });
    const key = { 'idempotency-key': 'k' };
    const first = await call('sendMessage', undefined, key);
    const again = await call('sendMessage', undefined, key);
    expect(again.body).toBe(SENT);
    const other = await call('sendMessage', { chat_id: 1, text: 'other' }, key);
    expect(other.statusCode).toBe(409);
    expect(other.headers['x-sluice-delivery']).toBe(first.headers['x-sluice-delivery']);
  });

  test('a mistake of ours shows nothing of its inside', async () => {
    at.road.failure = new Error('inside');
    const answer = await call('sendMessage');
    expect(answer.json()).toMatchObject({ ok: false, error_code: 500 });
    expect(answer.body).not.toContain('inside');
    expect(at.logged).toHaveLength(1);
  });
});

describe('a call that does not send', () => {
  test('is passed on and answered as it came', async () => {
    at.answer = answered(404, '{"ok":false,"error_code":404,"description":"Not Found"}');
    const answer = await call('getChat', { chat_id: 1 });
    expect(answer.statusCode).toBe(404);
    expect(answer.body).toBe(at.answer.kind === 'answered' ? at.answer.body : '');
    expect(at.passed[0]).toMatchObject({ credential: TOKEN, method: 'getChat', deadlineMs: 1000 });
    expect(at.road.submitted).toEqual([]);
    expect(answer.headers).not.toHaveProperty('x-sluice-delivery');
  });

  test('a long poll may take its time, and an empty body is none', async () => {
    at.answer = answered(200, '{"ok":true,"result":[]}', { 'retry-after': '3' });
    const answer = await call('getUpdates?timeout=50', '');
    expect(answer.json()).toEqual({ ok: true, result: [] });
    expect(answer.headers['retry-after']).toBe('3');
    expect(at.passed[0]).toMatchObject({ body: '{"timeout":"50"}', deadlineMs: 60_000 });
  });

  test('no answer is a bad gateway', async () => {
    at.answer = { kind: 'lost', reason: 'timeout', detail: 'x' };
    expect((await call('getMe')).json()).toMatchObject({ ok: false, error_code: 502 });
  });
});
