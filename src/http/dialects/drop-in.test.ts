// The dropIn of the drop-in: every form of a call, files, reads that flow, downloads.

import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { filesOf } from '../../domain/body.ts';
import { answered, type Bench, bench, START, TOKEN } from '../context.fixture.ts';
import { LIMITED_LOG_EVERY_MS } from './pass.ts';

let at: Bench;
beforeEach(async () => {
  at = await bench();
  at.road.onWait = (seq) => at.road.end(seq, 'sent', { result: SENT });
});
afterEach(() => at.app.close());

const SENT = '{"ok":true,"result":{"message_id":5}}';
const FORM = { 'content-type': 'multipart/form-data; boundary=b' };
const field = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const file = (name: string, content: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"; filename="f.png"\r\n` +
  `Content-Type: image/png\r\n\r\n${content}\r\n`;
const post = (url: string, payload = '', headers: Record<string, string> = FORM) =>
  at.app.inject({ method: 'POST', url, headers, payload });

describe('paths', () => {
  test.each([
    ['the method as a parameter', `/bot${TOKEN}/?method=sendMessage&chat_id=1&text=a`],

    ['escapes', `/bot42%3Agood-token/send%4dessage?chat_id=1&text=a`],
    ['a name given twice', `/bot${TOKEN}/sendMessage?chat_id=1&chat_id=2&text=a`],
  ])('%s', async (_name, url) => {
    expect((await at.app.inject(url)).body).toBe(SENT);
    expect(at.road.submitted[0]).toMatchObject({
      account: 'telegram:42',
      method: 'sendMessage',
      chat: '1',
    });
  });

  test.each([
    `/bot${TOKEN}`,
    `/bot${TOKEN}/`,
    `/bot${TOKEN}//getMe`,
    `/bot${TOKEN}/getMe/`,
    `/bot${TOKEN}/../getMe`,
    `/bot${TOKEN}/%2e%2e/getMe`,
    `/bot${TOKEN}/get%00Me`,
    `/bot${TOKEN}/get%ffMe`,
    `/bot${TOKEN}/get Me`.replace(' ', '%20'),
    `/bot${TOKEN}/test/test/getMe`,
    `/bot${'9'.repeat(21)}:x/getMe`,
    `/bot${TOKEN}/${'m'.repeat(65)}`,
    `/file/bot${TOKEN}/a/../../b`,
    `/file/bot${TOKEN}/a%2f..%2fb`,
    `/file/bot${TOKEN}/a%5cb`,
    `/file/bot${TOKEN}/a%00b`,
    `/file/bot${TOKEN}/`,
  ])('nothing is at %s', async (url) => {
    const answer = await at.app.inject(url);
    expect(answer.statusCode).toBe(404);
    expect([at.passed, at.downloads, at.road.submitted]).toEqual([[], [], []]);
  });

  test.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const)('no %s', async (method) => {
    const answer = await at.app.inject({ method, url: `/bot${TOKEN}/getMe` });
    expect(answer.json()).toEqual({
      ok: false,
      error_code: 405,
      description: 'Method Not Allowed',
    });
  });
});

