// JSON that nests without end, and names that are ours, at every door of HTTP: refused or left out.

import { afterEach, describe, expect, test } from 'vitest';
import { createTelegram } from '../platforms/telegram/telegram.ts';
import { ACCOUNT, AUTH, type Bench, bench, message, TOKEN } from './context.fixture.ts';
import { valueProblem } from './edge.ts';
import { callInProcess } from './in-process.ts';

const LEVELS = 2500;
const DEEP = `${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}`;
const DEEP_OBJECT = `${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`;
const NESTED_PARAMS = [
  ...['reply_parameters', 'reply_markup', 'media', 'message_ids', 'entities', 'caption_entities'],
  ...['link_preview_options', 'options', 'allowed_updates', 'permissions', 'results', 'prices'],
];
const DIALECT = `/bot${TOKEN}/sendMessage`;
const FORM = 'application/x-www-form-urlencoded';

let open: Bench | null = null;
afterEach(async () => {
  await open?.app.close();
  open = null;
});

async function start(...settings: Parameters<typeof bench>) {
  open = await bench(...settings);
  return open;
}

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT';

function ask(at: Bench, method: Method, url: string, payload: string, type = 'application/json') {
  const headers = { ...AUTH, 'content-type': type };
  return at.app.inject({ method, url, headers, ...(method === 'GET' ? {} : { payload }) });
}

describe('the drop-in refuses nested JSON in any parameter, in the words of the platform', () => {
  const forms: Record<string, (at: Bench, name: string, value: string) => ReturnType<typeof ask>> =
    {
      form: (at, name, value) => {
        const fields = new URLSearchParams({ chat_id: '1', text: 'x', [name]: value });
        return ask(at, 'POST', DIALECT, fields.toString(), FORM);
      },
      multipart: (at, name, value) => {
        const part = (field: string, said: string) =>
          `--b\r\ncontent-disposition: form-data; name="${field}"\r\n\r\n${said}\r\n`;
        const body = `${part('chat_id', '1')}${part('text', 'x')}${part(name, value)}--b--\r\n`;
        return ask(at, 'POST', DIALECT, body, 'multipart/form-data; boundary=b');
      },
      'JSON text in JSON': (at, name, value) =>
        ask(at, 'POST', DIALECT, JSON.stringify({ chat_id: 1, text: 'x', [name]: value })),
      query: (at, name, value) =>
        ask(at, 'GET', `${DIALECT}?chat_id=1&text=x&${name}=${encodeURIComponent(value)}`, ''),
    };

  test.each(Object.entries(forms))('%s', async (_form, send) => {
    const at = await start();
    for (const name of NESTED_PARAMS) {
      for (const value of [DEEP, DEEP_OBJECT, ` \n${DEEP}`, `${'['.repeat(100)}`]) {
        const answer = await send(at, name, value);
        expect(answer.statusCode, `${name} ${value.slice(0, 20)}`).toBe(400);
        expect(answer.json()).toEqual({
          ok: false,
          error_code: 400,
          description: `Bad Request: can't parse ${name} JSON object`,
        });
      }
    }
    expect(at.road.submitted).toEqual([]);
    expect(at.passed).toEqual([]);
  });

  test('brackets in what people write are text', async () => {
    const at = await start();
    const fields = new URLSearchParams({ chat_id: '1', text: '['.repeat(4000) });
    const headers = { prefer: 'respond-async', 'content-type': FORM };
    const payload = fields.toString();
    const sent = await at.app.inject({ method: 'POST', url: DIALECT, headers, payload });
    expect(sent.statusCode).toBe(202);
    expect(at.road.submitted).toHaveLength(1);
  });
});

test('REST messages, streams, dead letters, broadcasts, keys and logins refuse it with a code', async () => {
  const at = await start();
  const to = JSON.stringify({ platform: 'telegram', account: ACCOUNT, chat: '1' });
  const doors: [Method, string, string][] = [
    ['POST', '/v1/messages', `{"to":${to},"body":{"text":"x","reply_markup":${DEEP}}}`],
    ['POST', '/v1/messages', `[{"to":${to},"body":{"text":"x","reply_markup":${DEEP}}}]`],
    ['POST', '/v1/streams', `{"to":${to},"body":{"reply_markup":${DEEP}}}`],
    ['PATCH', '/v1/streams/s-1', `{"append":${DEEP}}`],
    ['PATCH', '/v1/dead/x-1', `{"body":{"text":${DEEP}}}`],
    ['POST', '/v1/broadcasts', `{"to":${to},"body":{"text":${DEEP}}}`],
    ['POST', '/v1/keys', `{"name":${DEEP}}`],
    ['POST', '/login', `{"key":${DEEP}}`],
  ];
  for (const [method, url, payload] of doors) {
    const answer = await ask(at, method, url, payload);
    expect(answer.statusCode, `${method} ${url}`).toBe(400);
    expect(answer.json().code, `${method} ${url}`).toBe('json_bounds');
  }
  expect(at.road.submitted).toEqual([]);
});

