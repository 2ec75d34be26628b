// An account in trouble on the page, in a real browser before a real gateway: what is wrong in words, trying it at
// once, and what a resume really did.

import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type ServedSim, serveSim } from '../src/sim/sim.ts';
import { openBrowser, Visitor } from './page/browser.ts';
import { partsOf } from './page/parts.ts';
import { Scene } from './page/scene.ts';
import { GatewayProcess } from './process/gateway.ts';

const TOKEN = '4242:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const ACCOUNT = 'telegram:4242';

let browser: Browser;
let sim: ServedSim;
let gateway: GatewayProcess;
let scene: Scene;
let visitor: Visitor;

const page = () => visitor.page;
const { button, text, panel, toast, answer } = partsOf(page);
const card = () => page().locator('.card', { hasText: ACCOUNT });
const send = (words: string) =>
  scene.post('/v1/messages', {
    to: { platform: 'telegram', account: TOKEN, chat: 7 },
    body: { text: words },
  });

const SENT = `/v1/messages?state=sent&account=${ACCOUNT}`;

beforeAll(async () => {
  const opening = openBrowser();
  sim = await serveSim({ host: '127.0.0.1', port: 0 });
  gateway = new GatewayProcess(sim.url);
  await gateway.start();
  scene = new Scene(gateway);
  await scene.send('42', 'Of another bot', { wait: true });
  await send('Hello');
  await scene.until(SENT, ({ items }) => (items as object[]).length === 1);
  browser = await opening;
  visitor = await Visitor.come(browser, gateway.url);
  await visitor.signIn(gateway.key);
}, 300_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.end('SIGKILL');
  gateway?.remove();
  await sim?.close().catch(() => {});
});

afterEach(() => {
  expect(visitor.errors.splice(0)).toEqual([]);
});

describe('resume', () => {
  test('says how many go out, or that nothing waits', async () => {
    await visitor.see('accounts');
    await scene.post(`/v1/accounts/${ACCOUNT}/pause`, {});
    await send('One');
    await send('Two');
    await visitor.see('');
    await panel('What is wrong').getByText(`${ACCOUNT} is paused by an operator`).waitFor();
    await button('Resume').click();
    await toast(`${ACCOUNT} is no longer paused: 2 messages go out as its limits allow.`);
    await scene.until(SENT, ({ items }) => (items as object[]).length === 3);
    await scene.post(`/v1/accounts/${ACCOUNT}/pause`, {});
    await visitor.see('accounts');
    await button('Resume').click();
    await toast(`${ACCOUNT} is no longer paused; nothing waits.`);
  });
});

describe('limits', () => {
  const dialog = () => page().getByRole('dialog');
  const field = (name: string) => dialog().getByLabel(name, { exact: true });
  const groupMpm = async () => {
    const { settings } = await scene.get(`/v1/accounts/${ACCOUNT}/limits`);
    return (settings as { name: string }[]).find(({ name }) => name === 'group_mpm');
  };

  test('are set by hand, shown so on the card, and set back; what is out of bounds says them', async () => {
    await visitor.see('accounts');
    await card().getByRole('button', { name: 'Limits…' }).click();
    await field('Largest share of the messages to one group that live output may use').waitFor();
    await field('Messages to one group').fill('9999');
    await button('Set 1 limit').click();
    await dialog().getByText('Expected a whole number from 1 to 6000.').waitFor();
    await field('Messages to one group').fill('10');
    expect(await visitor.barriers()).toEqual([]);
    await button('Set 1 limit').click();
    await toast(`1 limit of ${ACCOUNT} changed; in force now.`);
    await card()
      .getByText(/set by hand Messages to one group: 10 per any minute instead of 20/)
      .waitFor();
    expect(await groupMpm()).toMatchObject({ value: 10, usual: 20, from: 'hand' });
    await card().getByRole('button', { name: 'Limits…' }).click();
    await dialog().getByRole('button', { name: 'Back to 20: Messages to one group' }).click();
    await button('Set 1 limit').click();
    await card().getByText('set by hand').waitFor({ state: 'detached' });
    expect(await groupMpm()).toMatchObject({ value: 20, from: 'default' });
    // The browser notes each refusal.
    expect(await visitor.noted(1)).toEqual([expect.stringContaining('status of 422')]);
  });
});

describe('a method that is passed through and must wait', () => {
  test('is told on the card, and gives way to a freeze of the account', async () => {
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const freezes = [{ scope: 'method', method: 'getchat', since: null, until, cause: 'getchat' }];
    const path = '**/v1/limits?account=*';
    await page().route(path, async (route) => {
      const own = { account: ACCOUNT, chat: '', rules: [], freezes };
      await route.fulfill({ json: { limits: [own], total: 1, more: 0 } });
    });
    await visitor.see('accounts');
    await card().getByText('getchat').waitFor();
    const soon = new Date(Date.now() + 1_800_000).toISOString();
    freezes.push({ ...freezes[0]!, scope: 'account', until: soon, cause: 'all of it' });
    await visitor.see('');
    await visitor.see('accounts');
    await card().getByText('all of it').waitFor();
    await page().unroute(path);
  });
});

describe('try it now', () => {
  test('while the platform said to wait: only after a warning', async () => {
    await scene.post('/v1/limits/freeze', { account: ACCOUNT, seconds: 600 });
    await visitor.see('accounts');
    await card()
      .getByText(/until .*\d\d:\d\d \(\d+ m/)
      .waitFor();
    await card().getByRole('button', { name: 'Try it now' }).click();
    await page().getByRole('dialog').getByText('may be made to wait longer').waitFor();
    await answer('Cancel');
    await toast('was not tried');
    await card().getByRole('button', { name: 'Try it now' }).click();
    await answer('Try it now');
    await toast(`The platform answers and takes the token of ${ACCOUNT}. 1 freeze is ended.`);
    await card().getByText('frozen', { exact: true }).waitFor({ state: 'detached' });
    // The browser notes each refusal.
    expect(await visitor.noted(2)).toEqual(Array(2).fill(expect.stringContaining('status of 409')));
  });

  test('a token that is refused, and then a platform that does not answer', async () => {
    sim.model.revoke(TOKEN);
    await send('Waits');
    await visitor.see('');
    const wrong = panel('What is wrong');
    await wrong.getByText(`The platform refuses the token of ${ACCOUNT}`).waitFor();
    await wrong.getByRole('button', { name: 'Try it now' }).click();
    await toast(`The platform answers, and refuses the token of ${ACCOUNT}`);
    await visitor.see('accounts');
    await card().getByText('the token is wrong, revoked or logged out').waitFor();
    await card().locator('code', { hasText: 'unauthorized' }).waitFor();
    await card().getByRole('button', { name: 'New token…' }).waitFor();
    // Known since before, and well: below the one in trouble.
    await page().locator('.card', { hasText: 'telegram:sandbox-1' }).waitFor();
    expect(await page().locator('.card h3').first().textContent()).toContain(ACCOUNT);
    await sim.close();
    await card().getByRole('button', { name: 'Try it now' }).click();
    await toast(/The platform still takes no calls of telegram:4242 \(.*ECONNREFUSED/);
    await text('Accounts').waitFor();
    expect(await visitor.barriers()).toEqual([]);
  });
});
