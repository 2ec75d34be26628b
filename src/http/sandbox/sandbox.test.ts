import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTelegramModel, type TelegramModel } from '../../sim/sim.ts';
import { AUTH, type Bench, bench, ACCOUNT as REAL, START } from '../context.fixture.ts';

const TOKEN = '42:sandbox-token';
const ACCOUNT = 'telegram:sandbox-42';

let at: Bench;
let model: TelegramModel;

beforeEach(async () => {
  model = createTelegramModel({});
  at = await bench({}, [], { sandboxes: new Map([['telegram', model]]) });
  await at.accounts.identify('telegram', TOKEN);
});
afterEach(() => at.app.close());

async function ask(method: 'GET' | 'POST', url: string, payload?: object) {
  const answer = await at.app.inject({
    method,
    url,
    headers: AUTH,
    ...(payload === undefined ? {} : { payload }),
  });
  return answer.json();
}

test('a person writes, the bot reads, answers, and is read', async () => {
  const said = { account: ACCOUNT, chat: '7', text: 'hello bot' };
  const written = await ask('POST', '/v1/sandbox/messages', said);
  expect(written).toEqual({ account: ACCOUNT, chat: '7', messageId: '1', to: 'getUpdates' });
  const updates = model.call(TOKEN, 'getUpdates', {}, START).answer.body;
  expect(JSON.parse(updates).result[0].message.text).toBe('hello bot');
  model.call(TOKEN, 'sendMessage', { chat_id: '7', text: 'hello you' }, START);
  model.call('9:sandbox', 'sendMessage', { chat_id: '7', text: 'of another bot' }, START);
  const { messages } = await ask('GET', `/v1/sandbox/messages?account=${ACCOUNT}&chat=7`);
  expect(messages.map(({ text, fromBot }: never) => [text, fromBot])).toEqual([
    ['hello bot', false],
    ['hello you', true],
  ]);
  const { bots, chats } = await ask('GET', '/v1/sandbox');
  expect(bots).toEqual([ACCOUNT]);
  expect(chats.map(({ account, text }: never) => [account, text])).toEqual([
    ['telegram:sandbox-9', 'of another bot'],
    [ACCOUNT, 'hello you'],
  ]);
});

test('a chat can be blocked, opened again, and refused for a while', async () => {
  const where = { account: ACCOUNT, chat: '7' };
  const send = () => model.call(TOKEN, 'sendMessage', { chat_id: '7', text: 'x' }, START).call;
  const isBlocked = async () =>
    (await ask('GET', `/v1/sandbox/messages?account=${ACCOUNT}&chat=7`)).isBlocked;
  await ask('POST', '/v1/sandbox/chats', { ...where, state: 'blocked' });
  expect([send().status, await isBlocked()]).toEqual([403, true]);
  await ask('POST', '/v1/sandbox/chats', { ...where, state: 'open' });
  expect([send().status, await isBlocked()]).toEqual([200, false]);
  await ask('POST', '/v1/sandbox/chats', { ...where, freezeSeconds: 30 });
  expect(send()).toMatchObject({ status: 429, retryAfterS: 30 });
});

test('a bot that nobody used yet is known by its token; real accounts are out of reach', async () => {
  const first = { account: '1:sandbox', chat: '42', text: 'anybody there?' };
  expect(await ask('POST', '/v1/sandbox/messages', first)).toMatchObject({
    account: 'telegram:sandbox-1',
  });
  for (const account of [REAL, '42', 'telegram:77', '77:AAAreal']) {
    const answer = await ask('POST', '/v1/sandbox/messages', { ...first, account });
    expect(answer.code).toBe('unknown_account');
    expect(JSON.stringify(answer)).not.toContain('AAAreal');
  }
  expect((await ask('POST', '/v1/sandbox/messages', { ...first, chat: 'x' })).code).toBe(
    'invalid_message',
  );
});

test('where the sandbox is off, every route of it says so', async () => {
  await at.app.close();
  at = await bench({}, [], { sandboxes: new Map() });
  for (const [method, url] of [
    ['GET', '/v1/sandbox'],
    ['GET', '/v1/sandbox/messages?account=1:sandbox&chat=42'],
    ['POST', '/v1/sandbox/messages'],
    ['POST', '/v1/sandbox/chats'],
  ] as const) {
    expect((await ask(method, url)).code, url).toBe('sandbox_off');
  }
});
