// What a key that is bound to one chat reaches, judged by what leaves: every body that would go to the platform is read
// as leniently as Telegram reads it, and must be about that chat alone.

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Role } from '../../domain/role.ts';
import type { Scope } from '../../keys/keys.ts';
import { ACCOUNT, AUTH, type Bench, bench, message, START } from '../context.fixture.ts';
import { boundKey, chatsIn, OTHER, OWN, sentBy, virtualToken } from './bounds.fixture.ts';
import { chatLeniently, readLeniently } from './lenient-json.fixture.ts';

let at: Bench;
beforeEach(async () => {
  at = await bench({ wait: { kind: 'async' } });
});
afterEach(() => at.app.close());

const virtual = (scope: Partial<Scope>) => virtualToken(at, scope);
const key = (role: Role, scope: Partial<Scope>) => boundKey(at, role, scope);
const sent = () => sentBy(at);

function expectOwn(): void {
  for (const { method, body } of sent()) {
    const read = readLeniently(body) as Record<string, unknown>;
    const chats = new Set(chatsIn(read));
    if (method.toLowerCase() === 'getme') continue;
    expect([...chats], `${method} ${body}`).toEqual([OWN]);
    expect(chatLeniently(read.chat_id), body).toBe(OWN);
    expect(body).not.toMatch(/inline_message_id|business_connection_id/i);
  }
}

describe('a token bound to a chat: what names none, with its own chat as a decoy', () => {
  test.each([
    ['getUpdates', {}],
    ['setWebhook', { url: 'https://evil.example' }],
    ['deleteWebhook', { drop_pending_updates: true }],
    ['getWebhookInfo', {}],
    ['logOut', {}],
    ['close', {}],
    ['getFile', { file_id: 'x' }],
    ['setMyName', { name: 'evil' }],
    ['setMyCommands', { commands: '[]' }],
    ['answerCallbackQuery', { callback_query_id: '1' }],
    ['answerInlineQuery', { inline_query_id: '1', results: '[]' }],
    ['getStarTransactions', {}],
    ['sendGift', { gift_id: '1' }],
    ['getBusinessConnection', { business_connection_id: 'b' }],
  ])('%s', async (method, params) => {
    const token = await virtual({ chats: [OWN] });
    for (const name of [method, method.toUpperCase(), method.toLowerCase()]) {
      const decoyed = { ...params, chat_id: OWN };
      const answers = [
        await at.app.inject({ method: 'POST', url: `/bot${token}/${name}`, payload: decoyed }),
        await at.app.inject({ url: `/bot${token}/${name}`, query: decoyed as never }),
        await at.app.inject({ url: `/bot${token}/?method=${name}`, query: decoyed as never }),
      ];
      for (const { statusCode } of answers) expect(statusCode, name).toBe(403);
    }
    expect(sent()).toEqual([]);
    const named = await virtual({ chats: [OWN], methods: [method] });
    const url = `/bot${named}/${method}`;
    const payload = { ...params, chat_id: OWN };
    const { statusCode } = await at.app.inject({ method: 'POST', url, payload });
    expect([200, 202]).toContain(statusCode);
  });

  test('a file, by its path', async () => {
    const token = await virtual({ chats: [OWN] });
    expect((await at.app.inject(`/file/bot${token}/a.jpg?chat_id=${OWN}`)).statusCode).toBe(403);
    expect(at.downloads).toEqual([]);
  });
});

