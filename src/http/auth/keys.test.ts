// Keys over REST: made, shown once, bound, replaced, revoked; and what a bound one reaches.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AccountId } from '../../domain/ids.ts';
import { ADMIN } from '../../keys/keys.ts';
import { ACCOUNT, AUTH, type Bench, bench, message, START } from '../context.fixture.ts';

const DAY_S = 86_400;
let at: Bench;

beforeEach(async () => {
  at = await bench();
});
afterEach(() => at.app.close());

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

function ask(method: Method, url: string, payload?: object, headers: object = AUTH) {
  const body = payload === undefined ? {} : { payload };
  return at.app.inject({ method, url, headers: { ...headers }, ...body });
}

async function made(request: object) {
  const answer = await ask('POST', '/v1/keys', { name: 'ci', ...request });
  expect(answer.statusCode).toBe(201);
  return answer.json() as { id: string; secret: string; expiresAt: string | null };
}

describe('/v1/keys', () => {
  test('a secret is told once, and not to be kept', async () => {
    const answer = await ask('POST', '/v1/keys', { name: 'ci', role: 'viewer', ttl: DAY_S });
    expect(answer.headers['cache-control']).toBe('no-store');
    const { secret, ...key } = answer.json();
    expect(key).toMatchObject({
      kind: 'key',
      name: 'ci',
      role: 'viewer',
      active: true,
      expiresAt: new Date(START + DAY_S * 1000).toISOString(),
      usedAt: null,
      scope: { accounts: null, chats: null, methods: null, perMinute: null, priority: null },
    });
    const listed = await ask('GET', '/v1/keys');
    expect(listed.json()).toEqual({ keys: [key], next: null });
    expect(listed.body).not.toContain(secret);
    expect((await ask('GET', '/v1/me', undefined, bearer(secret))).json()).toEqual({
      name: 'ci',
      role: 'viewer',
      csrf: null,
    });
  });

  test('it expires, and is revoked at once', async () => {
    const [short, long] = [await made({ role: 'viewer', ttl: 60 }), await made({ role: 'viewer' })];
    const statusOf = async ({ secret }: { secret: string }) =>
      (await ask('GET', '/v1/me', undefined, bearer(secret))).statusCode;
    expect([await statusOf(short), await statusOf(long)]).toEqual([200, 200]);
    await at.clock.run(START + 60_000);
    expect([await statusOf(short), await statusOf(long)]).toEqual([401, 200]);
    expect((await ask('DELETE', `/v1/keys/${long.id}`)).json()).toMatchObject({ active: false });
    expect(await statusOf(long)).toBe(401);
    for (const id of [long.id, short.id, 'k-0']) {
      expect((await ask('DELETE', `/v1/keys/${id}`)).json().code).toBe('unknown_key');
    }
  });

  test('rotate gives another secret, with a grace for the old one', async () => {
    const old = await made({ role: 'sender', chats: ['-100'] });
    const answer = await ask('POST', `/v1/keys/${old.id}/rotate`, { grace: 30 });
    expect(answer.json()).toMatchObject({ role: 'sender', scope: { chats: ['-100'] } });
    const { secret } = answer.json();
    expect((await ask('GET', '/v1/me', undefined, bearer(old.secret))).statusCode).toBe(200);
    await at.clock.run(START + 30_000);
    expect((await ask('GET', '/v1/me', undefined, bearer(old.secret))).statusCode).toBe(401);
    expect((await ask('GET', '/v1/me', undefined, bearer(secret))).statusCode).toBe(200);
    expect((await ask('POST', '/v1/keys/k-0/rotate')).json().code).toBe('unknown_key');
    // Only no body at all stands for an empty one.
    const url = `/v1/keys/${answer.json().id}/rotate`;
    const headers = { ...AUTH, 'content-type': 'application/json' };
    const nothing = await at.app.inject({ method: 'POST', url, headers, payload: 'null' });
    expect([nothing.statusCode, nothing.json().code]).toEqual([422, 'invalid_message']);
    expect((await ask('GET', '/v1/me', undefined, bearer(secret))).statusCode).toBe(200);
  });

  test('a virtual token is of one account that is known', async () => {
    const token = await made({ virtual: true, account: ACCOUNT, methods: ['sendMessage'] });
    expect(token.secret).toMatch(/^42:sluice[\w-]{29}$/);
    const strange = { name: 'x', virtual: true, account: 'telegram:9' };
    expect((await ask('POST', '/v1/keys', strange)).json().code).toBe('unknown_account');
  });

  test.each([
    [{ name: 'x' }],
    [{ name: '', role: 'viewer' }],
    [{ name: 'x', role: 'root' }],
    [{ name: 'x', role: 'viewer', chats: [] }],
    [{ name: 'x', role: 'viewer', perMinute: 0 }],
    [{ name: 'x', role: 'viewer', accounts: ['42'] }],
    [{ name: 'x', role: 'viewer', ttl: -1 }],
    [{ name: 'x', role: 'viewer', misspelt: 1 }],
    [{ name: 'x', virtual: true }],
    [{ name: 'x', virtual: true, account: ACCOUNT, role: 'admin' }],
    [[]],
  ])('refuses %j', async (request) => {
    expect((await ask('POST', '/v1/keys', request)).json().code).toBe('invalid_message');
  });
});

