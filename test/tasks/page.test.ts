// What a newcomer wants of the page, each in three steps at most: only what is on the screen is followed.

import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ServedSim, serveSim } from '../../src/sim/sim.ts';
import { openBrowser, Visitor } from '../page/browser.ts';
import { BLOCKED, BOT, BUSY, FROZEN, Scene } from '../page/scene.ts';
import { GatewayProcess } from '../process/gateway.ts';
import { Newcomer } from './steps.ts';

const DAY_MS = 86_400_000;
const LATE = '4711';
const REFUSED = { id: 'telegram:9', token: '9:AAAthe-old-token', next: '9:AAAthe-new-token' };
const UNREACHED = { id: 'telegram:8', token: '8:AAAanother-token' };
const OWN_OPTIONS = process.env.NODE_OPTIONS ?? '';

let browser: Browser;
let sim: ServedSim;
let gateway: GatewayProcess;
let scene: Scene;
let visitor: Visitor;
let newcomer: Newcomer;

// A gateway that believes it is yesterday accepts and sends a message, and ends.
async function liveThroughYesterday(): Promise<void> {
  const code = `const now = Date.now; Date.now = () => now() - ${DAY_MS};`;
  const module = `data:text/javascript,${encodeURIComponent(code)}`;
  process.env.NODE_OPTIONS = `${OWN_OPTIONS} --import ${module}`;
  await gateway.start();
  process.env.NODE_OPTIONS = OWN_OPTIONS;
  await scene.send('42', 'Your table for two is booked', { wait: true });
  await gateway.end('SIGTERM');
}

const send = (account: string, chat: string, text: string) =>
  scene.post('/v1/messages', { to: { platform: 'telegram', account, chat }, body: { text } });
const isSent = (id: unknown) => scene.until(`/v1/messages/${id}`, ({ state }) => state === 'sent');
const incidentOf = (account: string) =>
  scene.until('/v1/overview', ({ incidents }) =>
    (incidents as { account: string | null }[]).some((each) => each.account === account),
  );

beforeAll(async () => {
  const opening = openBrowser();
  sim = await serveSim({ host: '127.0.0.1', port: 0 });
  gateway = new GatewayProcess(sim.url);
  scene = new Scene(gateway);
  await liveThroughYesterday();
  await gateway.start();
  await scene.makeWaiting();
  browser = await opening;
  visitor = await Visitor.come(browser, gateway.url, { width: 1440, height: 900 });
  await visitor.signIn(gateway.key);
});

afterAll(async () => {
  process.env.NODE_OPTIONS = OWN_OPTIONS;
  await browser?.close();
  await gateway?.end('SIGKILL');
  gateway?.remove();
  await sim?.close();
});

beforeEach(async () => {
  await visitor.see('');
  newcomer = new Newcomer(visitor.page);
});

afterEach(() => {
  newcomer.done();
  expect(visitor.errors.splice(0)).toEqual([]);
});

test('why does it wait?', async () => {
  await newcomer.click(/Your order 1 has left/);
  await newcomer.reads('Why it has not gone out');
  await newcomer.reads(/frozen.*the platform said to wait|The platform said to wait/i);
});

test('why was it late?', async () => {
  await scene.trouble(LATE, { freezeSeconds: 2 });
  const { id } = await scene.send(LATE, 'The taxi is here');
  await isSent(id);
  await newcomer.click('Messages');
  await newcomer.type('Text', 'taxi');
  await newcomer.click(/The taxi is here/);
  await newcomer.reads('Where the time went');
  await newcomer.reads('Frozen: its chat or the account');
});

test('where is the message of yesterday that said …?', async () => {
  await newcomer.click('Messages');
  await newcomer.type('Text', 'table for two');
  await newcomer.click(/Your table for two is booked/);
  await newcomer.reads('What became of it');
  await newcomer.reads(/1 d ago|24 h ago|23 h ago/);
});

test('all that died of one cause is to go out again', async () => {
  await scene.trouble(BLOCKED, { state: 'blocked' });
  const ids: unknown[] = [];
  for (const n of [1, 2, 3]) ids.push((await scene.send(BLOCKED, `Bill ${n}`)).id);
  for (const id of ids) await scene.until(`/v1/messages/${id}`, ({ state }) => state === 'dead');
  await scene.trouble(BLOCKED, { state: 'open' });
  await newcomer.click(/^Dead letters/);
  await newcomer.click(/^Retry all 3$/);
  await newcomer.reads(/^3 letters\./);
  await newcomer.click('Retry them');
  await newcomer.reads('3 letters are queued again.');
  for (const id of ids) await isSent(id);
});

test('a broadcast is to stop', async () => {
  const chats = Array.from({ length: 500 }, (_, n) => String(10_000 + n));
  const { id } = await scene.broadcast('Closing', chats);
  await newcomer.click(/^Broadcasts/);
  await newcomer.click('Cancel');
  await newcomer.click('Cancel it');
  await newcomer.reads('The broadcast is cancelled.');
  await scene.until(`/v1/broadcasts/${id}`, ({ state }) => state === 'cancelled');
});

test('a key for one chat', async () => {
  await newcomer.click(/^Chats/);
  await newcomer.click(`Key… for chat ${BUSY}`);
  await newcomer.click('Create it');
  await newcomer.reads('It is shown this once');
  const secret = (await visitor.page.locator('output.secret').textContent()) ?? '';
  const write = async (chat: string) => {
    const to = { platform: 'telegram', account: BOT, chat };
    const answer = await fetch(`${gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ to, body: { text: 'From outside' } }),
    });
    return answer.status;
  };
  expect(await write(BUSY)).toBe(202);
  expect(await write(FROZEN)).toBe(403);
  await visitor.page.getByRole('button', { name: 'I have it' }).click();
});

test('which bot is in trouble, and what is to be done?', async () => {
  await isSent((await send(REFUSED.token, '5', 'Before')).id);
  sim.model.revoke(REFUSED.token);
  const { id } = await send(REFUSED.id, '5', 'It waits for a new token');
  await incidentOf(REFUSED.id);
  await newcomer.reads(`The platform refuses the token of ${REFUSED.id}`);
  await newcomer.reads('Give it a new token');
  await newcomer.click(/New token…/);
  await newcomer.type('Token', REFUSED.next);
  await newcomer.reads(`${REFUSED.id} has its new token.`);
  await isSent(id);
});

test('the platform is down: what is it, and does it work again?', async () => {
  await isSent((await send(UNREACHED.token, '5', 'Before')).id);
  const port = Number(new URL(sim.url).port);
  await sim.close();
  // Several at once: the breaker opens at the fifth failure.
  for (const chat of ['6', '7', '8', '9']) await send(UNREACHED.id, chat, 'It waits, too');
  const { id } = await send(UNREACHED.id, '5', 'It waits for the platform');
  await incidentOf(UNREACHED.id);
  await newcomer.reads(`The platform does not answer ${UNREACHED.id}: `);
  await newcomer.reads(new RegExp(`ECONNREFUSED 127\\.0\\.0\\.1:${port}`));
  await newcomer.click(/Try .*now/);
  await newcomer.reads(/The platform still takes no calls of/);
  sim = await serveSim({ host: '127.0.0.1', port });
  await newcomer.click(/Try .*now/);
  await newcomer.reads(/The platform answers and takes the token/);
  await isSent(id);
});
