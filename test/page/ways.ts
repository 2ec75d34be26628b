// Every way around the page: links, the menu, keys, addresses, and the filters of each screen.

import { describe, expect, test } from 'vitest';
import { goByKeys } from './browser.ts';
import { BOT, BUSY, FROZEN, TOKEN } from './scene.ts';
import type { Stage } from './stage.ts';

// One page of what is found and a few more.
const CHAPTERS = 53;

export function waysAround(stage: Stage): void {
  const { button, text, panel, rows, answer, title, link, address } = stage.parts;
  const page = () => stage.page;

  describe('ways around', () => {
    test.each([
      ['a.tile:has-text("Waiting")', 'Queue', /^#\/queue$/],
      ['a.tile:has-text("Sent a second")', 'Messages', /state=sent$/],
      ['a.tile:has-text("In flight")', 'Messages', /state=sending$/],
      ['a.tile:has-text("Oldest wait")', 'Delivery', /^#\/delivery\//],
      ['.legend a:has-text("accepted")', 'Messages', /since=20/],
      ['.legend a:has-text("dead")', 'Messages', /state=dead&since=20/],
      ['a:has-text("all messages")', 'Messages', /^#\/messages$/],
      ['a.tile:has-text("Refused with 429")', 'Chats', /frozen=true/],
      ['a.tile:has-text("Dead letters")', 'Dead letters', /^#\/dead$/],
      ['a:has-text("the whole queue")', 'Queue', /^#\/queue$/],
      ['a:text-matches("^all \\\\d+$")', 'Accounts', /^#\/accounts$/],
      [`a:has-text("chat ${FROZEN}")`, 'Chats', /account=telegram%3Asandbox-1&frozen=true/],
      ['table.waiting a.mono', 'Chats', /find=-100/],
    ])('the overview’s %s leads to %s', async (selector, heading, hash) => {
      await stage.visitor.see('');
      await page().locator(selector).first().click();
      await title(new RegExp(`^${heading}`));
      await address(hash);
    });

    test('the menu and the letters after g lead to the same screens, and back', async () => {
      await stage.visitor.see('');
      const entries = page().getByRole('navigation').locator('li a');
      const names = await entries.locator('.entry').allTextContents();
      expect(names).toHaveLength(13);
      for (const [index, name] of names.entries()) {
        await entries.nth(index).click();
        await title(new RegExp(`^${name}`));
      }
      await page().locator('a.brand').click();
      await title('Overview');
      // The search last: whoever types there types.
      for (const letter of 'qacsbdixkyeom') {
        await goByKeys(page(), letter, new RegExp(`^${names['omqacsbdixkye'.indexOf(letter)]}`));
      }
    });

    test('an address that names no screen says so', async () => {
      await page().goto(`${stage.gateway.url}/#/nowhere`);
      await text('There is no such screen').waitFor();
      await link('Queue').click();
      await title('Queue');
      await page().goto(`${stage.gateway.url}/#/cut-off-%E0%A4%A`);
      await text('There is no such screen').waitFor();
      await stage.visitor.see('delivery/zzzzz-1');
      await button('Try again').waitFor();
      const again = page().waitForResponse(/zzzzz-1$/);
      await button('Try again').click();
      expect((await again).status()).toBe(404);
      const notFound = expect.stringContaining('status of 404');
      expect(await stage.visitor.noted(2)).toEqual([notFound, notFound]);
    });

    test('a text that was replaced leads to the newer one, and on to the newest', async () => {
      const ids: unknown[] = [];
      for (const words of ['Two minutes away', 'One minute away', 'At the door']) {
        ids.push((await stage.scene.send(FROZEN, words, { coalesce: 'parcel' })).id);
      }
      await stage.visitor.see(`delivery/${ids[0]}`);
      for (const [n, newer] of ids.slice(1).entries()) {
        await title(`Delivery ${ids[n]}`);
        await panel('What became of it').getByText('it is superseded').waitFor();
        const fact = panel('Details').locator('div', { hasText: 'Replaced by' });
        await fact.getByRole('link', { name: `${newer}`, exact: true }).click();
      }
      await title(`Delivery ${ids[2]}`);
      await panel('Content').getByText('At the door').waitFor();
      await text('Why it has not gone out').waitFor();
    });

    test('by keyboard: back along rows, to the search from wherever one is, dark and light', async () => {
      // None of these goes out meanwhile.
      await stage.visitor.see(`queue?chat=${FROZEN}`);
      await rows(panel(`All that wait in ${FROZEN}`))
        .nth(1)
        .waitFor();
      const focused = () => page().locator(':focus').getAttribute('href');
      await page().keyboard.press('j');
      const first = await focused();
      await page().keyboard.press('j');
      expect(await focused()).not.toBe(first);
      await page().keyboard.press('k');
      expect(await focused()).toBe(first);
      await page().keyboard.press('/');
      await title('Messages');
      await page().locator('input:focus').blur();
      await page().keyboard.press('/');
      await page().locator('input:focus').waitFor();
      await page().locator('input:focus').blur();
      await page().keyboard.press('t');
      await page().locator('html[data-theme=dark]').waitFor();
      await page().keyboard.press('t');
      await page().locator('html[data-theme=light]').waitFor();
      await button('Shortcuts').click();
      await answer('Close');
      await page().getByRole('dialog').waitFor({ state: 'detached' });
      await button('Skip to the content').focus();
      await page().keyboard.press('Enter');
      await page().locator('main:focus').waitFor();
    });

    test('the charts go back as far as one says', async () => {
      await stage.visitor.see('');
      for (const [name, said] of [
        ['15 min', '15 m'],
        ['2 min', '2 m'],
        ['5 min', '5 m'],
      ] as const) {
        await button(name).click();
        await page()
          .getByRole('img', { name: `Waiting, last ${said}:` })
          .waitFor();
      }
    });
  });
}

export function waysToFind(stage: Stage): void {
  const { button, text, panel, rows, title, field, link, address } = stage.parts;
  const page = () => stage.page;

  describe('filters', () => {
    test('the queue by chat and account, all classes again', async () => {
      await stage.visitor.see('queue?priority=high');
      await page().getByText('Release notes').first().waitFor({ state: 'detached' });
      await button(/^all \d/).click();
      await rows(panel('First in line')).filter({ hasText: 'Release notes' }).first().waitFor();
      await field('Chat').fill(FROZEN);
      await rows(panel(`All that wait in ${FROZEN}`))
        .nth(2)
        .waitFor();
      await field('Account').fill('telegram:404');
      await text('Nothing waits here').waitFor();
      await field('Account').fill(BOT);
      await rows(panel(`All that wait in ${FROZEN}`))
        .nth(2)
        .waitFor();
    });

    test('chats: frozen or all, of an account; each leads to what was sent there', async () => {
      await stage.visitor.see('chats');
      const row = (chat: string) => page().locator('.chat-row', { hasText: chat });
      await row(BUSY).waitFor();
      await button('frozen').click();
      await row(BUSY).waitFor({ state: 'detached' });
      await row(FROZEN).waitFor();
      await field('Account').fill('telegram:404');
      await text('Nothing is frozen').waitFor();
      await button('all').click();
      await text('No chat has a limit in use').waitFor();
      await field('Account').fill(BOT);
      await row(BUSY).getByRole('link').click();
      await title('Messages');
      await rows(panel('Deliveries')).filter({ hasText: 'Release notes' }).first().waitFor();
      await expect.poll(() => field('Chat').inputValue()).toBe(BUSY);
    });

    test('an account leads to its chats and to what it has waiting', async () => {
      await stage.visitor.see('accounts');
      const card = page().locator('.card', { hasText: BOT });
      await card.getByRole('link', { name: BOT }).click();
      await title('Chats');
      await expect.poll(() => field('Account').inputValue()).toBe(BOT);
      await stage.visitor.see('accounts');
      await card.getByRole('link', { name: /waiting/ }).click();
      await title('Queue');
      await expect.poll(() => field('Account').inputValue()).toBe(BOT);
    });

    test('search by session and account, page by page, and by the id itself', async () => {
      const many = Array.from({ length: CHAPTERS }, (_, n) => ({
        to: { platform: 'telegram', account: TOKEN, chat: FROZEN },
        // With a dot: an id stands right behind it, and may begin with a digit.
        body: { text: `Chapter ${n}.` },
        session: 'a-long-book',
      }));
      await stage.scene.post('/v1/messages', many);
      await stage.visitor.see('messages');
      await button('More filters').click();
      await field('Session').fill('a-long-book');
      // Before the filter holds, the newest are the same, and there are more than these.
      await address(/session=a-long-book/);
      const found = rows(panel('Deliveries'));
      await found.filter({ hasText: `Chapter ${CHAPTERS - 1}.` }).waitFor();
      expect(await found.count()).toBe(50);
      await button('Show more').click();
      await found.nth(CHAPTERS - 1).waitFor();
      await button('Show more').waitFor({ state: 'detached' });
      await field('Account').fill('telegram:404');
      await text('Nothing found').waitFor();
      await field('Account').fill(BOT);
      await found.first().waitFor();
      const [first] = (await stage.scene.get('/v1/messages?session=a-long-book')).items as {
        id: string;
      }[];
      await field('Text').fill(first!.id);
      await link(`Open ${first!.id}`).click();
      await title(`Delivery ${first!.id}`);
      await link('a-long-book').click();
      await title('Messages');
      await expect.poll(() => field('Session').inputValue()).toBe('a-long-book');
    });

    test('search leaves what is typed as it is, also a blank one has not written on from', async () => {
      await stage.visitor.see('messages');
      await field('Text').pressSequentially('your ');
      await address(/text=your$/);
      await found('Your order 1').waitFor();
      await field('Text').pressSequentially('order 2');
      await address(/text=your\+order\+2$/);
      expect(await field('Text').inputValue()).toBe('your order 2');
      await found('Your order 1').waitFor({ state: 'detached' });
    });

    const found = (wanted: string) => rows(panel('Deliveries')).filter({ hasText: wanted });
  });
}
