// The ways around the page and the deeds on it, in a real browser before a real gateway: each test looks at what the
// gateway then has, or what the page then shows. What the screens show, and the other deeds, are in page.test.ts.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Visitor } from './page/browser.ts';
import { freezesByHand } from './page/freezes.ts';
import { hasteAndDelay } from './page/haste.ts';
import { BOT, TOKEN } from './page/scene.ts';
import { DOUBTFUL, Stage } from './page/stage.ts';
import { waysAround, waysToFind } from './page/ways.ts';
import { GatewayProcess } from './process/gateway.ts';

// One page of letters and a few more, each in a chat of its own that blocked the bot.
const REMINDERS = 53;

const stage = new Stage();
const { button, text, panel, rows, toast, answer, title, field, link, address } = stage.parts;
const page = () => stage.page;
const get = (path: string) => stage.scene.get(path);
const becomes = (id: unknown, wanted: string) =>
  stage.scene.until(`/v1/messages/${id}`, ({ state }) => state === wanted);
const stateOf = async (id: unknown) => (await get(`/v1/messages/${id}`)).state;

beforeAll(() => stage.open(), 300_000);
afterAll(() => stage.close());

// No way and no deed leaves an error behind.
afterEach(() => {
  expect(stage.visitor.errors.splice(0)).toEqual([]);
});

waysAround(stage);
waysToFind(stage);
freezesByHand(stage);
hasteAndDelay(stage);