describe('a token bound to a chat: an object that is read otherwise elsewhere', () => {
  const reply = (text: string) => ({ reply_parameters: text });
  const READINGS: [string, object][] = [
    ['white space before it', reply(` \n\t{"message_id":1,"chat_id":${OTHER}}`)],
    ['the first of two', reply(`{"message_id":1,"chat_id":${OTHER},"chat_id":${OWN}}`)],
    ['a raw control character', reply(`{"quote":"a\nb","message_id":1,"chat_id":${OTHER}}`)],
    ['a plus', reply(`{"message_id":1,"chat_id":+${OTHER}}`)],
    ['a zero', reply(`{"message_id":1,"chat_id":0${OTHER}}`)],
    ['text behind it', reply(`{"message_id":1,"chat_id":${OTHER}} x`)],
    ['a name by its letters’ numbers', reply(`{"message_id":1,"\\u0063hat_id":${OTHER}}`)],
  ];
  const FURTHER: [string, object][] = [
    ['control characters before it', reply(`\u0001{"chat_id":${OTHER}}`)],
    ['a number in a text', reply(`{"message_id":1,"chat_id":"${OTHER}"}`)],
    ['an object in a text in an object', reply(`"{\\"chat_id\\":${OTHER}}"`)],
    ['no end', reply(`{"message_id":1,"chat_id":${OTHER}`)],
    ['a chat in other letters', { Chat_Id: OTHER }],
    ['where it is forwarded from', { from_chat_id: `+${OTHER}` }],
    ['a message without a place', { inline_message_id: 'x' }],
    ['somebody else’s account', { business_connection_id: 'b' }],
    ['an unknown parameter', { future: ` {"chat_id":+${OTHER}}` }],
    [
      'nothing but a name of ours',
      { 'sluice:parts': null, reply_parameters: `{"chat_id":${OTHER}}` },
    ],
  ];

  test.each([...READINGS, ...FURTHER])('%s', async (_name, params) => {
    const token = await virtual({ chats: [OWN] });
    const form = new URLSearchParams({ chat_id: OWN, text: 'x', message_id: '1' });
    for (const [name, value] of Object.entries(params)) form.append(name, String(value));
    const url = (method: string) => `/bot${token}/${method}`;
    const payload = { chat_id: OWN, text: 'x', message_id: 1, ...params };
    // Over the road, at once, and straight through.
    for (const method of ['sendMessage', 'editMessageText', 'sendChatAction', 'setChatTitle']) {
      await at.app.inject({ method: 'POST', url: url(method), payload });
      await at.app.inject({
        ...{ method: 'POST', url: url(method), payload: String(form) },
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      await at.app.inject({ url: `${url(method)}?${String(form)}` });
    }
    expectOwn();
  });

  test.each(['05', '+5', ' 5', '5.0', '5e0', '٥', '5x', '@Five', '5\u0000'])(
    'another spelling of a chat: %j',
    async (chat) => {
      for (const own of ['5', '@fiver']) {
        const token = await virtual({ chats: [own] });
        const url = `/bot${token}/getChat`;
        const { statusCode } = await at.app.inject({
          method: 'POST',
          url,
          payload: { chat_id: chat },
        });
        expect(statusCode).toBe(403);
      }
      expect(sent()).toEqual([]);
    },
  );

  test('what cannot be judged is named, so that it can be mended', async () => {
    const token = await virtual({ chats: [OWN] });
    const url = `/bot${token}/sendMessage`;
    const payload = { chat_id: OWN, text: 'x', reply_parameters: '{"message_id":+1}' };
    const answer = await at.app.inject({ method: 'POST', url, payload });
    expect(answer.statusCode).toBe(403);
    expect(answer.json().description).toContain('reply_parameters must be an object');
    const headers = await key('sender', { chats: [OWN] });
    const body = { text: 'x', Odd: 1 };
    const asked = { method: 'POST', url: '/v1/messages', headers } as const;
    const refused = (await at.app.inject({ ...asked, payload: message({ body }) })).json();
    expect(refused).toMatchObject({ code: 'forbidden_scope' });
    expect(refused.detail).toContain('small letters');
  });

  test('of a parameter that is given twice, the one that was judged is sent', async () => {
    const token = await virtual({ chats: [OWN] });
    const url = `/bot${token}/getChat?chat_id=${OWN}&chat_id=${OTHER}`;
    const payload = `chat_id=${OTHER}&chat_id=${OWN}`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    await at.app.inject({ method: 'POST', url, payload, headers });
    expect(at.passed.map(({ body }) => body)).toEqual([`{"chat_id":"${OWN}"}`]);
  });

  test('a file that comes under the name of a parameter', async () => {
    const token = await virtual({ chats: [OWN] });
    const form = new FormData();
    form.append('chat_id', OWN);
    form.append('photo', 'attach://chat_id');
    form.append('chat_id', new Blob([OTHER]), 'chat_id');
    const encoded = new Response(form);
    const answer = await at.app.inject({
      ...{ method: 'POST', url: `/bot${token}/sendPhoto` },
      headers: { 'content-type': encoded.headers.get('content-type')! },
      payload: Buffer.from(await encoded.arrayBuffer()),
    });
    expect(answer.statusCode).toBe(403);
    expect(sent()).toEqual([]);
    expect([...at.spooled.values()]).toEqual([0]);
  });
});

describe('within its bounds', () => {
  test('what is sent is the object, not its text', async () => {
    const token = await virtual({ chats: [OWN] });
    const payload = {
      chat_id: OWN,
      text: '{"x',
      reply_parameters: ` {"message_id":1,"chat_id":${OWN}}`,
    };
    await at.app.inject({ method: 'POST', url: `/bot${token}/sendMessage`, payload });
    const [delivery] = at.road.submitted;
    expect(JSON.parse(delivery!.body)).toEqual({
      ...payload,
      reply_parameters: { message_id: 1, chat_id: -100 },
    });
    expect(delivery).toMatchObject({ chat: OWN, budget: 'reply' });
  });

  test('a token bound to methods may ask who it is', async () => {
    const token = await virtual({ methods: ['sendMessage'] });
    expect((await at.app.inject(`/bot${token}/getMe`)).statusCode).toBe(200);
    expect((await at.app.inject(`/bot${token}/getChat?chat_id=5`)).statusCode).toBe(403);
  });

  test('a token for all of its bot may make any call, as it comes', async () => {
    const token = await virtual({});
    const payload = { chat_id: OTHER, reply_parameters: ' {"message_id":+1}', Odd: 1 };
    await at.app.inject({ method: 'POST', url: `/bot${token}/futureGet`, payload });
    await at.app.inject({ method: 'POST', url: `/bot${token}/getUpdates`, payload });
    expect(sent().map(({ body }) => JSON.parse(body))).toEqual([payload, payload]);
  });
});

describe('whatever is asked, nothing reaches another chat', () => {
  const METHODS = [
    ...[
      'sendMessage',
      'forwardMessage',
      'copyMessage',
      'editMessageText',
      'sendChatAction',
      'getChat',
    ],
    ...['sendPhoto', 'sendMediaGroup', 'deleteMessages', 'setMyCommands', 'getUpdates', 'getMe'],
    ...[
      'banChatSenderChat',
      'setChatMenuButton',
      'repostStory',
      'transferGift',
      'sendFuture',
      'getFuture',
    ],
  ];
  const chat = fc.constantFrom(
    ...[
      OWN,
      OTHER,
      -100,
      7,
      '-0100',
      '+7',
      '07',
      ' 7',
      '7 ',
      '7.0',
      '7e0',
      '@own',
      '@OTHER',
      null,
      '',
    ],
    ...[[7], { chat_id: 7 }, true, 7.5, '٧'],
  );
  // JSON of an object as attackers write it, in which one member names a chat or two do.
  const oddJson = fc
    .record({
      before: fc.constantFrom('', ' ', '\n', '\t', '\u0001', '\ufeff', '"'),
      name: fc.constantFrom('chat_id', '\\u0063hat_id', 'CHAT_ID', 'from_chat_id'),
      first: fc.constantFrom('7', '+7', '07', '"7"', '"+7"', OWN, `"${OWN}"`, '-100.0', 'null'),
      second: fc.constantFrom('', `,"chat_id":${OWN}`, ',"chat_id":7', ',"quote":"a\u0002b"'),
      after: fc.constantFrom('', ' ', ' x', '{}', '"'),
      shape: fc.constantFrom('object', 'array', 'open'),
    })
    .map(({ before, name, first, second, after, shape }) => {
      const body = `"message_id":1,"${name}":${first}${second}`;
      const json = shape === 'array' ? `[{${body}}]` : shape === 'open' ? `{${body}` : `{${body}}`;
      return `${before}${json}${after}`;
    });
  const value = fc.oneof(
    chat,
    oddJson,
    fc.constantFrom({ chat_id: 7 }, { a: [{ chat_id: '07' }] }),
  );
  const name = fc.constantFrom(
    ...['chat_id', 'chat_id', 'from_chat_id', 'reply_parameters', 'scope', 'media', 'message_ids'],
    ...[
      'Chat_ID',
      'sender_chat_id',
      'inline_message_id',
      'business_connection_id',
      'future',
      'text',
    ],
    ...['reply_markup', 'method', 'user_id', '__proto__', 'chat_id ', 'link_preview_options'],
  );
  // Some harmless, so that some calls are let through.
  const param = fc.oneof(fc.tuple(name, value), fc.constant<[string, unknown]>(['chat_id', OWN]));
  const params = fc.array(param, { maxLength: 3 });
  const attack = fc.record({
    method: fc.constantFrom(...METHODS),
    isLoud: fc.boolean(),
    isByParam: fc.boolean(),
    hasDecoy: fc.boolean(),
    query: params,
    body: params,
    form: fc.constantFrom('json', 'form', 'multipart'),
  });
  type Attack = typeof attack extends fc.Arbitrary<infer A> ? A : never;

  const asText = (given: unknown) =>
    typeof given === 'object' ? JSON.stringify(given) : String(given);

  // Written by hand, so that names may come twice.
  function bodyOf({ form, body, hasDecoy }: Attack): { type: string; text: string } {
    const pairs: [string, unknown][] = hasDecoy ? [['chat_id', OWN], ...body] : body;
    if (form === 'json') {
      const members = pairs.map(
        ([key, given]) => `${JSON.stringify(key)}:${JSON.stringify(given)}`,
      );
      return { type: 'application/json', text: `{${members.join(',')}}` };
    }
    if (form === 'form') {
      const text = pairs
        .map(([key, given]) => `${key}=${encodeURIComponent(asText(given))}`)
        .join('&');
      return { type: 'application/x-www-form-urlencoded', text };
    }
    const parts = pairs.map(
      ([key, given]) =>
        `--x\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${asText(given)}\r\n`,
    );
    return { type: 'multipart/form-data; boundary=x', text: `${parts.join('')}--x--\r\n` };
  }

  test('through a virtual token', async () => {
    const token = await virtual({ chats: [OWN, '@own'] });
    let passed = 0;
    await fc.assert(
      fc.asyncProperty(attack, async (asked) => {
        const method = asked.isLoud ? asked.method.toUpperCase() : asked.method;
        const query = asked.query.map(
          ([key, given]) => `${key}=${encodeURIComponent(asText(given))}`,
        );
        const path = asked.isByParam ? '' : method;
        if (asked.isByParam) query.unshift(`method=${method}`);
        const { type, text } = bodyOf(asked);
        await at.app.inject({
          ...{ method: 'POST', url: `/bot${token}/${path}?${query.join('&')}` },
          ...{ headers: { 'content-type': type, prefer: 'respond-async' }, payload: text },
        });
        passed += sent().length;
        for (const { method: done, body } of sent()) {
          const read = readLeniently(body) as Record<string, unknown>;
          if (done.toLowerCase() === 'getme') continue;
          expect(done).not.toMatch(/future|getUpdates|Commands|Story|Gift/i);
          for (const each of chatsIn(read)) expect([OWN, '@own'], body).toContain(each);
          if (!/MenuButton/i.test(done)) expect(chatsIn(read).length, body).toBeGreaterThan(0);
        }
        for (const list of [at.road.submitted, at.road.cosmetics, at.passed]) list.length = 0;
      }),
      { numRuns: 1500 },
    );
    // The test would be worth nothing if all were refused.
    expect(passed).toBeGreaterThan(50);
  });

  // Reads what leaves as it is read elsewhere, and makes room for the next.
  async function expectWithin(): Promise<number> {
    const left = [...sent().map(({ body }) => body), ...at.live.opened.map(shownBody)];
    for (const body of left) {
      for (const named of chatsIn(readLeniently(body)))
        expect([OWN, '@own'], body).toContain(named);
    }
    for (const { seq } of await at.options.ledger.search({ state: 'queued' }, PAGE)) {
      const order = { to: 'cancelled', reason: 'cancelled', by: 'test', body: null } as const;
      await at.road.move({ ...order, seq, at: START, queueMax: 0 });
    }
    for (const list of [at.road.submitted, at.road.cosmetics, at.passed]) list.length = 0;
    at.live.opened.length = 0;
    at.live.streams.clear();
    return left.length;
  }
  const PAGE = { limit: 100, before: null };

  // As the platform has it: the target is set last.
  function shownBody({ chat: to, params: given }: Bench['live']['opened'][number]): string {
    return JSON.stringify({ ...given, chat_id: to });
  }

  test('through a key: messages and streams', async () => {
    const headers = await key('sender', { chats: [OWN, '@own'] });
    let passed = 0;
    await fc.assert(
      fc.asyncProperty(attack, fc.oneof(fc.constant(OWN), chat), async ({ method, body }, to) => {
        const target = { platform: 'telegram', account: ACCOUNT, chat: to };
        const given = Object.fromEntries(body);
        const post = (url: string, payload: object) =>
          at.app.inject({ method: 'POST', url, headers, payload });
        await post('/v1/messages', { to: target, method, body: given });
        const { text: _text, ...further } = given;
        await post('/v1/streams', { to: target, body: further });
        passed += await expectWithin();
      }),
      { numRuns: 500 },
    );
    expect(passed).toBeGreaterThan(50);
  });

  test('through an operator: edits of a dead letter of its own chat', async () => {
    const headers = await key('operator', { chats: [OWN, '@own'] });
    let passed = 0;
    let seq = 0;
    await fc.assert(
      fc.asyncProperty(params, async (given) => {
        const letter = await at.app.inject({
          ...{ method: 'POST', url: '/v1/messages', headers: AUTH, payload: message() },
        });
        seq += 1;
        await at.road.die(seq, 'chat_not_found');
        const body = { text: 'x', ...Object.fromEntries(given) };
        const url = `/v1/dead/${letter.json().id}`;
        await at.app.inject({ method: 'PATCH', url, headers, payload: { body } });
        const edited = (await at.options.ledger.get(seq))!;
        passed += edited.state === 'queued' ? 1 : 0;
        for (const named of chatsIn(readLeniently(edited.body!))) {
          expect([OWN, '@own'], edited.body!).toContain(named);
        }
        await expectWithin();
      }),
      { numRuns: 300 },
    );
    expect(passed).toBeGreaterThan(20);
  });
});
