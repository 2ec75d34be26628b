// A platform that nobody but this test knows: one line registers it, and it is sent to over REST, observes an origin on
// another platform, is explained, and is on the page, without a word of it anywhere else.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../src/app/gateway.ts';
import { configOf } from '../src/config/config.ts';
import { platformContract } from '../src/platforms/platform.contract.ts';
import { PLATFORMS } from '../src/platforms/registry.ts';
import { openBrowser, Visitor } from './page/browser.ts';
import { createPaper, Notebook, paperOn } from './platforms/paper.ts';

const SECRET = 'AAverysecretAAverysecret';

platformContract('paper', async () => {
  const notebook = new Notebook();
  return {
    platform: createPaper(notebook),
    credential: 'desk',
    secret: SECRET,
    accountId: 'desk',
    message: { method: 'write', params: { page: 'one', ink: 'hello' }, chat: 'one', thread: null },
    edit: { method: 'rewrite', params: { page: 'one', line: 1, ink: 'new' } },
    read: null,
    retryAfterMs: 0,
    next: (weather) => {
      notebook.isTorn = weather === 'refused';
    },
  };
}, ['fine', 'refused']);

const folder = mkdtempSync(join(tmpdir(), 'sluice-paper-'));
const notebook = new Notebook();
const KEY = 'the-admin-key-of-this-test';
let gateway: Gateway;
let url: string;

beforeAll(async () => {
  const config = configOf({
    data: folder,
    log: 'silent',
    port: 0,
    adminKey: KEY,
    order: 'platform',
  });
  gateway = await createGateway(config, { platforms: [...PLATFORMS, paperOn(notebook)] });
  url = await gateway.listen();
});

afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(method: string, path: string, payload?: object) {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const body = payload === undefined ? {} : { body: JSON.stringify(payload) };
  const answer = await fetch(`${url}${path}`, { method, headers, ...body });
  return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
}

const DESK = { platform: 'paper', account: 'desk', chat: 'one' };

test('a message over REST, with the method of its own words and without any', async () => {
  const named = { to: DESK, method: 'write', body: { ink: 'by name' }, wait: 10 };
  expect((await ask('POST', '/v1/messages', named)).json).toMatchObject({ state: 'sent' });
  const unnamed = { to: DESK, body: { ink: 'by default' }, wait: 10 };
  expect((await ask('POST', '/v1/messages', unnamed)).json).toMatchObject({ state: 'sent' });
  expect(notebook.lines).toEqual(['one: by name', 'one: by default']);
});

test('what cannot be written is refused in its words, and what is torn dies of it', async () => {
  const wrong = await ask('POST', '/v1/messages', { to: DESK, method: 'burn', body: {} });
  expect(wrong.json).toMatchObject({ problems: [{ expected: 'write or rewrite' }] });
  notebook.isTorn = true;
  const torn = await ask('POST', '/v1/messages', { to: DESK, body: { ink: 'x' }, wait: 10 });
  notebook.isTorn = false;
  expect(torn.json).toMatchObject({ state: 'dead', reason: 'torn' });
});

test('an observer of an origin elsewhere, in its own words; and an origin without any', async () => {
  notebook.lines.length = 0;
  const screen = { platform: 'terminal', account: 'local', chat: 'main' };
  const to = { origin: screen, observers: [{ ...DESK, account: 'paper:desk' }] };
  const sent = await ask('POST', '/v1/messages', { to, body: { text: 'seen' }, wait: 10 });
  expect(sent.json).toMatchObject({ state: 'sent', observers: [{ state: expect.any(String) }] });
  await expect.poll(() => notebook.lines).toEqual(['one: seen']);
  const back = { to: { origin: DESK, observers: [screen] }, body: { ink: 'x' }, wait: 10 };
  const { json } = await ask('POST', '/v1/messages', back);
  expect(json).toMatchObject({ state: 'sent', observers: [{ code: 'invalid_message' }] });
});

test('what waits is explained', async () => {
  expect(await gateway.pause('paper:desk')).toBe(true);
  const { json } = await ask('POST', '/v1/messages', { to: DESK, body: { ink: 'later' } });
  const explained = await ask('GET', `/v1/messages/${json.id}/explain`);
  expect(explained).toMatchObject({ status: 200, json: { state: 'queued', position: 1 } });
  expect(explained.json.summary).toContain('paused by an operator');
  await gateway.resume('paper:desk');
});

test('what it has no capability for is refused, or left out', async () => {
  const stream = await ask('POST', '/v1/streams', { to: DESK });
  expect(stream).toMatchObject({ status: 422, json: { problems: [{ path: '/to/platform' }] } });
});

test('the page: its message, why it waits, its account paused and resumed, its dead letter', async () => {
  const browser = await openBrowser();
  try {
    notebook.isTorn = true;
    await ask('POST', '/v1/messages', { to: DESK, body: { ink: 'x' }, wait: 10 });
    notebook.isTorn = false;
    const visitor = await Visitor.come(browser, url);
    await visitor.signIn(KEY);
    const { page } = visitor;
    await visitor.see('accounts');
    await page.getByText('paper:desk').first().waitFor();
    await gateway.pause('paper:desk');
    const { json } = await ask('POST', '/v1/messages', { to: DESK, body: { ink: 'on the page' } });
    await visitor.see('messages');
    await page.locator('tbody tr', { hasText: 'queued' }).getByText('one').first().waitFor();
    await visitor.see(`delivery/${json.id}`);
    await page.getByText('paused by an operator').first().waitFor();
    await gateway.resume('paper:desk');
    await page.getByText('sent', { exact: true }).first().waitFor();
    await visitor.see('dead');
    await page.getByText('torn').first().waitFor();
    expect(visitor.errors).toEqual([]);
  } finally {
    await browser.close();
  }
});

test('the platform of this test is at most 60 lines', () => {
  const text = readFileSync(new URL('./platforms/paper.ts', import.meta.url), 'utf8');
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
});
