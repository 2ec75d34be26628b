// The page in a real browser, before a real gateway in trouble: each screen, each action, both themes, and that
// everyone can use it. The simulator's chats are frozen and blocked on purpose, and a served one fails on purpose.

import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ownPort } from '../scripts/own-port.ts';
import { type ServedSim, scriptedFaults, serveSim } from '../src/sim/sim.ts';
import { DESK, goByKeys, openBrowser, PHONE, Visitor, WIDE } from './page/browser.ts';
import { partsOf } from './page/parts.ts';
import { BLOCKED, BOT, BUSY, FROZEN, Scene } from './page/scene.ts';
import { GatewayProcess } from './process/gateway.ts';

const FAILING = { account: '9:AAAfailing', chat: '500' };
const SCREENS = [
  '',
  'queue',
  'accounts',
  'chats',
  'streams',
  'broadcasts',
  'dead',
  'messages',
  'ingest',
  'sandbox',
  'keys',
  'gateway',
  'settings',
];

let browser: Browser;
let sim: ServedSim;
let gateway: GatewayProcess;
let scene: Scene;
let visitor: Visitor;

beforeAll(async () => {
  browser = await openBrowser();
  const fault = { kind: 'internal_error' } as const;
  const faults = scriptedFaults([{ fault, chat: FAILING.chat, times: 2 }]);
  sim = await serveSim({ host: '127.0.0.1', port: 0, faults });
  gateway = new GatewayProcess(sim.url, ['--port', String(await ownPort())]);
  await gateway.start();
  scene = new Scene(gateway);
  await scene.makeTrouble();
  visitor = await Visitor.come(browser, gateway.url);
  await visitor.signIn(gateway.key);
}, 300_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.end('SIGKILL');
  gateway?.remove();
  await sim?.close();
});

// No screen and no action leaves an error behind, whatever it was.
afterEach(() => {
  expect(visitor.errors).toEqual([]);
});

const page = () => visitor.page;
const { button, text, panel, rows, toast } = partsOf(page);

// The story of a message that waits.
async function firstInLine(): Promise<string> {
  const waiting = await scene.get('/v1/queue');
  const [first] = waiting.items as { id: string }[];
  return `delivery/${first!.id}`;
}

describe('the door', () => {
  test('says no to a wrong key, in words; the right one is kept nowhere on the page', async () => {
    const stranger = await Visitor.come(browser, gateway.url);
    await stranger.page.goto(gateway.url);
    await stranger.page.getByLabel('Key').fill('not-the-key');
    await stranger.page.getByRole('button', { name: 'Sign in' }).click();
    await stranger.page.getByText('This key is not known here.').waitFor();
    expect(await stranger.barriers()).toEqual([]);
    const bound = { name: 'shop', role: 'operator', chats: ['42'] };
    const { secret } = await scene.post('/v1/keys', bound);
    await stranger.page.getByLabel('Key').fill(String(secret));
    await stranger.page.getByRole('button', { name: 'Sign in' }).click();
    await stranger.page.getByText('such a key is for programs').waitFor();
    expect(await stranger.noted(1)).toEqual([expect.stringContaining('status of 403')]);
    await stranger.signIn(gateway.key);
    expect(await stranger.kept()).not.toContain(gateway.key);
    expect(await stranger.page.content()).not.toContain(gateway.key);
    expect([...stranger.requested]).toEqual([gateway.url]);
    expect(stranger.errors).toEqual([]);
    await stranger.page.getByRole('button', { name: 'Sign out' }).click();
    await stranger.page.getByLabel('Key').waitFor();
    await stranger.leave();
  });
});