describe('forms', () => {
  test('fields only', async () => {
    const answer = await post(
      `/bot${TOKEN}/sendMessage?text=first`,
      `${field('chat_id', '7')}${field('text', 'second')}--b--\r\n`,
    );
    expect(answer.body).toBe(SENT);
    expect(at.road.submitted[0]).toMatchObject({
      chat: '7',
      body: '{"chat_id":"7","text":"first"}',
    });
    expect(at.road.submitted[0]).not.toHaveProperty('files');
  });

  test('a file is its own parameter; one that is referred to is not', async () => {
    await post(`/bot${TOKEN}/sendPhoto`, `${field('chat_id', '7')}${file('photo', 'A')}--b--\r\n`);
    const media = '[{"type":"photo","media":"attach://x"},{"type":"photo","media":"attach://y"}]';
    await post(
      `/bot${TOKEN}/sendMediaGroup`,
      `${field('chat_id', '7') + field('media', media)}${file('x', 'A') + file('y', 'B')}--b--\r\n`,
    );
    const [photo, album] = at.road.submitted;
    expect(JSON.parse(photo!.body)).toMatchObject({ chat_id: '7', photo: 'attach://photo' });
    expect(filesOf(photo!.body)).toMatchObject({
      photo: { name: 'f.png', type: 'image/png', size: 1 },
    });
    expect(album).toMatchObject({ cost: 2, method: 'sendMediaGroup' });
    expect(JSON.parse(album!.body)).not.toHaveProperty('x');
    expect(album!.files).toHaveLength(2);
    expect(album!.files).toContain(photo!.files![0]);
    // Accepted: the journal holds them now.
    await expect.poll(() => [...at.spooled.values()]).toEqual([0, 0]);
  });

  test('an empty text in the query gives way to the part of its name, any other does not', async () => {
    const photo = `${file('photo', 'A')}--b--\r\n`;
    await post(`/bot${TOKEN}/sendPhoto?chat_id=7&photo=`, photo);
    await post(`/bot${TOKEN}/sendPhoto?chat_id=7&photo=known-id`, photo);
    await post(`/bot${TOKEN}/sendMessage?chat_id=7&text=`, `${field('text', 'b')}--b--\r\n`);
    const [empty, known, text] = at.road.submitted.map(({ body }) => JSON.parse(body) as object);
    expect(empty).toMatchObject({ photo: 'attach://photo' });
    expect(known).toMatchObject({ photo: 'known-id' });
    expect(text).toMatchObject({ text: '' });
  });

  test('an album named in the query has its parts, though their names are numbers', async () => {
    const media = JSON.stringify([0, 1].map((i) => ({ type: 'photo', media: `attach://${i}` })));
    await post(
      `/bot${TOKEN}/sendMediaGroup?chat_id=7&media=${encodeURIComponent(media)}`,
      `${file('0', 'A') + file('1', 'B')}--b--\r\n`,
    );
    const { body, files } = at.road.submitted[0]!;
    expect(Object.keys(filesOf(body))).toEqual(['0', '1']);
    expect(files).toHaveLength(2);
    expect(JSON.parse(body)).not.toHaveProperty('0');
  });

  test('the same upload has the same body', async () => {
    const form = `${field('chat_id', '7')}${file('photo', 'A')}--b--\r\n`;
    const key = { ...FORM, 'idempotency-key': 'k' };
    const first = await post(`/bot${TOKEN}/sendPhoto`, form, key);
    const again = await post(`/bot${TOKEN}/sendPhoto`, form, key);
    expect(again.headers['x-sluice-delivery']).toBe(first.headers['x-sluice-delivery']);
  });

  test('nobody names a file of ours', async () => {
    const stolen = {
      'sluice:files': { photo: { id: 'a'.repeat(43), name: '', type: '', size: 1 } },
    };
    const payload = JSON.stringify({ ...stolen, chat_id: 7, photo: 'attach://photo' });
    const json = { 'content-type': 'application/json' };
    await post(`/bot${TOKEN}/sendPhoto`, payload, json);
    await post(`/bot${TOKEN}/getChat`, payload, json);
    expect(at.road.submitted[0]!.body).not.toContain('sluice:files');
    expect(at.passed[0]!.body).not.toContain('sluice:files');
  });

  test('a call that passes takes its files along, and lets them go', async () => {
    at.answer = answered(200, '{"ok":true,"result":true}');
    await post(`/bot${TOKEN}/setWebhook`, `${file('certificate', 'PEM')}--b--\r\n`);
    expect(Object.keys(filesOf(at.passed[0]!.body))).toEqual(['certificate']);
    await expect.poll(() => [...at.spooled.values()]).toEqual([0]);
  });

  test.each([
    ['cut off', `${field('chat_id', '7')}${file('photo', 'A')}`, FORM, 400],
    ['no boundary', 'x', { 'content-type': 'multipart/form-data' }, 400],
    ['too large', `${file('photo', 'A'.repeat(170_000))}--b--\r\n`, FORM, 413],
  ])('%s', async (_name, payload, headers, status) => {
    const answer = await post(`/bot${TOKEN}/sendPhoto`, payload, headers);
    expect(answer.statusCode).toBe(status);
    expect(answer.body === '').toBe(status === 413);
    expect(at.road.submitted).toEqual([]);
    expect([...at.spooled.values()].every((pins) => pins === 0)).toBe(true);
  });
});

