// Keys with real processes: what a restart keeps, what it ends, what a start refuses, and a secret that is replaced.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runSluice, Sluice } from './process/sluice.ts';

const KEY = 'an-admin-key-of-this-test';
const TOKEN = '777:sandbox-of-this-test';
const root = mkdtempSync(join(tmpdir(), 'sluice-keys-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function start(data: string, env: Record<string, string> = {}, host = '127.0.0.1') {
  const args = ['serve', '--host', host, '--port', '0', '--data', data, '--log', 'error'];
  const gateway = new Sluice(args, { SLUICE_ADMIN_KEY: KEY, ...env });
  const url = /http:[^\s;]+/.exec(await gateway.said('listens on'))![0];
  const { path } = JSON.parse(
    (
      await ask(
        `${url}/v1/login-links`.replace('0.0.0.0', '127.0.0.1'),
        'POST',
        undefined,
        bearer(env.SLUICE_ADMIN_KEY ?? KEY),
      )
    ).text,
  ) as { path: string };
  const link = `${url}${path}`;
  const stop = async () => {
    gateway.kill('SIGTERM');
    expect((await gateway.ended).code).toBe(0);
  };
  return { url: url.replace('0.0.0.0', '127.0.0.1'), link, stop };
}

async function ask(url: string, method: string, body?: object, headers: object = {}) {
  const answer = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text };
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const hello = { chat_id: 1, text: 'hello' };

// Four gateways are started in it.
const RESTARTS_MS_MAX = 120_000;

test(
  'keys, virtual tokens, sessions and notes outlive a restart; links do not',
  async () => {
    const data = join(root, 'restart');
    const first = await start(data);
    expect((await ask(`${first.url}/bot${TOKEN}/sendMessage`, 'POST', hello)).status).toBe(200);
    const make = async (request: object) => {
      const { text } = await ask(`${first.url}/v1/keys`, 'POST', request, bearer(KEY));
      return (JSON.parse(text) as { secret: string }).secret;
    };
    const key = await make({ name: 'ci', role: 'viewer' });
    const token = await make({ name: 'worker', virtual: true, account: 'telegram:sandbox-777' });
    const entered = await ask(`${first.link}&confirmed=yes`, 'GET');
    expect(entered.status).toBe(303);
    const cookie = { cookie: entered.headers.get('set-cookie')!.split(';', 1)[0]! };
    expect((await ask(`${first.url}/v1/me`, 'GET', undefined, cookie)).status).toBe(200);
    const unused = await start(join(root, 'other'));
    await unused.stop();
    await first.stop();

    const second = await start(data);
    expect((await ask(`${second.url}/v1/me`, 'GET', undefined, bearer(key))).status).toBe(200);
    expect((await ask(`${second.url}/bot${token}/sendMessage`, 'POST', hello)).status).toBe(200);
    expect((await ask(`${second.url}/v1/me`, 'GET', undefined, cookie)).status).toBe(200);
    const old = `${second.url}${new URL(unused.link).pathname}${new URL(unused.link).search}`;
    expect((await ask(`${old}&confirmed=yes`, 'GET')).status).toBe(401);
    const { text } = await ask(`${second.url}/v1/audit`, 'GET', undefined, bearer(KEY));
    expect(text).toContain('GET /login');
    await second.stop();
    // With another key, what the old one opened is over.
    const third = await start(data, { SLUICE_ADMIN_KEY: 'another-admin-key-of-this-test' });
    expect((await ask(`${third.url}/v1/me`, 'GET', undefined, cookie)).status).toBe(401);
    await third.stop();
  },
  RESTARTS_MS_MAX,
);

test('off loopback there is no start without a key that somebody has seen', async () => {
  const data = join(root, 'far');
  const serve = ['serve', '--host', '0.0.0.0', '--port', '0', '--data', data, '--log', 'error'];
  for (const [env, why] of [
    [{}, 'there is no key yet'],
    [{ SLUICE_ADMIN_KEY: 'short' }, 'at least 16 characters'],
  ] as const) {
    const { code, err } = await runSluice(serve, env);
    expect([code, err]).toEqual([1, expect.stringContaining(why)]);
    // Not by trying twice either.
    expect(existsSync(join(data, 'admin-key'))).toBe(false);
  }
  const given = await start(data, {}, '0.0.0.0');
  expect((await ask(`${given.url}/health`, 'GET')).status).toBe(401);
  expect((await ask(`${given.url}/health`, 'GET', undefined, bearer(KEY))).status).toBe(200);
  await given.stop();
  writeFileSync(join(data, 'admin-key'), 'a key that was made before\n');
  const kept = await start(data, { SLUICE_ADMIN_KEY: '' }, '0.0.0.0');
  const known = bearer('a key that was made before');
  expect((await ask(`${kept.url}/v1/me`, 'GET', undefined, known)).status).toBe(200);
  await kept.stop();
});

const FIRST_SECRET = 'the first secret of at least 32 characters';
const SECOND_SECRET = 'the second secret of at least 32 characters';

test('a secret that is too short stops the start, and says what would be right', async () => {
  const args = ['serve', '--port', '0', '--data', join(root, 'short'), '--log', 'error'];
  const { code, err } = await runSluice(args, { SLUICE_SECRET: 'x'.repeat(31) });
  expect(code).not.toBe(0);
  expect(err).toContain('SLUICE_SECRET');
  expect(err).toContain('at least 32 characters');
  expect(err).not.toContain('xxxx');
});

test('the secret that seals tokens is replaced without asking the platform again', async () => {
  const data = join(root, 'rotate');
  const before = await start(data, { SLUICE_SECRET: FIRST_SECRET });
  await ask(`${before.url}/bot${TOKEN}/sendMessage`, 'POST', hello);
  await before.stop();
  const refused = await runSluice(['serve', '--port', '0', '--data', data, '--log', 'error'], {
    SLUICE_SECRET: SECOND_SECRET,
  });
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('SECRET_PREVIOUS')]);
  const secrets = {
    SLUICE_SECRET: SECOND_SECRET,
    SLUICE_SECRET_PREVIOUS: FIRST_SECRET,
  };
  await (await start(data, secrets)).stop();
  const after = await start(data, { SLUICE_SECRET: SECOND_SECRET });
  const { text } = await ask(`${after.url}/v1/accounts`, 'GET', undefined, bearer(KEY));
  expect(text).toContain('telegram:sandbox-777');
  await after.stop();
});
