// A gateway whose platform throws in a method that no attempt goes through: what is asked of the settings, of a
// template, of a reply, of what comes in or of how its own API speaks. That request, recipient or update ends; all
// others go on.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createGateway, type Gateway } from '../src/app/gateway.ts';
import { configOf } from '../src/config/config.ts';
import { faulty, methodsOf } from '../src/platforms/faulty.fixture.ts';
import { createTelegram } from '../src/platforms/telegram/telegram.ts';

const KEY = 'the-admin-key-of-this-test';
const TOKEN = '41:sandbox';
const ACCOUNT = 'telegram:sandbox-41';
const METHODS = methodsOf(createTelegram({ transport: null as never })).filter((method) =>
  /^(?:tuning\.|broadcast\.|updates\.|dialect\.|polling\.|calls\.(?:replyTarget|personIn|textParams))/.test(
    method,
  ),
);

const ASYNC = { prefer: 'respond-async' };

// Closes it, whatever came of the test.
async function withGateway(
  folder: string,
  method: string,
  use: (gateway: Gateway, url: string) => Promise<void>,
): Promise<void> {
  // A limit per user, so that it is asked who that is.
  const limits = { userPerMinute: 1000 };
  const data = join(folder, 'data');
  const config = configOf({ data, log: 'silent', port: 0, adminKey: KEY, ...limits });
  const gateway = await createGateway(config, {
    wrap: (platform) =>
      platform.name === 'telegram'
        ? faulty(platform, { method, mode: 'throws' }, () => true)
        : platform,
  });
  try {
    await use(gateway, await gateway.listen());
  } finally {
    await gateway.close();
  }
}

async function ask(url: string, path: string, body: object, more: Record<string, string> = {}) {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...more },
    body: JSON.stringify(body),
  });
  await answer.text();
  return answer.status;
}

// Beside each other: they wait for the sandbox's limits more than they compute.
test.concurrent.each(METHODS)('%s', async (method) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-faults-'));
  try {
    await withGateway(folder, method, async (gateway, url) => {
      await askAll(url);
      await healthy(gateway, url);
    });
    // And what is on disk by now keeps nobody from starting.
    await withGateway(folder, method, healthy);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

async function askAll(url: string): Promise<void> {
  // Not the chat of the others, whose limit it would wait for.
  const to = { platform: 'telegram', account: TOKEN, chat: 6 };
  // Each may be refused or fail; none may take the others along.
  const statuses = [
    await ask(url, `/bot${TOKEN}/sendMessage`, { chat_id: 5, text: 'x' }),
    await ask(url, '/v1/messages', {
      to,
      body: { text: 'x', reply_parameters: { message_id: 1 } },
      wait: 5,
    }),
    await ask(url, '/v1/broadcasts', {
      to: { platform: 'telegram', account: ACCOUNT },
      chats: [5],
      body: { text: '<b>{{chat}}</b>', parse_mode: 'HTML' },
    }),
    await ask(url, `/bot${TOKEN}/getUpdates`, {}),
    await ask(url, `/bot${TOKEN}/sendMessage`, { chat_id: 5, text: 'y' }, ASYNC),
    await ask(url, `/bot${TOKEN}/sendChatAction`, { chat_id: 5, action: 'typing' }),
    await ask(url, `/bot${TOKEN}/sendMessage`, { text: 'no chat' }),
    await ask(url, `/bot${TOKEN}/deleteWebhook`, {}),
    await ask(url, '/bot41:sluice-wrong/getMe', {}),
    await ask(url, '/bot%', {}),
    await ask(url, `/webhook/telegram/${ACCOUNT}`, { update_id: 1, message: { text: '@x' } }),
    await ask(url, '/v1/sandbox/messages', { account: ACCOUNT, chat: '5', text: '@bot hello' }),
  ];
  for (const status of statuses) expect(status).toBeGreaterThanOrEqual(200);
}

async function healthy(gateway: Gateway, url: string): Promise<void> {
  const sent = await gateway.send({
    to: { platform: 'terminal', account: 'local', chat: 'here' },
    body: { text: 'well' },
    wait: 10,
  });
  expect(sent).toMatchObject({ state: 'sent' });
  const health = await (await fetch(`${url}/health`)).json();
  expect(health).toMatchObject({ status: 'ok' });
}
