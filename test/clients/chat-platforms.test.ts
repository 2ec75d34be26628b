// Vercel's Chat SDK with its Slack and WhatsApp adapters, unchanged but for the base URL: posts, edits, reactions,
// deletions, typing signs and streams, straight to a simulated platform and through the gateway, told the same.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSlackAdapter } from '@chat-adapter/slack';
import { createMemoryState } from '@chat-adapter/state-memory';
import { createWhatsAppAdapter } from '@chat-adapter/whatsapp';
import { type Adapter, Chat, ConsoleLogger } from 'chat';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../../src/app/gateway.ts';
import { configOf } from '../../src/config/config.ts';
import {
  type ServedModel,
  SLACK_SIMULATOR,
  type SlackModel,
  serveModel,
  WHATSAPP_SIMULATOR,
  type WhatsappModel,
} from '../../src/sim/sim.ts';

const SLACK_TOKEN = 'xoxb-12345-67890-abcdefghijklmnop';
const NUMBER = '106540352242922';
const logger = new ConsoleLogger('silent');
const at = { host: '127.0.0.1', port: 0 };
const folder = mkdtempSync(join(tmpdir(), 'sluice-chat-'));
let slack: readonly ServedModel<SlackModel>[];
let whatsapp: readonly ServedModel<WhatsappModel>[];
let gateway: Gateway;
let url: string;

beforeAll(async () => {
  slack = await Promise.all([serveModel(SLACK_SIMULATOR, at), serveModel(SLACK_SIMULATOR, at)]);
  whatsapp = await Promise.all([
    serveModel(WHATSAPP_SIMULATOR, at),
    serveModel(WHATSAPP_SIMULATOR, at),
  ]);
  const upstream = { slackApi: slack[1]!.url, whatsappApi: whatsapp[1]!.url };
  gateway = await createGateway(configOf({ data: folder, log: 'silent', port: 0, ...upstream }));
  url = await gateway.listen();
});

afterAll(async () => {
  await gateway.close();
  await Promise.all([...slack, ...whatsapp].map((sim) => sim.close()));
  rmSync(folder, { recursive: true, force: true });
});

// Straight first, then through the gateway.
async function told<M, T>(
  sims: readonly ServedModel<(M & SlackModel) | (M & WhatsappModel)>[],
  flow: (base: string, model: M) => Promise<T>,
): Promise<T> {
  const plain = await flow(sims[0]!.url, sims[0]!.model as M);
  const through = await flow(url, sims[1]!.model as M);
  expect(through).toEqual(plain);
  return through;
}

async function* words() {
  for (const word of ['An ', 'answer ', 'that ', 'grows.']) yield word;
}

test('its Slack adapter', async () => {
  const seen = await told<SlackModel, unknown>(slack, async (base, model) => {
    const adapter = createSlackAdapter({
      ...{ apiUrl: `${base}/api/`, botToken: SLACK_TOKEN, signingSecret: 'secret', logger },
    });
    const chat = new Chat({
      ...{ userName: 'bot', adapters: { slack: adapter as Adapter } },
      ...{ state: createMemoryState(), logger: 'silent' as const },
    });
    await chat.initialize();
    const thread = adapter.encodeThreadId({ channel: 'C0123', threadTs: '' });
    const posted = await adapter.postMessage(thread, 'hello');
    await adapter.editMessage(thread, posted.id, 'hello, **world**');
    await adapter.addReaction(thread, posted.id, 'thumbsup');
    const gone = await adapter.postMessage(thread, 'gone');
    await adapter.deleteMessage(thread, gone.id);
    const below = adapter.encodeThreadId({ channel: 'C0123', threadTs: posted.id });
    await adapter.postMessage(below, 'in a thread');
    const whom = { recipientUserId: 'U7', recipientTeamId: 'T12345' };
    await adapter.stream(below, words(), whom);
    const shown = model.messagesOf('C0123').filter(({ isDeleted }) => !isDeleted);
    return shown.map(({ text, thread: root }) => [text, root === posted.id]);
  });
  expect(seen).toMatchObject([
    [expect.stringContaining('world'), false],
    ['in a thread', true],
    ['An answer that grows.', true],
  ]);
});

test('its WhatsApp adapter', async () => {
  const user = '15551234567';
  const seen = await told<WhatsappModel, unknown>(whatsapp, async (base, model) => {
    const adapter = createWhatsAppAdapter({
      ...{ apiUrl: base, accessToken: 'EAAsimulatedsimulated', phoneNumberId: NUMBER, logger },
      ...{ appSecret: 'secret', verifyToken: 'token' },
    });
    const thread = adapter.encodeThreadId({ phoneNumberId: NUMBER, userWaId: user });
    const { messageId } = model.inject(`${NUMBER}:x`, user, 'hi', Date.now());
    const posted = await adapter.postMessage(thread, { markdown: 'hello, **world**' });
    await adapter.addReaction(thread, String(messageId), 'thumbs_up');
    await adapter.markAsRead(String(messageId));
    const long = await adapter.postMessage(thread, 'a'.repeat(5000));
    expect([posted.id, long.id].every((id) => id.startsWith('wamid.'))).toBe(true);
    const streamed = await adapter.stream?.(thread, words());
    expect(streamed).not.toBeUndefined();
    return model.messagesOf(user).map(({ text, fromBot }) => [text, fromBot]);
  });
  expect(seen).toContainEqual(['hello, *world*', true]);
  expect(seen).toContainEqual(['An answer that grows.', true]);
});
