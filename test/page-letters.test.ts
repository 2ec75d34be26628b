// Dead letters that are harder to serve, in a real browser before a real gateway: an edit that is refused, and deeds on
// more letters than one step does. What is done to few stands in page-actions.test.ts.

import type { Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { BLOCKED } from './page/scene.ts';
import { Stage } from './page/stage.ts';

// The gateway does a thousand at a step.
const STEP = 1000;
const FLYERS = STEP + 50;
const PRINTER = { token: '3:sandbox', id: 'telegram:sandbox-3' };

const stage = new Stage();
const { button, text, panel, rows, toast, answer, field } = stage.parts;
const page = () => stage.page;
const get = (path: string) => stage.scene.get(path);
const stateOf = async (id: unknown) => (await get(`/v1/messages/${id}`)).state;
const dialog = () => page().getByRole('dialog');
const typed = async () => [
  await dialog().getByLabel('Text').inputValue(),
  await dialog().getByLabel('Other parameters').inputValue(),
];

beforeAll(() => stage.open(), 300_000);
afterAll(() => stage.close());

// Refusals are made on purpose, and taken out by the test that made them.
afterEach(() => {
  expect(stage.visitor.errors.splice(0)).toEqual([]);
});

async function deadLetter(words: string): Promise<string> {
  await stage.scene.trouble(BLOCKED, { state: 'blocked' });
  const { id, state } = await stage.scene.send(BLOCKED, words, { wait: true });
  expect(state).toBe('dead');
  return String(id);
}

const refusedOnce = async (status: number) => {
  expect(await stage.visitor.noted(1)).toEqual([expect.stringContaining(`status of ${status}`)]);
};

describe('an edit that is refused', () => {
  const WORDS = 'Half an hour of careful writing';
  const REST = '{ "disable_notification": true }';

  async function write(): Promise<void> {
    await button('Edit and retry').click();
    await dialog().getByLabel('Text').fill(WORDS);
    await dialog().getByLabel('Other parameters').fill(REST);
  }

  test.each([
    ['from the list', (id: string) => `dead?chat=${BLOCKED}#${id}`],
    ['from its own page', (id: string) => `delivery/${id}`],
  ])('%s: why, and all that was typed stays, also when the letter has gone', async (_, where) => {
    const id = await deadLetter('Bill');
    const isList = where(id).startsWith('dead');
    await stage.visitor.see(where(id).split('#')[0]!);
    if (isList) await rows(panel('Letters')).getByRole('checkbox').check();
    await write();
    await stage.scene.post('/v1/dead/discard', { ids: [id] });
    // Behind the dialog the page follows what the gateway has.
    if (isList) await text('No letters here').waitFor();
    else await page().locator('.screen-head .badge', { hasText: 'cancelled' }).waitFor();
    await answer('Save and retry');
    await dialog().getByRole('alert').getByText('The delivery is cancelled.').waitFor();
    expect(await typed()).toEqual([WORDS, REST]);
    await refusedOnce(409);
    await answer('Cancel');
    await dialog().waitFor({ state: 'detached' });
    expect(await stateOf(id)).toBe('cancelled');
  });

  test('parameters that are not an object are not sent at all', async () => {
    const id = await deadLetter('Bill');
    await stage.visitor.see(`delivery/${id}`);
    await write();
    await dialog().getByLabel('Other parameters').fill('["disable_notification"]');
    await answer('Save and retry');
    await dialog().getByRole('alert').getByText('must be a JSON object').waitFor();
    expect(await stateOf(id)).toBe('dead');
    await answer('Cancel');
  });

  test('by a session that has ended: what was typed waits for who comes back', async () => {
    const id = await deadLetter('Bill');
    await stage.visitor.see(`delivery/${id}`);
    await write();
    // What the screen asks for by itself is not answered: it is the deed that finds the session ended.
    await page().route('**/v1/**', (route) =>
      route.request().method() === 'GET' ? undefined : route.continue(),
    );
    await page().context().clearCookies();
    await answer('Save and retry');
    await text('The session has ended. Sign in again.').waitFor();
    await page().unrouteAll({ behavior: 'ignoreErrors' });
    const guest = await stage.scene.post('/v1/keys', { name: 'guest', role: 'operator' });
    await comeIn(String(guest.secret));
    await dialog().waitFor({ state: 'detached' });
    await button('Edit and retry').click();
    expect((await typed())[0]).toBe('Bill');
    await page().keyboard.press('Escape');
    await button('Sign out').click();
    await comeIn(stage.gateway.key);
    await button('Edit and retry').click();
    expect(await typed()).toEqual([WORDS, REST]);
    await stage.scene.trouble(BLOCKED, { state: 'open' });
    await answer('Save and retry');
    await toast('is changed and queued again.');
    await stage.scene.until(`/v1/messages/${id}`, ({ state }) => state === 'sent');
    const { body } = await get(`/v1/messages/${id}`);
    expect(body).toMatchObject({ text: WORDS, disable_notification: true });
  });

  // Without loading the page anew.
  async function comeIn(key: string): Promise<void> {
    await field('Key').fill(key);
    await button('Sign in').click();
  }
});

describe('more letters than one step does', () => {
  const all = `dead?account=${PRINTER.id}&text=Flyer`;
  const waiting = async () => {
    const { accounts } = await get('/v1/accounts');
    const mine = (accounts as { id: string; waiting: number }[]).find(
      ({ id }) => id === PRINTER.id,
    );
    return mine?.waiting;
  };
  const areDead = (n: number) =>
    stage.scene.until(`/v1/dead?group=cause&account=${PRINTER.id}`, ({ groups }) => {
      const counts = (groups as { count: number }[]).map(({ count }) => count);
      return counts.reduce((sum, count) => sum + count, 0) === n;
    });

  // A picture that is not there: each is refused for good, in a chat of its own.
  beforeAll(async () => {
    const flyers = Array.from({ length: FLYERS }, (_, n) => ({
      to: { platform: 'telegram', account: PRINTER.token, chat: String(700_000 + n) },
      method: 'sendPhoto',
      body: { caption: `Flyer ${n}`, allow_paid_broadcast: true },
    }));
    await stage.scene.post('/v1/messages', flyers.slice(0, STEP));
    await stage.scene.post('/v1/messages', flyers.slice(STEP));
    await areDead(FLYERS);
  });

  test('all are tried again, step by step, and the page says how far it is', async () => {
    await stage.scene.post(`/v1/accounts/${PRINTER.id}/pause`, {});
    const second = await holdSecondStep('retry');
    await stage.visitor.see(all);
    await button('Retry all').click();
    await dialog().getByText(`account ${PRINTER.id}, text Flyer`).waitFor();
    await answer('Retry them');
    // A thousand commits, one after the other: on a busy disk they take long.
    await page().getByRole('status').getByText('1,000 done').waitFor({ timeout: 90_000 });
    expect(await button('Retry all').isDisabled()).toBe(true);
    expect(await button('Discard all').isDisabled()).toBe(true);
    expect(await waiting()).toBe(STEP);
    await (await second.step).continue();
    await toast('1,050 letters are queued again.');
    await text('No letters here').waitFor();
    expect(await waiting()).toBe(FLYERS);
    await stage.scene.post(`/v1/accounts/${PRINTER.id}/resume`, {});
    await areDead(FLYERS);
  });

  test('cut off half-way it says how many were given up; again, and it is all of them', async () => {
    const second = await holdSecondStep('discard');
    await stage.visitor.see(all);
    await button('Discard all').click();
    await answer('Give them up');
    await (await second.step).abort();
    await toast('1,000 letters are given up. Then: The gateway does not answer.');
    await expect.poll(() => stage.visitor.errors.splice(0).join()).toContain('ERR_FAILED');
    await areDead(FLYERS - STEP);
    await button('Discard all').click();
    await answer('Give them up');
    await toast('50 letters are given up.');
    await text('No letters here').waitFor();
    await areDead(0);
  });

  // Of the next two steps the second waits until the test says what becomes of it.
  async function holdSecondStep(deed: 'retry' | 'discard'): Promise<{ step: Promise<Route> }> {
    const { promise: step, resolve } = Promise.withResolvers<Route>();
    let steps = 0;
    const hold = async (route: Route) => {
      steps += 1;
      if (steps === 1) await route.continue();
      else resolve(route);
    };
    await page().route(`**/v1/dead/${deed}`, hold, { times: 2 });
    return { step };
  }
});
