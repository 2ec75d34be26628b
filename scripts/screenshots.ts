// npm run screenshots: the pictures of docs/images, taken of a real gateway in trouble, in a real browser. They show
// what the page shows; nothing in them is painted. Every screen is taken wide and on a phone, light and dark; the two
// of a phone stand beside each other in one picture. `npm run screenshots -- ingest` takes those whose name begins so.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Request } from 'playwright-core';
import { sleep, systemClock } from '../src/system/clock.ts';
import { openBrowser, PHONE, type Viewport, Visitor, WIDE } from '../test/page/browser.ts';
import { BOT, FROZEN, Scene } from '../test/page/scene.ts';
import { GatewayProcess } from '../test/process/gateway.ts';
import { ROOT } from './run.ts';

const IMAGES = join(ROOT, 'docs', 'images');
const ONLY = process.argv.slice(2);
const GAP_PX = 20;
const QUIET_MS = 500;
// So long there is traffic, for the charts to have something to show.
const TRAFFIC_MS = ONLY.length === 0 ? 90_000 : 5_000;

// A chat that is refused a little longer than the traffic lasts.
const LATE = '43';
const LATE_S = 3;

type Theme = 'light' | 'dark';
type Picture = readonly [name: string, path: string];
const THEMES: readonly Theme[] = ['light', 'dark'];

const PICTURES: readonly Picture[] = [
  ['overview', ''],
  ['queue', 'queue'],
  ['accounts', 'accounts'],
  ['chats', 'chats'],
  ['streams', 'streams'],
  ['broadcasts', 'broadcasts'],
  ['dead-letters', 'dead'],
  ['ingest', 'ingest'],
  ['messages', `messages?account=${BOT}`],
  ['keys', 'keys'],
  ['gateway', 'gateway'],
  ['settings', 'settings'],
  ['sandbox', `sandbox?account=${BOT}&chat=42`],
];

const browser = await openBrowser();
const gateway = new GatewayProcess('http://127.0.0.1:9');
try {
  mkdirSync(IMAGES, { recursive: true });
  await gateway.start();
  const scene = new Scene(gateway);
  await scene.makeTrouble(30);
  await followChannels(scene);
  await liven(scene);
  const waiting = (await scene.get(`/v1/queue?chat=${FROZEN}`)).items as { id: string }[];
  const story = ['delivery', `delivery/${waiting[0]!.id}`] as const;
  const { id: late } = await scene.send(LATE, 'Your table is ready', { wait: true });
  const waits = ['why-late', `delivery/${late}`] as const;
  await takeSignIn();
  const pictures = [...PICTURES, story, waits];
  for (const theme of THEMES) {
    await take(theme, pictures);
    await takeLimits(theme);
  }
  await takePhones(pictures);
} finally {
  await browser.close();
  await gateway.end('SIGKILL');
  gateway.remove();
}

// A key for a shop, a conversation, a broadcast under way, a text that grows, and people who are answered now and then.
async function liven(scene: Scene): Promise<void> {
  await gateway.ask('PATCH', `/v1/accounts/${BOT}/limits`, { group_mpm: 18 });
  await scene.post('/v1/keys', { name: 'shop', role: 'sender', accounts: [BOT], chats: ['42'] });
  await scene.trouble(LATE, { freezeSeconds: TRAFFIC_MS / 1000 + LATE_S });
  await scene.post('/v1/sandbox/messages', {
    account: BOT,
    chat: '42',
    text: 'Where is my parcel?',
  });
  await scene.send('42', 'It left the warehouse this morning and arrives tomorrow.');
  const chats = Array.from({ length: 5000 }, (_, i) => String(10_000 + i));
  await scene.post('/v1/broadcasts', {
    to: { platform: 'telegram', account: '2:sandbox' },
    name: 'Opening hours',
    chats,
    body: { text: 'The office is closed.' },
  });
  await scene.openStream('-1003333333333', 'Here is what I found about your question: ');
  await scene.openStream(FROZEN, 'The three plans differ in ', { session: 'answer-to-grace' });
  const clock = systemClock();
  const end = clock.now() + TRAFFIC_MS;
  for (let n = 0; clock.now() < end; n++) {
    await scene.send(String(600 + (n % 40)), `Reminder ${n}: your appointment is tomorrow`);
    await sleep(clock, 120 + 400 * Math.abs(Math.sin(n / 12)));
  }
}

async function takeSignIn(): Promise<void> {
  if (!isWanted('sign-in')) return;
  const stranger = await Visitor.come(browser, gateway.url, WIDE);
  await stranger.page.goto(gateway.url);
  for (const theme of THEMES) {
    await stranger.theme(theme);
    await stranger.page.getByLabel('Key').blur();
    save(nameOf('sign-in', theme), await stranger.page.screenshot());
  }
  await stranger.leave();
}

