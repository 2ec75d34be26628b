// Channels on the page, in a real browser before a real gateway: a newcomer's first one, how far a look has come,
// edits, deletions and gaps, channels that fail, floods; what is done about them; and that everyone can use it. The
// platform is a simulated one behind a real socket.

import { statSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  API,
  PHONE as OF_READER,
  type Simulated,
  simulated,
} from '../src/platforms/telegram/history/simulated.fixture.ts';
import { systemClock } from '../src/system/clock.ts';
import { openBrowser, PHONE, Visitor } from './page/browser.ts';
import { partsOf } from './page/parts.ts';
import { Scene } from './page/scene.ts';
import { GatewayProcess } from './process/gateway.ts';
import { Sluice } from './process/sluice.ts';

const NOWHERE = 'http://127.0.0.1:9';
const WIDE = { width: 1440, height: 900 };
const HISTORY = 'messages.getHistory';
// An answer that late comes when the test says so.
const HELD_MS = 3_600_000;
const THREE_HOURS_S = 10_800;

let browser: Browser;
let world: Simulated;
let gateway: GatewayProcess;
let scene: Scene;
let visitor: Visitor;
let channels = 0n;
const answers = heldAnswers();

const page = () => visitor.page;
const { button, text, panel, rows, toast, answer, field, title, address } = partsOf(page);
const row = (name: string) => rows(panel('Channels')).filter({ hasText: name });

beforeAll(async () => {
  const opening = openBrowser();
  world = await simulated({ clock: answers.clock });
  gateway = new GatewayProcess(
    NOWHERE,
    [
      ...['--mtproto-api-id', String(API.id)],
      ...['--mtproto-dc', `${world.sim.host}:${world.sim.port}`],
      ...['--mtproto-key', world.access.keyFile!],
      ...['--ingest-pace', 'fixed', '--ingest-interval-s', '1'],
    ],
    { SLUICE_MTPROTO_API_HASH: API.hash },
  );
  await gateway.start();
  scene = new Scene(gateway);
  browser = await opening;
  visitor = await Visitor.come(browser, gateway.url, WIDE);
  await visitor.signIn(gateway.key);
}, 300_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.end('SIGKILL');
  gateway?.remove();
  await world?.close();
});

afterEach(() => {
  expect(visitor.errors.splice(0)).toEqual([]);
});

function newChannel(name: string, posts: number) {
  channels += 1n;
  const channel = world.sim.model.addChannel({ id: 9000n + channels, name, title: name });
  for (let n = 1; n <= posts; n++) channel.post({ text: `post ${n} of ${name}` });
  return channel;
}

function heldAnswers() {
  const real = systemClock();
  const held: (() => void)[] = [];
  let isHolding = true;
  const schedule = (at: number, run: () => void) => {
    if (at < real.now() + HELD_MS / 2) return real.schedule(at, run);
    if (!isHolding) return real.schedule(real.now(), run);
    held.push(run);
    return { cancel: () => {} };
  };
  const letGo = () => {
    isHolding = false;
    for (const run of held.splice(0)) run();
  };
  return { clock: { now: () => real.now(), schedule }, letGo };
}

const follow = async (source: string, kind = 'mtproto') =>
  String((await scene.post('/v1/ingest/sources', { source, kind })).id);

