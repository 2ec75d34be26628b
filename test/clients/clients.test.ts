// Real bot libraries, unchanged but for the base URL, straight to a simulated Telegram and through a real gateway
// process: each does everything a bot does, and is told the same both ways. The simulator says what arrived, and that
// nothing came too fast.

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectChat } from './chat.ts';
import { type Client, echoOf } from './client.ts';
import { connectGramio } from './gramio.ts';
import { connectGrammy, connectGrammyRunner } from './grammy.ts';
import { connectNodeTelegramBotApi } from './node-telegram-bot-api.ts';
import { connectNodeTelegramBotApi0 } from './node-telegram-bot-api-0.ts';
import { connectPuregram } from './puregram.ts';
import { openRoad, type Road } from './road.ts';
import { connectTelegraf } from './telegraf.ts';

const EACH = ['photo 0', 'photo 1'];
const LIBRARIES = [
  { name: 'grammY', bot: 7001, connect: connectGrammy, captions: EACH },
  { name: 'telegraf', bot: 7002, connect: connectTelegraf, captions: EACH },
  { name: 'node-telegram-bot-api', bot: 7003, connect: connectNodeTelegramBotApi, captions: EACH },
  {
    name: 'node-telegram-bot-api 0.67',
    bot: 7004,
    connect: connectNodeTelegramBotApi0,
    captions: EACH,
  },
  {
    name: 'grammY, runner and auto-retry',
    bot: 7005,
    connect: connectGrammyRunner,
    captions: EACH,
  },
  { name: 'gramio', bot: 7006, connect: connectGramio, captions: EACH },
  { name: 'puregram', bot: 7007, connect: connectPuregram, captions: EACH },
  { name: 'chat', bot: 7008, connect: connectChat, captions: ['photo 0', ''] },
];
const NOBODY = 404_404;
const GROUP = -1_001_000_000_001;
const PEOPLE = 30;
const GROUP_MESSAGES = 5;
const NEVER_SENT = 999;
const TO_EDIT_NOT_FOUND = { code: 400, description: 'Bad Request: message to edit not found' };
const TEST_MS_MAX = 240_000;

let direct: Road;
let sluice: Road;

beforeAll(async () => {
  [direct, sluice] = await Promise.all([openRoad('direct'), openRoad('sluice')]);
  for (const { sim } of [direct, sluice]) sim.model.setChat(String(NOBODY), { kind: 'missing' });
});

afterAll(async () => {
  await Promise.all([direct.close(), sluice.close()]);
});

const tokenOf = (bot: number) => `${bot}:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA`;

