import { Readable } from 'node:stream';
// The contract against a fake wire, and what is the door's own: which wire a token goes to.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { HttpRequest, Reply, Transport } from '../../system/http/transport.ts';
import { type PlatformFixture, platformContract, type Weather } from '../platform.contract.ts';
import { createTelegram, REASONS } from './telegram.ts';

const TOKEN = '42:AAverysecretAAverysecret';

const json = (status: number, body: object): Reply => ({
  ...{ kind: 'answered', status, headers: {}, body: JSON.stringify(body) },
});

const no = (code: number, description: string, parameters = {}): Reply =>
  json(code, { ok: false, error_code: code, description, parameters });

const REPLIES: Readonly<Record<Weather, Reply>> = {
  fine: json(200, { ok: true, result: { message_id: 7, chat: { id: -100 } } }),
  limited: no(429, 'Too Many Requests: retry after 35', { retry_after: 35 }),
  refused: no(400, 'Bad Request: chat not found'),
  account_refused: no(401, 'Unauthorized'),
  lost: { kind: 'lost', reason: 'reset', detail: 'ECONNRESET' },
  unsent: { kind: 'unsent', reason: 'refused', detail: 'ECONNREFUSED' },
};

function fakeWire() {
  const requests: HttpRequest[] = [];
  let weather: Weather = 'fine';
  let isClosed = false;
  const transport: Transport = {
    async request(request) {
      requests.push(request);
      const reply = REPLIES[weather];
      const isGetMe = request.path.endsWith('/getMe') && weather === 'fine';
      weather = 'fine';
      return isGetMe ? json(200, { ok: true, result: { id: 42, is_bot: true } }) : reply;
    },
    async stream(request) {
      const reply = await transport.request(request);
      return reply.kind === 'answered' ? { ...reply, body: Readable.from([reply.body]) } : reply;
    },
    async close() {
      isClosed = true;
    },
  };
  const next = (coming: Weather) => {
    weather = coming;
  };
  return { transport, requests, next, isClosed: () => isClosed };
}

platformContract('telegram', async (): Promise<PlatformFixture> => {
  const wire = fakeWire();
  const params = { chat_id: -100123, message_thread_id: 5, text: 'hello' };
  return {
    platform: createTelegram({ transport: wire.transport }),
    credential: TOKEN,
    secret: 'AAverysecretAAverysecret',
    accountId: '42',
    message: { method: 'sendMessage', params, chat: '-100123', thread: '5' },
    edit: { method: 'editMessageText', params: { chat_id: 1, message_id: 2, text: 'new' } },
    read: { method: 'getChat', params: { chat_id: 1 } },
    pending: { method: 'editMessageText', params: { chat_id: 1, message_id: -5, text: 'new' } },
    update: {
      value: {
        update_id: 1,
        message: { message_id: 9, date: 1, chat: { id: -100123 }, text: 'hi' },
      },
      messageId: '9',
      reply: {
        method: 'sendMessage',
        params: { reply_parameters: { message_id: 9 }, text: 'yes' },
      },
    },
    request: {
      head: { verb: 'POST', url: `/bot${TOKEN}/sendMessage`, headers: {} },
      body: params,
    },
    retryAfterMs: 35_000,
    next: wire.next,
  };
});

