// Real bot libraries, unchanged but for the base URL, through a real gateway process to a simulated Telegram over
// HTTP. Each does everything a bot does; the simulator says what arrived, and that nothing came too fast.

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type JudgedCall, type ServedSim, serveSim } from '../../src/sim/sim.ts';
import { GatewayProcess } from '../process/gateway.ts';
import { type Client, echoOf } from './client.ts';
import { connectGrammy } from './grammy.ts';
import { connectNodeTelegramBotApi } from './node-telegram-bot-api.ts';
import { connectNodeTelegramBotApi0 } from './node-telegram-bot-api-0.ts';
import { connectTelegraf } from './telegraf.ts';

const LIBRARIES = [
  { name: 'grammY', bot: 7001, connect: connectGrammy },
  { name: 'telegraf', bot: 7002, connect: connectTelegraf },
  { name: 'node-telegram-bot-api', bot: 7003, connect: connectNodeTelegramBotApi },
  { name: 'node-telegram-bot-api 0.67', bot: 7004, connect: connectNodeTelegramBotApi0 },
];
const NOBODY = 404_404;
const GROUP = -1_001_000_000_001;
const PEOPLE = 30;
const GROUP_MESSAGES = 5;

const calls: JudgedCall[] = [];
let sim: ServedSim;
let gateway: GatewayProcess;

beforeAll(async () => {
  const onCall = (call: JudgedCall) => calls.push(call);
  sim = await serveSim({ host: '127.0.0.1', port: 0, onCall });
  sim.model.setChat(String(NOBODY), { kind: 'missing' });
  gateway = new GatewayProcess(sim.url);
  await gateway.start();
});

afterAll(async () => {
  await gateway.end('SIGKILL');
  gateway.remove();
  await sim.close();
});

const tokenOf = (bot: number) => `${bot}:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA`;

function storedIn(bot: number, chat: number) {
  return sim.model.messagesOf(String(chat)).filter((message) => message.bot === String(bot));
}

for (const { name, bot, connect } of LIBRARIES) {
  describe.concurrent(name, () => {
    const token = tokenOf(bot);
    // A client of its own for each test, as each would be a bot of its own.
    const client = (): Client => connect({ apiRoot: gateway.url, token });

    test('sends, edits, replies and deletes', async () => {
      const { send, edit, reply, remove } = client();
      const first = await send(11, 'hello');
      expect(await edit(11, first, 'hello, world')).toBe('hello, world');
      const second = await reply(11, 'yes?', first);
      expect(await remove(11, second)).toBe(true);
      const stored = storedIn(bot, 11);
      expect(stored.map(({ id }) => id)).toEqual([first, second]);
      expect(stored.map(({ text }) => text)).toEqual(['hello, world', 'yes?']);
      expect(stored.map(({ isDeleted }) => isDeleted)).toEqual([false, true]);
    });

    test('uploads a photo and an album, and downloads what it was told of', async () => {
      const { sendPhoto, sendAlbum, fileUrl } = client();
      const sent = await sendPhoto(12, randomBytes(70_000));
      expect(sent.bytes).toBe(70_000);
      const album = await sendAlbum(13, [randomBytes(90_000), randomBytes(3000)]);
      expect(album.map(({ bytes }) => bytes)).toEqual([90_000, 3000]);
      expect(storedIn(bot, 13).map((message) => message.text)).toEqual(['photo 0', 'photo 1']);
      const url = await fileUrl(sent.fileId);
      expect(url.startsWith(gateway.url)).toBe(true);
      const file = await fetch(url);
      expect(file.status).toBe(200);
      expect((await file.text()).startsWith('simulated file')).toBe(true);
    });

    test('gets the platform’s refusal as the library’s own error', async () => {
      const { send, apiError } = client();
      const error: unknown = await send(NOBODY, 'anyone?').catch((refusal: unknown) => refusal);
      expect(apiError(error)).toEqual({ code: 400, description: 'Bad Request: chat not found' });
    });

    test('polls for updates and answers them', async () => {
      const text = `ping ${name}`;
      const polled = client().echoOnce();
      sim.model.inject(token, '14', text, Date.now());
      await polled;
      expect(storedIn(bot, 14).map((message) => message.text)).toEqual([text, echoOf(text)]);
    });

    test('sends a burst and earns no 429', async () => {
      const { send } = client();
      const people = Array.from({ length: PEOPLE }, (_, i) => send(100 + i, `to ${i}`));
      const group = Array.from({ length: GROUP_MESSAGES }, (_, i) => send(GROUP, `${i}`));
      await Promise.all([...people, ...group]);
      const texts = storedIn(bot, GROUP).map((message) => message.text);
      expect(texts.toSorted()).toEqual(['0', '1', '2', '3', '4']);
      const ours = calls.filter((call) => call.token === token);
      expect(ours.length).toBeGreaterThanOrEqual(PEOPLE + GROUP_MESSAGES);
      expect(ours.filter(({ retryAfterS }) => retryAfterS !== null)).toEqual([]);
    });
  });
}