for (const { name, bot, connect, captions } of LIBRARIES) {
  describe.concurrent(name, { timeout: TEST_MS_MAX }, () => {
    const token = tokenOf(bot);
    // A client of its own for each test, as each would be a bot of its own.
    const on = (road: Road): Client => connect({ apiRoot: road.url, token });

    // What was told, the same both ways.
    async function told<T>(run: (client: Client, road: Road) => Promise<T>): Promise<T> {
      const [plain, through] = await Promise.all([
        run(on(direct), direct),
        run(on(sluice), sluice),
      ]);
      expect(through).toEqual(plain);
      return through;
    }

    test('sends, edits, replies and deletes', async () => {
      const { first, edited, second, removed, stored } = await told(async (client, road) => {
        const first = await client.send(11, 'hello');
        const edited = await client.edit(11, first, 'hello, world');
        const second = await client.reply(11, 'yes?', first);
        const removed = await client.remove(11, second);
        const stored = road
          .messagesOf(bot, 11)
          .map(({ id, text, isDeleted }) => ({ id, text, isDeleted }));
        return { first, edited, second, removed, stored };
      });
      expect({ edited, removed }).toEqual({ edited: 'hello, world', removed: true });
      expect(stored).toEqual([
        { id: first, text: 'hello, world', isDeleted: false },
        { id: second, text: 'yes?', isDeleted: true },
      ]);
    });

    test('uploads a photo and an album, and downloads what it was told of', async () => {
      const files = [randomBytes(70_000), randomBytes(90_000), randomBytes(3000)] as const;
      const { sent, album, stored, file } = await told(async (client, road) => {
        const sent = await client.sendPhoto(12, files[0]);
        const album = await client.sendAlbum(13, files.slice(1));
        const stored = road.messagesOf(bot, 13).map(({ text }) => text);
        return { sent, album, stored, file: await client.download(sent.fileId) };
      });
      expect(sent.bytes).toBe(70_000);
      expect(album.map(({ bytes }) => bytes)).toEqual([90_000, 3000]);
      expect(stored).toEqual(captions);
      expect(file.startsWith('simulated file')).toBe(true);
    });

    test('gets the platform’s refusal as the library’s own error', async () => {
      const refused = await told((client) => refusalOf(client, client.send(NOBODY, 'anyone?')));
      expect(refused).toEqual({ code: 400, description: 'Bad Request: chat not found' });
    });

    test('edits again and again: the last text stays, and it is told when the message is gone', async () => {
      const { texts, gone, neverSent } = await told(async (client, road) => {
        const id = await client.send(15, 'a');
        const texts = [await client.edit(15, id, 'a b'), await client.edit(15, id, 'a b c')];
        await road.until(() => road.messagesOf(bot, 15)[0]!.text === 'a b c');
        const neverSent = await refusalOf(client, client.edit(15, NEVER_SENT, 'lost'));
        road.messagesOf(bot, 15)[0]!.isDeleted = true;
        return { texts, neverSent, gone: await refusalOfLaterEdits(client, road, token, id) };
      });
      expect(texts).toEqual(['a b', 'a b c']);
      expect({ neverSent, gone }).toEqual({
        neverSent: TO_EDIT_NOT_FOUND,
        gone: TO_EDIT_NOT_FOUND,
      });
    });

    // The one answer that differs on purpose: the message is as the caller wants it.
    test('is told of an edit that changes nothing: an error direct, the message through Sluice', async () => {
      const same = async (road: Road) => {
        const client = on(road);
        const id = await client.send(17, 'as it is');
        return client.edit(17, id, 'as it is').catch(client.apiError);
      };
      expect(await same(direct)).toEqual({
        code: 400,
        description: expect.stringMatching(/^Bad Request: message is not modified: specified new/),
      });
      expect(await same(sluice)).toBe('as it is');
    });

    test('polls for updates and answers them', async () => {
      const text = `ping ${name}`;
      const talk = await told(async (client, road) => {
        const polled = client.echoOnce();
        road.sim.model.inject(token, '14', text, Date.now());
        await polled;
        return road.messagesOf(bot, 14).map((message) => message.text);
      });
      expect(talk).toEqual([text, echoOf(text)]);
    });

    test('sends a burst and earns no 429', async () => {
      const { send } = on(sluice);
      const people = Array.from({ length: PEOPLE }, (_, i) => send(100 + i, `to ${i}`));
      const group = Array.from({ length: GROUP_MESSAGES }, (_, i) => send(GROUP, `${i}`));
      await Promise.all([...people, ...group]);
      const texts = sluice.messagesOf(bot, GROUP).map((message) => message.text);
      expect(texts.toSorted()).toEqual(['0', '1', '2', '3', '4']);
      const ours = sluice.calls.filter((call) => call.token === token);
      expect(ours.length).toBeGreaterThanOrEqual(PEOPLE + GROUP_MESSAGES);
      expect(ours.filter(({ retryAfterS }) => retryAfterS !== null)).toEqual([]);
    });
  });
}

// null: it was not refused.
async function refusalOf(client: Client, call: Promise<unknown>) {
  return call.then(
    () => null,
    (error: unknown) => {
      const told = client.apiError(error);
      if (told === null) throw error;
      return told;
    },
  );
}

// An edit may be answered before it is shown: then its failure is the answer to the next one, as soon as it is known.
async function refusalOfLaterEdits(client: Client, road: Road, token: string, message: number) {
  const first = await refusalOf(client, client.edit(15, message, 'later'));
  if (first !== null) return first;
  await road.until(() =>
    road.calls.some((call) => call.token === token && call.text === 'later' && call.status === 400),
  );
  for (let i = 0; ; i++) {
    const refusal = await refusalOf(client, client.edit(15, message, `later ${i}`));
    if (refusal !== null) return refusal;
  }
}
