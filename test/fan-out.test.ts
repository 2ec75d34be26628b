// Fan-out with real processes: a chat on a simulated Telegram as the origin, and as observers a terminal that someone
// watches from another process, a chat that is gone, an account that is paused, and one that nobody knows.

import { afterEach, expect, test } from 'vitest';
import { ownPort } from '../scripts/own-port.ts';
import { type JudgedCall, type ServedSim, serveSim } from '../src/sim/sim.ts';
import { GatewayProcess } from './process/gateway.ts';
import { Sluice } from './process/sluice.ts';

const TOKEN = '4242:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const OTHER = '5555:BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB';
const SCREEN = { account: 'terminal:local', chat: 'build' };

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function setUp() {
  const calls: JudgedCall[] = [];
  const waiting = new Set<() => void>();
  const onCall = (call: JudgedCall) => {
    calls.push(call);
    for (const look of waiting) look();
  };
  const sim: ServedSim = await serveSim({ host: '127.0.0.1', port: 0, onCall });
  closers.push(() => sim.close());
  // The same over a restart, so that who watches finds the gateway again.
  const wide = ['--private-per-s', '1000', '--port', String(await ownPort())];
  const gateway = new GatewayProcess(sim.url, wide);
  await gateway.start();
  closers.push(async () => {
    await gateway.end('SIGKILL');
    gateway.remove();
  });
  const watching = new Sluice(['watch', 'build', '--url', gateway.url], {
    SLUICE_KEY: gateway.key,
  });
  closers.push(async () => {
    watching.kill('SIGKILL');
    await watching.ended;
  });
  const post = async (text: string, observers: object[]) => {
    const to = { origin: { platform: 'telegram', account: TOKEN, chat: 1000 }, observers };
    const body = { text, parse_mode: 'HTML' };
    return gateway.ask('POST', '/v1/messages', { to, body, wait: true });
  };
  const sentTo = (chat: string) =>
    calls.filter((call) => call.chat === chat).map((call) => call.text);
  // A call that the simulated Telegram has taken, whenever it came.
  const seen = (chat: string, text: string) =>
    new Promise<void>((resolve) => {
      const look = () => {
        const is = (call: JudgedCall) => call.chat === chat && call.text === text;
        if (!calls.some((call) => is(call) && call.status === 200)) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  return { sim, gateway, watching, post, sentTo, seen };
}

// On a busy machine the answer for the origin does not wait for its observers' receipts.
const TAKEN = expect.stringMatching(/^(?:queued|pending)$/);

test('observers see what the origin gets, whatever becomes of them, over a kill -9', async () => {
  const { sim, gateway, watching, post, sentTo } = await setUp();
  sim.model.setChat('666', { kind: 'missing' });
  const dead = { platform: 'telegram', account: TOKEN, chat: 666 };
  const first = await post('<b>one</b>', [SCREEN, dead, { account: 'telegram:1', chat: 5 }]);
  expect(first.status).toBe(200);
  expect(first.body).toMatchObject({
    state: 'sent',
    observers: [{ state: TAKEN }, { state: TAKEN }, { code: 'unknown_account' }],
  });
  expect(sentTo('1000')).toEqual(['one']);
  expect(await watching.said('one')).toMatch(/^\d\d:\d\d:\d\d one$/);
  const died = await gateway.ask('POST', '/v1/messages', {
    to: dead,
    body: { text: 'the same chat' },
    wait: true,
  });
  expect(died.body).toMatchObject({ state: 'dead', reason: 'chat_not_found' });
  // The copy was before it in its queue.
  const letters = await gateway.records('&chat=666');
  expect(letters).toHaveLength(2);
  for (const letter of letters) {
    expect(letter).toMatchObject({ state: 'dead', reason: 'chat_not_found' });
  }

  // Both observers stand still: the origin does not notice, and their copies wait on disk.
  const waiting = { platform: 'telegram', account: OTHER, chat: 2000 };
  await gateway.ask('POST', '/v1/messages', { to: waiting, body: { text: 'hello' }, wait: true });
  await gateway.ask('POST', '/v1/accounts/telegram:5555/pause');
  await gateway.ask('POST', '/v1/accounts/terminal:local/pause');
  for (const text of ['two', 'three', 'four']) {
    const answer = await post(text, [SCREEN, { ...waiting, account: 'telegram:5555' }]);
    expect(answer.body).toMatchObject({
      state: 'sent',
      observers: [{ state: TAKEN }, { state: TAKEN }],
    });
  }
  expect(sentTo('1000')).toEqual(['one', 'two', 'three', 'four']);
  expect(sentTo('2000')).toEqual(['hello']);

  await gateway.end('SIGKILL');
  await gateway.start();
  expect(sentTo('2000')).toEqual(['hello']);
  await gateway.ask('POST', '/v1/accounts/terminal:local/resume');
  await gateway.ask('POST', '/v1/accounts/telegram:5555/resume');
  await watching.said('four');
  watching.kill('SIGTERM');
  const { code, out, err } = await watching.ended;
  expect(code).toBe(0);
  expect(err).toContain('trying again');
  const seen = out
    .trim()
    .split('\n')
    .map((line) => line.slice('00:00:00 '.length));
  expect(seen).toEqual(['one', 'two', 'three', 'four']);
  const last = await gateway.ask('POST', '/v1/messages', {
    to: { ...waiting, account: 'telegram:5555' },
    body: { text: 'after' },
    wait: true,
  });
  expect(last.body).toMatchObject({ state: 'sent' });
  expect(sentTo('2000')).toEqual(['hello', 'two', 'three', 'four', 'after']);

  // An account that the platform refuses holds its own copies back, and nothing else.
  sim.model.revoke(OTHER);
  for (const text of ['five', 'six']) {
    const answer = await post(text, [{ ...waiting, account: 'telegram:5555' }]);
    expect(answer.body).toMatchObject({ state: 'sent', observers: [{ state: 'queued' }] });
  }
  expect(sentTo('1000').slice(-2)).toEqual(['five', 'six']);
});

test('a text that grows is seen by its observers, and ends with its origin', async () => {
  const { gateway, watching, sentTo } = await setUp();
  const origin = { platform: 'telegram', account: TOKEN, chat: -1000 };
  const dead = { account: 'telegram:1', chat: 5 };
  const to = { origin, observers: [dead, SCREEN] };
  const opened = await gateway.ask('POST', '/v1/streams', { to, text: 'It grows' });
  expect(opened.status).toBe(201);
  await watching.said('It grows');
  const path = `/v1/streams/${String(opened.body.id)}`;
  const ended = await gateway.ask('POST', `${path}/final`, { append: ' and ends.', wait: true });
  expect(ended.body).toMatchObject({ state: 'done', account: 'telegram:4242' });
  expect(sentTo('-1000').at(-1)).toBe('It grows and ends.');
  await watching.said('It grows and ends.');
});

test('observers of a text end as their origin does, over a kill -9 while it grows and one at its end', async () => {
  const { sim, gateway, watching, seen } = await setUp();
  const hello = { to: { platform: 'telegram', account: OTHER, chat: 2000 }, body: { text: 'hi' } };
  await gateway.ask('POST', '/v1/messages', { ...hello, wait: true });
  const observers = [{ account: 'telegram:5555', chat: -2000 }, SCREEN];
  const to = { origin: { platform: 'telegram', account: TOKEN, chat: -1000 }, observers };
  const last = (chat: string) => sim.model.messagesOf(chat).at(-1)?.text ?? '';

  const grows = await gateway.ask('POST', '/v1/streams', { to, text: 'It grows' });
  await watching.said('It grows');
  await seen('-2000', 'It grows');
  const path = `/v1/streams/${String(grows.body.id)}`;
  await gateway.ask('PATCH', path, { append: ', slowly' });
  await gateway.end('SIGKILL');
  await gateway.start();
  await gateway.ask('POST', `${path}/final`, { append: ', and ends.' });
  await watching.said('It grows, slowly, and ends.');
  await seen('-2000', 'It grows, slowly, and ends.');
  await seen('-1000', 'It grows, slowly, and ends.');

  const ends = await gateway.ask('POST', '/v1/streams', { to, text: 'One more' });
  await seen('-2000', 'One more');
  await gateway.ask('POST', `/v1/streams/${String(ends.body.id)}/final`, { append: ' for all.' });
  await gateway.end('SIGKILL');
  await gateway.start();
  await watching.said('One more for all.');
  await seen('-2000', 'One more for all.');
  await seen('-1000', 'One more for all.');
  expect([last('-1000'), last('-2000')]).toEqual(['One more for all.', 'One more for all.']);
});

test('one order over all chats holds over a kill -9, though the first has to wait for its chat', async () => {
  const calls: JudgedCall[] = [];
  const onCall = (call: JudgedCall) => void calls.push(call);
  const sim = await serveSim({ host: '127.0.0.1', port: 0, onCall });
  closers.push(() => sim.close());
  const gateway = new GatewayProcess(sim.url, ['--order', 'platform']);
  await gateway.start();
  closers.push(async () => {
    await gateway.end('SIGKILL');
    gateway.remove();
  });
  const message = (chat: number, text: string, extra: object = {}) => ({
    to: { platform: 'telegram', account: TOKEN, chat },
    body: { text },
    ...extra,
  });
  await gateway.ask('POST', '/v1/messages', message(7, 'hello', { wait: true }));
  // From now on the chat is closed, over the kill, too.
  const closed = { account: 'telegram:4242', chat: '7' };
  await gateway.ask('POST', '/v1/limits/freeze', { ...closed, seconds: 600 });
  const batch = [
    message(7, '1'),
    message(8, '2', { priority: 'critical' }),
    message(9, '3', { session: 's', final: true }),
    message(7, '4', { priority: 'high' }),
    message(8, '5'),
  ];
  const { body } = await gateway.ask('POST', '/v1/messages', batch);
  const ids = (body as unknown as { id: string }[]).map(({ id }) => id);
  const { body: why } = await gateway.ask('GET', `/v1/messages/${ids[4]}/explain`);
  const ahead = { kind: 'ahead', name: 'account' };
  expect(why.causes).toContainEqual(expect.objectContaining(ahead));
  expect(why.summary).toContain('strictly in order');
  await gateway.end('SIGKILL');
  await gateway.start();
  expect(calls.filter(({ chat }) => chat !== null)).toHaveLength(1);
  await gateway.ask('POST', '/v1/limits/thaw', closed);
  const done = await gateway.ask('POST', '/v1/messages', message(10, '6', { wait: true }));
  expect(done.body).toMatchObject({ state: 'sent' });
  const arrived = calls.filter(({ chat }) => chat !== null).map(({ text }) => text);
  // What was in flight at the kill may have gone twice.
  expect([...new Set(arrived)]).toEqual(['hello', '1', '2', '3', '4', '5', '6']);
});
