// What comes in, with real processes: a gateway, an app behind it, and a simulated Telegram in which people write.
// The test carries Telegram's webhook calls over, and repeats them as Telegram does until they are taken.

import { afterEach, expect, test } from 'vitest';
import { type JudgedCall, type ServedSim, serveSim } from '../src/sim/sim.ts';
import { isGenuine } from '../src/updates/verifier.fixture.ts';
import { App } from './process/app.ts';
import { type Answer, GatewayProcess } from './process/gateway.ts';
import { aMoment, until } from './process/look.ts';

const TOKEN = '4242:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const ACCOUNT = 'telegram:4242';

let sim: ServedSim | null = null;
let gateway: GatewayProcess | null = null;
let app: App | null = null;

afterEach(async () => {
  await gateway?.end('SIGKILL');
  gateway?.remove();
  await app?.close();
  await sim?.close();
});

async function setUp(flags: readonly string[] = []) {
  const sent: JudgedCall[] = [];
  const onCall = (call: JudgedCall) => {
    if (call.method.toLowerCase() === 'sendmessage') sent.push(call);
  };
  sim = await serveSim({ host: '127.0.0.1', port: 0, onCall });
  app = new App();
  await app.open();
  const bounds = ['--log', 'silent', '--queue-max', '100000'];
  gateway = new GatewayProcess(sim.url, [...bounds, '--forward-url', app.url, ...flags]);
  await gateway.start();
  // The account is known from its first message.
  await send(1, 'hello', { wait: 30 });
  const { body } = await gateway.ask('GET', `/v1/accounts/${ACCOUNT}/webhook`);
  const hook = body as { path: string; secret: string; signingSecret: string };
  return { sim, app, gateway, sent, hook, post: poster(gateway, hook) };
}

function poster(to: GatewayProcess, hook: { path: string; secret: string }) {
  return async (update: object, secret = hook.secret): Promise<number> => {
    for (;;) {
      const headers = { 'x-telegram-bot-api-secret-token': secret };
      const answer = await to.ask('POST', hook.path, update, headers).catch(() => null);
      if (answer !== null) return answer.status;
      await aMoment();
    }
  };
}

function send(chat: number, text: string, extra: object = {}) {
  const to = { platform: 'telegram', account: TOKEN, chat };
  return gateway!.ask('POST', '/v1/messages', { to, body: { text }, ...extra });
}

const writes = (chat: number, text = 'hi') =>
  sim!.model.inject(TOKEN, String(chat), text, Date.now());

interface Waiting {
  readonly waiting: number;
}

async function priorityOf(answer: Awaited<ReturnType<typeof send>>): Promise<unknown> {
  return (await gateway!.ask('GET', `/v1/messages/${answer.body.id}`)).body.priority;
}

test('a chat that no answer has named yet goes by its update', async () => {
  const { gateway, post } = await setUp();
  const from = { id: 7, is_bot: false, first_name: 'Ada' };
  const chat = { id: -100, type: 'supergroup', title: 'Harbour' };
  const message = { message_id: 1, from, chat, date: 1, text: 'hi' };
  expect(await post({ update_id: 1, message })).toBe(200);
  const { body } = await gateway.ask('GET', `/v1/names?account=${ACCOUNT}&chats=1,-100,-200`);
  expect(body.chats).toEqual({ '1': 'User 1', '-100': 'Harbour' });
});

