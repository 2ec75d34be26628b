// Accounts to read with on the page, in a real browser before a real gateway and a simulated platform behind a real
// socket: they log in, are refused, log in again and are forgotten. And what was asked for of a channel is changed.

import type { Browser, Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  API,
  CODE,
  PASSWORD,
  PHONE as PHONE_NUMBER,
  type Simulated,
  simulated,
} from '../src/platforms/telegram/history/simulated.fixture.ts';
import { openBrowser, PHONE, Visitor } from './page/browser.ts';
import { partsOf } from './page/parts.ts';
import { BOT, Scene } from './page/scene.ts';
import { GatewayProcess } from './process/gateway.ts';

const NOWHERE = 'http://127.0.0.1:9';
// The second account: without a password.
const SIMPLE = { phone: '15550177', code: '11223', password: null };
const HOOK = 'https://app.example/posts';
const SEND_CODE = 'auth.sendCode';

let browser: Browser;
let world: Simulated;
let gateway: GatewayProcess;
let scene: Scene;
let visitor: Visitor;
let channel: ReturnType<Simulated['sim']['model']['addChannel']>;
let source = '';
const asked: Request[] = [];

const page = () => visitor.page;
const { button, panel, rows, toast, answer, field, title } = partsOf(page);
const choice = (on: Page, name: string) => on.getByRole('dialog').getByRole('combobox', { name });
const dialog = () => page().getByRole('dialog');
const reader = (name: string) => panel('What is read with').locator('li', { hasText: name });
const fact = (name: string) => panel('What was asked for').locator('div', { hasText: name }).last();

beforeAll(async () => {
  const opening = openBrowser();
  world = await simulated({ password: PASSWORD });
  world.sim.model.addAccount(SIMPLE);
  channel = world.sim.model.addChannel({ id: 9001n, name: 'harbour', title: 'Harbour' });
  for (let n = 1; n <= 3; n++) channel.post({ text: `post ${n} of the harbour` });
  gateway = new GatewayProcess(
    NOWHERE,
    [
      ...['--log', 'debug', '--ingest-pace', 'fixed', '--ingest-interval-s', '1'],
      ...['--mtproto-api-id', String(API.id), '--mtproto-key', world.access.keyFile!],
      ...['--mtproto-dc', `${world.sim.host}:${world.sim.port}`],
    ],
    { SLUICE_MTPROTO_API_HASH: API.hash },
  );
  await gateway.start();
  scene = new Scene(gateway);
  const order = { source: '@harbour', kind: 'mtproto' };
  source = String((await scene.post('/v1/ingest/sources', order)).id);
  await scene.send('42', 'Hello', { wait: true });
  browser = await opening;
  visitor = await Visitor.come(browser, gateway.url);
  visitor.page.on('request', (request) => asked.push(request));
  await visitor.signIn(gateway.key);
}, 300_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.end('SIGKILL').catch(() => {});
  gateway?.remove();
  await world?.close();
});

afterEach(() => {
  expect(visitor.errors.splice(0)).toEqual([]);
});

async function openLogin(): Promise<void> {
  await visitor.see('ingest');
  await button('Log an account in').click();
  await field('Phone number').waitFor();
}

async function sendTo(phone: string): Promise<void> {
  await field('Phone number').fill(phone);
  await answer('Send the code');
}

async function type(label: string, value: string): Promise<void> {
  await field(label).fill(value);
  await field(label).press('Enter');
}

