import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { virtualClock } from '../../system/virtual-clock.ts';
import { Unreachable } from '../client.ts';
import { runCli } from '../program.ts';
import { watchBroadcast } from './progress.ts';
import { type BroadcastAnswer, barOf } from './view.ts';

const NONE = { pending: 0, queued: 0, dead: 0, skipped: 0, cancelled: 0, uncertain: 0 };
const DONE: BroadcastAnswer = {
  id: 'b-abcde-1',
  state: 'done',
  name: null,
  account: 'telegram:1',
  method: 'sendMessage',
  total: 4,
  progress: { ...NONE, sent: 3, dead: 1 },
  perSecond: null,
  eta: null,
  createdAt: '2030-01-01T00:00:00.000Z',
  endedAt: '2030-01-01T00:00:01.000Z',
};

// Stands in for a gateway.
let server: Server;
let url = '';
let answers: { status: number; value: unknown }[] = [];
const asked: { method: string | undefined; path: string | undefined; body: string }[] = [];
const folder = mkdtempSync(join(tmpdir(), 'sluice-cli-'));
const list = join(folder, 'chats.csv');

beforeAll(async () => {
  writeFileSync(list, 'chat,name\n1,Ada\n');
  server = createServer(async (request, response) => {
    asked.push({ method: request.method, path: request.url, body: await textOf(request) });
    const { status, value } = answers.shift() ?? { status: 200, value: DONE };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  answers = [];
  asked.length = 0;
});

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function run(...args: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const env = { SLUICE_KEY: 'k', SLUICE_URL: url };
  const io = { env, out: (line: string) => out.push(line), err: (line: string) => err.push(line) };
  const code = await runCli(['broadcast', ...args], io);
  return { code, out: out.join('\n'), err: err.join('\n') };
}

const TEXT = ['--account', '1', '--text', 'Hi {{name}}'];

describe('sluice broadcast', () => {
  test('sends the message and the list in one form, and waits for the end', async () => {
    const running = { ...DONE, state: 'running', progress: { ...NONE, sent: 1, pending: 3 } };
    answers = [{ status: 202, value: running }];
    const { code, out, err } = await run(...TEXT, '--to', list, '--parse-mode', 'HTML');
    expect(code).toBe(0);
    expect(out).toContain('3 of 4 sent, 1 dead');
    expect(err).toContain('1 of 4 sent');
    expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1/broadcasts',
      'GET /v1/broadcasts/b-abcde-1',
    ]);
    expect(asked[0]!.body).toContain('"text":"Hi {{name}}","body":{"parse_mode":"HTML"}');
    expect(asked[0]!.body).toContain('chat,name\n1,Ada\n');
  });

  test('may leave at once, for people or programs', async () => {
    answers = [{ status: 202, value: { ...DONE, state: 'running' } }];
    const { out } = await run(...TEXT, '--audience', 'all', '--detach', '--json');
    expect(JSON.parse(out)).toMatchObject({ state: 'running' });
    const order = JSON.parse(asked[0]!.body);
    expect(order).toMatchObject({ audience: 'all' });
    // The platform knows its own.
    expect(order).not.toHaveProperty('method');
  });

  test('fails when it was cancelled, and says why it was refused', async () => {
    answers = [{ status: 202, value: { ...DONE, state: 'cancelled' } }];
    expect(await run(...TEXT, '--audience', 'all')).toMatchObject({ code: 1 });
    const problems = [{ path: 'line 3', expected: 'a chat' }];
    answers = [{ status: 422, value: { code: 'invalid_recipients', detail: 'no', problems } }];
    const { code, err } = await run(...TEXT, '--to', list);
    expect([code, err]).toEqual([1, 'sluice: no (invalid_recipients)\n  line 3: a chat']);
  });

  test.each([
    [[], 'name who gets it'],
    [['--to', list, '--audience', 'x'], 'name who gets it'],
    [['--account', '1', '--audience', 'x'], 'give --text'],
    [['--account', '1', '--audience', 'x', '--body', '{'], 'expected JSON'],
    [[...TEXT, '--to', '-'], 'nothing is piped in'],
  ])('is asked wrongly by %j', async (args, says) => {
    const { code, err } = await run(...args);
    expect([code, err]).toEqual([2, expect.stringContaining(says)]);
  });

  test('saves audiences, lists, steers and tells of everyone', async () => {
    answers = [{ status: 201, value: { count: 1, repeated: 2, fields: ['name'] } }];
    expect((await run('save', 'all', list)).out).toBe(
      'all: 1 recipients, 2 more were in it twice; fields: name',
    );
    answers = [{ status: 200, value: { items: [DONE], next: null } }];
    expect((await run('list')).out).toContain('100 %');
    expect((await run('pause', 'b-abcde-1')).out).toContain('b-abcde-1');
    const item = { n: 1, chat: '7', state: 'dead', reason: 'bot_blocked', delivery: 'abcde-1' };
    answers = [{ status: 200, value: { items: [item], next: '1' } }];
    const { out } = await run('recipients', 'b-abcde-1', '--state', 'dead', '--limit', '1');
    expect(out).toContain('bot_blocked');
    expect(out).toContain('--cursor 1');
    expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'PUT /v1/audiences/all',
      'GET /v1/broadcasts',
      'POST /v1/broadcasts/b-abcde-1/pause',
      'GET /v1/broadcasts/b-abcde-1/recipients?limit=1&state=dead',
    ]);
  });
});

describe('the bar', () => {
  const half = { ...DONE, state: 'running', progress: { ...NONE, sent: 2, pending: 2 } };
  const now = Date.parse('2030-01-01T00:00:00Z');

  test('says how far it is, how fast it goes and how long it takes', () => {
    const shown = { ...half, perSecond: 29.5, eta: '2030-01-01T00:01:30.000Z' };
    expect(barOf(shown, now)).toBe(
      `${'█'.repeat(12)}${'░'.repeat(12)} 50 % · 2 of 4 sent · 29.5/s · 90 s left`,
    );
    expect(barOf({ ...half, state: 'paused' }, now)).toContain('· paused');
  });

  test('stays while the gateway is away', async () => {
    const clock = virtualClock(now);
    const lines: string[] = [];
    const answers = [() => Promise.reject(new Unreachable('away')), () => Promise.resolve(DONE)];
    const io = {
      env: {},
      out: () => {},
      err: () => {},
      progress: (line: string) => lines.push(line),
    };
    const client = { call: () => answers.shift()!() as Promise<unknown> };
    const watched = watchBroadcast({ client, clock, io, first: half });
    await clock.run(now + 5000);
    expect(await watched).toBe(DONE);
    expect(lines[1]).toContain('does not answer');
    expect(lines.at(-1)).toBe('');
  });
});
