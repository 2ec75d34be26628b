// Live output with real processes: a gateway, a simulated Telegram that keeps what it shows, real curl, real kill -9.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { type JudgedCall, type ServedSim, serveSim } from '../src/sim/sim.ts';
import { type Answer, GatewayProcess } from './process/gateway.ts';
import { until as lookUntil } from './process/look.ts';
import { Sluice } from './process/sluice.ts';

const TOKEN = '4242:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

interface Place {
  readonly sim: ServedSim;
  readonly gateway: GatewayProcess;
  readonly watch: Watch;
  // Chats of this test alone.
  readonly group: string;
  readonly person: string;
}

let sim: ServedSim | null = null;
let gateway: GatewayProcess | null = null;
// Of all the tests that leave it running.
let shared: Place | null = null;
let alone: Place | null = null;
let tests = 0;

afterEach(async () => {
  await close(alone);
  alone = null;
});
afterAll(() => close(shared));

async function close(place: Place | null): Promise<void> {
  await place?.gateway.end('SIGKILL');
  place?.gateway.remove();
  await place?.sim.close();
}

async function setUp(): Promise<Place> {
  shared ??= await open([]);
  shared.watch.calls.length = 0;
  return enter(shared);
}

// For a test that ends the gateway, or wants it otherwise.
async function setUpAlone(flags: readonly string[] = []): Promise<Place> {
  alone = await open(flags);
  return enter(alone);
}

async function open(flags: readonly string[]): Promise<Place> {
  const watch = new Watch();
  const served = await serveSim({ host: '127.0.0.1', port: 0, onCall: watch.see });
  const process = new GatewayProcess(served.url, flags);
  await process.start();
  return { sim: served, gateway: process, watch, group: '', person: '' };
}

function enter(place: Place): Place {
  ({ sim, gateway } = place);
  tests += 1;
  return { ...place, group: `-100123456${tests}`, person: String(77 + tests) };
}

// What the chat was shown, call by call.
class Watch {
  readonly calls: JudgedCall[] = [];
  #waiting: { text: string; resolve: () => void }[] = [];

  readonly see = (call: JudgedCall): void => {
    if (call.acceptedAt === null) return;
    this.calls.push(call);
    this.#waiting = this.#waiting.filter(({ text, resolve }) => {
      if (!call.text.includes(text)) return true;
      resolve();
      return false;
    });
  };

  shown(text: string): Promise<void> {
    if (this.calls.some((call) => call.text.includes(text))) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ text, resolve }));
  }
}

function textsIn(chat: string): string[] {
  const shown = sim!.model.messagesOf(chat).filter(({ isDeleted }) => !isDeleted);
  return shown.map(({ text }) => text);
}

function target(chat: string, more = ''): string {
  return `account=${TOKEN}&platform=telegram&chat=${chat}${more}`;
}

function opening(chat: string, more: object = {}) {
  return { to: { platform: 'telegram', account: TOKEN, chat }, ...more };
}

const until = (id: unknown, isSo: (body: Answer['body']) => boolean) =>
  lookUntil(async () => (await gateway!.ask('GET', `/v1/streams/${id}`)).body, isSo);

const isDone = ({ state }: Answer['body']) => state === 'done';

async function post(query: string, type: string, body: string | Buffer): Promise<Answer> {
  const answer = await fetch(`${gateway!.url}/v1/streams?${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway!.key}`, 'content-type': type },
    body: new Uint8Array(Buffer.from(body)),
  });
  return { status: answer.status, body: (await answer.json()) as Answer['body'] };
}

const HALF = 'half a sentence';

