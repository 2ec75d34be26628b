// The page's login: by a key or a one-time link, a cookie that only the page can use, and few wrong tries.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ADMIN, NO_SCOPE, SESSION_MS } from '../../keys/keys.ts';
import { ACCOUNT, type Bench, bench, KEY, START } from '../context.fixture.ts';

let at: Bench;

beforeEach(async () => {
  at = await bench();
});
afterEach(() => at.app.close());

function logIn(key: string, more: { headers?: object; remoteAddress?: string } = {}) {
  const { headers = {}, ...rest } = more;
  const payload = { key };
  return at.app.inject({
    method: 'POST',
    url: '/login',
    payload,
    headers: { ...headers },
    ...rest,
  });
}

const cookieOf = (answer: Awaited<ReturnType<typeof logIn>>) => {
  const [pair] = String(answer.headers['set-cookie']).split(';');
  return { cookie: `other=1; ${pair}` };
};

const me = async (headers: object) =>
  (await at.app.inject({ url: '/v1/me', headers: { ...headers } })).json();

function pause(headers: object) {
  const url = `/v1/accounts/${ACCOUNT}/pause`;
  return at.app.inject({ method: 'POST', url, headers: { ...headers } });
}

describe('a session', () => {
  test('has the role of its key, and a cookie that no script and no other site can use', async () => {
    const answer = await logIn(KEY);
    expect(answer.headers['set-cookie']).toMatch(
      /^sluice_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    );
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.json()).toMatchObject({ name: 'admin', role: 'admin' });
    expect(await me(cookieOf(answer))).toEqual(answer.json());
    const secure = await logIn(KEY, { headers: { 'x-forwarded-proto': 'https' } });
    expect(secure.headers['set-cookie']).toMatch(/; Secure$/);
  });

  test('changes something only with the token that the page sends along', async () => {
    const answer = await logIn(KEY);
    const cookie = cookieOf(answer);
    const { csrf } = answer.json();
    const other = (await logIn(KEY)).json().csrf;
    for (const headers of [cookie, { ...cookie, 'x-csrf-token': other }]) {
      expect((await pause(headers)).json().code).toBe('csrf');
    }
    expect(at.road.paused.size).toBe(0);
    expect((await pause({ ...cookie, 'x-csrf-token': csrf })).statusCode).toBe(200);
    const dead = { url: '/v1/dead', headers: cookie };
    expect((await at.app.inject(dead)).statusCode).toBe(200);
  });

  test('a key in the header counts, whatever cookie comes with it', async () => {
    const cookie = cookieOf(await logIn(KEY));
    const answer = await pause({ ...cookie, authorization: 'Bearer wrong' });
    expect(answer.statusCode).toBe(401);
    expect(
      (await pause({ cookie: 'sluice_session=', authorization: `Bearer ${KEY}` })).statusCode,
    ).toBe(200);
  });

  test('ends by logging out, with its key, and by itself', async () => {
    const scope = NO_SCOPE;
    const request = { kind: 'key', name: 'desk', role: 'viewer', scope, expiresAt: null } as const;
    const made = await at.guards.keyring.create(request);
    if (made.kind !== 'created') throw new Error(made.kind);
    const [first, second, third] = [await logIn(KEY), await logIn(made.secret), await logIn(KEY)];
    const { csrf } = first.json();
    const headers = { ...cookieOf(first), 'x-csrf-token': csrf };
    const out = await at.app.inject({ method: 'POST', url: '/logout', headers });
    expect([out.statusCode, out.headers['set-cookie']]).toEqual([
      204,
      'sluice_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0',
    ]);
    expect((await me(cookieOf(first))).code).toBe('unauthorized');
    expect(await me(cookieOf(second))).toMatchObject({ role: 'viewer' });
    await at.guards.keyring.revoke(made.key.id);
    expect((await me(cookieOf(second))).code).toBe('unauthorized');
    expect(await me(cookieOf(third))).toMatchObject({ role: 'admin' });
    await at.clock.run(START + SESSION_MS);
    expect((await me(cookieOf(third))).code).toBe('unauthorized');
  });

  test('is not for a key with bounds, which could see nothing whole', async () => {
    const scope = { ...NO_SCOPE, chats: ['42'] };
    const request = { kind: 'key', name: 'shop', role: 'sender', scope, expiresAt: null } as const;
    const made = await at.guards.keyring.create(request);
    if (made.kind !== 'created') throw new Error(made.kind);
    for (let i = 0; i < 11; i++) {
      const answer = await logIn(made.secret);
      expect([answer.statusCode, answer.json().code]).toEqual([403, 'forbidden_scope']);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
  });

  test('is noted', async () => {
    await logIn('wrong');
    await logIn(KEY);
    const noted = await at.journal.audit.page({ before: null, max: 9 });
    expect(noted).toMatchObject([{ by: 'admin', action: 'POST /login', result: '200' }]);
    expect(JSON.stringify(noted)).not.toContain(KEY);
    expect(at.logged).toEqual([{ address: '127.0.0.1' }]);
  });
});

