// One full run of a real gateway, good and bad, at the most talkative log level: whatever it says anywhere (answers,
// errors, events, metrics, log, command line, store) holds no token, no key, no session and no secret.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServedSim, serveSim } from '../src/sim/sim.ts';
import { runSluice, Sluice } from './process/sluice.ts';
import { keysByHand, keysOfAllKinds, logins, type Run, virtualTokens } from './secrets/keys.ts';

const GOOD = '111:AAAgoodgoodgoodgoodgoodgoodgoodgood';
const REVOKED = '222:BBBrevokedrevokedrevokedrevokedrev';
const NEVER = '333:CCCneverneverneverneverneverneverne';
const SANDBOX = '444:sandbox-of-someone-secret';
const KEY = 'the-admin-key-that-nobody-may-see';
const SECRET = 'the-secret-that-nobody-may-ever-see';
const SECRET_BEFORE = 'the-secret-before-that-nobody-may-see';
const WRONG_KEY = 'a-wrong-key-is-a-secret-of-someone-else';
const SECRETS = [GOOD, REVOKED, NEVER, SANDBOX, KEY, SECRET, SECRET_BEFORE, WRONG_KEY];

const folder = mkdtempSync(join(tmpdir(), 'sluice-secrets-'));
const data = join(folder, 'data');
const said: { where: string; text: string }[] = [];
let sim: ServedSim;
let gateway: Sluice;
let url = '';
let link = '';

beforeAll(async () => {
  sim = await serveSim({ host: '127.0.0.1', port: 0 });
  const args = ['serve', '--port', '0', '--data', data, '--log', 'trace'];
  const secrets = { SLUICE_SECRET: SECRET, SLUICE_SECRET_PREVIOUS: SECRET_BEFORE };
  const env = { SLUICE_ADMIN_KEY: KEY, ...secrets, SLUICE_TELEGRAM_API: sim.url };
  gateway = new Sluice(args, env);
  url = /http:[^\s;]+/.exec(await gateway.said('listens on'))![0];
  link = (await runCli('login-link')).trim();
});

