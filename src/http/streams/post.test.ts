import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { ACCOUNT, AUTH, type Bench, bench } from '../context.fixture.ts';

let open: Bench | null = null;
afterEach(async () => {
  await open?.app.close();
  open = null;
});

async function start(...settings: Parameters<typeof bench>) {
  open = await bench(...settings);
  return open;
}

const TARGET = `account=${ACCOUNT}&chat=-100`;

type Verb = 'POST' | 'PUT';

function ask(at: Bench, method: Verb, path: string, payload: string, type: string) {
  const headers = { ...AUTH, 'content-type': type };
  const url = `/v1/streams${path}`;
  return at.app.inject({ method, url, headers, payload });
}

const SSE = `event: message_start
data: {"type":"message_start"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Grüße"}}

event: message_stop
data: {"type":"message_stop"}

`;
const OVERLOADED = `event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"half"}}

event: error
data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}

`;

describe('a body that is the stream', () => {
  test.each([
    ['text/plain', 'plain', 'plain'],
    ['text/plain; charset=utf-8', 'plain', 'plain'],
    ['application/x-ndjson', '"a"\n{"delta":"b"}\n', 'ab'],
    ['text/event-stream', SSE, 'Grüße'],
    ['application/octet-stream', SSE, 'Grüße'],
    ['application/x-www-form-urlencoded', 'a=b', 'a=b'],
  ])('of %s %j', async (type, payload, text) => {
    for (const verb of ['POST', 'PUT'] as const) {
      const at = await start();
      const answer = await ask(at, verb, `?${TARGET}`, payload, type);
      expect(answer.statusCode).toBe(200);
      expect(answer.json()).toMatchObject({ state: 'finishing', error: null });
      expect(answer.headers).toMatchObject({
        ...{ location: '/v1/streams/stream1', 'x-correlation-id': 'stream1' },
      });
      expect(at.live.streams.get('stream1')!.text).toBe(text);
      await at.app.close();
    }
  });

  test('takes its target and options from the query', async () => {
    const at = await start();
    const query = 'account=42&platform=telegram&chat=@some&thread=3&format=html&session=s&idle=2.5';
    await ask(at, 'POST', `?${query}&priority=low&transport=edit&correlation=c`, 'x', 'text/plain');
    expect(at.live.opened[0]).toMatchObject({
      account: ACCOUNT,
      thread: '3',
      format: 'html',
      session: 's',
      priority: 'low',
      transport: 'edit',
      correlation: 'c',
      idleMs: 2500,
    });
  });

  test('that ends in an error of the producer is finished, and says so', async () => {
    const at = await start();
    const answer = await ask(at, 'POST', `?${TARGET}`, OVERLOADED, 'text/event-stream');
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({
      state: 'finishing',
      units: 4,
      reason: 'producer_failed',
    });
    expect(answer.json().error).toContain('Overloaded');
  });

  test('of no shape that is known is refused with what it was and what is known', async () => {
    const at = await start();
    const strange = 'event: part\ndata: {"words":"Hi"}\n\ndata: [DONE]\n\n';
    const answer = await ask(at, 'POST', `?${TARGET}`, strange, 'text/event-stream');
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({
      code: 'unknown_stream_shape',
      stream: { units: 0, reason: 'producer_failed' },
    });
    expect(answer.json().detail).toContain('an event part, an object of words');
    expect(answer.json().detail).toContain('openai-chat');
  });

  test('shows thoughts only where that is set', async () => {
    const thought = '"<think>hm</think>yes"\n';
    for (const [streamThoughts, text] of [
      [false, 'yes'],
      [true, '<think>hm</think>yes'],
    ] as const) {
      const at = await start({ streamThoughts });
      await ask(at, 'POST', `?${TARGET}`, thought, 'application/x-ndjson');
      expect(at.live.streams.get('stream1')!.text).toBe(text);
      await at.app.close();
    }
  });

  test('of the AI SDK 4 calls itself plain text, and is known by its header', async () => {
    const at = await start();
    const headers = { ...AUTH, 'content-type': 'text/plain', 'x-vercel-ai-data-stream': 'v1' };
    const url = `/v1/streams?${TARGET}`;
    await at.app.inject({ method: 'POST', url, headers, payload: '0:"Hi"\nd:{}\n' });
    expect(at.live.streams.get('stream1')!.text).toBe('Hi');
  });

  test('that waits is answered when it has arrived', async () => {
    const at = await start();
    at.live.onWait = () => at.live.arrive('stream1');
    const answer = await ask(at, 'POST', `?${TARGET}&wait=true`, 'x', 'text/plain');
    expect(answer.json().state).toBe('done');
    const asked = await ask(at, 'POST', `?${TARGET}&wait=301`, 'x', 'text/plain');
    expect(asked.json()).toMatchObject({ code: 'invalid_query', problems: [{ path: '/wait' }] });
  });

  test.each([
    ['POST', `?${TARGET}`, 'image/png'],
    ['POST', `?${TARGET}`, 'application/xml'],
    ['POST', '', 'application/x-www-form-urlencoded'],
    ['PUT', `?${TARGET}`, 'application/json'],
  ] as const)('%s %s of %s is none', async (verb, query, type) => {
    const at = await start();
    const answer = await ask(at, verb, query, '{}', type);
    expect(answer.statusCode).toBe(415);
    expect(answer.json().detail).toContain('text/event-stream');
    expect(at.live.opened).toEqual([]);
  });

  test('that is packed is none either', async () => {
    const at = await start();
    const headers = { ...AUTH, 'content-type': 'text/plain', 'content-encoding': 'gzip' };
    const url = `/v1/streams?${TARGET}`;
    const answer = await at.app.inject({ method: 'POST', url, headers, payload: 'x' });
    expect(answer.statusCode).toBe(415);
  });

  test.each([
    ['chat=1', '/account'],
    [`${TARGET}&formt=html`, '/formt'],
    [`${TARGET}&idle=x`, '/idle'],
  ])('?%s is not understood', async (query, path) => {
    const at = await start();
    const answer = await ask(at, 'POST', `?${query}`, 'x', 'text/plain');
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({ code: 'invalid_query', problems: [{ path }] });
  });

  test('that is too long keeps what was taken', async () => {
    const at = await start();
    const wire = await connect(at, 'POST', TARGET, 'text/plain');
    wire.write('x'.repeat(999));
    await taken(at, 999);
    wire.end('yyy');
    const answer = await wire.answer;
    expect(answer.status).toBe(413);
    expect(answer.body).toMatchObject({
      code: 'stream_too_long',
      unitsMax: 1000,
      stream: { id: 'stream1', state: 'finishing', units: 999, reason: 'too_long' },
    });
  });

  test('whose final finds the queue full stays open under its id', async () => {
    const at = await start();
    at.live.isQueueFull = true;
    const answer = await ask(at, 'POST', `?${TARGET}`, 'x', 'text/plain');
    expect(answer.statusCode).toBe(429);
    expect(answer.json()).toMatchObject({ code: 'queue_full', stream: { id: 'stream1' } });
  });
});