describe('an account to read with', () => {
  test('is refused in words: an unknown number, and one that has to wait', async () => {
    await openLogin();
    await sendTo('+1 999');
    const unknown =
      'Not logged in: the platform knows no such phone number (PHONE_NUMBER_INVALID).';
    await dialog().getByText(unknown).waitFor();
    const fault = { kind: 'error', code: 420, text: 'FLOOD_WAIT_86400' } as const;
    world.sim.model.addFault({ fault, method: SEND_CODE, times: 1 });
    await sendTo(`+${PHONE_NUMBER}`);
    await dialog().getByText('The platform asks to wait for 1 d before the next try.').waitFor();
    await answer('Cancel');
    await dialog().waitFor({ state: 'detached' });
  });

  test('logs in by phone, code and password; who mistypes is asked again', async () => {
    await openLogin();
    await sendTo(`+${PHONE_NUMBER}`);
    await dialog().getByText('has sent a code').waitFor();
    expect(await field('Code').getAttribute('autocomplete')).toBe('one-time-code');
    // One types on: the field has the focus.
    await page().locator('input[autocomplete=one-time-code]:focus').waitFor();
    await type('Code', '00000');
    await dialog().getByText('That code was wrong. Try again.').waitFor();
    expect(await field('Code').inputValue()).toBe('');
    await type('Code', CODE);
    await dialog().getByText('This account has a password').waitFor();
    expect(await field('Password').getAttribute('type')).toBe('password');
    expect(await field('Password').getAttribute('autocomplete')).toBe('off');
    await type('Password', 'wrong');
    await dialog().getByText('That password was wrong. Try again.').waitFor();
    await type('Password', PASSWORD);
    await toast('Simulated (1000) is logged in.');
    await dialog().waitFor({ state: 'detached' });
    await reader('Simulated').getByText('1000').waitFor();
    await rows(panel('Channels'))
      .filter({ hasText: '@harbour' })
      .getByText('newest post')
      .waitFor();
    await reader('Simulated').getByText('connected', { exact: true }).waitFor();
  });

  test('nothing of what was typed is kept, or stands in an address', async () => {
    const secrets = [PHONE_NUMBER, CODE, PASSWORD, 'correct+horse', 'correct%20horse'];
    const told = [await visitor.kept(), ...asked.map((request) => request.url())].join('\n');
    for (const secret of secrets) expect(told).not.toContain(secret);
    const typed = asked.filter((request) => request.postData()?.includes(PASSWORD));
    expect(typed.map((request) => new URL(request.url()).pathname)).toEqual([
      expect.stringMatching(/^\/v1\/ingest\/logins\/[\w-]+$/),
    ]);
  });

  test('without a password the code is enough', async () => {
    await openLogin();
    await sendTo(SIMPLE.phone);
    await type('Code', SIMPLE.code);
    await toast('Simulated (1001) is logged in.');
    await reader('1001').waitFor();
  });

  test('who leaves has given up: by the button, by Escape, by Back', async () => {
    for (const leave of [
      () => answer('Cancel'),
      () => page().keyboard.press('Escape'),
      () => page().goBack(),
    ]) {
      await openLogin();
      await sendTo(SIMPLE.phone);
      await field('Code').waitFor();
      const ended = page().waitForResponse((each) => each.request().method() === 'DELETE');
      await leave();
      expect((await ended).status()).toBe(200);
      await dialog().waitFor({ state: 'detached' });
    }
  });

  test('a login that has ended elsewhere begins again', async () => {
    await openLogin();
    const begun = page().waitForResponse(/\/v1\/ingest\/logins$/);
    await sendTo(SIMPLE.phone);
    const { id } = (await (await begun).json()) as { id: string };
    await field('Code').waitFor();
    await gateway.ask('DELETE', `/v1/ingest/logins/${id}`);
    await type('Code', SIMPLE.code);
    await dialog().getByText('Begin again').waitFor();
    await field('Phone number').waitFor();
    await answer('Cancel');
    expect(await visitor.noted(1)).toEqual([expect.stringContaining('404')]);
  });

  test('one that was logged out is logged in again, and another is forgotten', async () => {
    world.sim.model.logOut(PHONE_NUMBER);
    world.sim.model.logOut(SIMPLE.phone);
    await visitor.see('ingest');
    await reader('1000').getByText('It has to log in again.').waitFor();
    await button('Log in again: Simulated (1000)').click();
    await sendTo(`+${PHONE_NUMBER}`);
    await type('Code', CODE);
    await type('Password', PASSWORD);
    await toast('Simulated (1000) is logged in.');
    await reader('1000').getByText('ok', { exact: true }).waitFor();
    await button('Forget: Simulated (1001)').click();
    await dialog().getByText('until its owner ends it there').waitFor();
    await answer('Cancel');
    await reader('1001').waitFor();
    await button('Forget: Simulated (1001)').click();
    await answer('Forget it');
    await toast('Simulated (1001) is forgotten.');
    await reader('1001').waitFor({ state: 'detached' });
  });
});

