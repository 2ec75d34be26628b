import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { virtualClock } from '../../system/virtual-clock.ts';
import { runCli } from '../program.ts';
import { follow } from './progress.ts';

const STREAM = {
  id: 's1',
  correlation: 's1',
  state: 'done',
  reason: null,
  account: 'telegram:1',
  chat: '42',
  session: null,
  transport: 'edit',
  format: 'plain',
  units: 11,
  shownUnits: 11,
  messages: [{ id: 'abcde-1', messageId: '7' }],
  finals: ['abcde-2'],
  openedAt: '2030-01-01T00:00:00.000Z',
  endedAt: '2030-01-01T00:00:01.000Z',
  cadenceMs: 3000,
  superseded: 4,
  waitsFor: null,
  error: null,
};

interface Answer {
  readonly status: number;
  readonly value: unknown;
}

interface Asked {
  readonly method: string | undefined;
  readonly path: string;
  readonly query: Record<string, string>;
  readonly type: string | undefined;
  readonly body: string;
}

// Stands in for a gateway.
let server: Server;
let url = '';
let poured: Answer = { status: 200, value: STREAM };
const asked: Asked[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://gateway');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    asked.push({
      method: request.method,
      path: pathname,
      query: Object.fromEntries(searchParams),
      type: request.headers['content-type'],
      body: Buffer.concat(chunks).toString(),
    });
    const { status, value } = answerTo(`${request.method} ${pathname}`);
    response.statusCode = status;
    response.end(JSON.stringify(value));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => void server.close());

beforeEach(() => {
  asked.length = 0;
  poured = { status: 200, value: STREAM };
});

function answerTo(route: string): Answer {
  const open = { ...STREAM, state: 'open', waitsFor: 'the chat: 20 of 20 in the last minute' };
  switch (route) {
    case 'POST /v1/streams':
      return poured;
    case 'GET /v1/streams':
      return { status: 200, value: { streams: [open] } };
    case 'GET /v1/streams/s1':
      return { status: 200, value: STREAM };
    case 'GET /v1/accounts':
      return { status: 200, value: { accounts: [{ id: 'telegram:1' }] } };
    default:
      return { status: 404, value: { code: 'unknown_stream', detail: 'No such stream.' } };
  }
}

async function run(args: readonly string[], text: string | null = 'hello world') {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCli(['stream', ...args], {
    env: { SLUICE_URL: url, SLUICE_KEY: 'right' },
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    ...(text === null ? {} : { input: Readable.from([Buffer.from(text)]) }),
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

describe('sluice stream', () => {
  test('pipes what comes in to the only account', async () => {
    const { code, out } = await run(['--chat', '42', '--format', 'markdown', '--wait']);
    expect(code).toBe(0);
    expect(out).toContain('done');
    expect(asked.at(-1)).toEqual({
      method: 'POST',
      path: '/v1/streams',
      query: {
        account: 'telegram:1',
        platform: 'telegram',
        chat: '42',
        format: 'markdown',
        wait: 'true',
      },
      type: undefined,
      body: 'hello world',
    });
  });

  test('says what it pipes when told', async () => {
    const wishes = ['--as', 'sse', '--idle', '5', '--idempotency-key', 'k'];
    await run(['--chat', '42', '--account', '1:sandbox', ...wishes]);
    expect(asked).toHaveLength(1);
    const query = { idle: '5', idempotencyKey: 'k' };
    expect(asked[0]).toMatchObject({ type: 'text/event-stream', query });
  });

  test('--json prints what programs need and nothing else', async () => {
    const { out } = await run(['--json', '--account', '1', '--chat', '42']);
    expect(JSON.parse(out)).toEqual(STREAM);
  });

  test.each([
    [{ ...STREAM, error: 'Overloaded' }, 'Overloaded'],
    [{ ...STREAM, state: 'failed', reason: 'chat_not_found' }, 'sluice explain abcde-2'],
  ])('fails when the text did not end well', async (value, says) => {
    poured = { status: 200, value };
    const { code, out, err } = await run(['--account', '1', '--chat', '42']);
    expect(code).toBe(1);
    expect(out).toContain('s1');
    expect(err).toContain(says);
  });

  test('says what the gateway says when it refuses', async () => {
    poured = { status: 413, value: { code: 'stream_too_long', detail: 'Too long.' } };
    const { code, err } = await run(['--account', '1', '--chat', '42']);
    expect({ code, err }).toEqual({ code: 1, err: 'sluice: Too long. (stream_too_long)' });
  });

  test.each([
    [[]],
    [['--chat', '42', '--format', 'rtf']],
    [['--chat', '42', '--as', 'video']],
    [['--chat', '42', '--idle', 'soon']],
    [['show']],
  ])('%j is wrong usage', async (args) => {
    const { code, err } = await run(args);
    expect(code).toBe(2);
    expect(err).not.toBe('');
    expect(asked).toEqual([]);
  });

  test('without anything piped in there is nothing to show', async () => {
    expect((await run(['--chat', '42'], null)).code).toBe(2);
  });

  test('list and show', async () => {
    const list = await run(['list']);
    expect(list.code).toBe(0);
    expect(list.out).toMatch(/^s1 +telegram:1 +42 .* every 3\.0 s +the chat: 20 of 20/m);
    expect(JSON.parse((await run(['list', '--json'])).out).streams).toHaveLength(1);
    const show = await run(['show', 's1']);
    expect(show.out).toContain('message ids  7');
    const none = await run(['show', 's2']);
    expect({ code: none.code, err: none.err }).toEqual({
      code: 1,
      err: 'sluice: No such stream. (unknown_stream)',
    });
  });
});

test('the line on the terminal follows the stream, and goes when it ends', async () => {
  const clock = virtualClock(0);
  const lines: string[] = [];
  const paths: string[] = [];
  const client = {
    async call(_method: string, path: string) {
      paths.push(path);
      // The gateway is away for a moment.
      if (paths.length === 2) throw new Error('away');
      return { streams: [{ ...STREAM, units: paths.length, shownUnits: 0 }] };
    },
  };
  const progress = (line: string) => void lines.push(line);
  const following = follow({ client, clock, correlation: 'a&b', progress });
  await clock.run(1600);
  following.stop();
  await clock.run(9000);
  expect(paths).toEqual(Array(3).fill('/v1/streams?correlation=a%26b'));
  expect(lines).toEqual([
    's1: 1 units taken, 0 shown, every 3.0 s',
    's1: 3 units taken, 0 shown, every 3.0 s',
    '',
  ]);
  expect(clock.pending()).toBe(0);
});