describe('the wire a call takes', () => {
  const call = { method: 'sendMessage', body: '{"chat_id":1,"text":"x"}', deadlineMs: 1000 };

  test('a call is a POST of JSON to the token’s path', async () => {
    const { transport, requests } = fakeWire();
    await createTelegram({ transport }).wire.send({ ...call, credential: TOKEN });
    const headers = { 'content-type': 'application/json' };
    const path = `/bot${TOKEN}/sendMessage`;
    const { body, deadlineMs } = call;
    expect(requests).toEqual([{ method: 'POST', path, headers, body, deadlineMs }]);
  });

  test('sandbox tokens reach the sandbox alone, other tokens never do', async () => {
    const real = fakeWire();
    const sandbox = fakeWire();
    const telegram = createTelegram({ transport: real.transport, sandbox: sandbox.transport });
    await telegram.wire.identify('7:sandbox-demo');
    await telegram.wire.send({ ...call, credential: '7:sandbox-demo' });
    expect([real.requests.length, sandbox.requests.length]).toEqual([0, 2]);
    await telegram.wire.send({ ...call, credential: '7:AAsandbox' });
    expect([real.requests.length, sandbox.requests.length]).toEqual([1, 2]);
    await telegram.wire.close!();
    expect([real.isClosed(), sandbox.isClosed()]).toEqual([true, true]);
  });

  test('where the sandbox is off its tokens go nowhere, by no way there is', async () => {
    const { transport, requests } = fakeWire();
    const telegram = createTelegram({ transport });
    const credential = '7:sandbox-demo';
    const hangUp = new AbortController().signal;
    expect(telegram.wire.hostOf!(credential)).toMatchObject({ name: 'sandbox', isOff: true });
    expect(await telegram.wire.identify(credential)).toMatchObject({
      kind: 'refused',
      status: 401,
    });
    const replies = [
      await telegram.wire.send({ ...call, credential }),
      await telegram.passage!.pass({ ...call, credential }, hangUp),
      await telegram.passage!.download({ ...call, credential, path: 'a', headers: {} }, hangUp),
    ];
    expect(replies.map(({ kind }) => kind)).toEqual(['unsent', 'unsent', 'unsent']);
    expect(requests).toEqual([]);
  });

  test('the sandbox has no test servers: they would be another way to the same bot', async () => {
    const real = fakeWire();
    const sandbox = fakeWire();
    const telegram = createTelegram({ transport: real.transport, sandbox: sandbox.transport });
    expect(telegram.wire.hostOf!('7:sandbox/test').isOff).toBe(true);
    expect(await telegram.wire.identify('7:sandbox/test')).toMatchObject({ status: 401 });
    expect([...real.requests, ...sandbox.requests]).toEqual([]);
  });

  test.each(['', '42', 'x:y', '42:', '42:a/../b', '42:a?b', '42:a b'])(
    'what cannot be a token (%j) is refused as the cloud does, unasked',
    async (credential) => {
      const { transport, requests } = fakeWire();
      const identified = await createTelegram({ transport }).wire.identify(credential);
      expect(identified).toEqual({ kind: 'refused', status: 404, detail: 'Not Found' });
      expect(requests).toEqual([]);
    },
  );

  test('a bot of the test servers is another bot, on another path', async () => {
    const { transport, requests } = fakeWire();
    const telegram = createTelegram({ transport });
    const credential = `${TOKEN}/test`;
    expect(await telegram.wire.identify(credential)).toEqual({ kind: 'known', id: '42:test' });
    await telegram.wire.send({ credential, method: 'sendMessage', body: '{}', deadlineMs: 1 });
    expect(requests.map(({ path }) => path)).toEqual([
      `/bot${TOKEN}/test/getMe`,
      `/bot${TOKEN}/test/sendMessage`,
    ]);
  });

  test.each([
    ['account_refused', { kind: 'refused', status: 401, detail: 'Unauthorized' }],
    ['limited', { kind: 'unreachable', detail: 'Too Many Requests: retry after 35' }],
    ['lost', { kind: 'unreachable', detail: 'connection reset: ECONNRESET' }],
  ] as const)('identify when the weather is %s', async (weather, expected) => {
    const { transport, next } = fakeWire();
    next(weather);
    expect(await createTelegram({ transport }).wire.identify(TOKEN)).toEqual(expected);
  });
});

test('the page names every reason, in the same words', () => {
  const page = readFileSync(new URL('../../../docs/use/telegram.md', import.meta.url), 'utf8');
  for (const [code, sentence] of Object.entries(REASONS)) {
    expect(page).toContain(`| \`${code}\` | ${sentence} |`);
  }
});
