// The bare protocol: curl in each form the Bot API takes, and all at once. What a shell script can do must work.

import { execFile } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ServedSim, serveSim } from '../../src/sim/sim.ts';
import { GatewayProcess } from '../process/gateway.ts';

const run = promisify(execFile);
const TOKEN = '7100:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const JSON_TYPE = ['-H', 'content-type: application/json'];
// Nested values are JSON text in every form but JSON.
const BUTTONS = '{"inline_keyboard":[[{"text":"ok","callback_data":"1"}]]}';

let sim: ServedSim;
let gateway: GatewayProcess;

beforeAll(async () => {
  sim = await serveSim({ host: '127.0.0.1', port: 0 });
  gateway = new GatewayProcess(sim.url);
  await gateway.start();
});

afterAll(async () => {
  await gateway.end('SIGKILL');
  gateway.remove();
  await sim.close();
});

async function curl(method: string, ...args: string[]) {
  const url = `${gateway.url}/bot${TOKEN}/${method}`;
  const { stdout } = await run('curl', [
    '-sS',
    '--max-time',
    '30',
    '-w',
    '\n%{http_code}',
    ...args,
    url,
  ]);
  const at = stdout.lastIndexOf('\n');
  const body = JSON.parse(stdout.slice(0, at)) as {
    ok: boolean;
    result?: { text?: string; photo?: { file_size: number }[] };
  };
  return { status: Number(stdout.slice(at + 1)), body };
}

const field = (name: string, value: string) => ['--data-urlencode', `${name}=${value}`];
const part = (name: string, value: string) => ['--form-string', `${name}=${value}`];

const FORMS: Readonly<Record<string, (chat: number, text: string) => string[]>> = {
  query: (chat, text) => [
    '-G',
    ...field('chat_id', String(chat)),
    ...field('text', text),
    ...field('reply_markup', BUTTONS),
  ],
  form: (chat, text) => [
    ...field('chat_id', String(chat)),
    ...field('text', text),
    ...field('reply_markup', BUTTONS),
  ],
  multipart: (chat, text) => [
    ...part('chat_id', String(chat)),
    ...part('text', text),
    ...part('reply_markup', BUTTONS),
  ],
  JSON: (chat, text) => [
    ...JSON_TYPE,
    '-d',
    JSON.stringify({ chat_id: chat, text, reply_markup: JSON.parse(BUTTONS) }),
  ],
};

describe.concurrent('curl', () => {
  for (const [i, [name, args]] of Object.entries(FORMS).entries()) {
    test(`sends as ${name}`, async () => {
      const text = `ünï & "${name}" = 100 %`;
      const { status, body } = await curl('sendMessage', ...args(200 + i, text));
      expect({ status, ok: body.ok, text: body.result?.text }).toEqual({
        status: 200,
        ok: true,
        text,
      });
      expect(sim.model.messagesOf(String(200 + i)).map((message) => message.text)).toEqual([text]);
    });
  }

  test('uploads a file', async () => {
    const upload = ['--form', `photo=@${fileURLToPath(import.meta.url)};type=image/jpeg`];
    const { status, body } = await curl('sendPhoto?chat_id=211', ...upload);
    expect({ status, ok: body.ok }).toEqual({ status: 200, ok: true });
    const bytes = statSync(fileURLToPath(import.meta.url)).size;
    expect(body.result?.photo?.[0]?.file_size).toBe(bytes);
  });

  test('sends a body with GET, and a packed one', async () => {
    const json = JSON.stringify({ chat_id: 220, text: 'in a GET' });
    const got = await curl('sendMessage', '-X', 'GET', ...JSON_TYPE, '-d', json);
    expect(got).toMatchObject({ status: 200, body: { result: { text: 'in a GET' } } });
    const packed = join(gateway.folder, 'packed');
    writeFileSync(packed, gzipSync(JSON.stringify({ chat_id: 221, text: 'packed' })));
    const gzip = ['-H', 'content-encoding: gzip', '--data-binary', `@${packed}`];
    const sent = await curl('sendMessage', ...JSON_TYPE, ...gzip);
    expect(sent).toMatchObject({ status: 200, body: { result: { text: 'packed' } } });
    const chunked = ['-H', 'transfer-encoding: chunked'];
    const again = await curl('sendMessage', '-X', 'GET', ...JSON_TYPE, ...gzip, ...chunked);
    expect(again).toMatchObject({ status: 200, body: { result: { text: 'packed' } } });
  });

  test('asks for the head of a file', async () => {
    const url = `${gateway.url}/file/bot${TOKEN}/documents/a`;
    const head = await fetch(url, { method: 'HEAD' });
    const whole = await fetch(url);
    const bytes = (await whole.arrayBuffer()).byteLength;
    expect(bytes).toBeGreaterThan(0);
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes)]);
    expect((await head.arrayBuffer()).byteLength).toBe(0);
  });

  test('takes a method in any case, and parameters from both query and body', async () => {
    const { body } = await curl('SENDmessage?chat_id=210', ...field('text', 'both'));
    expect(body.result?.text).toBe('both');
  });

  test('is told what is wrong as the platform tells it', async () => {
    const { status, body } = await curl('sendMessage', ...field('text', 'to nobody'));
    expect(status).toBe(400);
    expect(body).toEqual({
      ok: false,
      error_code: 400,
      description: 'Bad Request: chat_id is empty',
    });
  });
});