describe('a bound key', () => {
  const post = (key: string, more: object = {}) =>
    ask('POST', '/v1/messages', message(more), bearer(key));
  const to = (account: AccountId, chat: string) => ({
    to: { platform: 'telegram', account, chat },
  });

  test('sends within its bounds, and learns nothing of what is outside', async () => {
    const { secret } = await made({ role: 'sender', accounts: [ACCOUNT], chats: ['-100'] });
    expect((await post(secret)).statusCode).toBe(202);
    const refused = [
      await post(secret, to(ACCOUNT, '-101')),
      await post(secret, to('telegram:43', '-100')),
      await post(secret, to('43:good-not-known', '-100')),
      await post(secret, { method: 'forwardMessage', body: { from_chat_id: 7, message_id: 1 } }),
    ];
    for (const answer of refused) {
      expect([answer.statusCode, answer.body]).toEqual([403, refused[0]!.body]);
    }
    expect(refused[0]!.json().code).toBe('forbidden_scope');
    expect(at.accounts.get('telegram:43')).toBeNull();
    expect(at.road.submitted).toHaveLength(1);
  });

  test('an observer is a message of its own', async () => {
    const { secret } = await made({ role: 'sender', chats: ['-100'] });
    const origin = { account: ACCOUNT, chat: '-100' };
    const observers = [{ account: ACCOUNT, chat: '-101' }];
    const answer = await post(secret, { to: { origin, observers } });
    expect(answer.json().observers).toMatchObject([{ code: 'forbidden_scope' }]);
    expect(at.road.submitted).toHaveLength(1);
  });

  test('shows growing texts within its bounds, and touches no others', async () => {
    const { secret } = await made({ role: 'sender', accounts: [ACCOUNT], chats: ['-100'] });
    const open = (chat: string, headers: object) =>
      ask('POST', '/v1/streams', { ...to(ACCOUNT, chat), text: 'begun' }, headers);
    expect((await open('-101', bearer(secret))).json().code).toBe('forbidden_scope');
    const [own, other] = [await open('-100', bearer(secret)), await open('-101', AUTH)];
    const change = async (answer: typeof own) => {
      const url = `/v1/streams/${answer.json().id}`;
      return (await ask('PATCH', url, { append: ' and on' }, bearer(secret))).statusCode;
    };
    expect([await change(own), await change(other)]).toEqual([200, 403]);
    const list = (query: string) => ask('GET', `/v1/streams${query}`, undefined, bearer(secret));
    expect((await list('')).statusCode).toBe(403);
    expect((await list(`?account=${ACCOUNT}&chat=-100`)).json().streams).toHaveLength(1);
  });

  test('reads what it could have sent, and must say what it looks for', async () => {
    const { secret } = await made({ role: 'operator', accounts: [ACCOUNT], chats: ['-100'] });
    const [own, other] = [
      (await post(secret)).json().id,
      (await ask('POST', '/v1/messages', message(to(ACCOUNT, '-101')))).json().id,
    ];
    const statusOf = async (url: string, method: Method = 'GET') =>
      (await ask(method, url, undefined, bearer(secret))).statusCode;
    expect(await statusOf(`/v1/messages/${own}`)).toBe(200);
    expect(await statusOf(`/v1/messages/${other}`)).toBe(403);
    expect(await statusOf(`/v1/messages/${other}`, 'DELETE')).toBe(403);
    expect(await statusOf(`/v1/messages/${at.journal.tag}-zz`)).toBe(403);
    expect(await statusOf(`/v1/messages?account=${ACCOUNT}&chat=-100`)).toBe(200);
    for (const query of ['', `?account=${ACCOUNT}`, '?chat=-100', '?account=a&chat=-100']) {
      expect(await statusOf(`/v1/messages${query}`), query).toBe(403);
    }
    expect(await statusOf(`/v1/accounts/${ACCOUNT}/pause`, 'POST')).toBe(403);
    expect(await statusOf(`/v1/messages/${own}`, 'DELETE')).toBe(200);
  });

  test('so many calls a minute, each message of a batch one', async () => {
    const { secret } = await made({ role: 'sender', perMinute: 3 });
    const batch = [message(), message(), message(), message()];
    const answers = (await ask('POST', '/v1/messages', batch, bearer(secret))).json();
    expect(answers.map(({ status }: { status: number }) => status)).toEqual([202, 202, 202, 429]);
    const answer = await ask('GET', '/v1/me', undefined, bearer(secret));
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, '60']);
    expect(answer.json().code).toBe('key_rate');
    await at.clock.run(START + 60_000);
    expect((await ask('GET', '/v1/me', undefined, bearer(secret))).statusCode).toBe(200);
  });

  test('what is too urgent is lowered', async () => {
    const { secret } = await made({ role: 'sender', priority: 'normal' });
    await post(secret, { priority: 'critical' });
    await post(secret, { priority: 'low' });
    expect(at.road.submitted.map(({ priority }) => priority)).toEqual(['normal', 'low']);
  });
});