describe('the link', () => {
  const follow = (token: string, headers: object = { 'sec-fetch-site': 'none' }, more = '') =>
    at.app.inject({ url: `/login?token=${token}${more}`, headers: { ...headers } });

  test('logs in once, and leads to the page without telling where it came from', async () => {
    const token = at.guards.sessions.link(ADMIN);
    const answer = await follow(token);
    expect([answer.statusCode, answer.headers.location]).toEqual([303, '/']);
    expect(answer.headers['referrer-policy']).toBe('no-referrer');
    expect(await me(cookieOf(answer))).toMatchObject({ role: 'admin' });
    const again = await follow(token);
    expect(again.statusCode).toBe(401);
    expect(again.headers['set-cookie']).toBeUndefined();
    expect(again.body).not.toContain(token);
  });

  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another port of the same host', { 'sec-fetch-site': 'same-site' }],
    ['nobody says where', {}],
  ])('followed from %s it uses nothing up, and shows a button', async (_where, site) => {
    const headers = { ...site, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    const token = at.guards.sessions.link(ADMIN);
    for (let i = 0; i < 3; i++) {
      const answer = await follow(token, headers);
      expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([200, undefined]);
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.body).toContain('<button');
      expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    }
    expect(await at.journal.audit.page({ before: null, max: 9 })).toEqual([]);
    // The button’s own request.
    const own = 'sec-fetch-site' in site ? { 'sec-fetch-site': 'same-origin' } : {};
    const pressed = await follow(token, own, '&confirmed=yes');
    expect(await me(cookieOf(pressed))).toMatchObject({ role: 'admin' });
  });

  test('wrong ones that another site has a browser follow are not counted as tries', async () => {
    const headers = {
      ...{ 'sec-fetch-site': 'cross-site' },
      ...{ 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    };
    for (const token of ['wrong', '%22%3E%3Cscript%3E', 'x&token=y']) {
      for (let i = 0; i < 20; i++) {
        const answer = await follow(token, headers, '&confirmed=yes');
        expect(answer.headers['set-cookie']).toBeUndefined();
        expect(answer.body).not.toContain('<script');
      }
    }
    expect(at.logged).toEqual([]);
    expect((await logIn(KEY)).statusCode).toBe(200);
  });

  test('without a token it leads to the page, where one can log in', async () => {
    const answer = await at.app.inject('/login');
    expect([answer.statusCode, answer.headers.location]).toEqual([303, '/']);
    expect(answer.headers['set-cookie']).toBeUndefined();
  });
});

describe('wrong tries wait, and lock nobody out', () => {
  test('per address, longer each time; the right key is admitted meanwhile', async () => {
    for (let i = 0; i < 10; i++) expect((await logIn(`wrong ${i}`)).statusCode).toBe(401);
    const waits: unknown[] = [];
    for (let i = 0; i < 4; i++) {
      const answer = await logIn('wrong');
      expect([answer.statusCode, answer.json().code]).toEqual([429, 'login_rate']);
      waits.push(answer.headers['retry-after']);
    }
    expect(waits).toEqual(['1', '2', '4', '8']);
    expect((await at.app.inject('/login?token=x&confirmed=yes')).statusCode).toBe(429);
    expect((await logIn('wrong', { remoteAddress: '10.0.0.9' })).statusCode).toBe(401);
    const link = at.guards.sessions.link(ADMIN);
    expect((await at.app.inject(`/login?token=${link}&confirmed=yes`)).statusCode).toBe(303);
    for (let i = 0; i < 20; i++) await logIn('wrong');
    expect((await logIn(KEY)).statusCode).toBe(200);
  });

  test('a thousand addresses that fail lock out nobody', async () => {
    for (let i = 0; i < 1000; i++) {
      await logIn('wrong', { remoteAddress: `10.0.${i >> 8}.${i & 255}` });
    }
    expect((await logIn('wrong', { remoteAddress: '10.1.1.1' })).statusCode).toBe(401);
    expect((await logIn(KEY, { remoteAddress: '10.0.0.1' })).statusCode).toBe(200);
  });

  test('right ones are not counted', async () => {
    for (let i = 0; i < 20; i++) expect((await logIn(KEY)).statusCode).toBe(200);
    expect((await logIn('wrong')).statusCode).toBe(401);
  });
});
