import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../system/clock.ts';
import { seededRandom } from '../system/random.ts';
import { type ServedSim, serveSim } from './sim.ts';

const TOKEN = '42:sandbox_T';
let sim: ServedSim;

beforeAll(async () => {
  sim = await serveSim({
    host: '127.0.0.1',
    port: 0,
    clock: systemClock(),
    random: seededRandom(1),
    options: { truth: Number.POSITIVE_INFINITY },
  });
});
afterAll(() => sim.close());

const at = (path: string) => `${sim.url}/bot${TOKEN}/${path}`;
const answerOf = async (response: Promise<Response>): Promise<unknown> => (await response).json();
const json = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

describe('every form of request', () => {
  const form = (body: FormData | URLSearchParams): RequestInit => ({ method: 'POST', body });
  const multipart = () => {
    const body = new FormData();
    body.set('chat_id', '7');
    body.set('caption', 'hello');
    body.set('photo', new Blob(['12345']), 'cat.png');
    return body;
  };

  test.each([
    ['GET query', 'sendMessage?chat_id=7&text=hello', () => ({})],
    ['POST query', 'sendmessage?chat_id=7&text=hello', () => ({ method: 'POST' })],
    ['JSON', 'SENDMESSAGE', () => json({ chat_id: 7, text: 'hello' })],
    ['form', 'sendMessage', () => form(new URLSearchParams({ chat_id: '7', text: 'hello' }))],
    ['merged', 'sendMessage?chat_id=7', () => json({ text: 'hello' })],
    ['test servers', 'test/sendMessage', () => json({ chat_id: 7, text: 'hello' })],
    ['method as a parameter', '?method=sendMessage', () => json({ chat_id: 7, text: 'hello' })],
  ])('%s', async (_, path, init) => {
    const answer = await answerOf(fetch(at(path), init()));
    expect(answer).toMatchObject({ ok: true, result: { chat: { id: 7 }, text: 'hello' } });
  });

  test('multipart with a file', async () => {
    const answer = await answerOf(fetch(at('sendPhoto'), form(multipart())));
    expect(answer).toMatchObject({ ok: true, result: { caption: 'hello', photo: [{}] } });
  });

  test('multipart with names that are not quoted, and parts that are referred to', async () => {
    const body = [
      '--x\r\ncontent-disposition: form-data; name=chat_id\r\n\r\n7',
      '--x\r\ncontent-disposition:form-data;name="photo"\r\n\r\nattach://one',
      '--x\r\ncontent-disposition:form-data;name="one";filename=cat.png\r\n\r\n12345',
      '--x--\r\n',
    ].join('\r\n');
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const answer = await answerOf(fetch(at('sendPhoto'), { method: 'POST', headers, body }));
    expect(answer).toMatchObject({ result: { chat: { id: 7 }, photo: [{ file_size: 5 }] } });
  });

  test('a token in percent signs, a file, a path that is none', async () => {
    const encoded = `${sim.url}/bot${encodeURIComponent(TOKEN)}/getMe`;
    expect(await answerOf(fetch(encoded))).toMatchObject({ result: { id: 42 } });
    const file = await fetch(`${sim.url}/file/bot${TOKEN}/documents/a`);
    expect((await file.arrayBuffer()).byteLength).toBe(1024);
    expect((await fetch(`${sim.url}/nothing`)).status).toBe(404);
  });

  test('a body above the bound is an empty 413', async () => {
    const status = await new Promise<number>((resolve) => {
      const upload = request(at('sendDocument'), { method: 'POST' }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      for (let i = 0; i < 65; i++) upload.write(Buffer.alloc(1024 * 1024));
      upload.end();
    });
    expect(status).toBe(413);
  });
});

describe('updates', () => {
  test('a long poll ends with the message; a second poller sends the first away', async () => {
    const first = answerOf(fetch(at('getUpdates?timeout=30')));
    await fetch(at('getMe'));
    const second = answerOf(fetch(at('getUpdates?timeout=30')));
    expect(await first).toMatchObject({ error_code: 409 });
    await fetch(`${sim.url}/sim/update`, json({ token: TOKEN, chat: '7', text: 'hi there' }));
    expect(await second).toMatchObject({ result: [{ message: { text: 'hi there' } }] });
  });
});

describe('the hidden hand', () => {
  test('chats, faults, calls, messages and stats', async () => {
    await fetch(`${sim.url}/sim/chats`, json({ chat: '66', state: 'blocked' }));
    expect((await fetch(at('sendMessage?chat_id=66&text=x'))).status).toBe(403);

    const script = [{ chat: '67', fault: { kind: 'bad_gateway', delivered: true } }];
    await fetch(`${sim.url}/sim/faults`, json({ script }));
    const broken = await fetch(at('sendMessage?chat_id=67&text=once'));
    expect(broken.status).toBe(502);
    expect(await broken.text()).toContain('<h1>502 Bad Gateway</h1>');
    const kept = await answerOf(fetch(`${sim.url}/sim/messages?chat=67`));
    expect(kept).toMatchObject([{ text: 'once' }]);

    const lost = [{ chat: '68', fault: { kind: 'answer_lost' } }];
    await fetch(`${sim.url}/sim/faults`, json({ script: lost }));
    await expect(fetch(at('sendMessage?chat_id=68&text=x'))).rejects.toThrow();

    const { calls } = (await answerOf(fetch(`${sim.url}/sim/calls?since=0`))) as {
      calls: { chat: string; bot: string }[];
    };
    expect(calls.some((call) => call.chat === '68')).toBe(true);
    expect(JSON.stringify(calls)).not.toContain('sandbox_T');
    const stats = await answerOf(fetch(`${sim.url}/sim/stats`));
    expect(stats).toMatchObject({ calls: calls.length, windowsExceeded: expect.any(Number) });
  });
});
