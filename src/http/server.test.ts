import { afterEach, describe, expect, test } from 'vitest';
import { openPage } from '../dashboard/dashboard.ts';
import { ACCOUNT, AUTH, type Bench, bench, message, START } from './context.fixture.ts';
import { addPageRoutes } from './page.ts';

let open: Bench | null = null;
afterEach(async () => {
  await open?.app.close();
  open = null;
});

async function start(...settings: Parameters<typeof bench>) {
  open = await bench(...settings);
  return open;
}

describe('the wall', () => {
  test.each([
    [{ host: 'localhost:8080' }, true],
    [{ host: '127.0.0.1:8080' }, true],
    [{ host: '[::1]:8080' }, true],
    [{ host: 'LocalHost' }, true],
    [{ host: 'evil.example:8080' }, false],
    [{ host: '10.0.0.1' }, false],
    [{ host: '[' }, false],
    [{ host: 'gate.example' }, true],
    [{ host: 'localhost:8080', origin: 'http://localhost:8080' }, true],
    [{ host: 'localhost:8080', origin: 'https://gate.example' }, true],
    [{ host: 'localhost:8080', origin: 'http://localhost:3000' }, false],
    [{ host: 'localhost:8080', origin: 'http://evil.example' }, false],
    [{ host: 'localhost:8080', origin: 'null' }, false],
  ])('%j: %s', async (headers, admitted) => {
    const at = await start({ allowedHosts: ['gate.example'] });
    const answer = await at.app.inject({ url: '/health', headers });
    expect(answer.statusCode).toBe(admitted ? 200 : 403);
    if (!admitted) expect(answer.json().code).toBe('forbidden_host');
  });

  test('bound to every address, it answers to addresses and configured names only', async () => {
    const at = await start({ host: '0.0.0.0' });
    const ask = async (host: string) =>
      (await at.app.inject({ url: '/health', headers: { ...AUTH, host } })).statusCode;
    expect(await ask('10.1.2.3:8080')).toBe(200);
    expect(await ask('evil.example')).toBe(403);
  });

  test.each([
    '/v1/messages',
    '/v1/dead',
    '/v1/accounts',
    '/v1/limits',
    '/v1/events',
    '/v1/streams',
    '/queue/stats',
  ])('%s wants a key', async (url) => {
    const at = await start();
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: 'Basic x' }]) {
      const answer = await at.app.inject({ url, headers });
      expect(answer.statusCode).toBe(401);
      expect(answer.json().code).toBe('unauthorized');
      expect(answer.headers['www-authenticate']).toContain('Bearer');
    }
  });

  test.each(['/health', '/health/details', '/metrics'])(
    '%s is open on loopback and closed elsewhere',
    async (url) => {
      const near = await start();
      expect((await near.app.inject(url)).statusCode).toBe(200);
      await near.app.close();
      const far = await start({ host: '0.0.0.0' });
      expect((await far.app.inject(url)).statusCode).toBe(401);
      expect((await far.app.inject({ url, headers: AUTH })).statusCode).toBe(200);
    },
  );
});

describe('what is not there', () => {
  test('unknown routes, wrong methods and broken addresses', async () => {
    const at = await start();
    const ask = (method: 'GET' | 'PUT' | 'POST', url: string) => at.app.inject({ method, url });
    expect((await ask('GET', '/nowhere')).json().code).toBe('not_found');
    expect((await ask('GET', '/v1/messages/%zz')).json().code).toBe('not_found');
    const put = await ask('PUT', '/v1/messages');
    expect(put.statusCode).toBe(405);
    expect(put.json().code).toBe('method_not_allowed');
    expect(put.headers.allow).toBe('POST, GET');
    expect((await ask('POST', '/v1/messages/a/explain')).headers.allow).toBe('GET');
  });

  test('a file that the page has no longer is not there', async () => {
    const at = await start();
    addPageRoutes(at.app, openPage({ log: { warn: () => {} }, read: async () => new Map() }));
    expect((await at.app.inject('/page/old-1a2b.js')).statusCode).toBe(404);
    const posted = await at.app.inject({ method: 'POST', url: '/page/old-1a2b.js' });
    expect(posted.statusCode).toBe(405);
    expect(posted.headers.allow).toBe('GET');
  });

  test('no answer echoes an address: it may hold a token', async () => {
    const at = await start();
    const answer = await at.app.inject('/bot42:good-token/a/b');
    expect(answer.statusCode).toBe(404);
    expect(answer.body).not.toContain('good-token');
  });
});

