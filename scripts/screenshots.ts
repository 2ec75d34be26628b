// npm run screenshots: the pictures of docs/images, taken of a real gateway in trouble, in a real browser. They show
// what the page shows; nothing in them is painted. `npm run screenshots -- ingest` takes those whose name begins so.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { sleep, systemClock } from '../src/system/clock.ts';
import { openBrowser, PHONE, type Viewport, Visitor, WIDE } from '../test/page/browser.ts';
import { BOT, FROZEN, Scene } from '../test/page/scene.ts';
import { GatewayProcess } from '../test/process/gateway.ts';
import { ROOT } from './run.ts';

const IMAGES = join(ROOT, 'docs', 'images');
const ONLY = process.argv.slice(2);
// So long there is traffic, for the charts to have something to show.
const TRAFFIC_MS = ONLY.length === 0 ? 90_000 : 5_000;

// A chat that is refused a little longer than the traffic lasts.
const LATE = '43';
const LATE_S = 3;

const PICTURES: readonly (readonly [name: string, path: string])[] = [
  ['overview', ''],
  ['queue', 'queue'],
  ['accounts', 'accounts'],
  ['chats', 'chats'],
  ['streams', 'streams'],
  ['broadcasts', 'broadcasts'],
  ['dead-letters', 'dead'],
  ['ingest', 'ingest'],
  ['messages', 'messages'],
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
  await take('light', WIDE, [...PICTURES, story, waits]);
  await takeLimits();
  await take('dark', WIDE, [
    ['overview-dark', ''],
    ['messages-dark', 'messages'],
    ['accounts-dark', 'accounts'],
    ['ingest-dark', 'ingest'],
  ]);
  await take('light', PHONE, [
    ['overview-phone', ''],
    ['messages-phone', 'messages'],
    ['accounts-phone', 'accounts'],
    ['chats-phone', 'chats'],
    ['dead-letters-phone', 'dead'],
    ['delivery-phone', story[1]],
    ['sandbox-phone', `sandbox?account=${BOT}&chat=42`],
    ['ingest-phone', 'ingest'],
  ]);
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
  await scene.broadcast('Opening hours', chats);
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
  const stranger = await Visitor.come(browser, gateway.url, WIDE);
  await stranger.page.goto(gateway.url);
  await stranger.page.getByLabel('Key').blur();
  await stranger.page.screenshot({ path: join(IMAGES, 'sign-in.png') });
  await stranger.leave();
}

async function takeLimits(): Promise<void> {
  if (!isWanted('limits')) return;
  const visitor = await Visitor.come(browser, gateway.url, WIDE);
  await visitor.signIn(gateway.key);
  await visitor.see('accounts');
  await visitor.page.getByRole('button', { name: `Limits… of ${BOT}` }).click();
  await visitor.page.getByRole('button', { name: /^Back to 20/ }).waitFor();
  await visitor.page.screenshot({ path: join(IMAGES, 'limits.png') });
  await visitor.leave();
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

async function take(
  theme: 'dark' | 'light',
  viewport: Viewport,
  pictures: readonly (readonly [name: string, path: string])[],
): Promise<void> {
  const visitor = await Visitor.come(browser, gateway.url, viewport);
  await visitor.signIn(gateway.key);
  await visitor.theme(theme);
  for (const [name, path] of pictures.filter(([each]) => isWanted(each))) {
    await visitor.see(path);
    await visitor.settled();
    await visitor.page
      .locator('input:focus')
      .blur({ timeout: 1 })
      .catch(() => {});
    // Nothing is pointed at.
    await visitor.page.mouse.move(0, 0);
    await visitor.page.screenshot({ path: join(IMAGES, `${name}.png`) });
    console.log(`docs/images/${name}.png`);
  }
  if (visitor.errors.length > 0) throw new Error(visitor.errors.join('\n'));
  await visitor.leave();
}