// A body that has begun, and goes on.
async function pourHalf({ watch, group }: Place): Promise<{ pouring: ClientRequest; id: string }> {
  const { url, key } = gateway!;
  const pouring = request(`${url}/v1/streams?${target(group)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'text/plain' },
  });
  pouring.on('error', () => {});
  pouring.write(HALF);
  await watch.shown(HALF);
  const { body } = await gateway!.ask('GET', '/v1/streams');
  const [{ id }] = body.streams as [{ id: string }];
  return { pouring, id };
}

const recorded = (name: string) => readFileSync(new URL(`recorded/${name}`, import.meta.url));

describe('a stream', () => {
  test.each([
    ['edited in a group', 'group'],
    ['drafted for a person', 'person'],
  ] as const)('by JSON, %s', async (_, where) => {
    const { gateway, watch, [where]: chat } = await setUp();
    const opened = await gateway.ask('POST', '/v1/streams', opening(chat, { text: 'Once' }));
    expect(opened).toMatchObject({ status: 201, body: { state: 'open', units: 4 } });
    const path = `/v1/streams/${opened.body.id}`;
    await watch.shown('Once');
    expect((await gateway.ask('PATCH', path, { append: ' upon' })).body.units).toBe(9);
    await gateway.ask('PATCH', path, { replace: 'Twice' });
    const list = await gateway.ask('GET', '/v1/streams');
    expect(list.body.streams).toMatchObject([{ id: opened.body.id, state: 'open' }]);
    const ended = await gateway.ask('POST', `${path}/final`, { append: ' at most.', wait: 30 });
    expect(ended).toMatchObject({ status: 200, body: { state: 'done', units: 14 } });
    expect(textsIn(chat)).toEqual(['Twice at most.']);
    const finals = ended.body.finals as string[];
    expect(finals).not.toEqual([]);
    for (const id of finals) {
      expect((await gateway.ask('GET', `/v1/messages/${id}`)).body.state).toBe('sent');
    }
    expect(await gateway.ask('PATCH', path, { append: '!' })).toMatchObject({
      status: 409,
      body: { code: 'stream_ended', stream: { state: 'done' } },
    });
  });

  test.each([
    ['openai-chat', 'sse', 'text/event-stream'],
    ['openai-responses', 'sse', 'text/event-stream'],
    ['anthropic-messages', 'sse', 'text/event-stream'],
    ['ollama-chat', 'ndjson', 'application/x-ndjson'],
    ['claude-code', 'ndjson', 'application/x-ndjson'],
    ['gemini-array', 'array', 'application/octet-stream'],
    ['ai-sdk-4', 'data', 'application/octet-stream'],
  ])('that is the recorded answer of %s', async (name, ending, type) => {
    const { group } = await setUp();
    const answer = await post(target(group, '&wait=30'), type, recorded(`${name}.${ending}`));
    expect(answer).toMatchObject({ status: 200, body: { state: 'done', error: null } });
    // Telegram trims what it shows, and knows no carriage returns.
    const text = recorded(`${name}.txt`).toString().replaceAll('\r', '').trim();
    expect(textsIn(group)).toEqual([text]);
  });

  test('of a producer that fails', async () => {
    const { group } = await setUp();
    const delta = { type: 'content_block_delta', index: 0 };
    const events = [
      { ...delta, delta: { type: 'text_delta', text: 'half an ans' } },
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    ].map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
    const answer = await post(target(group, '&wait=30'), 'text/event-stream', events.join(''));
    expect(answer).toMatchObject({ status: 200, body: { state: 'done' } });
    expect(answer.body.error).toContain('Overloaded');
    expect(textsIn(group)).toEqual(['half an ans']);
  });

  test('that cannot be', async () => {
    const { gateway, group, person } = await setUpAlone(['--stream-units-max', '1000']);
    const code = ({ status, body }: Answer) => [status, body.code];
    expect(code(await post(target(group), 'image/png', 'x'))).toEqual([
      415,
      'unsupported_media_type',
    ]);
    expect(code(await post('chat=1', 'text/plain', 'x'))).toEqual([422, 'invalid_query']);
    expect(code(await gateway.ask('GET', '/v1/streams/nobody'))).toEqual([404, 'unknown_stream']);
    const opened = await gateway.ask('POST', '/v1/streams', opening(group, { text: 'x' }));
    const path = `/v1/streams/${opened.body.id}`;
    const long = await gateway.ask('PATCH', path, { append: 'x'.repeat(1000) });
    expect(code(long)).toEqual([413, 'stream_too_long']);
    expect((await gateway.ask('DELETE', path)).body.state).toBe('cancelled');
    expect(code(await gateway.ask('POST', `${path}/final`))).toEqual([409, 'stream_ended']);
    const tooLong = await post(target(person), 'text/plain', 'y'.repeat(1001));
    expect(code(tooLong)).toEqual([413, 'stream_too_long']);
  });
});

describe('a body on the wire', () => {
  test('from curl -T -, shown as it comes', async () => {
    const { gateway, watch, group } = await setUp();
    const url = `${gateway.url}/v1/streams?${target(group, '&wait=30')}`;
    const key = `authorization: Bearer ${gateway.key}`;
    const curl = spawn('curl', ['-sS', '-N', '-T', '-', url, '-H', key], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let out = '';
    curl.stdout.on('data', (chunk) => {
      out += chunk;
    });
    curl.stdin.write('It was a dark');
    await watch.shown('It was a dark');
    curl.stdin.end(' and stormy night.');
    const [code] = await once(curl, 'close');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ state: 'done', units: 31, error: null });
    expect(textsIn(group)).toEqual(['It was a dark and stormy night.']);
  });

  test('that breaks off is finished with what it had', async () => {
    const place = await setUp();
    const { pouring, id } = await pourHalf(place);
    pouring.destroy();
    await until(id, isDone);
    expect(textsIn(place.group)).toEqual([HALF]);
  });

  test('that outlives the gateway is finished by the next one', async () => {
    const place = await setUpAlone();
    const { gateway, group } = place;
    const { pouring, id } = await pourHalf(place);
    const answered = once(pouring, 'response');
    const ended = gateway.end('SIGTERM');
    const [answer] = (await answered) as [IncomingMessage];
    expect(answer.statusCode).toBe(503);
    pouring.destroy();
    expect((await ended).code).toBe(0);
    await gateway.start();
    await until(id, isDone);
    expect(textsIn(group)).toEqual([HALF]);
  });

  test('from sluice stream', async () => {
    const { gateway, group } = await setUp();
    const env = { SLUICE_URL: gateway.url, SLUICE_KEY: gateway.key };
    const args = ['stream', '--account', TOKEN, '--chat', group, '--wait', '30', '--json'];
    const { code, out, err } = await new Sluice(args, env, { input: 'piped\nin' }).ended;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({ state: 'done', units: 8 });
    expect(textsIn(group)).toEqual(['piped\nin']);
  });
});

describe('kill -9 in the middle', () => {
  // A first message whose answer were lost would be sent again, as is promised; that is not the question here.
  const isShown = ({ shownUnits }: Answer['body']) => shownUnits === 3;

  test('the producer goes on, and the text arrives once', async () => {
    const { gateway, group } = await setUpAlone();
    const began = opening(group, { text: 'One', idempotencyKey: 'the story' });
    const opened = await gateway.ask('POST', '/v1/streams', began);
    const path = `/v1/streams/${opened.body.id}`;
    await until(opened.body.id, isShown);
    await gateway.ask('PATCH', path, { append: ' two' });
    await gateway.end('SIGKILL');
    await gateway.start();
    // A producer that fell too finds it by its key.
    const found = await gateway.ask('POST', '/v1/streams', began);
    expect(found.body).toMatchObject({ id: opened.body.id, state: 'open', units: 7 });
    const ended = await gateway.ask('POST', `${path}/final`, { append: ' three', wait: 30 });
    expect(ended.body).toMatchObject({ state: 'done' });
    expect(textsIn(group)).toEqual(['One two three']);
  });

  test('the producer is gone, and what it had said arrives once', async () => {
    const { gateway, group } = await setUpAlone();
    const began = opening(group, { text: 'One', idle: 2 });
    const { body } = await gateway.ask('POST', '/v1/streams', began);
    await until(body.id, isShown);
    await gateway.ask('PATCH', `/v1/streams/${body.id}`, { append: ' two' });
    await gateway.end('SIGKILL');
    await gateway.start();
    expect(await until(body.id, isDone)).toMatchObject({ reason: 'producer_silent' });
    expect(textsIn(group)).toEqual(['One two']);
  });
});

describe('the lines of the page', () => {
  const page = readFileSync(new URL('../docs/use/streams.md', import.meta.url), 'utf8');
  const lines = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, line]) => line!);
  const piped = lines.filter((line) => line.includes('curl -T -'));

  test.each([
    ['echo', /^/, ''],
    ['api.openai.com', /^[\s\S]*?\|\n/, 'openai-chat'],
    ['api.anthropic.com', /^[\s\S]*?\|\n/, 'anthropic-messages'],
  ])('%s', async (producer, head, name) => {
    const { gateway, group } = await setUp();
    await gateway.ask('POST', '/v1/messages', { ...opening(group), body: { text: 'I am known' } });
    const file = fileURLToPath(new URL(`recorded/${name}.sse`, import.meta.url));
    const line = piped
      .find((each) => each.includes(producer))!
      .replace(head, name === '' ? '' : `cat '${file}' |\n`)
      .replace('http://127.0.0.1:8080', gateway.url)
      .replace('telegram:sandbox-1&', 'telegram:4242&');
    const { stdout } = await promisify(execFile)('sh', ['-c', line], { cwd: gateway.folder });
    expect(JSON.parse(stdout)).toMatchObject({ chat: '42', state: 'finishing', error: null });
  });
});