describe('bodies', () => {
  const JSON_TYPE = { 'content-type': 'application/json' };
  const CALL = { chat_id: '7', text: 'é'.repeat(2000) };
  const send = (verb: 'GET' | 'POST', payload: Buffer | string, headers: Record<string, string>) =>
    at.app.inject({ method: verb, url: `/bot${TOKEN}/sendMessage`, headers, payload });
  const form = `${field('chat_id', '7')}${field('text', CALL.text)}--b--\r\n`;
  const FORMS: Readonly<Record<string, [string, Record<string, string>]>> = {
    json: [JSON.stringify(CALL), JSON_TYPE],
    urlencoded: [
      new URLSearchParams(CALL).toString(),
      { 'content-type': 'application/x-www-form-urlencoded' },
    ],
    multipart: [form, FORM],
  };

  test.each(Object.entries(FORMS))('a GET has one: %s', async (_name, [payload, headers]) => {
    expect((await send('GET', payload, headers)).body).toBe(SENT);
    expect(JSON.parse(at.road.submitted[0]!.body)).toEqual(CALL);
  });

  test.each(
    Object.entries(FORMS).flatMap(([name, made]) =>
      (['gzip', 'x-gzip', 'deflate'] as const).map((encoding) => [name, encoding, made] as const),
    ),
  )('%s is unpacked: %s', async (_name, encoding, [payload, headers]) => {
    const packed = encoding === 'deflate' ? deflateSync(payload) : gzipSync(payload);
    for (const verb of ['POST', 'GET'] as const) {
      const answer = await send(verb, packed, { ...headers, 'content-encoding': encoding });
      expect([verb, answer.body]).toEqual([verb, SENT]);
    }
    for (const { body } of at.road.submitted) expect(JSON.parse(body)).toEqual(CALL);
    expect(at.road.submitted).toHaveLength(2);
  });

  test.each(['GET', 'POST'] as const)('of a %s is bounded as it is unpacked', async (verb) => {
    const bomb = gzipSync(JSON.stringify({ chat_id: 7, text: 'a'.repeat(20_000_000) }));
    expect(bomb.length).toBeLessThan(30_000);
    const packed = { ...JSON_TYPE, 'content-encoding': 'gzip' };
    expect((await send(verb, bomb, packed)).statusCode).toBe(413);
    const parts = gzipSync(`${file('photo', 'a'.repeat(20_000_000))}--b--\r\n`);
    const answer = await send(verb, parts, { ...FORM, 'content-encoding': 'gzip' });
    expect(answer.statusCode).toBe(413);
    expect(at.road.submitted).toEqual([]);
    expect([...at.spooled.values()].every((pins) => pins === 0)).toBe(true);
  });

  test.each([
    ['cut off', gzipSync('{"chat_id":7,"text":"a"}').subarray(0, 20), 'gzip', 400],
    ['not what it says', Buffer.from('{"chat_id":7}'), 'gzip', 400],
    ['packed in a way nobody knows', Buffer.from('x'), 'br', 415],
  ])('%s', async (_name, payload, encoding, status) => {
    const headers = { ...JSON_TYPE, 'content-encoding': encoding };
    for (const verb of ['GET', 'POST'] as const) {
      const answer = await send(verb, payload, headers);
      expect([verb, answer.statusCode]).toEqual([verb, status]);
      expect(answer.json()).toMatchObject({ ok: false, error_code: status });
    }
  });

  test('a form of nothing is none', async () => {
    const url = `/bot${TOKEN}/sendMessage?chat_id=7&text=a`;
    const nothing = { ...FORM, 'content-length': '0' };
    expect((await at.app.inject({ method: 'POST', url, headers: nothing })).body).toBe(SENT);
    expect((await post(url, '')).body).toBe(SENT);
  });

  test('a HEAD of a file is asked as one', async () => {
    at.answer = answered(200, '', { 'content-length': '1024', 'content-type': 'image/png' });
    const url = `/file/bot${TOKEN}/photos/1.png`;
    const { statusCode, headers, body } = await at.app.inject({ method: 'HEAD', url });
    expect({ statusCode, body }).toEqual({ statusCode: 200, body: '' });
    expect(headers).toMatchObject({ 'content-length': '1024', 'content-type': 'image/png' });
    expect(at.downloads).toMatchObject([{ isHead: true, path: 'photos/1.png' }]);
  });
});