test('every update reaches the app, in the order of its chat, through outages and kill -9', async () => {
  const CHATS = 12;
  const PER_CHAT = 12;
  const { app, gateway, post, hook } = await setUp();
  const all: object[] = [];
  for (let n = 0; n < PER_CHAT; n++) {
    for (let chat = 1; chat <= CHATS; chat++) all.push(writes(chat, `${n}`).update);
  }
  const half = all.length / 2;
  await app.close();
  // Each twice: Telegram repeats what it believes lost.
  for (const update of all.slice(0, half)) {
    expect(await post(update)).toBe(200);
    expect(await post(update)).toBe(200);
  }
  await app.open();
  await app.until(() => app.taken.length > CHATS);
  await gateway.end('SIGKILL');
  const inDoubt = app.taken.length;
  const restarted = gateway.start();
  for (const update of all.slice(half)) expect(await post(update)).toBe(200);
  await restarted;
  const ids = () => new Set(app.taken.map(({ update_id: id }) => id));
  await app.until(() => ids().size === all.length);

  const repeated = app.taken.length - all.length;
  // Only what was under way at the kill may come twice: one of each chat at most.
  expect(repeated).toBeLessThanOrEqual(Math.min(CHATS, inDoubt));
  for (let chat = 1; chat <= CHATS; chat++) {
    const order = app.taken
      .filter(({ message }) => message.chat.id === chat)
      .map(({ message }) => Number(message.text));
    expect(order).toEqual([...order].sort((a, b) => a - b));
  }
  expect([...app.secrets]).toEqual([hook.secret]);
  // Signed at the time of the post, under one id for all tries.
  for (const one of app.posts) {
    const { update_id: id } = JSON.parse(one.body) as { update_id: number };
    expect(one.headers['webhook-id']).toBe(`${ACCOUNT}:${id}`);
    expect(await isGenuine(one, hook.signingSecret, Date.now())).toBe(true);
  }
  const { body } = await gateway.ask('GET', `/v1/accounts/${ACCOUNT}/webhook`);
  expect(body).toMatchObject({ to: 'forwarded' });
});

test('an app that polls is told who wrote, and gets what came by webhook', async () => {
  const { gateway, post } = await setUp(['--updates-from-store', 'on', '--forward-url', 'none']);
  const bot = (method: string, body: object) => gateway.ask('POST', `/bot${TOKEN}/${method}`, body);
  const idsOf = ({ body }: Answer) =>
    (body.result as { update_id: number }[]).map(({ update_id: id }) => id);
  const [first, second] = [writes(8, '/start').update, writes(9).update];
  const waiting = bot('getUpdates', { timeout: 50 });
  await post(first);
  expect(idsOf(await waiting)).toEqual([first.update_id]);
  await post(second);
  expect(await bot('deleteWebhook', {})).toMatchObject({ status: 200, body: { ok: true } });
  await gateway.end('SIGKILL');
  await gateway.start();
  expect(idsOf(await bot('getUpdates', { limit: 1 }))).toEqual([first.update_id]);
  const offset = first.update_id + 1;
  expect(idsOf(await bot('getUpdates', { offset }))).toEqual([second.update_id]);
  const later = bot('getUpdates', { offset: offset + 1, timeout: 50 });
  const polls = [later, bot('getUpdates', { offset: offset + 1, timeout: 50 })];
  // Whichever comes second sends the other away.
  expect((await Promise.race(polls)).body).toMatchObject({ ok: false, error_code: 409 });
  await post(writes(8).update);
  const answers = (await Promise.all(polls)).map(({ status }) => status);
  expect(answers.sort()).toEqual([200, 409]);
});

test('an app that polls through the gateway has its answers known as such', async () => {
  const { gateway } = await setUp(['--forward-url', 'none']);
  const GROUP = -100_502;
  const { update } = writes(GROUP, '/now');
  const { body } = await gateway.ask('POST', `/bot${TOKEN}/getUpdates`, {});
  expect(body.result).toContainEqual(update);
  expect(await priorityOf(await send(GROUP, 'at once'))).toBe('high');
  await gateway.end('SIGKILL');
  await gateway.start();
  expect(await priorityOf(await send(GROUP, 'and again'))).toBe('high');
});