describe('a viewer', () => {
  test('sees where messages stand, not what they say', async () => {
    const { secret } = await made({ role: 'viewer' });
    const { id } = (await ask('POST', '/v1/messages', message())).json();
    await at.road.die(1, '', 'sent');
    const urls = [`/v1/messages/${id}`, '/v1/messages?preview=true', '/v1/queue', '/v1/overview'];
    for (const url of urls) {
      const seen = await ask('GET', url, undefined, bearer(secret));
      expect(seen.statusCode).toBe(200);
      expect(seen.body, url).not.toContain('hello');
      expect((await ask('GET', url)).body, url).toMatch(/hello|"oldest":\[\]|"items":\[\]/);
    }
    const view = (await ask('GET', `/v1/messages/${id}`, undefined, bearer(secret))).json();
    expect(view).toMatchObject({ state: 'sent', body: null, result: null, messageId: '77' });
  });

  test('is told what happens, without the texts, while others see them', async () => {
    const { secret } = await made({ role: 'viewer' });
    await ask('POST', '/v1/messages', message());
    const url = await at.app.listen({ host: '127.0.0.1', port: 0 });
    const firstEvent = async (headers: Record<string, string>) => {
      const answer = await fetch(`${url}/v1/overview/events`, { headers });
      let text = '';
      for await (const chunk of answer.body!) {
        text += Buffer.from(chunk).toString();
        if (/event: overview\n.*\n\n/.test(text)) break;
      }
      return text;
    };
    const seen = await firstEvent(bearer(secret));
    expect(seen).toContain('"preview":null');
    expect(seen).not.toContain('hello');
    expect(await firstEvent(AUTH)).toContain('"preview":"hello"');
  });

  test('cannot guess it by searching either', async () => {
    const { secret } = await made({ role: 'viewer' });
    const answer = await ask('GET', '/v1/messages?text=hello', undefined, bearer(secret));
    expect(answer.json().code).toBe('forbidden_role');
    expect((await ask('GET', '/v1/messages?text=hello')).statusCode).toBe(200);
  });
});

