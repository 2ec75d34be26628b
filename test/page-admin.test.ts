// What an admin does on the page, in a real browser before a real gateway: keys and virtual tokens, the gateway's
// health and what operators did.

import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../src/http/route-list.ts';
import { openBrowser, Visitor } from './page/browser.ts';
import { partsOf } from './page/parts.ts';
import { BOT, Scene } from './page/scene.ts';
import { GatewayProcess } from './process/gateway.ts';

let browser: Browser;
let gateway: GatewayProcess;
let scene: Scene;
let visitor: Visitor;

const page = () => visitor.page;
const { button, text, panel, rows, toast, answer, field } = partsOf(page);
const dialog = () => page().getByRole('dialog');
const keys = () => rows(panel('Keys and virtual tokens'));

beforeAll(async () => {
  const opening = openBrowser();
  gateway = new GatewayProcess('http://127.0.0.1:9');
  await gateway.start();
  scene = new Scene(gateway);
  await scene.send('42', 'Hello', { wait: true });
  browser = await opening;
  visitor = await Visitor.come(browser, gateway.url, { width: 1440, height: 900 });
  await visitor.signIn(gateway.key);
}, 300_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.end('SIGKILL');
  gateway?.remove();
});

afterEach(() => {
  expect(visitor.errors.splice(0)).toEqual([]);
});

// Made on the page; its secret, which is shown this once.
async function make(name: string, may: string, account: string, chats: string): Promise<string> {
  await button('New key').click();
  await field('Name').fill(name);
  await dialog().getByRole('combobox', { name: 'Role' }).selectOption(may);
  await dialog().getByRole('combobox', { name: 'Account' }).selectOption(account);
  await field('Chats').fill(chats);
  await answer('Create it');
  const secret = await page().locator('output.secret').textContent();
  await answer('I have it');
  return secret ?? '';
}