async function takeLimits(theme: Theme): Promise<void> {
  if (!isWanted('limits')) return;
  const visitor = await enter(WIDE, theme);
  await visitor.see('accounts');
  await visitor.page.getByRole('button', { name: `Limits… of ${BOT}` }).click();
  await visitor.page.getByRole('button', { name: /^Back to 20/ }).waitFor();
  await sleep(systemClock(), QUIET_MS);
  save(nameOf('limits', theme), await visitor.page.screenshot());
  await leave(visitor);
}

// Some that post, one whose platform has nothing to say of it, one that a bot reads, one that is paused.
async function followChannels(scene: Scene): Promise<void> {
  const sources = '/v1/ingest/sources';
  for (const [name, priority] of [
    ['@daily_news', 1],
    ['@harbour_times', 4],
    ['@weather_watch', 1],
  ] as const) {
    await scene.post(sources, { source: name, kind: 'sandbox', priority });
  }
  const paused = await scene.post(sources, { source: '@night_trains', kind: 'sandbox' });
  await scene.post(`${sources}/${paused.id}/pause`, {});
  const to = { platform: 'discord', account: '7.sandbox', chat: '1145032176398114836' };
  for (const content of ['The doors open at nine.', 'Tickets are at the counter.']) {
    await scene.post('/v1/messages?wait=true', { to, body: { content } });
  }
  const account = 'discord:sandbox-7';
  await scene.post(sources, { source: to.chat, kind: 'discord', account });
  await scene.post(sources, { source: 'general', kind: 'discord', account });
}

function isWanted(name: string): boolean {
  return ONLY.length === 0 || ONLY.some((each) => name.startsWith(each));
}

async function enter(viewport: Viewport, theme: Theme): Promise<Visitor> {
  const visitor = await Visitor.come(browser, gateway.url, viewport);
  await visitor.signIn(gateway.key);
  await visitor.theme(theme);
  return visitor;
}

async function leave(visitor: Visitor): Promise<void> {
  if (visitor.errors.length > 0) throw new Error(visitor.errors.join('\n'));
  await visitor.leave();
}

async function take(theme: Theme, pictures: readonly Picture[]): Promise<void> {
  const visitor = await enter(WIDE, theme);
  for (const [name, path] of pictures.filter(([each]) => isWanted(each))) {
    save(nameOf(name, theme), await shoot(visitor, path));
  }
  await leave(visitor);
}

async function takePhones(pictures: readonly Picture[]): Promise<void> {
  const [light, dark] = [await enter(PHONE, 'light'), await enter(PHONE, 'dark')];
  for (const [name, path] of pictures.filter(([each]) => isWanted(each))) {
    const both = [await shoot(light, path), await shoot(dark, path)];
    save(`${name}-phone`, await besideEachOther(both));
  }
  for (const visitor of [light, dark]) await leave(visitor);
}

async function shoot(visitor: Visitor, path: string): Promise<Buffer> {
  const { page } = visitor;
  const asked = new Set<Request>();
  const begin = (request: Request) => !request.url().endsWith('/events') && asked.add(request);
  const end = (request: Request) => asked.delete(request);
  page.on('request', begin).on('requestfinished', end).on('requestfailed', end);
  await visitor.see(path);
  await visitor.settled();
  // Names and limits are asked for after the rows that have them.
  do await sleep(systemClock(), QUIET_MS);
  while (asked.size > 0);
  page.off('request', begin).off('requestfinished', end).off('requestfailed', end);
  await page
    .locator('input:focus')
    .blur({ timeout: 1 })
    .catch(() => {});
  // Nothing is pointed at.
  await page.mouse.move(0, 0);
  return page.screenshot();
}

async function besideEachOther(pictures: readonly Buffer[]): Promise<Buffer> {
  const width = PHONE.width * pictures.length + GAP_PX * (pictures.length - 1);
  const page = await browser.newPage({ viewport: { width, height: PHONE.height } });
  const images = pictures.map(
    (each) => `<img src="data:image/png;base64,${each.toString('base64')}">`,
  );
  await page.setContent(
    `<body style="margin:0;display:flex;gap:${GAP_PX}px">${images.join('')}</body>`,
  );
  const both = await page.screenshot({ omitBackground: true });
  await page.close();
  return both;
}

function nameOf(name: string, theme: Theme): string {
  return theme === 'light' ? name : `${name}-dark`;
}

function save(name: string, picture: Buffer): void {
  writeFileSync(join(IMAGES, `${name}.png`), picture);
  console.log(join(IMAGES, `${name}.png`));
}
