// Who is faster than the page, and a gateway that is slower than who uses it: what is typed, pressed or asked for at
// once is taken as it was meant, and an answer that comes late undoes nothing.

import type { Page, Request, Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { TWO_FRAMES, Visitor } from './browser.ts';
import { BOT, FROZEN } from './scene.ts';
import type { Stage } from './stage.ts';

const CHAT = '46';

// The first request of its kind, answered by the gateway at once, and told to the page when the test says so.
class Held {
  readonly #page: Page;
  readonly #isIt: (request: Request) => boolean;
  readonly #isAsked = Promise.withResolvers<void>();
  readonly #isTold = Promise.withResolvers<void>();
  readonly #isOver: Promise<unknown>;
  seen = 0;

  private constructor(page: Page, isIt: (request: Request) => boolean) {
    this.#page = page;
    this.#isIt = isIt;
    // The page may also have given it up.
    this.#isOver = Promise.race(
      (['requestfinished', 'requestfailed'] as const).map((event) =>
        page.waitForEvent(event as 'requestfinished', isIt),
      ),
    );
  }

  static async on(page: Page, method: string, path: RegExp): Promise<Held> {
    const isIt = (request: Request) =>
      request.method() === method && path.test(request.url().replace(/^.*\/\/[^/]+/, ''));
    const held = new Held(page, isIt);
    await page.route(
      () => true,
      (route) => held.#handle(route),
    );
    return held;
  }

  async #handle(route: Route): Promise<void> {
    if (!this.#isIt(route.request())) return route.fallback();
    this.seen += 1;
    if (this.seen > 1) return route.fallback();
    const response = await route.fetch();
    this.#isAsked.resolve();
    await this.#isTold.promise;
    await route.fulfill({ response }).catch(() => {});
  }

  isAsked(): Promise<void> {
    return this.#isAsked.promise;
  }

  // When the page has shown what it makes of it.
  async tell(): Promise<void> {
    this.#isTold.resolve();
    await this.#isOver;
    await this.#page.evaluate(TWO_FRAMES);
    await this.#page.unrouteAll({ behavior: 'wait' });
  }
}