describe('a body on the wire', () => {
  test('is shown as it comes, without a length and after 100-continue', async () => {
    const at = await start();
    const wire = await connect(at, 'PUT', TARGET, 'text/plain', { expect: '100-continue' });
    wire.request.flushHeaders();
    await once(wire.request, 'continue');
    for (const [text, units] of [
      ['Once ', 5],
      ['upon ', 10],
    ] as const) {
      wire.write(text);
      await taken(at, units);
      expect(at.live.list()).toHaveLength(1);
    }
    wire.end();
    expect((await wire.answer).body).toMatchObject({ state: 'finishing', units: 10 });
    expect(at.live.changes.every(({ lazy }) => lazy)).toBe(true);
  });

  test('is read no faster than it is taken', async () => {
    const at = await start();
    at.live.unitsMax = Number.MAX_SAFE_INTEGER;
    const gate = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    at.live.onChange = () => {
      reached.resolve();
      return gate.promise;
    };
    const wire = await connect(at, 'POST', TARGET, 'text/plain');
    // More than sockets and buffers on the way can hold: the writer is held up until its text is taken.
    const size = 64 * 1024 * 1024;
    let isAllWritten = false;
    wire.request.end(Buffer.alloc(size, 'x'), () => {
      isAllWritten = true;
    });
    await reached.promise;
    expect(isAllWritten).toBe(false);
    gate.resolve();
    expect((await wire.answer).body).toMatchObject({ units: size });
  });

  test('that breaks off is finished with what it had', async () => {
    const at = await start();
    const wire = await connect(at, 'POST', TARGET, 'text/plain');
    wire.write('half a sent');
    await taken(at, 11);
    const finished = moved(at, 'finishing');
    wire.request.destroy();
    await finished;
    expect(at.live.streams.get('stream1')).toMatchObject({
      text: 'half a sent',
      reason: 'sender_broke_off',
    });
    await at.app.close();
    const about = {
      stream: 'stream1',
      correlation: 'stream1',
      platform: 'telegram',
      account: ACCOUNT,
      chat: '-100',
    };
    expect(at.logged).toEqual([about]);
  });

  test('that breaks off inside a character is finished with the characters it had', async () => {
    const at = await start();
    const wire = await connect(at, 'POST', TARGET, 'text/plain');
    wire.write(Buffer.from('ab€').subarray(0, 4));
    await taken(at, 2);
    const finished = moved(at, 'finishing');
    wire.request.destroy();
    await finished;
    expect(at.live.streams.get('stream1')!.text.startsWith('ab')).toBe(true);
  });

  test('is not waited for when its stream was ended', async () => {
    const at = await start();
    const wire = await connect(at, 'POST', TARGET, 'text/plain');
    wire.write('so far');
    await taken(at, 6);
    await at.live.fallSilent('stream1');
    const answer = await wire.answer;
    expect(answer.status).toBe(409);
    expect(answer.body).toMatchObject({
      code: 'stream_ended',
      stream: { reason: 'producer_silent' },
    });
    wire.request.destroy();
  });

  test('signs of life count, and bring no text', async () => {
    const at = await start();
    const wire = await connect(at, 'POST', TARGET, 'text/event-stream');
    const life = new Promise<void>((resolve) => {
      at.live.onChange = () => resolve();
    });
    wire.write(': ping\n\n');
    await life;
    // Time stands still here, so these come too soon to count.
    for (let i = 0; i < 9; i++) wire.write(': ping\n\n');
    wire.end('data: [DONE]\n\n');
    expect((await wire.answer).body).toMatchObject({ units: 0 });
    expect(at.live.changes).toEqual([{ kind: 'append', text: '', lazy: true }]);
  });

  test('ends with the gateway, and is finished', async () => {
    const at = await start();
    const wire = await connect(at, 'POST', TARGET, 'text/plain');
    wire.write('so far');
    await taken(at, 6);
    const closed = at.app.close();
    const answer = await wire.answer;
    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({
      code: 'shutting_down',
      stream: { state: 'finishing', reason: 'stopping' },
    });
    wire.request.destroy();
    await closed;
  });

  test('may take longer to arrive than other requests', async () => {
    const at = await start();
    const { server } = at.app;
    const usual = server.requestTimeout;
    const wire = await connect(at, 'POST', TARGET, 'text/plain');
    wire.write('x');
    await taken(at, 1);
    expect(server.requestTimeout).toBeGreaterThan(usual);
    wire.end();
    await wire.answer;
    expect(server.requestTimeout).toBe(usual);
  });

  test('leaves the connection fit for the next request', async () => {
    const at = await start();
    at.live.unitsMax = 5;
    const wire = await connect(at, 'POST', TARGET, 'text/plain');
    wire.end('x'.repeat(200_000));
    expect((await wire.answer).status).toBe(413);
    const again = await connect(at, 'POST', TARGET, 'text/plain');
    again.end('x');
    expect((await again.answer).status).toBe(200);
  });
});