describe('keys', () => {
  test('one for one chat: it sends there and nowhere else, until it is revoked', async () => {
    await visitor.see('keys');
    const secret = await make('shop', 'sender', BOT, '42');
    expect(await page().content()).not.toContain(secret);
    await keys().filter({ hasText: 'shop' }).getByText('chats 42').waitFor();
    const send = async (chat: string) => {
      const to = { platform: 'telegram', account: BOT, chat };
      const answered = await fetch(`${gateway.url}/v1/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ to, body: { text: 'From the shop' } }),
      });
      return answered.status;
    };
    expect(await send('42')).toBe(202);
    expect(await send('43')).toBe(403);
    await button('Revoke shop').click();
    await answer('Cancel');
    expect(await send('42')).toBe(202);
    await button('Revoke shop').click();
    await answer('Revoke');
    await toast('shop is revoked.');
    await keys().filter({ hasText: 'shop' }).getByText('ended').waitFor();
    expect(await send('42')).toBe(401);
  });

  test('a virtual token stands for a bot, and is replaced', async () => {
    await visitor.see('keys');
    const secret = await make('helper', 'virtual', BOT, '');
    const call = async (token: string) =>
      (await fetch(`${gateway.url}/bot${token}/getMe`, { method: 'POST' })).status;
    expect(await call(secret)).toBe(200);
    await button('Replace helper').click();
    await answer('Replace');
    const other = (await page().locator('output.secret').textContent()) ?? '';
    await answer('I have it');
    expect(other).not.toBe(secret);
    expect(await call(secret)).toBe(401);
    expect(await call(other)).toBe(200);
  });

  test('are an admin’s alone', async () => {
    const { secret } = await scene.post('/v1/keys', { name: 'looks', role: 'operator' });
    const guest = await Visitor.come(browser, gateway.url);
    await guest.signIn(String(secret));
    await guest.see('keys');
    await guest.page.getByText('Keys are an admin’s').waitFor();
    expect(await guest.page.getByRole('navigation').getByText('API keys').count()).toBe(0);
    await guest.see('gateway');
    await guest.page.getByText('Store on disk').waitFor();
    expect(await guest.page.getByText('Audit log').count()).toBe(0);
    expect(guest.errors).toEqual([]);
    await guest.leave();
  });
});

describe('the gateway', () => {
  test('health of its parts, the way to its API, and what operators did', async () => {
    await scene.post(`/v1/accounts/${BOT}/pause`, {});
    await scene.post(`/v1/accounts/${BOT}/resume`, {});
    await visitor.see('gateway');
    const health = panel('Health').locator('li', { hasText: 'Store on disk' });
    await health.getByText('ok', { exact: true }).waitFor();
    const names = await panel('Health').locator('li > :first-child').allTextContents();
    expect(names.filter((name) => !/^[A-Z]/.test(name))).toEqual([]);
    const api = panel('For programs').getByRole('link', { name: 'API reference' });
    expect(await api.getAttribute('href')).toBe('/docs');
    const done = rows(panel('Audit log'));
    const paused = done.filter({ hasText: '/v1/accounts/:id/pause' }).filter({ hasText: BOT });
    await paused.getByText('paused an account').waitFor();
    await text(/Sluice \d+\.\d+\.\d+, running for/).waitFor();
  });

  test('the settings in force: what each means, where it is set, and who set it', async () => {
    await visitor.see('settings');
    const setting = (path: string) =>
      page().locator('.settings > div', { has: page().getByText(path, { exact: true }) });
    await setting('server.data').getByText(gateway.data).waitFor();
    await setting('server.data').getByText('SLUICE_DATA').waitFor();
    await setting('server.data').getByText('set', { exact: true }).waitFor();
    expect(await setting('limits.group_mpm').getByText('set', { exact: true }).count()).toBe(0);
    await field('Find').fill('group_mpm');
    await setting('server.data').waitFor({ state: 'detached' });
    await setting('limits.group_mpm').getByText('20').waitFor();
    await field('Find').fill('');
    await button('changed').click();
    await setting('limits.group_mpm').waitFor({ state: 'detached' });
    await setting('server.data').waitFor();
    expect(await page().content()).not.toContain(gateway.key);
  });
});

describe('accounts', () => {
  const card = (id: string) => page().locator('.card', { hasText: id });

  test('one is added by its token, which is shown nowhere, seen with its last day, and removed', async () => {
    await visitor.see('accounts');
    await button('Add an account').click();
    await field('Token').fill('77:sandbox-of-a-newcomer');
    await page().goBack();
    await dialog().waitFor({ state: 'detached' });
    await visitor.see('accounts');
    await button('Add an account').click();
    await field('Token').fill('77:sandbox-of-a-newcomer');
    await answer('Add it');
    await toast('telegram:sandbox-77 is added.');
    await card('telegram:sandbox-77').waitFor();
    expect(await page().content()).not.toContain('of-a-newcomer');
    await card('telegram:sandbox-77').getByText('Last 24 hours').waitFor();
    await card('telegram:sandbox-77')
      .getByRole('img', { name: /Messages in 5 minutes/ })
      .waitFor();
    await card('telegram:sandbox-77').getByRole('button', { name: 'Remove' }).click();
    await answer('Remove');
    await toast('telegram:sandbox-77 is removed.');
    await card('telegram:sandbox-77').waitFor({ state: 'detached' });
  });

  test('a token that the platform cannot be asked about is not added, and the dialog stays', async () => {
    await visitor.see('accounts');
    await button('Add an account').click();
    await field('Token').fill('78:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA');
    await answer('Add it');
    await toast(/ECONNREFUSED|could not be asked|connect/);
    await answer('Cancel');
    await expect.poll(() => visitor.errors.splice(0).join()).toContain('status of 502');
  });
});

// In both themes and on a phone they are in page.test.ts; here with keys that have ended, and deeds of operators.
test('everyone can use them', async () => {
  for (const path of ['keys', 'gateway', 'accounts']) {
    await visitor.see(path);
    await visitor.settled();
    expect.soft(await visitor.barriers(), path).toEqual([]);
  }
});

test('what operators do is said in words, whatever it is', () => {
  const noted = ROUTES.filter(({ access }) => access?.audit !== undefined);
  const actions = noted.map(({ method, url }) => `${method} ${url}`);
  expect(actions.length).toBeGreaterThan(20);
  const words = readFileSync('src/dashboard/web/lib/audit-actions.ts', 'utf8');
  expect(actions.filter((action) => !words.includes(`'${action}': `))).toEqual([]);
});