export function hasteAndDelay(stage: Stage): void {
  const { button, text, panel, rows, toast, answer, field } = stage.parts;
  const page = () => stage.page;

  describe('haste', () => {
    // In the same task, and what is there in the next: no paint is waited for.
    const atOnce = <T>(deed: string, look: string) =>
      page().evaluate<T>(`new Promise((seen) => { ${deed}; setTimeout(() => seen(${look})); })`);
    const press = (key: string) =>
      `document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true }))`;

    test('who asks for the search types in it at once', async () => {
      await stage.visitor.see('queue');
      expect(await atOnce(press('/'), 'document.activeElement.tagName')).toBe('INPUT');
    });

    test('a dialog has the keys from the moment it is there', async () => {
      await stage.visitor.see('queue');
      const theme = await page().locator('html').getAttribute('data-theme');
      const isOpen = `document.querySelector('dialog[open]') !== null`;
      expect(await atOnce(press('?'), isOpen)).toBe(true);
      await page().keyboard.press('t');
      await answer('Close');
      await page().getByRole('dialog').waitFor({ state: 'detached' });
      expect(await page().locator('html').getAttribute('data-theme')).toBe(theme);
    });

    test('two filters right after a dialog both hold', async () => {
      await stage.visitor.see('queue');
      await page().keyboard.press('?');
      await page().getByRole('dialog').waitFor();
      // Before the browser has gone back.
      const within = (words: string) =>
        `[...document.querySelectorAll('.tabs button')].find((tab) => tab.textContent.startsWith('${words}'))`;
      const type = `const field = document.querySelector('.filters input');
        field.value = '${FROZEN}'; field.dispatchEvent(new Event('input', { bubbles: true }))`;
      await page().evaluate(`new Promise((seen) => {
        const isHere = () => history.state?.isDialog === true;
        document.querySelector('dialog .primary').click();
        setTimeout(() => {
          const wasHere = isHere();
          ${within('high')}.click();
          setTimeout(() => { ${type}; seen(wasHere); });
        }, 1);
      })`);
      await stage.parts.address(/priority=high/);
      await stage.parts.address(new RegExp(`chat=${FROZEN}`));
      await rows(panel(`All that wait in ${FROZEN}`))
        .nth(2)
        .waitFor();
      expect(await field('Chat').inputValue()).toBe(FROZEN);
    });

    test('a row that goes from under the keyboard leaves one where it stood', async () => {
      const words = ['Stays first', 'Goes', 'Stays last'];
      const ids: unknown[] = [];
      for (const each of words) ids.push((await stage.scene.send(FROZEN, each)).id);
      await stage.visitor.see(`queue?chat=${FROZEN}&priority=normal`);
      const row = (each: string) => page().locator('tbody tr', { hasText: each });
      await row('Stays last').waitFor();
      await row('Goes').locator('[data-row]').focus();
      await page().keyboard.press('k');
      await row('Stays first').locator(':focus').waitFor();
      await page().keyboard.press('j');
      await row('Goes').locator(':focus').waitFor();
      await stage.gateway.ask('DELETE', `/v1/messages/${ids[1]}`);
      await row('Goes').waitFor({ state: 'detached' });
      await page().keyboard.press('k');
      await row('Stays first').locator(':focus').waitFor();
      await page().keyboard.press('j');
      await row('Stays last').locator(':focus').waitFor();
      for (const id of [ids[0], ids[2]]) await stage.gateway.ask('DELETE', `/v1/messages/${id}`);
    });

    test('a form that is sent twice is sent once', async () => {
      await stage.visitor.see('keys');
      await button('New key').click();
      await field('Name').fill('hasty');
      const asked = await Held.on(page(), 'POST', /^\/v1\/keys$/);
      const twice = `const form = document.querySelector('dialog form'); form.requestSubmit(); form.requestSubmit()`;
      await page().evaluate(`(() => { ${twice} })()`);
      await asked.isAsked();
      await asked.tell();
      await answer('I have it');
      expect(asked.seen).toBe(1);
      const { keys } = await stage.scene.get('/v1/keys?limit=1000');
      const found = (keys as { name: string }[]).filter(({ name }) => name === 'hasty');
      expect(found).toHaveLength(1);
    });
  });

  describe('delay', () => {
    test('the answer to what was typed before does not replace the later one’s', async () => {
      await stage.visitor.see('queue');
      const early = await Held.on(page(), 'GET', /^\/v1\/queue\?.*chat=404&/);
      await field('Chat').fill('404');
      await early.isAsked();
      await field('Chat').fill(FROZEN);
      const found = rows(panel(`All that wait in ${FROZEN}`));
      await found.nth(2).waitFor();
      await early.tell();
      expect(await found.count()).toBeGreaterThan(2);
    });

    test('nor does an earlier answer to the same question', async () => {
      const { scene, visitor } = stage;
      await visitor.see('queue');
      const early = await Held.on(page(), 'GET', /^\/v1\/accounts$/);
      await visitor.see('accounts');
      await early.isAsked();
      const path = `/v1/accounts/${encodeURIComponent(BOT)}`;
      await scene.post(`${path}/pause`, {});
      await scene.send(CHAT, 'So that there is something new');
      const standing = page().locator('.card', { hasText: BOT }).locator('header .badge');
      await standing.getByText('paused').waitFor();
      await early.tell();
      expect(await standing.textContent()).toBe('paused');
      await scene.post(`${path}/resume`, {});
    });

    test('what was done to a chat is shown, also when an earlier question is still on its way', async () => {
      const { scene, visitor } = stage;
      await scene.send(CHAT, 'So that it is known', { wait: true });
      const told = JSON.stringify(await scene.get('/v1/overview'));
      // Nothing else makes the page ask again.
      await page().route('**/v1/overview/events', (route) =>
        route.fulfill({
          contentType: 'text/event-stream',
          body: `event: overview\ndata: ${told}\n\n`,
        }),
      );
      const events = page();
      await visitor.see(`chats?find=${CHAT}`);
      await events.reload();
      const row = page().locator('.chat-row', { hasText: CHAT });
      await row.getByText('open', { exact: true }).waitFor();
      const early = await Held.on(page(), 'GET', /^\/v1\/limits\?/);
      await early.isAsked();
      await row.getByRole('button', { name: 'Freeze…' }).click();
      await answer('Freeze');
      await toast(`chat ${CHAT} is frozen until`);
      await early.tell();
      await row.getByText('by hand').waitFor();
      await scene.post('/v1/limits/thaw', { account: BOT, chat: CHAT });
      await events.reload();
      await text('live').waitFor();
    });

    test('what is typed while a line is on its way is the next line', async () => {
      await stage.visitor.see(`sandbox?account=${BOT}&chat=${CHAT}`);
      const line = page().getByLabel('Write as the person in this chat');
      const sent = await Held.on(page(), 'POST', /^\/v1\/sandbox\/messages$/);
      await line.fill('The first');
      await line.press('Enter');
      await sent.isAsked();
      await line.pressSequentially('The second');
      await sent.tell();
      await page().locator('.bubble', { hasText: 'The first' }).waitFor();
      await toast(/gets it/);
      expect(await line.inputValue()).toBe('The second');
      expect(sent.seen).toBe(1);
    });

    test('a secret that comes after its session has ended is shown to nobody', async () => {
      const guest = await Visitor.come(stage.browser, stage.gateway.url);
      const named = (name: string) => guest.page.getByRole('button', { name, exact: true });
      await guest.signIn(stage.gateway.key);
      await guest.see('keys');
      await named('New key').click();
      await guest.page.getByLabel('Name').fill('left');
      const made = await Held.on(guest.page, 'POST', /^\/v1\/keys$/);
      await named('Create it').click();
      await made.isAsked();
      await named('Cancel').click();
      await named('Sign out').click();
      await guest.page.getByLabel('Key').fill(stage.gateway.key);
      await named('Sign in').click();
      await guest.page.getByText('live', { exact: true }).waitFor();
      await made.tell();
      expect(await guest.page.locator('.secret, .toast').count()).toBe(0);
      expect(guest.errors).toEqual([]);
      await guest.leave();
    });
  });
}
