// The sandbox as a demo, in a real browser before a fresh gateway that has no account: sign in, open the sandbox, press
// a button. Only what stands on the screen is followed, and each play is looked at where its links lead.

import type { Browser, Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, PHONE, Visitor } from './page/browser.ts';
import { partsOf } from './page/parts.ts';
import { GatewayProcess } from './process/gateway.ts';

// Nothing listens there: whatever is played stays in the simulator.
const NOWHERE = 'http://127.0.0.1:9';
const FLOOD = 40;
// A group takes 20 a minute: two minutes' worth, and room for a slow machine.
const FLOOD_MS_MAX = 240_000;
const PIECES_AT_FIRST = 12;
const LONG = { timeout: 400_000 };

let browser: Browser;
let gateway: GatewayProcess;
let visitor: Visitor;

beforeAll(async () => {
  browser = await openBrowser();
  gateway = new GatewayProcess(NOWHERE);
  await gateway.start();
  visitor = await Visitor.come(browser, gateway.url);
  await visitor.signIn(gateway.key);
}, 300_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.end('SIGKILL');
  gateway?.remove();
});

afterEach(() => {
  expect(visitor.errors).toEqual([]);
});

const page = () => visitor.page;
const { panel, rows, text, title, address } = partsOf(page);
const play = (name: string) => page().getByRole('article', { name, exact: true });
const bubble = (words: string | RegExp) => page().locator('.bubble', { hasText: words });

async function press(name: 'Stream' | 'Flood' | 'Penalty'): Promise<Locator> {
  await page().getByRole('navigation').getByRole('link', { name: 'Sandbox' }).click();
  await title('Sandbox');
  const start = play(name).getByRole('button');
  await start.click();
  // A run that is under way cannot be started again.
  await expect.poll(() => start.isDisabled()).toBe(true);
  return start;
}

async function follow(name: string, link: string): Promise<void> {
  await play(name).getByRole('link', { name: link }).click();
}

// What the page asks for, with other numbers: a slow machine needs longer to look.
async function insteadOf(path: string, changes: Readonly<Record<string, number>>): Promise<void> {
  await page().route(path, async (route) => {
    const asked = route.request().postDataJSON() as Record<string, unknown> | null;
    const names = Object.keys(changes).filter((name) => name in (asked ?? {}));
    const postData = {
      ...asked,
      ...Object.fromEntries(names.map((name) => [name, changes[name]])),
    };
    await (names.length === 0 ? route.continue() : route.continue({ postData }));
  });
}

// The text is written so far and no further until it was looked at, however long that takes here.
async function stopMidway(): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await insteadOf('**/v1/streams', { idle: 600 });
  let pieces = 0;
  await page().route('**/v1/streams/*', async (route) => {
    const isPiece = route.request().method() === 'PATCH';
    if (isPiece) pieces += 1;
    if (isPiece && pieces > PIECES_AT_FIRST) await promise;
    await route.continue();
  });
  return resolve;
}

// How many are sent, wait, and were refused, as the card says.
async function flooded(): Promise<readonly number[]> {
  const said = await play('Flood')
    .getByText(/\d+ sent/)
    .textContent();
  return (said!.match(/\d+/g) ?? []).map(Number);
}

describe('three plays, one after the other while the first goes on', () => {
  test('a flood is paced, and each that waits says why', LONG, async () => {
    const start = await press('Flood');
    await page().getByRole('region', { name: 'Chat -1001' }).waitFor();
    await bubble(`Message 1 of ${FLOOD}`).waitFor();
    await expect.poll(async () => (await flooded())[0]).toBeGreaterThan(0);
    const [sent, waiting, refused] = await flooded();
    expect([sent! + waiting!, refused]).toEqual([FLOOD, 0]);
    expect(waiting).toBeGreaterThan(0);
    // A page that is loaded anew finds the run again.
    await page().reload();
    await play('Flood')
      .getByText(/\d+ sent/)
      .waitFor();
    expect(await start.isDisabled()).toBe(true);
    await follow('Flood', 'Why the next one waits');
    await title(/^Delivery/);
    await page().goBack();
    await follow('Flood', 'All of them');
    await address(/^#\/messages\?.*chat=-1001/);
    await rows(panel('Deliveries')).getByText(`Message ${FLOOD} of ${FLOOD}`).waitFor();
  });

  test('a text grows in its chat until it is complete', LONG, async () => {
    const goOn = await stopMidway();
    const start = await press('Stream');
    const chat = page().getByRole('region', { name: 'Chat 42' });
    await chat.locator('.bubble', { hasText: 'You asked' }).waitFor();
    // There is some of it while the rest is still to come.
    const first = (await chat.locator('.bubble').last().textContent())!;
    expect(first).not.toContain('stands in the chat.');
    expect(await start.isDisabled()).toBe(true);
    await follow('Stream', 'Open streams');
    await title(/^Streams/);
    await page().getByRole('link', { name: 'sandbox-stream' }).waitFor();
    goOn();
    await page().goBack();
    await bubble(/^The bot: You asked[\s\S]*all of it stands in the chat\.$/).waitFor();
    await play('Stream').getByText('done', { exact: true }).waitFor();
    await expect.poll(() => start.isDisabled()).toBe(false);
    // One message, however often it was written to.
    expect(await bubble('You asked').count()).toBe(1);
    await page().unrouteAll();
    await follow('Stream', 'The message’s story');
    await panel('Content').getByText('You asked').waitFor();
  });

  test('a penalty holds up one chat alone, and its message arrives', LONG, async () => {
    // As long as the flood takes, which goes on meanwhile.
    await insteadOf('**/v1/sandbox/chats', { freezeSeconds: 45 });
    const start = await press('Penalty');
    const card = play('Penalty');
    await card.getByText('3 of 3 other chats have theirs').waitFor();
    await card.getByText('queued', { exact: true }).waitFor();
    await card.getByText('Chat -1002 is frozen').waitFor();
    expect(await bubble('Refused at first').count()).toBe(0);
    expect(await start.isDisabled()).toBe(true);
    await follow('Penalty', 'The freeze');
    await address(/^#\/chats\?.*find=-1002/);
    await page().locator('.chat-row', { hasText: '-1002' }).getByText('frozen').waitFor();
    await page().goBack();
    await card.getByText('sent', { exact: true }).waitFor({ timeout: FLOOD_MS_MAX });
    await expect.poll(() => start.isDisabled()).toBe(false);
    await bubble('Refused at first, and here all the same').waitFor();
    await follow('Penalty', 'The message’s story');
    await panel('History').getByText('limited', { exact: true }).waitFor();
    await panel('History').getByText('Try 2').waitFor();
    await page().unrouteAll();
  });

  test('at the end all of the flood is there, and nothing was refused', LONG, async () => {
    await visitor.see('sandbox');
    await play('Flood')
      .getByText(`${FLOOD} sent · 0 waiting · 0 refused`)
      .waitFor({ timeout: FLOOD_MS_MAX });
    await expect.poll(() => play('Flood').getByRole('button').isDisabled()).toBe(false);
  });
});

test('everyone can use it, on a desk and on a phone', async () => {
  await visitor.see('sandbox');
  await text('Try it').waitFor();
  expect(await visitor.barriers()).toEqual([]);
  const { width, height } = page().viewportSize()!;
  await page().setViewportSize(PHONE);
  await play('Penalty').waitFor();
  expect(await visitor.width()).toBe(PHONE.width);
  expect(await page().evaluate('document.documentElement.scrollHeight')).toBe(PHONE.height);
  expect(await visitor.barriers()).toEqual([]);
  await page().setViewportSize({ width, height });
});