describe('what was asked for of a channel', () => {
  const change = async () => {
    await visitor.see(`ingest/${source}`);
    await title('@harbour');
    await button('Change @harbour').click();
    await field('Priority').waitFor();
  };

  test('its priority; what is wrong stands at the field', async () => {
    await change();
    await field('Priority').fill('0');
    await answer('Save');
    await dialog().getByText('Expected to be > 0.').waitFor();
    expect(await field('Priority').getAttribute('aria-invalid')).toBe('true');
    await field('Priority').fill('4');
    await answer('Save');
    await toast('@harbour is changed.');
    await fact('Priority').getByText('4', { exact: true }).waitFor();
    expect(await visitor.noted(1)).toEqual([expect.stringContaining('422')]);
  });

  test('its posts go into a chat, and from then on they do', async () => {
    await change();
    await choice(page(), 'New posts go').selectOption('chat');
    await answer('Save');
    await dialog().getByText('Choose who sends them.').waitFor();
    await dialog().getByText('Say which chat.').waitFor();
    await choice(page(), 'Sent by').selectOption(BOT);
    await field('Chat').fill('77');
    await field('Topic').fill('5');
    await answer('Save');
    await toast('@harbour is changed.');
    await fact('Forwarded').getByText(', topic 5').waitFor();
    channel.post({ text: 'the ferry is late' });
    await fact('Forwarded').getByRole('link', { name: '77' }).click();
    await visitor.see('messages?chat=77');
    await rows(panel('Deliveries')).filter({ hasText: 'the ferry is late' }).waitFor();
    await change();
    expect(await field('Priority').inputValue()).toBe('4');
    expect(await field('Chat').inputValue()).toBe('77');
    await choice(page(), 'New posts go').selectOption('nowhere');
    await answer('Save');
    await fact('Forwarded').getByText('nowhere', { exact: true }).waitFor();
  });

  test('the account it is read with', async () => {
    await change();
    await choice(page(), 'Read with').selectOption('1000');
    await answer('Save');
    await fact('Account').getByText('1000', { exact: true }).waitFor();
  });

  test('an address is an admin’s to set; an operator may take it away', async () => {
    const { secret } = await scene.post('/v1/keys', { name: 'steers', role: 'operator' });
    const guest = await Visitor.come(browser, gateway.url);
    await guest.signIn(String(secret));
    const theirs = partsOf(() => guest.page);
    const goals = () => choice(guest.page, 'New posts go').locator('option').allTextContents();
    const open = async () => {
      await guest.see(`ingest/${source}`);
      await theirs.button('Change @harbour').click();
      await choice(guest.page, 'New posts go').waitFor();
    };
    await open();
    expect(await goals()).toEqual(['nowhere: they are stored', 'into a chat']);
    await theirs.answer('Cancel');
    await change();
    await choice(page(), 'New posts go').selectOption('url');
    await field('Address').fill('https://user:word@app.example/');
    await answer('Save');
    await dialog().getByText('Expected an address such as https://host/path').waitFor();
    await field('Address').fill(HOOK);
    await answer('Save');
    await fact('Forwarded').getByText(`to ${HOOK}`).waitFor();
    await guest.page.getByText(`to ${HOOK}`).waitFor();
    await open();
    expect(await goals()).toContain('to the address an admin has set');
    expect(await theirs.field('Address').count()).toBe(0);
    await theirs.field('Priority').fill('2');
    await theirs.answer('Save');
    await theirs.toast('@harbour is changed.');
    await fact('Forwarded').getByText(`to ${HOOK}`).waitFor();
    await open();
    await choice(guest.page, 'New posts go').selectOption('nowhere');
    await theirs.answer('Save');
    await fact('Forwarded').getByText('nowhere', { exact: true }).waitFor();
    await guest.see('ingest');
    await theirs.text('1000').waitFor();
    const acts = guest.page.getByRole('button', { name: /Log an account in|Log in again|Forget/ });
    expect(await acts.count()).toBe(0);
    expect(guest.errors).toEqual([]);
    await guest.leave();
    expect(await visitor.noted(1)).toEqual([expect.stringContaining('422')]);
  });
});

describe('for everyone', () => {
  // Each form as it is when something is wrong with it.
  async function* forms(who: Visitor) {
    const own = partsOf(() => who.page);
    await who.see('ingest');
    await own.button('Log an account in').click();
    await own.field('Phone number').fill(SIMPLE.phone);
    yield 'phone';
    await own.answer('Send the code');
    await own.field('Code').fill('0');
    await own.answer('Go on');
    await own.text('That code was wrong').waitFor();
    yield 'code';
    await own.answer('Cancel');
    await who.see(`ingest/${source}`);
    await own.button('Change @harbour').click();
    await choice(who.page, 'New posts go').selectOption('chat');
    await own.answer('Save');
    await own.text('Say which chat.').waitFor();
    yield 'change';
    await own.answer('Cancel');
  }

  test('no form shuts anyone out, light or dark', async () => {
    for await (const form of forms(visitor)) {
      for (const theme of ['dark', 'light'] as const) {
        await visitor.theme(theme);
        expect.soft(await visitor.barriers(), `${form} ${theme}`).toEqual([]);
      }
    }
  });

  test('nor on a small screen, and nothing sticks out of it', async () => {
    const phone = await Visitor.come(browser, gateway.url, PHONE);
    await phone.signIn(gateway.key);
    for await (const form of forms(phone)) {
      expect.soft(await phone.width(), form).toBeLessThanOrEqual(PHONE.width);
      const box = await phone.page.getByRole('dialog').boundingBox();
      expect.soft(box!.x + box!.width, form).toBeLessThanOrEqual(PHONE.width);
      expect.soft(await phone.barriers(), form).toEqual([]);
    }
    expect(phone.errors).toEqual([]);
    await phone.leave();
  });
});

test('where there are no credentials the page says what to set', async () => {
  const bare = new GatewayProcess(NOWHERE);
  await bare.start();
  const guest = await Visitor.come(browser, bare.url);
  await guest.signIn(bare.key);
  await guest.see('ingest');
  const theirs = partsOf(() => guest.page);
  await theirs.button('Log an account in').click();
  await theirs.text('No account can log in here yet.').waitFor();
  await guest.page.getByRole('dialog').getByText('SLUICE_MTPROTO_API_ID').waitFor();
  expect(await guest.barriers()).toEqual([]);
  await theirs.answer('Close');
  expect(guest.errors).toEqual([]);
  await guest.leave();
  await bare.end('SIGKILL');
  bare.remove();
});

test('the gateway has written nothing of it down', async () => {
  await visitor.page.close();
  const { out, err } = await gateway.end('SIGTERM');
  expect(out + err).toContain('looked at a channel');
  for (const secret of [PHONE_NUMBER, CODE, PASSWORD]) expect(out + err).not.toContain(secret);
});