test('JSON text within a REST body is bounded too', async () => {
  const at = await start();
  const body = { text: 'x', reply_markup: DEEP };
  const answer = await ask(at, 'POST', '/v1/messages', JSON.stringify(message({ body })));
  expect(answer.statusCode).toBe(422);
  expect(answer.json().problems[0].expected).toContain("can't parse reply_markup JSON object");
  const request = { to: message().to, body: { reply_markup: DEEP } };
  expect((await ask(at, 'POST', '/v1/streams', JSON.stringify(request))).statusCode).toBe(422);
  expect(at.road.submitted).toEqual([]);
});

test('lists of recipients and the message beside them are bounded line by line', async () => {
  const at = await start();
  const audience = await ask(
    at,
    'PUT',
    '/v1/audiences/a',
    `{"chat":1}\n${DEEP}\n`,
    'application/x-ndjson',
  );
  expect(audience.statusCode).toBe(422);
  expect(audience.body).toContain('64 levels');
  const part = (name: string, type: string, said: string) =>
    `--b\r\ncontent-disposition: form-data; name="${name}"; filename="${name}"\r\n` +
    `content-type: ${type}\r\n\r\n${said}\r\n`;
  const form = `${part('message', 'application/json', DEEP)}${part('recipients', 'text/plain', '1')}--b--\r\n`;
  const sent = await ask(at, 'POST', '/v1/broadcasts', form, 'multipart/form-data; boundary=b');
  expect(sent.statusCode).toBe(400);
  expect(sent.json().code).toBe('json_bounds');
});

test('a library user is told the same', async () => {
  const at = await start();
  const loop: Record<string, unknown> = { text: 'x' };
  loop.self = loop;
  expect(valueProblem(message({ body: loop }))?.code).toBe('json_bounds');
  expect(valueProblem(message({ body: { n: 5n } }))?.code).toBe('invalid_json');
  expect(valueProblem(message())).toBeNull();
  const call = { platform: 'telegram', token: TOKEN, method: 'sendMessage', params: loop };
  expect(await callInProcess(at.dialects, call)).toMatchObject({ ok: false, error_code: 400 });
  const form = new FormData();
  form.set('chat_id', '1');
  form.set('text', 'x');
  form.set('reply_markup', DEEP);
  expect(await callInProcess(at.dialects, { ...call, params: form })).toMatchObject({
    description: "Bad Request: can't parse reply_markup JSON object",
  });
  expect(at.road.submitted).toEqual([]);
});

describe('names that are ours are left out of every body', () => {
  const OURS = { 'sluice:parts': null, 'sluice:files': { a: 1 }, 'sluice:other': [] };
  const bodies = (at: Bench) => at.road.submitted.map(({ body }) => body);

  test('messages, forms, queries and edited dead letters', async () => {
    const at = await start();
    const body = { text: 'x', ...OURS };
    await ask(at, 'POST', '/v1/messages', JSON.stringify(message({ body })));
    const wait = { prefer: 'respond-async' };
    const headers = { ...AUTH, ...wait };
    const fields = new URLSearchParams({ chat_id: '1', text: 'x', 'sluice:parts': 'null' });
    await at.app.inject({
      method: 'POST',
      url: DIALECT,
      headers: { ...headers, 'content-type': FORM },
      payload: fields.toString(),
    });
    await at.app.inject({ url: `${DIALECT}?chat_id=1&text=x&sluice:files=%7B%7D`, headers });
    await at.app.inject({
      method: 'POST',
      url: DIALECT,
      headers: { ...headers, 'content-type': 'application/json' },
      payload: JSON.stringify({ chat_id: 1, ...body }),
    });
    expect(bodies(at)).toHaveLength(4);
    for (const each of bodies(at)) expect(each).not.toContain('sluice:');
  });

  test('a body that holds them all the same (written by an older version) is a plain call', () => {
    const platform = createTelegram({ transport: null as never });
    const answer = '{"ok":true,"result":{"message_id":5}}';
    for (const parts of [
      'null',
      '5',
      '"x"',
      '{}',
      '{"rest":null,"done":[]}',
      '{"rest":[null],"done":[]}',
    ]) {
      const body = `{"sluice:parts":${parts},"chat_id":1,"text":"x"}`;
      expect(platform.repairs!.rest(body, answer), parts).toBeNull();
    }
  });
});