describe('reads', () => {
  const RETRY = { 'retry-after': '30' };
  const LIMITED = answered(429, '{"ok":false,"error_code":429}', RETRY);
  const get = (method: string) => at.app.inject(`/bot${TOKEN}/${method}`);

  test('a wait the platform named is kept for its method, to the second', async () => {
    at.answer = LIMITED;
    expect((await get('getChat')).body).toBe('{"ok":false,"error_code":429}');
    at.answer = answered(200, '{}');
    await at.clock.run(START + 10_500);
    expect((await get('GETCHAT')).json()).toMatchObject({ parameters: { retry_after: 20 } });
    expect((await get('getMe')).statusCode).toBe(200);
    expect(at.passed).toHaveLength(2);
    await at.clock.run(START + 30_000);
    expect((await get('getChat')).statusCode).toBe(200);
  });

  test('a wait is a line of the log, of repeated ones at most one a minute', async () => {
    const told = () => at.logged.filter((line) => 'retryAfterMs' in line || 'times' in line);
    at.answer = LIMITED;
    await get('getChat');
    const line = { platform: 'telegram', account: 'telegram:42', method: 'getChat' };
    expect(told()).toEqual([{ ...line, retryAfterMs: 30_000, times: 1 }]);
    // Sluice itself says the rest of the wait; the platform was not asked.
    await get('getChat');
    expect(told()).toHaveLength(1);
    at.answer = answered(429, '{"ok":false,"error_code":429}');
    for (let n = 0; n < 3; n++) await get('getMe');
    expect(told().slice(1)).toEqual([{ ...line, method: 'getMe', times: 1 }]);
    await at.clock.run(START + LIMITED_LOG_EVERY_MS);
    await get('getMe');
    expect(told().slice(2)).toEqual([{ ...line, method: 'getMe', times: 3 }]);
  });

  const UNAUTHORIZED = answered(401, '{"ok":false,"error_code":401,"description":"Unauthorized"}');

  test('a 401 that the platform does not confirm leaves the next call alone', async () => {
    at.answer = UNAUTHORIZED;
    expect((await get('getUpdates')).statusCode).toBe(401);
    at.answer = answered(200, '{}');
    expect((await get('getUpdates')).statusCode).toBe(200);
    expect((await at.app.inject(`/file/bot${TOKEN}/a`)).statusCode).toBe(200);
    expect(at.road.tokensAsked).toEqual(['telegram:42']);
  });

  test('however many calls get a 401, the platform is asked once a minute', async () => {
    at.answer = UNAUTHORIZED;
    await Promise.all(Array.from({ length: 20 }, () => get('getUpdates')));
    await at.clock.run(START + 59_000);
    await get('getUpdates');
    expect(at.road.tokensAsked).toHaveLength(1);
    expect(at.passed).toHaveLength(21);
    await at.clock.run(START + 60_000);
    await get('getUpdates');
    expect(at.road.tokensAsked).toHaveLength(2);
  });

  test('a bot that is refused, as the platform confirms, is not asked for again at once', async () => {
    at.road.isRefusing = true;
    at.answer = UNAUTHORIZED;
    await get('getMe');
    at.answer = answered(200, '{}');
    expect((await get('getUpdates')).json()).toMatchObject({ error_code: 401 });
    expect((await at.app.inject(`/file/bot${TOKEN}/a`)).statusCode).toBe(401);
    await at.clock.run(START + 60_000);
    expect((await get('getMe')).statusCode).toBe(200);
    await at.accounts.setRefused('telegram:42', 'unauthorized');
    expect((await get('getMe')).statusCode).toBe(401);
    expect(at.passed).toHaveLength(2);
  });

  test('an unknown token is asked about, and refused in the platform’s words', async () => {
    const answer = await at.app.inject('/bot9:nobody/getMe');
    expect(answer.json()).toEqual({ ok: false, error_code: 401, description: 'Unauthorized' });
    expect(at.passed).toEqual([]);
  });

  test('a caller who hangs up ends the call', async () => {
    await at.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = at.app.server.address() as AddressInfo;
    const asked = Promise.withResolvers<AbortSignal>();
    at.hold = (hangUp) => asked.resolve(hangUp);
    const path = `/bot${TOKEN}/getUpdates?timeout=50`;
    const poll = httpRequest({ host: '127.0.0.1', port, path });
    poll.on('error', () => {});
    poll.end();
    const hangUp = await asked.promise;
    const left = new Promise((resolve) => hangUp.addEventListener('abort', resolve));
    poll.destroy();
    await left;
  });
});

describe('downloads', () => {
  test('pass both ways what belongs to a file, and nothing else', async () => {
    const headers = { 'content-range': 'bytes 0-1/9', etag: '"x"', 'set-cookie': 'no' };
    at.answer = answered(206, 'ab', headers);
    const answer = await at.app.inject({
      url: `/file/bot${TOKEN}/photos/file%201.jpg`,
      headers: { range: 'bytes=0-1', 'if-none-match': '"y"', cookie: 'no' },
    });
    expect(answer.statusCode).toBe(206);
    expect(answer.body).toBe('ab');
    expect(answer.headers).toMatchObject({ 'content-range': 'bytes 0-1/9', etag: '"x"' });
    expect(answer.headers).not.toHaveProperty('set-cookie');
    expect(at.downloads).toEqual([
      {
        credential: TOKEN,
        path: 'photos/file%201.jpg',
        headers: { range: 'bytes=0-1', 'if-none-match': '"y"' },
        deadlineMs: 1000,
      },
    ]);
  });
});

test('words that fail in a stranger’s turn fail that request alone', async () => {
  const { options } = await bench();
  const telegram = options.platforms.get('telegram')!;
  const refused = () => {
    throw new Error('no words');
  };
  const broken = { ...telegram, dialect: { ...telegram.dialect!, refused } };
  const accounts = {
    isFavoured: () => false,
    identify: () => ({ kind: 'refused', status: 401, detail: 'Unauthorized' }),
  };
  const own = await bench({}, [broken], { accounts: accounts as never });
  // More than one turn takes.
  const asked = Array.from({ length: 5 }, () => own.app.inject('/bot7:wrong/getMe'));
  for (const answer of await Promise.all(asked)) expect(answer.statusCode).toBe(500);
});