describe('dead letters', () => {
  const letters = () => rows(panel('Letters'));
  const letter = (words: string) => letters().filter({ hasText: words });
  const tick = (words: string) => letter(words).getByRole('checkbox').click();
  const chatOf = (n: number) => String(90_000 + n);
  let reminders: string[] = [];

  const idsOf = async (query: string) =>
    ((await get(`/v1/messages?${query}`)).items as { id: string }[]).map(({ id }) => id).reverse();

  beforeAll(async () => {
    const { scene } = stage;
    for (let n = 0; n < REMINDERS; n++) await scene.trouble(chatOf(n), { state: 'blocked' });
    const batch = Array.from({ length: REMINDERS }, (_, n) => ({
      to: { platform: 'telegram', account: TOKEN, chat: chatOf(n) },
      body: { text: `Reminder ${n}.`, allow_paid_broadcast: true },
      correlation: 'reminders',
    }));
    await scene.post('/v1/messages', batch);
    await scene.until('/v1/overview', ({ dead }) => Number(dead) === REMINDERS);
    reminders = await idsOf('correlation=reminders&limit=100');
  });

  test('more are shown when asked; by chat; of one cause, and of all again', async () => {
    await stage.visitor.see('dead');
    await letters().nth(49).waitFor();
    expect(await letters().count()).toBe(50);
    await button('Show more').click();
    await letters()
      .nth(REMINDERS - 1)
      .waitFor();
    await field('Chat').fill(chatOf(7));
    await letter('Reminder 8.').waitFor({ state: 'detached' });
    await letter('Reminder 7.').waitFor();
    expect(await letters().count()).toBe(1);
    await field('Chat').fill('');
    await letters().nth(49).waitFor();
    const cause = panel('By cause').getByRole('button', { name: /blocked the bot/ });
    await cause.click();
    await address(/reason=bot_blocked/);
    expect(await cause.getAttribute('aria-pressed')).toBe('true');
    await cause.click();
    await address(/^#\/dead$/);
  });

  test('one and several are tried again; none that is no longer ticked', async () => {
    for (const n of [20, 21, 22]) await stage.scene.trouble(chatOf(n), { state: 'open' });
    await stage.visitor.see('dead?text=Reminder 2');
    await tick('Reminder 20.');
    await tick('Reminder 20.');
    await page().locator('.chosen').waitFor({ state: 'detached' });
    await tick('Reminder 20.');
    await button('Retry').click();
    await toast('1 letter is queued again.');
    await becomes(reminders[20], 'sent');
    await tick('Reminder 21.');
    await tick('Reminder 22.');
    await text('2 chosen').waitFor();
    await button('Retry them').click();
    await toast('2 letters are queued again.');
    await becomes(reminders[21], 'sent');
    await becomes(reminders[22], 'sent');
    expect(await stateOf(reminders[23])).toBe('dead');
  });

  test('several are given up, all are, or nothing is after second thoughts', async () => {
    await stage.visitor.see('dead?text=Reminder');
    await tick(`Reminder ${REMINDERS - 1}.`);
    await tick(`Reminder ${REMINDERS - 2}.`);
    await button('Discard them').click();
    await answer('Cancel');
    await button('Discard all').click();
    await answer('Cancel');
    await button('Retry all').click();
    await page().locator('dialog[open]').waitFor();
    await page().keyboard.press('Escape');
    await page().getByRole('dialog').waitFor({ state: 'detached' });
    expect((await get('/v1/dead?limit=1000')).items).toHaveLength(REMINDERS - 3);
    await button('Discard them').click();
    await answer('Give them up');
    await toast('2 letters are given up.');
    await letter(`Reminder ${REMINDERS - 1}.`).waitFor({ state: 'detached' });
    expect(await stateOf(reminders.at(-1))).toBe('cancelled');
    expect(await stateOf(reminders.at(-2))).toBe('cancelled');
  });

  test('on its own page: tried again, changed, given up', async () => {
    for (const n of [0, 2]) await stage.scene.trouble(chatOf(n), { state: 'open' });
    await stage.visitor.see(`delivery/${reminders[0]}`);
    await button('Retry').click();
    await toast('1 letter is queued again.');
    await becomes(reminders[0], 'sent');
    await button('Retry').waitFor({ state: 'detached' });
    await link('reminders').click();
    await rows(panel('Deliveries')).filter({ hasText: 'Reminder 9.' }).waitFor();
    await stage.visitor.see(`delivery/${reminders[1]}`);
    await button('Discard').click();
    await answer('Cancel');
    expect(await stateOf(reminders[1])).toBe('dead');
    await button('Discard').click();
    await answer('Give it up');
    await toast('1 letter is given up.');
    await panel('History').getByText('discarded').waitFor();
    expect(await stateOf(reminders[1])).toBe('cancelled');
    await stage.visitor.see(`delivery/${reminders[2]}`);
    await button('Edit and retry').click();
    await answer('Cancel');
    expect(await stateOf(reminders[2])).toBe('dead');
    await button('Edit and retry').click();
    await page().getByRole('dialog').getByLabel('Text').fill('Reminder, mended');
    await answer('Save and retry');
    await panel('Content').getByText('"Reminder, mended"').waitFor();
    await becomes(reminders[2], 'sent');
    await panel('Details')
      .getByRole('link', { name: chatOf(2) })
      .click();
    await title('Chats');
  });

  test('those in doubt: one sent again, the rest given up', async () => {
    const { account, chats } = DOUBTFUL;
    const ids: unknown[] = [];
    for (const [n, words] of ['Perhaps there', 'Perhaps not'].entries()) {
      const to = { platform: 'telegram', account, chat: chats[n] };
      const { id } = await stage.scene.post('/v1/messages', { to, body: { text: words } });
      await becomes(id, 'uncertain');
      ids.push(id);
    }
    await stage.visitor.see('dead');
    await button('in doubt').click();
    await tick('Perhaps there');
    await button('Retry').click();
    await toast('1 letter is queued again.');
    await becomes(ids[0], 'sent');
    await letter('Perhaps there').waitFor({ state: 'detached' });
    await button('Discard all').click();
    await page().getByRole('dialog').getByText('all letters in doubt').waitFor();
    await answer('Give them up');
    await text('No letters here').waitFor();
    expect(await stateOf(ids[1])).toBe('cancelled');
  });
});

describe('what goes out', () => {
  test('a paused account sends nothing until it is resumed', async () => {
    await stage.visitor.see('accounts');
    const card = page().locator('.card', { hasText: BOT });
    await card.getByRole('button', { name: 'Pause' }).click();
    await answer('Pause');
    await toast(`${BOT} is paused.`);
    const { id } = await stage.scene.send('43', 'Held back');
    await stage.visitor.see('');
    await panel('Why messages wait').getByText('Held back').waitFor();
    expect(await stateOf(id)).toBe('queued');
    await page().locator('.lines a.mono', { hasText: BOT }).click();
    await card.getByRole('button', { name: 'Resume' }).click();
    await toast(`${BOT} is no longer paused`);
    await becomes(id, 'sent');
  });

  test('an account is removed only by a yes, and what waits for it is cancelled', async () => {
    const account = 'telegram:sandbox-5';
    const to = { platform: 'telegram', account: '5:sandbox', chat: '43' };
    await stage.scene.post('/v1/messages', { to, body: { text: 'Hello' }, wait: true });
    await stage.scene.post(`/v1/accounts/${account}/pause`, {});
    const { id } = await stage.scene.post('/v1/messages', { to, body: { text: 'Too late' } });
    const isKnown = async () =>
      ((await get('/v1/accounts')).accounts as { id: string }[]).some((one) => one.id === account);
    await stage.visitor.see('accounts');
    const card = page().locator('.card', { hasText: account });
    await card.getByRole('button', { name: 'Remove' }).click();
    await answer('Cancel');
    expect([await isKnown(), await stateOf(id)]).toEqual([true, 'queued']);
    await card.getByRole('button', { name: 'Remove' }).click();
    await answer('Remove');
    await toast(`${account} is removed.`);
    await card.waitFor({ state: 'detached' });
    await page().locator('.card', { hasText: BOT }).waitFor();
    expect([await isKnown(), await stateOf(id)]).toEqual([false, 'cancelled']);
  });

  test('a broadcast is paused, resumed, and cancelled only by a yes', async () => {
    const chats = Array.from({ length: 2000 }, (_, i) => String(10_000 + i));
    const { id } = await stage.scene.broadcast('Holidays', chats);
    const is = (wanted: string) =>
      stage.scene.until(`/v1/broadcasts/${id}`, ({ state }) => state === wanted);
    await stage.visitor.see('broadcasts');
    const card = page().locator('.card', { hasText: 'Holidays' });
    // The second click of a double click is not for what the button has become.
    await card.getByRole('button', { name: 'Pause' }).click();
    const resume = card.getByRole('button', { name: 'Resume' });
    await resume.dispatchEvent('click', { detail: 2 });
    await toast('The broadcast is paused.');
    await stage.visitor.see('broadcasts');
    expect((await get(`/v1/broadcasts/${id}`)).state).toBe('paused');
    await resume.click();
    await is('running');
    await card.getByRole('button', { name: 'Cancel' }).click();
    await answer('Cancel');
    expect((await get(`/v1/broadcasts/${id}`)).state).toBe('running');
    await card.getByRole('button', { name: 'Cancel' }).click();
    await answer('Cancel it');
    await is('cancelled');
    await card.getByRole('button').first().waitFor({ state: 'detached' });
  });

  test('a text that grows leads to its message and its chat', async () => {
    const { id } = await stage.scene.openStream('-1003333333333', 'Thinking');
    await stage.scene.until(`/v1/streams/${id}`, ({ shownUnits }) => Number(shownUnits) > 0);
    await stage.visitor.see('streams');
    await link('answer-to-ada').click();
    await panel('Content').getByText('Thinking').waitFor();
    await stage.visitor.see('streams');
    await link('-1003333333333').click();
    await title('Chats');
    await stage.gateway.ask('DELETE', `/v1/streams/${id}`);
  });

  test('a text that grows is cancelled only by a yes; one that ends meanwhile says so', async () => {
    const open = (session: string) => stage.scene.openStream('-1003333333333', 'Hm', { session });
    const [{ id }, other] = [await open('unwanted'), await open('wanted')];
    const is = async (wanted: string) => (await get(`/v1/streams/${id}`)).state === wanted;
    await stage.visitor.see('streams');
    await button('Cancel unwanted').click();
    await answer('Cancel');
    expect(await is('open')).toBe(true);
    await button('Cancel unwanted').click();
    await answer('Cancel it');
    await toast('The text of unwanted is cancelled.');
    await button('Cancel unwanted').waitFor({ state: 'detached' });
    expect(await is('cancelled')).toBe(true);
    await button('Cancel wanted').click();
    await page().locator('dialog[open]').waitFor();
    await stage.scene.post(`/v1/streams/${other.id}/final`, { wait: 20 });
    await answer('Cancel it');
    await toast('The stream is done.');
    await text('No text is growing').waitFor();
    expect((await get(`/v1/streams/${other.id}`)).state).toBe('done');
    expect(await stage.visitor.noted(1)).toEqual([expect.stringContaining('status of 409')]);
  });
});

describe('the sandbox', () => {
  test.each([
    ['discord', '7.sandbox', 'discord:sandbox-7', '111111111111111111'],
    ['whatsapp', '100200300:sandbox', 'whatsapp:sandbox-100200300', '16505551234'],
    ['slack', 'xoxb-1-1-sandbox', 'slack:sandbox-1-1', 'C42'],
  ])('chats of a bot of %s', async (platform, account, bot, chat) => {
    const to = { platform, account, chat };
    const method = { discord: { content: 'hi' }, whatsapp: { type: 'text', text: { body: 'hi' } } };
    const body = method[platform as keyof typeof method] ?? { text: 'hi' };
    await stage.scene.post('/v1/messages', { to, body, wait: 20 });
    await stage.visitor.see('sandbox');
    await page().getByRole('combobox', { name: 'Bot' }).selectOption(bot);
    const shown = page().getByRole('region', { name: `Chat ${chat}` });
    await shown.locator('.bubble', { hasText: 'hi' }).waitFor();
    await shown.getByRole('textbox').fill(`Hello ${platform}`);
    await shown.getByRole('textbox').press('Enter');
    await shown.locator('.bubble', { hasText: `Hello ${platform}` }).waitFor();
    await field('Open a chat').fill(`${chat}1`);
    await field('Open a chat').press('Enter');
    await page()
      .getByRole('region', { name: `Chat ${chat}1` })
      .waitFor();
  });

  test('a chat is opened by its number or from the list; blocked, let in, refused', async () => {
    await stage.visitor.see(`sandbox?account=${BOT}`);
    await field('Open a chat').fill('nobody');
    await field('Open a chat').press('Enter');
    await toast('A chat here has a number');
    await field('Open a chat').fill('88');
    await field('Open a chat').press('Enter');
    const chat = page().getByRole('region', { name: 'Chat 88' });
    await chat.getByText('Nothing was said here').waitFor();
    await chat.getByRole('textbox').fill('Anyone?');
    await chat.getByRole('textbox').press('Enter');
    await chat.locator('.bubble', { hasText: 'Anyone?' }).waitFor();
    await chat.getByRole('button', { name: 'Block the bot', exact: true }).click();
    await toast('has blocked the bot');
    expect((await stage.scene.send('88', 'Blocked', { wait: true })).state).toBe('dead');
    await chat.getByRole('button', { name: 'Blocked: unblock the bot' }).click();
    await toast('lets the bot in again');
    await chat.getByRole('button', { name: 'Block the bot', exact: true }).waitFor();
    expect((await stage.scene.send('88', 'Let in', { wait: true })).state).toBe('sent');
    await chat.locator('.bubble', { hasText: 'Let in' }).waitFor();
    await field('Open a chat').fill('89');
    await field('Open a chat').press('Enter');
    await page().getByRole('region', { name: 'Chat 89' }).waitFor();
    await button('Refuse for 60 s').click();
    await toast('refuses this chat');
    const { id } = await stage.scene.send('89', 'Refused');
    await stage.scene.until(`/v1/messages/${id}/explain`, ({ summary }) =>
      String(summary).includes('frozen'),
    );
    await page().locator('.sandbox-menu').getByRole('button', { name: /^42/ }).click();
    await page().getByRole('region', { name: 'Chat 42' }).getByText('Welcome!').waitFor();
  });
});

test('a sandbox that is switched off says so, and what switches it on', async () => {
  const off = new GatewayProcess(stage.sim.url, ['--sandbox', 'off']);
  await off.start();
  const guest = await Visitor.come(stage.browser, off.url);
  await guest.signIn(off.key);
  await guest.see('sandbox');
  await guest.page.getByText('The sandbox is switched off here').waitFor();
  await guest.page.getByText('SLUICE_SANDBOX=on').waitFor();
  expect(await guest.heading()).toBe('Sandbox');
  expect(await guest.page.getByText('That did not work').count()).toBe(0);
  expect(await guest.page.getByText('Play a stream').count()).toBe(0);
  expect(await guest.barriers()).toEqual([]);
  await guest.leave();
  await off.end('SIGKILL');
  off.remove();
});

describe('signing out', () => {
  test('ends the session, and leaves nothing on the page for who comes next', async () => {
    const made = await stage.scene.post('/v1/keys', { name: 'next', role: 'viewer' });
    const guest = await Visitor.come(stage.browser, stage.gateway.url);
    await guest.signIn(stage.gateway.key);
    await guest.page.getByText('Your order 1').first().waitFor();
    // The answer waits until the line of events is over: hung up by the page, or else cut off by the gateway.
    const isOver = guest.page.waitForEvent('requestfailed', (request) =>
      request.url().endsWith('/v1/overview/events'),
    );
    await guest.page.route('**/logout', async (route) => {
      const response = await route.fetch();
      await isOver;
      await guest.page.getByText('Asking the gateway').waitFor();
      await route.fulfill({ response });
    });
    await guest.page.getByRole('button', { name: 'Sign out' }).click();
    await guest.page.getByLabel('Key').waitFor();
    expect((await guest.page.request.get(`${stage.gateway.url}/v1/me`)).status()).toBe(401);
    // Nothing new is told, so that what is shown would be what was there before.
    await guest.page.route('**/v1/overview/events', () => {});
    await guest.page.getByLabel('Key').fill(String(made.secret));
    await guest.page.getByRole('button', { name: 'Sign in' }).click();
    await guest.page.getByText('connecting').waitFor();
    expect(await guest.page.getByText('Your order').count()).toBe(0);
    expect(guest.errors).toEqual([]);
    await guest.leave();
  });
});