describe('overview', () => {
  test('the reason a message waits is there at once, its story one click away', async () => {
    await visitor.see('');
    const waits = panel('Why messages wait');
    const frozen = rows(waits).filter({ hasText: 'Your order 1' });
    await frozen.getByText(`Chat ${FROZEN} is frozen: the platform refused a message`).waitFor();
    expect(await frozen.textContent()).toMatch(/in (2\d|30) m/);
    await rows(waits)
      .filter({ hasText: BUSY })
      .getByText(/takes .*; \d+ w(as|ere) sent/)
      .waitFor();
    await text(/messages? waits?, the longest for/).waitFor();
    await panel('Freezes').getByText(`chat ${FROZEN}`).waitFor();
    await frozen.getByRole('link', { name: 'Your order 1' }).click();
    await text('Why it has not gone out').waitFor();
  });

  test('numbers move by themselves, and charts are painted', async () => {
    await visitor.see('');
    await page().locator('.chart canvas').nth(2).waitFor();
    expect(await page().locator('.chart canvas').count()).toBe(3);
    const sent = page().locator('.tile', { hasText: 'Sent a second' });
    const before = Number(/(\d+) since/.exec((await sent.textContent()) ?? '')?.[1]);
    await scene.send('43', 'one more', { wait: true });
    await sent
      .getByText(`${before + 1} since the start`)
      .or(sent.getByText(/since/))
      .first()
      .waitFor();
    await expect
      .poll(async () => Number(/(\d+) since/.exec((await sent.textContent()) ?? '')?.[1]))
      .toBeGreaterThan(before);
    await button('15 min').click();
  });
});

describe('queue', () => {
  test('by class, with place and time; of one chat all that wait in it', async () => {
    await visitor.see('queue');
    await button(/^high \d/).click();
    await rows(panel('First in line')).filter({ hasText: 'Your order 1' }).waitFor();
    await page().getByText('Release notes').first().waitFor({ state: 'detached' });
    await visitor.see(`queue?chat=${FROZEN}`);
    const all = panel(`All that wait in ${FROZEN}`);
    await all.getByText('Your order 3').waitFor();
    expect(await rows(all).count()).toBe(3);
    await all.getByText('number 2 in its queue').waitFor();
    await rows(all).nth(1).getByText('order-2', { exact: true }).waitFor();
    await button(/^low \d/).click();
    await text('Nothing waits here').waitFor();
  });
});