describe('a newcomer', () => {
  test('follows a channel by one command, and its posts arrive on the page', async () => {
    await page().getByRole('navigation').getByRole('link', { name: 'Ingest' }).click();
    await text('No channel is followed yet').waitFor();
    const shown = await page().locator('code', { hasText: 'npx sluice ingest add' }).textContent();
    const [npx, sluice, ...command] = shown!.split(' ');
    expect([npx, sluice]).toEqual(['npx', 'sluice']);
    const added = await new Sluice(command, { SLUICE_KEY: gateway.key }).ended;
    expect(added).toMatchObject({ code: 0, out: expect.stringContaining('@daily_news') });
    await row('@daily_news').getByText('newest post').waitFor();
    await row('@daily_news').getByRole('link', { name: '@daily_news' }).click();
    await title('@daily_news');
    const posts = rows(panel('Posts'));
    await posts.first().waitFor();
    const newest = async () => Number(await posts.first().locator('td').nth(1).textContent());
    const before = await newest();
    // The simulator's channel posts by itself.
    await expect.poll(newest, { timeout: 120_000 }).toBeGreaterThan(before);
  });

  test('or by the form, which offers what can be read here', async () => {
    await visitor.see('ingest');
    await button('Follow a channel').click();
    const kinds = page().getByRole('dialog').getByRole('combobox', { name: 'Read by' });
    expect(await kinds.locator('option').evaluateAll(valuesOf)).toEqual(
      expect.arrayContaining(['page', 'mtproto', 'updates', 'sandbox']),
    );
    await kinds.selectOption('sandbox');
    await field('Channel').fill('@evening_news');
    await answer('Follow it');
    await toast('@evening_news is followed.');
    await title('@evening_news');
    await rows(panel('Posts')).first().waitFor();
  });
});

const valuesOf = (options: { getAttribute(name: string): string | null }[]) =>
  options.map((each) => each.getAttribute('value'));

