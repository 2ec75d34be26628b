// What is done to a message follows to the copies that its observers have: another account of a simulated Telegram, and
// a terminal. By the platform's own API and by REST, with real processes and over a kill -9.

import { afterEach, expect, test } from 'vitest';
import { type JudgedCall, serveSim } from '../src/sim/sim.ts';
import { GatewayProcess } from './process/gateway.ts';
import { Sluice } from './process/sluice.ts';

const TOKEN = '4242:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const OTHER = '5555:BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB';
const ORIGIN = { platform: 'telegram', account: TOKEN, chat: 1000 };
const SCREEN = { account: 'terminal:local', chat: 'build' };
const OBSERVERS = [{ platform: 'telegram', account: OTHER, chat: 2000 }, SCREEN];

// On a busy machine the answer for the origin does not wait for its observers' receipts.
const either = (state: string) => ({ state: expect.stringMatching(`^(?:${state}|pending)$`) });

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
  const sim = await serveSim({ host: '127.0.0.1', port: 0, onCall });
  closers.push(() => sim.close());
  const gateway = new GatewayProcess(sim.url, ['--private-per-s', '1000']);
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
  const called = (chat: string, method: string, text?: string, times = 1) =>
    new Promise<void>((resolve) => {
      const look = () => {
        const is = (call: JudgedCall) =>
          call.chat === chat &&
          call.method.toLowerCase() === method.toLowerCase() &&
          (text === undefined || call.text === text);
        if (calls.filter((call) => is(call) && call.status === 200).length < times) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  const send = async (text: string) => {
    const to = { origin: ORIGIN, observers: OBSERVERS };
    const answer = await gateway.ask('POST', '/v1/messages', { to, body: { text }, wait: true });
    await called('2000', 'sendMessage', text);
    await watching.said(text);
    return Number(answer.body.messageId);
  };
  const bot = (method: string, body: object) =>
    gateway.ask('POST', `/bot${TOKEN}/${method}`, { chat_id: 1000, ...body });
  return { sim, gateway, watching, calls, called, send, bot };
}

test('edits, reactions and deletions of a message follow to its observers', {
  timeout: 90_000,
}, async () => {
  const { sim, gateway, watching, called, send, bot } = await setUp();
  const first = await send('one');
  const message_id = await send('two');

  // By the platform's own API.
  const edited = await bot('editMessageText', {
    message_id,
    text: '<b>new</b>',
    parse_mode: 'HTML',
  });
  expect(edited.status).toBe(200);
  await called('2000', 'editMessageText', 'new');
  await watching.said('(edited) new');
  const texts = (chat: string) => sim.model.messagesOf(chat).map(({ text }) => text);
  expect(texts('2000')).toEqual(['one', 'new']);

  // By REST, which tells what became of each observer.
  const to = { origin: ORIGIN, observers: [...OBSERVERS, { ...SCREEN, chat: 'elsewhere' }] };
  const edit = { method: 'editMessageText', body: { message_id, text: 'newer' } };
  const answer = await gateway.ask('POST', '/v1/messages', { to, ...edit });
  expect(answer.status).toBe(202);
  expect(answer.body.observers).toMatchObject([
    either('queued'),
    either('queued'),
    either('not_possible'),
  ]);
  await called('2000', 'editMessageText', 'newer');
  await watching.said('(edited) newer');

  // A screen knows no reactions: that is on record, and a problem of nobody.
  const reaction = [{ type: 'emoji', emoji: '👍' }];
  const react = { method: 'setMessageReaction', body: { message_id, reaction } };
  const told = await gateway.ask('POST', '/v1/messages', {
    to: { ...to, observers: OBSERVERS },
    ...react,
  });
  expect(told.status).toBe(202);
  expect(told.body.observers).toMatchObject([either('queued'), either('cancelled')]);
  await called('2000', 'setMessageReaction');
  let recorded: Record<string, unknown>[] = [];
  while (recorded.length === 0) {
    recorded = await gateway.records('&account=terminal:local&reason=not_possible');
  }
  const record = await gateway.ask('GET', `/v1/messages/${String(recorded[0]!.id)}`);
  expect(record.body).toMatchObject({
    state: 'cancelled',
    chat: 'build',
    correlation: told.body.id,
    history: [{ reason: 'not_possible' }],
  });

  await gateway.end('SIGKILL');
  await gateway.start();
  await bot('deleteMessages', { message_ids: [first, message_id] });
  await called('2000', 'deleteMessage', undefined, 2);
  for (const chat of ['1000', '2000']) {
    expect(sim.model.messagesOf(chat).map(({ isDeleted }) => isDeleted)).toEqual([true, true]);
  }
});

test('a token that may not reach the observers does not change their copies', async () => {
  const { gateway, calls, called, send, bot } = await setUp();
  const message_id = await send('one');
  const key = await gateway.ask('POST', '/v1/keys', {
    name: 'narrow',
    virtual: true,
    account: 'telegram:4242',
    chats: ['1000'],
  });
  expect(key.status).toBe(201);
  const body = { chat_id: 1000, message_id, text: 'by a narrow one' };
  const narrow = await gateway.ask('POST', `/bot${String(key.body.secret)}/editMessageText`, body);
  expect(narrow.status).toBe(200);
  await bot('editMessageText', { message_id, text: 'by the bot' });
  await called('2000', 'editMessageText', 'by the bot');
  expect(calls.filter(({ chat }) => chat === '2000').map(({ text }) => text)).toEqual([
    'one',
    'by the bot',
  ]);
});