// The stream has taken so many units; it is asked at every change, so no time has to pass.
function taken(at: Bench, units: number): Promise<void> {
  return new Promise((resolve) => {
    const before = at.live.onChange;
    const look = () => {
      const stream = [...at.live.streams.values()].at(-1);
      if ((stream?.units ?? 0) < units) return;
      at.live.onChange = before;
      resolve();
    };
    at.live.onChange = () => void queueMicrotask(() => queueMicrotask(look));
    look();
  });
}

function moved(at: Bench, state: string): Promise<void> {
  return new Promise((resolve) => {
    at.live.listen((view) => {
      if (view.state === state) resolve();
    });
  });
}

interface Wire {
  readonly request: ClientRequest;
  write(text: string | Buffer): void;
  end(text?: string): void;
  readonly answer: Promise<{ status: number; body: Record<string, unknown> }>;
}

async function connect(
  at: Bench,
  method: 'POST' | 'PUT',
  query: string,
  type: string,
  headers: Record<string, string> = {},
): Promise<Wire> {
  if (!at.app.server.listening) await at.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = at.app.server.address() as AddressInfo;
  const request = httpRequest({
    method,
    port,
    host: '127.0.0.1',
    path: `/v1/streams?${query}`,
    headers: { ...AUTH, 'content-type': type, ...headers },
  });
  const answer = once(request, 'response').then(async ([response]) => {
    const chunks: Buffer[] = [];
    for await (const chunk of response as IncomingMessage) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
    return { status: (response as IncomingMessage).statusCode!, body };
  });
  // A request that a test breaks off has no answer.
  answer.catch(() => {});
  request.on('error', () => {});
  return {
    request,
    write: (text) => void request.write(text),
    end: (text) => void request.end(text),
    answer,
  };
}