describe('a line that lasts', () => {
  // Resolves when it is open; `end` when it is no more.
  async function open(headers: Record<string, string>) {
    const answer = await fetch(`${url}/v1/events`, { headers });
    const reader = answer.body!.getReader();
    await reader.read();
    let isOver = false;
    const end = (async () => {
      for (;;) if ((await reader.read()).done) return 'ended';
    })()
      .catch(() => 'cut')
      .finally(() => {
        isOver = true;
      });
    return { end, isOver: () => isOver };
  }

  let url = '';
  beforeEach(async () => {
    url = await at.app.listen({ host: '127.0.0.1', port: 0 });
  });

  test('is cut at once when its key is revoked, and no other', async () => {
    const [gone, kept] = [await made({ role: 'viewer' }), await made({ role: 'viewer' })];
    const [cut, stays] = [await open(bearer(gone.secret)), await open(bearer(kept.secret))];
    await ask('DELETE', `/v1/keys/${gone.id}`);
    expect(await cut.end).toBe('cut');
    expect(stays.isOver()).toBe(false);
  });

  test('is cut soon when its key has expired', async () => {
    const { secret } = await made({ role: 'viewer', ttl: 60 });
    const [cut, stays] = [await open(bearer(secret)), await open(AUTH)];
    await at.clock.run(START + 59_000);
    expect(cut.isOver()).toBe(false);
    await at.clock.run(START + 65_000);
    expect(await cut.end).toBe('cut');
    expect(stays.isOver()).toBe(false);
  });

  test('is cut soon after its session was closed', async () => {
    const { id } = at.guards.sessions.open(ADMIN);
    const cut = await open({ cookie: `sluice_session=${id}` });
    at.guards.sessions.close(id);
    await at.clock.run(START + 5000);
    expect(await cut.end).toBe('cut');
  });
});

describe('/v1/audit', () => {
  test('who did what, when, to what, and what came of it', async () => {
    const { secret, id } = await made({ role: 'operator', name: 'night shift' });
    const headers = bearer(secret);
    await ask('POST', `/v1/accounts/${ACCOUNT}/pause`, undefined, headers);
    await ask('POST', '/v1/accounts/telegram:9/pause', undefined, headers);
    await ask('POST', '/v1/dead/retry', { filter: { account: '42:AAAAAAAAAAAAAAAAAAAAA' } });
    await ask('GET', '/v1/accounts', undefined, headers);
    await ask('POST', '/v1/keys', { name: 'x', role: 'admin' }, headers);
    const { entries } = (await ask('GET', '/v1/audit')).json();
    const time = new Date(START).toISOString();
    const by = { at: time, by: 'night shift', key: id, action: 'POST /v1/accounts/:id/pause' };
    expect(entries).toEqual([
      {
        ...{ at: time, by: 'admin', key: null, action: 'POST /v1/dead/retry' },
        ...{ target: '{"filter":{"account":"[secret]"}}', result: '200' },
      },
      { ...by, target: 'telegram:9', result: '404 unknown_account' },
      { ...by, target: ACCOUNT, result: '200' },
      {
        ...{ at: time, by: 'admin', key: null, action: 'POST /v1/keys' },
        ...{ target: `${id} key night shift operator`, result: '201' },
      },
    ]);
  });

  test('page by page, and only for the admin', async () => {
    for (const deed of ['pause', 'resume']) await ask('POST', `/v1/accounts/${ACCOUNT}/${deed}`);
    const first = (await ask('GET', '/v1/audit?limit=1')).json();
    expect(first.entries).toMatchObject([{ action: 'POST /v1/accounts/:id/resume' }]);
    const rest = (await ask('GET', `/v1/audit?cursor=${first.next}`)).json();
    expect(rest.entries).toMatchObject([{ action: 'POST /v1/accounts/:id/pause' }]);
    expect(rest.next).toBeNull();
    expect((await ask('GET', '/v1/audit?cursor=x')).json().code).toBe('invalid_query');
  });

  test('what cannot be noted is done all the same, and said in the log', async () => {
    Object.assign(at.journal.audit, { note: () => Promise.reject(new Error('disk full')) });
    const answer = await ask('POST', `/v1/accounts/${ACCOUNT}/pause`);
    expect(answer.statusCode).toBe(200);
    expect(at.logged).toMatchObject([{ target: ACCOUNT }]);
  });
});