describe('a channel of an account', () => {
  test('without one it says what to do; then how far the first look has come', async () => {
    const channel = newChannel('harbour', 230);
    // A page is two calls: it is asked for the newest id, too.
    world.sim.model.addFault({
      method: HISTORY,
      fault: { kind: 'short_page', posts: 40 },
      times: 2,
    });
    world.sim.model.addFault({ method: HISTORY, fault: { kind: 'delay', ms: HELD_MS }, times: 2 });
    await visitor.see('ingest');
    const id = await follow('@harbour');
    await row('@harbour').getByText('No account to read with: log in').waitFor();
    const account = { kind: 'mtproto', id: '1', name: 'Reader', session: await world.session() };
    await scene.post('/v1/ingest/accounts', account);
    await scene.post(`/v1/ingest/sources/${id}/run`, {});
    await row('@harbour').getByText('39 new in').waitFor();
    await row('@harbour').getByText(`at 40 of ${channel.lastId}`).waitFor();
    await row('@harbour').getByText('historical', { exact: true }).waitFor();
    const reader = panel('What is read with').locator('li', { hasText: 'Reader' });
    await reader.getByText('connected', { exact: true }).waitFor();
    answers.letGo();
    await row('@harbour').getByText('incremental', { exact: true }).waitFor();
  });

  test('posts are searched, deleted ones marked, former states shown, files offered', async () => {
    const channel = newChannel('market', 60);
    const id = await follow('@market');
    await visitor.see(`ingest/${id}`);
    await rows(panel('Posts')).filter({ hasText: 'post 60 of market' }).waitFor();
    await button('Show more').click();
    await rows(panel('Posts')).filter({ hasText: 'post 1 of market' }).waitFor();
    await button('Back to the beginning').click();
    channel.edit(6, 'changed for good');
    channel.delete([7]);
    await field('Text').fill('post 6 of market');
    const gone = rows(panel('Posts')).filter({ hasText: 'post 6 of market' });
    await gone.getByText('deleted', { exact: true }).waitFor();
    await field('Text').fill('CHANGED for');
    const changed = rows(panel('Posts')).filter({ hasText: 'changed for good' });
    await changed.getByText('edited', { exact: true }).waitFor();
    const href = await page().getByRole('link', { name: /CSV/ }).getAttribute('href');
    const file = (await page().evaluate(
      `fetch(${JSON.stringify(href)}).then((answer) => answer.text())`,
    )) as string;
    expect(file.split('\r\n')).toHaveLength(3);
    expect(file).toContain('changed for good');
    await changed.getByRole('link').click();
    await title('Post 6');
    await panel('Former states').getByText('post 5 of market').waitFor();
    await page().getByRole('link', { name: 'All posts of this channel' }).click();
    await title('@market');
    await field('Text').fill('nobody ever wrote this');
    await text('Nothing found').waitFor();
  });

  test('the file of a post is one click away', async () => {
    const channel = newChannel('archive', 1);
    const media = { kind: 'document', name: 'report.pdf', bytes: 700_000 } as const;
    const post = channel.post({ text: 'the report', media });
    const id = await follow('@archive');
    await visitor.see(`ingest/${id}`);
    await rows(panel('Posts')).filter({ hasText: 'report.pdf' }).getByRole('link').click();
    await title(`Post ${post.id}`);
    const coming = page().waitForEvent('download');
    await page().getByRole('link', { name: 'report.pdf (700 KB)' }).click();
    const download = await coming;
    expect(download.suggestedFilename()).toBe('report.pdf');
    expect(statSync(await download.path()).size).toBe(700_000);
  });

  test('one that fails for good is dead with its reason, until it is looked at again', async () => {
    await visitor.see('ingest');
    await follow('@not_there_yet');
    await row('@not_there_yet').getByText('dead', { exact: true }).waitFor();
    await row('@not_there_yet').getByText('No such channel').waitFor();
    await page().locator('nav .count', { hasText: '1' }).last().waitFor();
    await button('dead').click();
    await page().getByText('@harbour').first().waitFor({ state: 'detached' });
    newChannel('not_there_yet', 3);
    await button('Look again: @not_there_yet').click();
    await toast('@not_there_yet is looked at again.');
    await text('No such channel').waitFor();
    await button('all').click();
    await field('Find').pressSequentially('two words');
    expect(await field('Find').inputValue()).toBe('two words');
    await text('No such channel').waitFor();
    await field('Find').fill(' THERE_yet ');
    await row('@not_there_yet').getByText('incremental', { exact: true }).waitFor();
    expect(await rows(panel('Channels')).count()).toBe(1);
  });

  test('is paused, goes on, and is removed only by a yes to what goes', async () => {
    newChannel('bridge', 3);
    const id = await follow('@bridge');
    await visitor.see('ingest');
    await button('Pause: @bridge').click();
    await row('@bridge').getByText('none: it is paused').waitFor();
    await button('Resume: @bridge').click();
    await button('Look now: @bridge').click();
    await toast('@bridge is looked at now.');
    await row('@bridge').getByRole('link', { name: '@bridge' }).click();
    await page().getByText('message 4').waitFor();
    await button('Remove').click();
    await page().getByRole('dialog').getByText('up to message 4').waitFor();
    await answer('Cancel');
    expect((await gateway.ask('GET', `/v1/ingest/sources/${id}`)).status).toBe(200);
    await button('Remove').click();
    await answer('Delete its posts');
    await toast('@bridge is followed no more.');
    await address(/^#\/ingest$/);
    await row('@harbour').waitFor();
    expect(await row('@bridge').count()).toBe(0);
    expect((await gateway.ask('GET', `/v1/ingest/posts?source=${id}`)).body.posts).toEqual([]);
  });

  test('a jump of the ids of a pushed one is a gap', async () => {
    await scene.send('42', 'Hello');
    const hook = await scene.get('/v1/accounts/telegram:sandbox-1/webhook');
    const id = await follow('@own_news', 'updates');
    const chat = { id: -1001, type: 'channel', title: 'Own', username: 'own_news' };
    const headers = { 'x-telegram-bot-api-secret-token': String(hook.secret) };
    for (const [n, messageId] of [5, 6, 9].entries()) {
      const post = {
        message_id: messageId,
        date: 1_790_000_000 + n,
        chat,
        text: `own ${messageId}`,
      };
      const update = { update_id: 100 + n, channel_post: post };
      await gateway.ask('POST', String(hook.path), update, headers);
    }
    await visitor.see('ingest');
    await row('@own_news').getByText('1 gap').waitFor();
    await row('@own_news').getByText('its posts come by themselves').waitFor();
    await visitor.see(`ingest/${id}`);
    await text('Posts may be missing between 6 and 9.').waitFor();
  });

  test('a flood is shown with its end, at the channel and at the account', async () => {
    newChannel('observatory', 3);
    world.sim.model.freeze(OF_READER, HISTORY, THREE_HOURS_S);
    await visitor.see('ingest');
    await follow('@observatory');
    await row('@observatory').getByText('the platform asked to wait').waitFor();
    await row('@observatory')
      .getByText(/in (3 h|2 h 5\d m)/)
      .waitFor();
    const reader = panel('What is read with').locator('li', { hasText: 'Reader' });
    await reader.getByText(/history waits until .*\((3 h|2 h 5\d m)/).waitFor();
    await reader.getByText('waiting', { exact: true }).waitFor();
  });
});

describe('for everyone', () => {
  const screens = async () => {
    const { sources } = await scene.get('/v1/ingest/sources');
    const of = (name: string) =>
      (sources as { id: string; source: string }[]).find(({ source }) => source === name)!.id;
    return [
      'ingest',
      `ingest/${of('@market')}`,
      `ingest/${of('@own_news')}`,
      `ingest/${of('@market')}/6`,
    ];
  };

  test.each(['light', 'dark'] as const)('no screen of it shuts anyone out, %s', async (theme) => {
    await visitor.theme(theme);
    for (const screen of await screens()) {
      await visitor.see(screen);
      await visitor.settled();
      expect.soft(await visitor.barriers(), `${screen} ${theme}`).toEqual([]);
    }
    await visitor.see('ingest');
    await button('Follow a channel').click();
    await page().getByRole('dialog').waitFor();
    expect.soft(await visitor.barriers(), `form ${theme}`).toEqual([]);
    await answer('Cancel');
    await visitor.theme('light');
  });

  test('nothing sticks out of a small screen, and it shuts nobody out', async () => {
    const phone = await Visitor.come(browser, gateway.url, PHONE);
    await phone.signIn(gateway.key);
    for (const screen of await screens()) {
      await phone.see(screen);
      await phone.settled();
      expect.soft(await phone.width(), screen).toBeLessThanOrEqual(PHONE.width);
      expect.soft(await phone.barriers(), screen).toEqual([]);
    }
    expect(phone.errors).toEqual([]);
    await phone.leave();
  });

  test('a viewer sees how channels stand, not what posts say, and no button to act', async () => {
    const { secret } = await scene.post('/v1/keys', { name: 'looks', role: 'viewer' });
    const guest = await Visitor.come(browser, gateway.url, WIDE);
    await guest.signIn(String(secret));
    await guest.page.getByRole('navigation').getByRole('link', { name: 'Ingest' }).waitFor();
    for (const screen of await screens()) {
      await guest.see(screen);
      await guest.settled();
      expect.soft(await guest.page.getByText(/of market|for good|own 9/).count(), screen).toBe(0);
      const acts = guest.page.getByRole('button', { name: /Look|Pause|Resume|Remove|Follow/ });
      expect.soft(await acts.count(), screen).toBe(0);
      expect.soft(await guest.page.getByRole('link', { name: /CSV/ }).count(), screen).toBe(0);
    }
    expect(guest.errors).toEqual([]);
    await guest.leave();
  });

  test('where ingest is off there is no entry in the menu, and the screen says so', async () => {
    const quiet = new GatewayProcess(NOWHERE, ['--ingest', 'off']);
    await quiet.start();
    const guest = await Visitor.come(browser, quiet.url, WIDE);
    await guest.signIn(quiet.key);
    await guest.see('ingest');
    await guest.page.getByText('No channel is read here').waitFor();
    const menu = guest.page.getByRole('navigation');
    await menu.getByRole('link', { name: 'Dead letters' }).waitFor();
    expect(await menu.getByRole('link', { name: 'Ingest' }).count()).toBe(0);
    expect(guest.errors).toEqual([]);
    await guest.leave();
    await quiet.end('SIGKILL');
    quiet.remove();
  });
});
