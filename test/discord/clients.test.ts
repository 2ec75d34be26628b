// Whole clients of Discord, unchanged but for the base URL: their message flow straight to a simulated Discord and
// through the gateway, told the same both ways. Their web socket is not opened.

// First of all: it takes the process's HTTP client for its own, and forms of another version are not.
import '@discordjs/rest';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createDiscordAdapter } from '@chat-adapter/discord';
import { ConsoleLogger } from 'chat';
import { Client, ClientUser, WebhookClient } from 'discord.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensure } from '../../scripts/ensure.ts';
import { createGateway, type Gateway } from '../../src/app/gateway.ts';
import { configOf } from '../../src/config/config.ts';
import {
  DISCORD_SIMULATOR,
  type DiscordCall,
  type DiscordModel,
  type ServedModel,
  serveModel,
} from '../../src/sim/sim.ts';

const BOT = '123456789012345678';
const TOKEN = `${Buffer.from(BOT).toString('base64url')}.Gabcde.${'s'.repeat(30)}`;
const PERSON = '555555555555555555';
const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL('./discord_py.py', import.meta.url));
// Debian's own, which has Debian's libraries.
const PYTHON = '/usr/bin/python3';
const TEST_MS_MAX = 240_000;

const isPythonThere = (await ensure('discord.py')) !== null;
const folder = mkdtempSync(join(tmpdir(), 'sluice-discord-'));
const calls: DiscordCall[] = [];
let direct: ServedModel<DiscordModel>;
let sim: ServedModel<DiscordModel>;
let gateway: Gateway;
let url: string;

beforeAll(async () => {
  const onCall = (call: DiscordCall) => calls.push(call);
  direct = await serveModel(DISCORD_SIMULATOR, { host: '127.0.0.1', port: 0 });
  sim = await serveModel(DISCORD_SIMULATOR, { host: '127.0.0.1', port: 0, onCall });
  const config = configOf({ data: folder, log: 'silent', port: 0, discordApi: sim.url });
  gateway = await createGateway(config);
  url = await gateway.listen();
});

afterAll(async () => {
  await gateway.close();
  await Promise.all([sim.close(), direct.close()]);
  rmSync(folder, { recursive: true, force: true });
});

// What was told, the same both ways, and met no limit.
async function told<T>(flow: (base: string, model: DiscordModel) => Promise<T>): Promise<T> {
  calls.length = 0;
  const plain = await flow(direct.url, direct.model);
  const through = await flow(url, sim.model);
  expect(through).toEqual(plain);
  expect(calls.length).toBeGreaterThan(0);
  expect(calls.filter(({ status }) => status === 429)).toEqual([]);
  return through;
}

const textsOf = (model: DiscordModel, channel: string) =>
  model.messagesOf(channel).flatMap(({ text, isDeleted }) => (isDeleted ? [] : [text]));

test(
  'discord.js: sends, edits, answers, reacts, uploads, reads and deletes',
  async () => {
    const seen = await told(async (base, model) => {
      const client = new Client({ intents: [], rest: { api: `${base}/api` } });
      client.rest.setToken(TOKEN);
      // What its web socket would tell it first.
      const me = await client.rest.get('/users/@me');
      client.user = Reflect.construct(ClientUser, [client, me]) as ClientUser;
      const channel = await client.users.createDM(PERSON);
      await channel.sendTyping();
      const message = await channel.send('hello');
      const edited = await message.edit('hello, world');
      const reply = await edited.reply('yes?');
      await reply.react('👍');
      const cat = { attachment: Buffer.from('meow'), name: 'cat.txt' };
      const upload = await channel.send({ content: 'a cat', files: [cat] });
      const read = await channel.messages.fetch({ limit: 10 });
      const gone = await channel.send('gone');
      await gone.delete();
      const refused = await channel.send('x'.repeat(2001)).catch((error: unknown) => {
        const { status, code } = error as { status: number; code: number };
        return { status, code };
      });
      await client.destroy();
      return {
        edited: edited.content,
        to: reply.reference?.messageId === message.id,
        files: upload.attachments.map(({ name, size }) => ({ name, size })),
        read: read.map(({ content }) => content),
        refused,
        texts: textsOf(model, PERSON),
      };
    });
    expect(seen).toMatchObject({
      ...{ edited: 'hello, world', to: true, files: [{ name: 'cat.txt', size: 4 }] },
      refused: { status: 400, code: 50035 },
      texts: ['hello, world', 'yes?', 'a cat'],
    });
  },
  TEST_MS_MAX,
);

test(
  'discord.js: a webhook sends, edits and deletes',
  async () => {
    const channel = '777777777777777777';
    const seen = await told(async (base, model) => {
      const client = new Client({ intents: [], rest: { api: `${base}/api` } });
      client.rest.setToken(TOKEN);
      const made = await client.rest.post(`/channels/${channel}/webhooks`, { body: { name: 'h' } });
      const { id, token } = made as { id: string; token: string };
      const hook = new WebhookClient({ id, token }, { rest: { api: `${base}/api` } });
      const message = await hook.send('by a webhook');
      await hook.editMessage(message.id, 'better');
      const gone = await hook.send('gone');
      await hook.deleteMessage(gone.id);
      hook.destroy();
      await client.destroy();
      return textsOf(model, channel);
    });
    expect(seen).toEqual(['better']);
  },
  TEST_MS_MAX,
);

test(
  'Vercel’s chat: posts, edits and deletes by its adapter',
  async () => {
    const channel = '888888888888888888';
    const seen = await told(async (base, model) => {
      const adapter = createDiscordAdapter({
        apiUrl: `${base}/api/v10`,
        botToken: TOKEN,
        applicationId: BOT,
        publicKey: '0'.repeat(64),
        logger: new ConsoleLogger('silent'),
      });
      const thread = adapter.encodeThreadId({ guildId: '1', channelId: channel });
      const posted = await adapter.postMessage(thread, 'hello');
      await adapter.editMessage(thread, posted.id, 'hello, world');
      const gone = await adapter.postMessage(thread, 'gone');
      await adapter.deleteMessage(thread, gone.id);
      await adapter.startTyping(thread);
      return textsOf(model, channel);
    });
    expect(seen).toEqual(['hello, world']);
  },
  TEST_MS_MAX,
);

test.skipIf(!isPythonThere)(
  'discord.py: sends, edits, answers, uploads and deletes',
  async () => {
    const channel = '999999999999999999';
    const seen = await told(async (base, model) => {
      const { stdout } = await run(PYTHON, ['-W', 'ignore', SCRIPT, base, TOKEN, channel]);
      return { said: JSON.parse(stdout) as unknown, texts: textsOf(model, channel) };
    });
    expect(seen).toEqual({
      said: { edited: 'hello, world', answered: true, file: 'cat.txt', refused: [400, 50035] },
      texts: ['hello, world', 'yes?', 'a cat'],
    });
  },
  TEST_MS_MAX,
);