afterAll(async () => {
  await sim.close();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(path: string, init: RequestInit & { key?: string } = {}): Promise<string> {
  const headers = { authorization: `Bearer ${init.key ?? KEY}`, ...init.headers };
  const answer = await fetch(`${url}${path}`, { ...init, headers });
  const text = JSON.stringify([...answer.headers]) + (await answer.text());
  said.push({ where: path, text });
  return text;
}

function post(path: string, body: unknown): Promise<string> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return ask(path, { method: 'POST', body: text, headers: { 'content-type': 'application/json' } });
}

function tell(path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(`${sim.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function cli(...args: string[]): Promise<void> {
  said.push({ where: args.join(' '), text: await runCli(...args) });
}

async function runCli(...args: string[]): Promise<string> {
  const env = { SLUICE_URL: url, SLUICE_KEY: KEY, SLUICE_ADMIN_KEY: KEY, SLUICE_SECRET: SECRET };
  const { out, err } = await runSluice(args, env);
  return out + err;
}

const message = (account: string, chat: number | string, more: object = {}) => ({
  to: { platform: 'telegram', account, chat },
  body: { text: 'hello' },
  wait: 20,
  ...more,
});

async function goodAndBadCalls(): Promise<void> {
  for (const token of [GOOD, REVOKED, SANDBOX]) {
    await post(`/bot${token}/sendMessage`, { chat_id: 42, text: 'hello' });
  }
  await tell('/sim/revoke', { token: REVOKED });
  await tell('/sim/revoke', { token: NEVER });
  await tell('/sim/chats', { chat: '77', state: 'missing' });
  await tell('/sim/chats', { chat: '88', token: GOOD, freezeSeconds: 60 });
  const script = [
    { fault: { kind: 'answer_lost' }, chat: '91' },
    { fault: { kind: 'reset_before' }, chat: '92' },
    { fault: { kind: 'bad_gateway', delivered: false }, chat: '93' },
  ];
  await tell('/sim/faults', { script });
  for (const chat of [77, 91, 92, 93]) await post('/v1/messages', message(GOOD, chat));
  await post('/v1/messages', message(GOOD, 88, { wait: 0 }));
  await post('/v1/messages', message('telegram:222', 5, { wait: 0 }));
  await post('/v1/messages', message(NEVER, 5));
  await post('/v1/messages', message(GOOD, 5, { nonsense: GOOD }));
  await post('/v1/messages', message(GOOD, GOOD));
  await post('/v1/messages', `{"to": "${GOOD}"`);
  await post(`/bot${NEVER}/sendMessage`, { chat_id: 1, text: 'x' });
  await post(`/bot${GOOD}/sendMessage`, '{');
  await post(`/bot${GOOD}/sendMessage`, []);
  await post(`/bot${GOOD}/noSuchMethod`, {});
  await ask(`/bot${GOOD}/getMe`);
  await ask(`/bot${GOOD}/send%ZZ`);
  await ask(`/bot${GOOD}`);
  await ask(`/v1/messages?account=${GOOD}`);
  await ask('/v1/accounts', { key: WRONG_KEY });
}

async function everythingThatCanBeAsked(): Promise<void> {
  const found = JSON.parse((await ask('/v1/messages?limit=100')).replace(/^.*?\](?=\{)/, '')) as {
    items: { id: string }[];
  };
  for (const { id } of found.items) {
    await ask(`/v1/messages/${id}`);
    await ask(`/v1/messages/${id}/explain`);
  }
  for (const path of ['/v1/accounts', '/v1/limits', '/v1/dead', '/v1/dead?group=cause']) {
    await ask(path);
  }
  for (const path of ['/queue/stats', '/health', '/health/details', '/metrics', '/openapi.json']) {
    await ask(path);
  }
  await cli('status');
  await cli('status', '--json');
  await cli('dead', 'list');
  await cli('config');
  await cli('send', '--account', GOOD, '--chat', '77', '--wait', '20', 'x');
  await cli('send', '--account', NEVER, '--chat', '77', 'x');
}

async function listen(): Promise<() => Promise<void>> {
  const controller = new AbortController();
  const headers = { authorization: `Bearer ${KEY}` };
  const answer = await fetch(`${url}/v1/events`, { headers, signal: controller.signal });
  const chunks: string[] = [];
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of answer.body!) chunks.push(decoder.decode(chunk, { stream: true }));
  })().catch(() => {});
  return async () => {
    controller.abort();
    await reading;
    said.push({ where: '/v1/events', text: chunks.join('') });
  };
}

test('no token and no key in anything it says or keeps', async () => {
  const endOfEvents = await listen();
  await goodAndBadCalls();
  const run: Run = {
    url,
    key: KEY,
    secret: (value) => void SECRETS.push(value),
    said: (where, text) => void said.push({ where, text }),
    cli: runCli,
  };
  await keysOfAllKinds(run);
  await virtualTokens(run, 'telegram:111');
  await logins(run, link);
  await keysByHand(run);
  await everythingThatCanBeAsked();
  await endOfEvents();
  gateway.kill('SIGTERM');
  const { code, out, err } = await gateway.ended;
  expect(code).toBe(0);
  // The link is for whoever started it; it is used by now.
  said.push({ where: 'stdout', text: out.replace(link, '') }, { where: 'log', text: err });
  const kept = readdirSync(data, { withFileTypes: true, recursive: true });
  for (const { name, parentPath } of kept.filter((entry) => entry.isFile())) {
    said.push({ where: name, text: readFileSync(join(parentPath, name), 'latin1') });
  }
  // What was searched was really there.
  for (const where of ['log', '/v1/events', '/v1/dead', '/metrics']) {
    expect(said.find((each) => each.where === where)!.text).not.toBe('');
  }
  expect(said.find(({ where }) => where === 'log')!.text).toContain('"msg":"accepted"');
  expect(SECRETS.length).toBeGreaterThan(18);
  // A token is no less secret without its number.
  const needles = SECRETS.map((secret) => secret.split(':').at(-1)!);
  const leaks = said.flatMap(({ where, text }) =>
    needles.filter((needle) => text.includes(needle)).map((needle) => `${where}: ${needle}`),
  );
  expect(leaks).toEqual([]);
});