describe('accounts and chats', () => {
  test('pausing asks first; a paused account says so everywhere, and goes on', async () => {
    await visitor.see('accounts');
    const card = page().locator('.card', { hasText: BOT });
    await card.getByText('account_broadcast').waitFor();
    await card.getByRole('button', { name: 'Pause' }).click();
    await page().getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(await card.getByText('sending', { exact: true }).count()).toBe(1);
    await card.getByRole('button', { name: 'Pause' }).click();
    await page().getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await toast(`${BOT} is paused.`);
    await card.getByText('paused', { exact: true }).waitFor();
    await visitor.see('');
    await panel('Why messages wait')
      .getByText(/account is held/i)
      .first()
      .waitFor();
    await visitor.see('accounts');
    await card.getByRole('button', { name: 'Resume' }).click();
    await toast(`${BOT} is no longer paused`);
  });

  test('budget, freeze with its cause and countdown; found by a part of the id', async () => {
    await visitor.see('chats?frozen=true');
    const row = page().locator('.chat-row', { hasText: FROZEN });
    await row.getByText('frozen').waitFor();
    await row.getByText(/until .*\d\d:\d\d \(\d+ m/).waitFor();
    await row.getByText(/the platform refused a message and asked to wait/i).waitFor();
    await visitor.see('chats');
    await page().getByLabel('Find').fill('222222');
    const busy = page().locator('.chat-row', { hasText: BUSY });
    await busy.getByText('This group takes 20 messages a minute').waitFor();
    await busy.getByTitle(/group_minute/).waitFor();
    expect(await page().locator('.chat-row').count()).toBe(1);
    await page().getByLabel('Find').fill('no such chat');
    await text('No chat has a limit in use').waitFor();
  });
});

describe('a delivery', () => {
  test('its whole story: every try, why it waits, what it says; cancelled after a question', async () => {
    const to = { platform: 'telegram', ...FAILING };
    const sent = await scene.post('/v1/messages', { to, body: { text: 'third time' }, wait: true });
    await visitor.see(`delivery/${sent.id}`);
    const story = panel('History');
    await story.getByText('Try 3').waitFor();
    expect(await story.getByText('failed', { exact: true }).count()).toBe(2);
    await text(/It was sent at .*, after 3 tries/).waitFor();
    await panel('Content').getByText('"third time"').waitFor();
    const waiting = await scene.send(FROZEN, 'never mind', { priority: 'high' });
    await visitor.see(`delivery/${waiting.id}`);
    await text(/is frozen/).waitFor();
    await text(/Number 4 in its queue/).waitFor();
    await button('Cancel it').click();
    await page().getByRole('dialog').getByRole('button', { name: 'Cancel it' }).click();
    await toast('is cancelled.');
    await panel('History').getByText('cancelled').first().waitFor();
    await visitor.see('delivery/zzzzz-1');
    await text('That did not work').waitFor();
    // It is asked for once, and the browser notes the answer.
    expect(await visitor.noted(1)).toEqual([expect.stringContaining('status of 404')]);
  });
});

describe('streams and broadcasts', () => {
  test('a text that grows: how much is known and shown, what it waits for', async () => {
    await visitor.see('streams');
    const stream = await scene.openStream(FROZEN, 'Thinking about it');
    const row = rows(panel('Open streams')).filter({ hasText: 'answer-to-ada' });
    await row.getByText(/of 17 characters/).waitFor();
    await row.getByText(/is frozen/).waitFor();
    expect(await row.locator('.mono.dim').count()).toBe(0);
    await scene.gateway.ask('DELETE', `/v1/streams/${stream.id}`);
    await row.waitFor({ state: 'detached' });
    await text('No text is growing').waitFor();
    // An id of one's own is shown beside ours; ours is not said twice.
    const named = await scene.openStream(FROZEN, 'Two ids', { correlation: 'question-9' });
    await row.getByText('question-9', { exact: true }).waitFor();
    expect(await row.locator('.mono.dim').count()).toBe(1);
    await scene.gateway.ask('DELETE', `/v1/streams/${named.id}`);
    await row.waitFor({ state: 'detached' });
  });

  test('progress, and pause, resume and cancel', async () => {
    const chats = Array.from({ length: 2000 }, (_, i) => String(10_000 + i));
    await visitor.see('broadcasts');
    await scene.broadcast('Holidays', chats);
    const card = page().locator('.card', { hasText: 'Holidays' });
    await card.getByText(/of 2,000/).waitFor();
    await card.getByRole('button', { name: 'Pause' }).click();
    await card.getByText('paused', { exact: true }).waitFor();
    await card.getByRole('button', { name: 'Resume' }).click();
    await card.getByText('running', { exact: true }).waitFor();
    await card.getByRole('button', { name: 'Cancel' }).click();
    await page().getByRole('dialog').getByRole('button', { name: 'Cancel it' }).click();
    await toast('The broadcast is cancelled.');
    await card.getByText('cancelled', { exact: true }).first().waitFor();
  });
});

describe('dead letters', () => {
  const letters = () => panel('Letters');
  const choose = (what: string) =>
    rows(letters()).filter({ hasText: what }).getByRole('checkbox').check();

  test('by cause; one discarded after a question, one changed and sent', async () => {
    await visitor.see('dead');
    await panel('By cause')
      .getByRole('button', { name: /4\s*The user has blocked the bot/ })
      .click();
    await choose('Invoice 1');
    await button('Discard').click();
    await page().getByRole('dialog').getByRole('button', { name: 'Give it up' }).click();
    await toast('1 letter is given up.');
    await page().getByText('Invoice 1').waitFor({ state: 'detached' });
    await scene.trouble(BLOCKED, { state: 'open' });
    await choose('Invoice 2');
    await button('Edit and retry').click();
    const dialog = page().getByRole('dialog');
    await dialog.getByLabel('Other parameters').fill('{ nonsense');
    await dialog.getByRole('button', { name: 'Save and retry' }).click();
    await dialog.getByText('not valid JSON').waitFor();
    await dialog.getByLabel('Other parameters').fill('{}');
    await dialog.getByLabel('Text').fill('Invoice 2, corrected');
    await dialog.getByRole('button', { name: 'Save and retry' }).click();
    await toast('is changed and queued again.');
    await scene.until(
      '/v1/messages?state=sent&text=corrected',
      ({ items }) => (items as object[]).length === 1,
    );
  });

  test('all that a filter finds, after a question', async () => {
    await visitor.see('dead');
    await rows(letters()).nth(1).waitFor();
    await page().getByLabel('Text').fill('Invoice 3');
    await page().getByText('Invoice 4').waitFor({ state: 'detached' });
    await button('Retry all').click();
    await page()
      .getByRole('dialog')
      .getByText(/dead letters with text Invoice 3/)
      .waitFor();
    await page().getByRole('dialog').getByRole('button', { name: 'Retry them' }).click();
    await toast('1 letter is queued again.');
    await page().getByLabel('Text').fill('');
    await rows(letters()).filter({ hasText: 'Invoice 4' }).waitFor();
    await button('Discard all').click();
    await page().getByRole('dialog').getByRole('button', { name: 'Give them up' }).click();
    await toast('1 letter is given up.');
    await text('No dead letters').waitFor();
  });
});

describe('messages', () => {
  test.each([
    ['Correlation id', 'order-2', 'Your order 2'],
    ['Text', 'WELCOME! write', 'Welcome! Write to me'],
    ['Chat', BLOCKED, 'Invoice 2, corrected'],
  ])('by %s', async (label, wanted, found) => {
    await visitor.see('messages');
    if (label === 'Correlation id') await button('More filters').click();
    await page().getByLabel(label, { exact: true }).fill(wanted);
    await rows(panel('Deliveries')).filter({ hasText: found }).waitFor();
    await page().getByText('Release notes').first().waitFor({ state: 'detached' });
  });

  test('by state, and what is found leads to its story', async () => {
    await visitor.see('messages');
    await page().getByLabel('State').selectOption('cancelled');
    await page().getByLabel('Text').fill('invoice');
    const row = rows(panel('Deliveries')).filter({ hasText: 'Invoice 1' });
    await row.getByRole('link', { name: 'Invoice 1' }).click();
    await panel('History').getByText('discarded').waitFor();
    await visitor.see('messages');
    await page().getByLabel('Text').fill('nobody ever wrote this');
    await text('Nothing found').waitFor();
  });
});

describe('sandbox', () => {
  test('one writes as a user, the bot gets it, its answer is shown', async () => {
    await visitor.see(`sandbox?account=${BOT}&chat=42`);
    const chat = page().locator('.sandbox-chat');
    await chat.getByText('Welcome! Write to me at any time.').waitFor();
    await chat.getByRole('textbox').fill('Hello bot, are you there?');
    await chat.getByRole('button', { name: 'Send' }).click();
    await chat.getByText('Hello bot, are you there?').waitFor();
    const { body } = await gateway.ask('GET', '/bot1:sandbox/getUpdates');
    expect(JSON.stringify(body)).toContain('Hello bot, are you there?');
    await scene.send('42', 'Always.');
    await chat.getByText('Always.').waitFor();
    await chat.getByRole('button', { name: 'Block the bot', exact: true }).click();
    await toast('The person has blocked the bot.');
    const refused = await scene.send('42', 'And now?', { wait: true });
    expect(refused.state).toBe('dead');
    await chat.getByRole('button', { name: 'Blocked: unblock the bot' }).click();
    await chat.getByRole('button', { name: /Refuse for/ }).click();
    await toast(/the platform refuses this chat/);
  });
});

describe('for everyone', () => {
  let stream = '';

  beforeAll(async () => {
    stream = String((await scene.openStream(FROZEN, 'Thinking about it')).id);
  });
  afterAll(() => gateway.ask('DELETE', `/v1/streams/${stream}`));

  test('by keyboard: screens, rows, the list of keys', async () => {
    await visitor.see('');
    await page().keyboard.press('?');
    await page().getByRole('dialog').getByText('go to Queue').waitFor();
    await page().keyboard.press('Escape');
    await page().getByRole('dialog').waitFor({ state: 'detached' });
    await goByKeys(page(), 'q', 'Queue');
    await rows(panel('First in line')).first().waitFor();
    await page().keyboard.press('j');
    await page().keyboard.press('Enter');
    await page()
      .getByRole('heading', { level: 1, name: /Delivery/ })
      .waitFor();
    await page().keyboard.press('/');
    await page().getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
    await page().locator('input:focus').waitFor();
  });

  test.each(['light', 'dark'] as const)('no screen shuts anyone out, %s', async (theme) => {
    await visitor.theme(theme);
    await page().setViewportSize(WIDE);
    for (const screen of [...SCREENS, await firstInLine()]) {
      await visitor.see(screen);
      await visitor.settled();
      expect.soft(await visitor.barriers(), `${screen} ${theme}`).toEqual([]);
    }
    await visitor.theme('light');
    await page().setViewportSize(DESK);
  });

  test('the theme can be chosen, and stays', async () => {
    await visitor.theme('light');
    await visitor.see('');
    await button('Dark').click();
    await page().reload();
    await page().locator('html[data-theme=dark]').waitFor();
    await button('Light').click();
    await page().locator('html[data-theme=light]').waitFor();
  });

  test('nothing sticks out of a small screen, and nobody is shut out there', async () => {
    const phone = await Visitor.come(browser, gateway.url, PHONE);
    await phone.page.goto(gateway.url);
    await phone.page.getByLabel('Key').waitFor();
    expect.soft(await phone.barriers(), 'sign in').toEqual([]);
    await phone.signIn(gateway.key);
    for (const screen of [...SCREENS, await firstInLine()]) {
      await phone.see(screen);
      await phone.settled();
      expect.soft(await phone.width(), screen).toBeLessThanOrEqual(PHONE.width);
      // Of both themes the colours are judged on the desk: they are the same here.
      expect.soft(await phone.barriers(), screen).toEqual([]);
    }
    expect(phone.errors).toEqual([]);
    await phone.leave();
  });

  test('a viewer sees where messages stand, not what they say, and no button to act', async () => {
    const made = await scene.post('/v1/keys', { name: 'watcher', role: 'viewer' });
    const viewer = await Visitor.come(browser, gateway.url);
    await viewer.signIn(String(made.secret));
    await viewer.page.getByText(`Chat ${FROZEN} is frozen`).first().waitFor();
    for (const screen of [...SCREENS, 'dead?state=dead']) {
      await viewer.see(screen);
      await viewer.settled();
      expect.soft(await viewer.page.getByText('Your order').count(), screen).toBe(0);
      const acts = viewer.page.getByRole('button', {
        name: /Pause|Cancel|Retry|Discard|Block|Freeze|Thaw|^Send$/,
      });
      expect.soft(await acts.count(), screen).toBe(0);
    }
    expect(viewer.errors).toEqual([]);
    await viewer.leave();
  });
});

describe('many', () => {
  test('ten thousand chats are one list, of which only what is seen is there', async () => {
    await fillChats(10_000);
    await visitor.see('chats');
    await page()
      .getByText(/^10,\d{3} entries$/)
      .waitFor();
    expect(await page().locator('.chat-row').count()).toBeLessThan(60);
    const list = page().getByRole('region', { name: 'All chats' });
    await list.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
    await page().locator('.chat-row .mono').last().waitFor();
    await page().locator('.chat-row', { hasText: /^…$/ }).first().waitFor({ state: 'detached' });
    expect(await page().locator('.chat-row').count()).toBeLessThan(60);
    await page().getByLabel('Find').fill('000000209999');
    await page().locator('.chat-row', { hasText: '000000209999' }).waitFor();
  }, 240_000);

  // Messages that are paid for may go to a thousand chats a second; what a group was sent is known for a minute.
  async function fillChats(count: number): Promise<void> {
    const to = (n: number) => ({
      platform: 'telegram',
      account: '2:sandbox',
      chat: `-100${String(200_000 + n).padStart(12, '0')}`,
    });
    const body = { text: 'hello', allow_paid_broadcast: true };
    for (let i = 0; i < count; i += 1000) {
      const batch = Array.from({ length: 1000 }, (_, n) => ({
        to: to(i + n),
        body,
      }));
      await scene.post('/v1/messages', batch);
    }
    await scene.until(
      '/v1/limits?account=telegram:sandbox-2&limit=1',
      ({ total }) => Number(total) > count - 1,
    );
  }
});

describe('when the gateway is away', () => {
  test('the page says so, keeps what it showed, and comes back', async () => {
    await visitor.see('');
    await gateway.end('SIGTERM');
    await page().getByText('The gateway does not answer. Trying again').waitFor();
    expect(await page().getByText('Why messages wait').count()).toBe(1);
    await gateway.start();
    // Nobody has to sign in again: sessions outlive the process that gave them, and end with their key.
    await page().getByText('live', { exact: true }).waitFor();
    await page().getByText(`Chat ${FROZEN} is frozen`).first().waitFor();
    await button('Sign out').click();
    await page().getByRole('button', { name: 'Sign in' }).waitFor();
    await gateway.end('SIGTERM');
    await gateway.start();
    await page().reload();
    await page().getByRole('button', { name: 'Sign in' }).waitFor();
    await page().getByLabel('Key').fill(gateway.key);
    await page().getByRole('button', { name: 'Sign in' }).click();
    await page().getByText('live', { exact: true }).waitFor();
    // The browser notes each request that found nobody, or a gateway that was just stopping.
    const isExpected = (error: string) => /ERR_|Failed to fetch|network|status of 503/i.test(error);
    expect(visitor.errors.filter((error) => !isExpected(error))).toEqual([]);
    visitor.errors.length = 0;
  });
});
