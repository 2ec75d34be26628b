import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Bot, GrammyError, InputFile, InputMediaBuilder } from 'grammy';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../app/gateway.ts';
import { defaultConfig } from '../config/config.ts';
import { sluice } from './grammy.ts';

const TOKEN = '4711:sandboxsandboxsandboxsandboxsandbox';
const NOWHERE = 'http://127.0.0.1:9';

let folder: string;
let gateway: Gateway;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-grammy-'));
  gateway = await createGateway(defaultConfig({ data: folder, log: 'silent' }));
});

afterEach(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

// Whatever does not go over the road would go to nowhere.
function connect(): Bot {
  const bot = new Bot(TOKEN, { client: { apiRoot: NOWHERE } });
  bot.api.config.use(sluice(gateway, TOKEN));
  return bot;
}

test('what a bot sends is delivered over the road, and it gets the platform’s answer', async () => {
  const ends: string[] = [];
  gateway.events((event) => {
    if (event.kind === 'moved') ends.push(event.to);
  });
  const { api } = connect();
  const message = await api.sendMessage(5, 'hello');
  expect(message).toMatchObject({ text: 'hello', chat: { id: 5 } });
  const edited = await api.editMessageText(5, message.message_id, 'hello, world');
  expect(edited).toMatchObject({ message_id: message.message_id, text: 'hello, world' });
  expect(ends).toEqual(['sent', 'sent']);
});

test('files go over the road too', async () => {
  const { api } = connect();
  const bytes = new Uint8Array(5000);
  const { photo } = await api.sendPhoto(6, new InputFile(bytes, 'a.jpg'), { caption: 'one' });
  expect(photo[0]?.file_size).toBe(bytes.length);
  const album = [1, 2].map((i) => InputMediaBuilder.photo(new InputFile(bytes, `${i}.jpg`)));
  expect(await api.sendMediaGroup(7, album)).toHaveLength(2);
});

test('a refusal is grammY’s own error', async () => {
  const refused = connect().api.editMessageText(5, 999, 'nothing there');
  const error = await refused.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(GrammyError);
  expect(error).toMatchObject({
    error_code: 400,
    description: 'Bad Request: message to edit not found',
  });
});

test('what does not send goes the way it went before', async () => {
  const { api } = connect();
  const seen: string[] = [];
  const bot = new Bot(TOKEN, { client: { apiRoot: NOWHERE } });
  bot.api.config.use(async (_prev, method) => {
    seen.push(method);
    return { ok: true, result: true as never };
  });
  bot.api.config.use(sluice(gateway, TOKEN));
  await bot.api.getMe();
  expect(seen).toEqual(['getMe']);
  await expect(api.getMe()).rejects.toThrow();
});
