// The log of all deliveries on the page, in a real browser before a real gateway: the first message of a fresh gateway,
// new ones that appear by themselves, the filters, and the numbers of other screens that lead here.

import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, Visitor } from './page/browser.ts';
import { partsOf } from './page/parts.ts';
import { BLOCKED, Scene, TOKEN } from './page/scene.ts';
import { GatewayProcess } from './process/gateway.ts';
import { AtTheTerminal } from './tasks/steps.ts';

let browser: Browser;
let gateway: GatewayProcess;
let scene: Scene;
let visitor: Visitor;

const page = () => visitor.page;
const { button, text, panel, rows, field, link, title, address } = partsOf(page);
const choice = (name: string) => page().getByRole('combobox', { name, exact: true });
const log = () => rows(panel('Deliveries'));

beforeAll(async () => {
  const opening = openBrowser();
  // Nobody is there: all of it is the simulator's.
  gateway = new GatewayProcess('http://127.0.0.1:9');
  await gateway.start();
  scene = new Scene(gateway);
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

describe('a fresh gateway', () => {
  test('says that there is nothing yet, then shows the first message, on both screens', async () => {
    const newest = panel('Newest messages');
    await newest.getByText('No message yet').waitFor();
    expect(await newest.getByRole('link', { name: 'the API' }).getAttribute('href')).toBe('/docs');
    await visitor.see('messages');
    await panel('Deliveries').getByText('No message yet').waitFor();
    const { id } = await scene.send('42', 'The very first', { wait: true });
    await log().filter({ hasText: 'The very first' }).getByText('sent').waitFor();
    await visitor.see('');
    await rows(newest).getByRole('link', { name: 'The very first' }).click();
    await title(`Delivery ${id}`);
  });

  test('the command of a screen without entries works as it stands there', async () => {
    for (const [screen, sent] of [
      ['streams', /^account +telegram:sandbox-1$/m],
      ['broadcasts', /^progress +2 of 2 sent$/m],
    ] as const) {
      await visitor.see(screen);
      const command = page().locator('code', { hasText: 'npx sluice' });
      const terminal = new AtTheTerminal((await command.textContent())!, {
        SLUICE_KEY: gateway.key,
      });
      expect(await terminal.run(/.+/)).toMatch(sent);
    }
    await scene.until('/v1/messages?state=sent', ({ items }) => (items as unknown[]).length === 4);
  });
});

describe('the log', () => {
  test('new ones come first by themselves, and their state follows', async () => {
    await visitor.see('messages');
    await log().first().waitFor();
    await scene.post('/v1/accounts/telegram:sandbox-1/pause', {});
    await scene.send('42', 'Held at first');
    const row = log().first();
    await row.getByText('Held at first').waitFor();
    await row.getByText('queued', { exact: true }).waitFor();
    await scene.post('/v1/accounts/telegram:sandbox-1/resume', {});
    await row.getByText('sent', { exact: true }).waitFor();
  });

  test('older pages stand still until one goes back to the newest', async () => {
    const many = Array.from({ length: 60 }, (_, n) => ({
      to: { platform: 'telegram', account: TOKEN, chat: String(700 + n) },
      body: { text: `Page ${n}.`, allow_paid_broadcast: true },
      session: 'pages',
    }));
    await scene.post('/v1/messages', many);
    await visitor.see('messages?session=pages');
    await button('Show more').click();
    await log().nth(59).waitFor();
    const newest = { session: 'pages', wait: true };
    await scene.send('799', 'Newer than all', newest);
    expect(await log().filter({ hasText: 'Newer than all' }).count()).toBe(0);
    await button('Back to the newest').click();
    await log().first().getByText('Newer than all').waitFor();
    expect(await log().count()).toBe(50);
  });

  test('by time: today, yesterday, and from one moment to another, in the address', async () => {
    await visitor.see('messages?text=very first');
    await log().first().waitFor();
    await choice('When').selectOption('yesterday');
    await address(/since=20.*until=20/);
    await text('Nothing found').waitFor();
    await choice('When').selectOption('today');
    await log().first().waitFor();
    const { items } = await scene.get('/v1/messages?text=very%20first');
    const [{ acceptedAt }] = items as [{ acceptedAt: string }];
    const after = new Date(Date.parse(acceptedAt) + 2000).toISOString();
    await visitor.see(`messages?text=very first&until=${after}`);
    await log().first().waitFor();
    await visitor.see(`messages?text=very first&since=${after}`);
    await text('Nothing found').waitFor();
    await link('Clear').click();
    await address(/^#\/messages$/);
    await log().nth(5).waitFor();
  });

  test('what is typed right after a link was followed is looked for, and nothing of before', async () => {
    await visitor.see('messages?chat=42&session=pages');
    // In the same moment in which the address has changed, before the next frame.
    await page().evaluate(`new Promise((led) => {
      addEventListener('hashchange', () => led(), { once: true });
      location.hash = '#/messages';
    }).then(() => {
      const input = document.querySelector('.filters input');
      input.value = 'very first';
      input.dispatchEvent(new Event('input', { bubbles: true }));
    })`);
    await address(/^#\/messages\?text=very\+first$/);
    await log().filter({ hasText: 'The very first' }).waitFor();
  });

  test('by the id the platform gave; and as links of before had it', async () => {
    const { messageId } = await scene.send('42', 'Numbered', { wait: true });
    await visitor.see('search');
    await title('Messages');
    await button('More filters').click();
    await field('Platform message id').fill(String(messageId));
    await log().filter({ hasText: 'Numbered' }).waitFor();
  });
});

describe('numbers lead to the messages they count', () => {
  test('a broadcast’s dead', async () => {
    await scene.trouble(BLOCKED, { state: 'blocked' });
    await scene.broadcast('Closed', [BLOCKED, '801', '802']);
    await visitor.see('broadcasts');
    const card = page().locator('.card', { hasText: 'Closed' });
    await card.getByRole('link', { name: /dead\s*1/ }).click();
    await title('Messages');
    await log().filter({ hasText: BLOCKED }).getByText('dead', { exact: true }).waitFor();
    expect(await log().count()).toBe(1);
  });

  test('a moment of a chart', async () => {
    await visitor.see('');
    await scene.send('42', 'A moment ago');
    const plot = page().locator('.plot').first();
    await plot.locator('canvas').waitFor();
    const box = (await plot.boundingBox())!;
    await plot.click({ position: { x: box.width - 30, y: box.height / 2 } });
    await title('Messages');
    await address(/since=20.*until=20/);
    await log().first().waitFor();
  });

  test('what an account has in flight', async () => {
    await visitor.see('accounts');
    await link(/in flight/).click();
    await title('Messages');
    await expect.poll(() => choice('State').inputValue()).toBe('sending');
  });
});

describe('why it was late', () => {
  const bar = (name: string) => page().locator('.timeline li', { hasText: name });
  const shares = () =>
    page()
      .locator('.timeline .wait')
      .evaluateAll((bars: readonly { getAttribute(name: string): string | null }[]) =>
        bars.map((each) => Number(/width: ([\d.]+)%/.exec(each.getAttribute('style') ?? '')?.[1])),
      );

  test('each wait of one that was sent is a bar as long as it was', async () => {
    await scene.trouble('900', { freezeSeconds: 2 });
    const { id } = await scene.send('900', 'Late', { wait: true });
    await visitor.see(`delivery/${id}`);
    await panel('Where the time went').getByText('in all').waitFor();
    await bar('Frozen: its chat or the account').waitFor();
    expect(await bar('Call to the platform').count()).toBe(2);
    const { past } = await scene.get(`/v1/messages/${id}/explain`);
    const waits = (past as { ms: number }[]).map(({ ms }) => ms);
    const wholeMs = waits.reduce((sum, ms) => sum + ms);
    const shown = await shares();
    expect(shown).toHaveLength(waits.length);
    for (const [i, ms] of waits.entries()) expect(shown[i]).toBeCloseTo((100 * ms) / wholeMs, 0);
    expect(await visitor.barriers()).toEqual([]);
  });

  test('of one that still waits, the wait grows', async () => {
    await scene.trouble('901', { freezeSeconds: 600 });
    const { id } = await scene.send('901', 'Not yet');
    await visitor.see(`delivery/${id}`);
    await panel('Where the time went').getByText('so far').waitFor();
    const frozen = bar('Frozen: its chat or the account').last();
    await frozen.getByText(/^(?:[2-9](?:\.\d)?|\d\d) s$|^\d+ m/).waitFor();
    await bar('Call to the platform').getByText('Try 1, limited').waitFor();
    expect(await page().locator('.timeline', { hasText: 'expected in' }).count()).toBe(0);
    const why = panel('Why it has not gone out');
    await why.getByText(/tried again in \d+ m/).waitFor();
    await why.locator('.badge', { hasText: /^retry$/ }).waitFor();
    expect(await why.getByText(/scheduled|expected/).count()).toBe(0);
    await visitor.see('queue?chat=901');
    await page()
      .getByText(/tried again in \d+ m/)
      .first()
      .waitFor();
  });
});

describe('names beside ids', () => {
  test('of the chat and of the bot, as answers have told them', async () => {
    await scene.send('-100777', 'To a group', { wait: true });
    await visitor.see('messages?chat=-100777');
    const row = log().filter({ hasText: 'To a group' });
    await row.getByText('Chat -100777').waitFor();
    await row.getByText('@sim1_bot').waitFor();
    await row.getByText('telegram:sandbox-1').waitFor();
    await visitor.see('accounts');
    await page().locator('.card').first().getByText('@sim1_bot').waitFor();
    const { secret } = await scene.post('/v1/keys', { name: 'looks', role: 'viewer' });
    const guest = await Visitor.come(browser, gateway.url);
    await guest.signIn(String(secret));
    await guest.see('messages?chat=-100777');
    await guest.page.getByText('telegram:sandbox-1').first().waitFor();
    expect(await guest.page.locator('.name').count()).toBe(0);
    expect(guest.errors).toEqual([]);
    await guest.leave();
  });
});

describe('rows, dialogs and alarms', () => {
  test('a row is clicked anywhere; what else is in it keeps its own meaning', async () => {
    await visitor.see('messages?text=very first');
    await log().first().locator('td').last().click();
    await title(/^Delivery/);
    await page().goBack();
    await log().first().locator('a.mono').click();
    await title('Chats');
  });

  test('Back closes a dialog and leaves the screen', async () => {
    await visitor.see('messages');
    await visitor.see('accounts');
    await button('Pause').click();
    await page().getByRole('dialog').waitFor();
    await page().goBack();
    await page().getByRole('dialog').waitFor({ state: 'detached' });
    await title('Accounts');
    await button('Pause').click();
    await page().getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page().getByRole('dialog').waitFor({ state: 'detached' });
    // Closed otherwise, it leaves no step behind.
    await visitor.becomes('history.state?.isDialog !== true');
    await page().goBack();
    await title('Messages');
  });

  // A browser that takes its time to go back, until it is let.
  const holdBack = () =>
    page().evaluate(`
      window.letBack = [];
      history.back = () => letBack.push(() => History.prototype.back.call(history));
    `);
  const isBackAsked = () => visitor.becomes('letBack.length > 0');
  const letBack = () => page().evaluate('for (const go of letBack.splice(0)) go()');
  const dialog = () => page().getByRole('dialog');
  const openAndCancel = async () => {
    await button('Pause').click();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await dialog().waitFor({ state: 'detached' });
    await isBackAsked();
  };

  test('one that opens before the browser has gone back stays open, and leaves no step', async () => {
    await visitor.see('messages');
    await visitor.see('accounts');
    await holdBack();
    await openAndCancel();
    await button('Pause').click();
    await dialog().waitFor();
    await letBack();
    await visitor.becomes('history.state?.isDialog === true && letBack.length === 0');
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await isBackAsked();
    await letBack();
    await visitor.becomes('history.state?.isDialog !== true');
    await page().goBack();
    await title('Messages');
  });

  test('a link that is followed before the browser has gone back leads on', async () => {
    await visitor.see('accounts');
    await holdBack();
    await openAndCancel();
    await link('Queue').click();
    await letBack();
    await title('Queue');
    await page().goBack();
    await title('Accounts');
    await visitor.becomes('history.state?.isDialog !== true');
  });

  test('a step that a reload, a link or Forward has left is taken back', async () => {
    await visitor.see('messages');
    await visitor.see('accounts');
    await button('Pause').click();
    await dialog().waitFor();
    await page().reload();
    await title('Accounts');
    await visitor.becomes('history.state?.isDialog !== true');
    await page().goForward();
    await visitor.becomes('history.state?.isDialog !== true');
    await button('Pause').click();
    await dialog().waitFor();
    await visitor.see('queue');
    await dialog().waitFor({ state: 'detached' });
    await page().goBack();
    await title('Accounts');
    await visitor.becomes('history.state?.isDialog !== true');
    await page().goBack();
    await title('Messages');
  });

  test('a browser that drops the order to go back keeps nobody waiting', async () => {
    await visitor.see('accounts');
    await holdBack();
    await openAndCancel();
    await visitor.becomes('history.state?.isDialog !== true');
    await link('Queue').click();
    await title('Queue');
    await page().reload();
  });

  test('people who have blocked the bot are counted, and are no alarm', async () => {
    await visitor.see('');
    const tile = page().locator('.tile', { hasText: 'Dead letters' });
    await tile.getByText('1 to people who left').waitFor();
    expect(await tile.locator('.tile-value.bad').count()).toBe(0);
    const entry = page()
      .getByRole('navigation')
      .getByRole('link', { name: /^Dead letters/ });
    expect(await entry.locator('.count').count()).toBe(0);
    const { id } = await scene.send('42', '', {
      wait: true,
      method: 'editMessageText',
      body: { message_id: 999_999, text: 'There is no such message' },
    });
    await scene.until(`/v1/messages/${id}`, ({ state }) => state === 'dead');
    await tile.locator('.tile-value.bad').waitFor();
    await entry.locator('.count', { hasText: '1' }).waitFor();
  });
});