describe('/health, /metrics, /queue/stats', () => {
  test('the worst part decides', async () => {
    const at = await start();
    const scheduler = { last_tick_ts: null, interval_sec: null, lock_owner: null, status: 'down' };
    expect((await at.app.inject('/health')).json()).toEqual({ status: 'ok', scheduler });
    expect((await at.app.inject('/health/details')).json()).toEqual({
      status: 'ok',
      scheduler,
      parts: { scheduler: { status: 'ok' }, journal: { status: 'ok' } },
    });
  });

  test('metrics, with the requests by route and not by address', async () => {
    const at = await start();
    await at.app.inject('/health');
    await at.app.inject('/bot42:good-token/getMe');
    const answer = await at.app.inject('/metrics');
    expect(answer.headers['content-type']).toContain('text/plain');
    expect(answer.body).toContain('sluice_http_requests_total{route="/health",status="2xx"} 1');
    expect(answer.body).toContain('route="/bot*"');
    expect(answer.body).not.toContain('good-token');
  });

  test('metrics can be switched off', async () => {
    const at = await start({ metrics: false });
    expect((await at.app.inject('/metrics')).statusCode).toBe(404);
  });

  test('stats have the shape monitors read', async () => {
    const at = await start();
    await at.app.inject({ method: 'POST', url: '/v1/messages', headers: AUTH, payload: message() });
    await at.road.die(1, 'chat_not_found');
    expect((await at.app.inject({ url: '/queue/stats', headers: AUTH })).json()).toEqual({
      stats: { critical: 1, high: 2, normal: 3, low: 4, retry: 2, dlq: 1 },
      total_queued: 10,
      total_failed: 1,
    });
  });
});

describe('/v1/accounts and /v1/limits', () => {
  const ask = (at: Bench, method: 'GET' | 'POST', url: string) =>
    at.app.inject({ method, url, headers: { ...AUTH, 'content-type': 'application/json' } });

  test('accounts with their breakers, never a token', async () => {
    const at = await start();
    const answer = await ask(at, 'GET', '/v1/accounts');
    expect(answer.json()).toEqual({
      accounts: [
        {
          id: 'telegram:42',
          platform: 'telegram',
          paused: false,
          refused: null,
          breaker: {
            state: 'open',
            until: new Date(START + 5000).toISOString(),
            cause: '5 failures',
            detail: 'ECONNREFUSED',
          },
          waiting: 3,
          inFlight: 1,
          silentSince: null,
        },
      ],
      platforms: [
        {
          name: 'telegram',
          credential: expect.stringContaining('a bot token, <digits>:<letters>'),
        },
      ],
    });
    expect(answer.body).not.toContain('good-token');
  });

  test('pause and resume, known accounts only', async () => {
    const at = await start();
    expect((await ask(at, 'POST', '/v1/accounts/telegram:42/pause')).json().paused).toBe(true);
    expect(at.road.paused.has('telegram:42')).toBe(true);
    expect((await ask(at, 'POST', '/v1/accounts/telegram:42/resume')).json().paused).toBe(false);
    for (const deed of ['pause', 'resume', 'probe']) {
      for (const named of ['telegram:9', 'nobody', 'telegram:']) {
        const answer = await ask(at, 'POST', `/v1/accounts/${named}/${deed}`);
        expect(answer.json().code).toBe('unknown_account');
      }
    }
    for (const part of ['/limits', '/webhook']) {
      const answer = await ask(at, 'GET', `/v1/accounts/nobody${part}`);
      expect(answer.json().code).toBe('unknown_account');
    }
  });

  test('limits, all or of one account', async () => {
    const at = await start();
    const all = (await ask(at, 'GET', '/v1/limits')).json();
    expect(all.limits[0].freezes[0].until).toBe(new Date(START + 7_200_000).toISOString());
    expect(all.more).toBe(0);
    for (const named of ['telegram:9', 'nobody', 'telegram:']) {
      expect((await ask(at, 'GET', `/v1/limits?account=${named}`)).json().limits).toEqual([]);
    }
    expect((await ask(at, 'GET', '/v1/limits?colour=1')).json().code).toBe('invalid_query');
  });

  test('what one method waits for is told, and nothing else waits for it', async () => {
    const at = await start();
    const wait = { scope: 'method', since: START, until: START + 9000, cause: 'passed through' };
    at.road.limits = () => {
      return [{ account: ACCOUNT, chat: '', rules: [], freezes: [{ ...wait, method: 'getchat' }] }];
    };
    const [own] = (await ask(at, 'GET', '/v1/limits?frozen=true')).json().limits;
    expect(own.freezes).toEqual([
      {
        ...{ scope: 'method', method: 'getchat', cause: 'passed through' },
        since: new Date(START).toISOString(),
        until: new Date(START + 9000).toISOString(),
      },
    ]);
    at.road.freezes = () => [{ ...wait, account: ACCOUNT, name: 'getchat' }];
    const { incidents, freezes } = (await ask(at, 'GET', '/v1/overview')).json();
    expect(freezes).toMatchObject({ active: 1, shown: [{ scope: 'method', name: 'getchat' }] });
    expect(incidents.filter(({ code }: { code: string }) => code === 'frozen')).toEqual([]);
    const probed = await ask(at, 'POST', `/v1/accounts/${ACCOUNT}/probe`);
    expect(probed.json().code).not.toBe('frozen');
  });
});

describe('closing', () => {
  test('callers who wait are answered, and nothing new is taken', async () => {
    const at = await start();
    const waits = new Promise<void>((resolve) => {
      at.road.onWait = () => resolve();
    });
    const payload = message({ wait: true });
    const answer = at.app.inject({ method: 'POST', url: '/v1/messages', headers: AUTH, payload });
    await waits;
    await at.app.close();
    expect((await answer).statusCode).toBe(202);
  });
});