test('only Telegram may post, and only updates', async () => {
  const { app, post, gateway, hook } = await setUp();
  const { update } = writes(5);
  expect(await post(update, 'guess')).toBe(403);
  expect(await post(update, '')).toBe(403);
  const stranger = { ...hook, path: '/webhook/telegram/777' };
  expect(await poster(gateway, stranger)(update)).toBe(403);
  expect(await post({ hello: 1 })).toBe(422);
  expect(await post(update)).toBe(200);
  await app.until(() => app.taken.length === 1);
});

test('a call in the app’s answer is delivered once, whatever is repeated', async () => {
  const { app, gateway, post, sent } = await setUp();
  let asked = 0;
  app.answer = ({ message }) => {
    asked += 1;
    const text = `you said ${message.text}`;
    return { status: 200, body: { method: 'sendMessage', chat_id: message.chat.id, text } };
  };
  const first = writes(7, 'one').update;
  await post(first);
  await app.until(() => app.taken.length === 1);
  expect(await post(first)).toBe(200);
  await post(writes(7, 'two').update);
  await app.until(() => app.taken.length === 2);
  await send(7, 'the last', { wait: 30 });
  const texts = sent.filter(({ chat }) => chat === '7').map(({ text }) => text);
  expect(texts).toEqual(['you said one', 'you said two', 'the last']);
  expect(asked).toBe(2);
  const records = await gateway.records();
  expect(records.filter(({ chat }) => chat === '7')).toHaveLength(3);
});

test('answers do not wait for the broadcast’s turn, also after a restart', async () => {
  const { gateway, post, sent } = await setUp();
  const UNSOLICITED = 100;
  const ANSWERS = 40;
  for (let i = 0; i < ANSWERS; i++) await post(writes(5000 + i).update);
  const round = async (name: string) => {
    const from = sent.length;
    // All of them wait before the first one goes: how fast they are taken decides nothing.
    await gateway.ask('POST', `/v1/accounts/${ACCOUNT}/pause`);
    const waits: Promise<unknown>[] = [];
    for (let i = 0; i < UNSOLICITED; i++) waits.push(send(1000 + i, `${name} news`, { wait: 60 }));
    for (let i = 0; i < ANSWERS; i++) waits.push(send(5000 + i, `${name} answer`, { wait: 60 }));
    await until(
      async () => (await gateway.ask('GET', '/v1/accounts')).body.accounts as Waiting[],
      ([account]) => account?.waiting === UNSOLICITED + ANSWERS,
    );
    await gateway.ask('POST', `/v1/accounts/${ACCOUNT}/resume`);
    await Promise.all(waits);
    const order = sent.slice(from).map(({ text }) => text);
    expect(order).toHaveLength(UNSOLICITED + ANSWERS);
    // All answers were out while the broadcast, which takes seconds, was still going on.
    expect(order.lastIndexOf(`${name} answer`)).toBeLessThan(ANSWERS + UNSOLICITED * 0.75);
  };
  await round('before');
  await gateway.end('SIGKILL');
  await gateway.start();
  await round('after');
  expect(sent.filter(({ status }) => status === 429)).toEqual([]);
});

test('who means the bot is answered with priority, unless the caller says otherwise', async () => {
  const { post, sim } = await setUp();
  const GROUP = -100_500;
  await post(writes(GROUP, 'just talking').update);
  expect(await priorityOf(await send(GROUP, 'I listen'))).toBe('normal');
  await post(writes(GROUP, '/help').update);
  expect(await priorityOf(await send(GROUP, 'here is help'))).toBe('high');
  expect(await priorityOf(await send(GROUP, 'by the way', { priority: 'low' }))).toBe('low');
  // By which name it is mentioned the gateway asks Telegram first.
  const { update, messageId } = sim.model.inject(TOKEN, '-100501', 'hi @sim4242_bot', Date.now());
  await post(update);
  const reply = { body: { text: 'yes?', reply_parameters: { message_id: messageId } } };
  await until(
    async () => priorityOf(await send(-100_501, '', reply)),
    (priority) => priority === 'high',
  );
});
