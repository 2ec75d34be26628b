// Real sockets on the loopback: answers that flow, and bodies that do.

import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { undiciTransport } from './http.ts';
import type { HttpRequest, Transport } from './transport.ts';

const ASKED: HttpRequest = {
  method: 'POST',
  path: '/bot42:verysecret/getUpdates',
  headers: {},
  body: '{}',
  deadlineMs: 10_000,
};
const NEVER = new AbortController().signal;

let server: Server | null = null;
let transport: Transport | null = null;
afterEach(async () => {
  await transport?.close();
  server?.closeAllConnections();
  server?.close();
});

async function serve(listener: RequestListener, connectionsMax = 64): Promise<Transport> {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  transport = undiciTransport({ baseUrl: `http://127.0.0.1:${port}/base`, connectionsMax });
  return transport;
}

test('the head comes before the body is whole', async () => {
  const wire = await serve((request, response) => {
    response.writeHead(206, { 'content-range': 'bytes 0-1/2' }).write('a');
    request.resume();
    server!.once('go', () => response.end(request.url));
  });
  const reply = await wire.stream(ASKED, NEVER);
  expect(reply).toMatchObject({ status: 206, headers: { 'content-range': 'bytes 0-1/2' } });
  server!.emit('go');
  if (reply.kind !== 'answered') throw new Error('no answer');
  expect(await text(reply.body)).toBe(`a/base${ASKED.path}`);
});

test('a reader that does not read stops the sender', async () => {
  const CHUNK = Buffer.alloc(1 << 20);
  let written = 0;
  const stalled = Promise.withResolvers<void>();
  const wire = await serve((_request, response) => {
    const pump = () => {
      while (written < 128) {
        written += 1;
        if (!response.write(CHUNK)) break;
      }
      if (written === 128) response.end();
      else response.once('drain', pump);
      stalled.resolve();
    };
    pump();
  });
  const reply = await wire.stream(ASKED, NEVER);
  if (reply.kind !== 'answered') throw new Error('no answer');
  await stalled.promise;
  expect(written).toBeLessThan(64);
  let bytes = 0;
  for await (const chunk of reply.body) bytes += (chunk as Buffer).length;
  expect(bytes).toBe(128 << 20);
});

test('hanging up before the head and in the body ends the request there', async () => {
  const gone: Promise<unknown>[] = [];
  const came = Promise.withResolvers<void>();
  const wire = await serve((request, response) => {
    gone.push(once(response, 'close'));
    request.resume();
    if (gone.length === 1) came.resolve();
    else response.write('a');
  });
  const first = new AbortController();
  const silent = wire.stream(ASKED, first.signal);
  await came.promise;
  first.abort();
  expect(await silent).toMatchObject({ kind: 'lost', reason: 'hung_up' });
  const second = new AbortController();
  const reply = await wire.stream(ASKED, second.signal);
  if (reply.kind !== 'answered') throw new Error('no answer');
  second.abort();
  await expect(text(reply.body)).rejects.toThrow();
  await Promise.all(gone);
});

test('hanging up in the queue is told at once, and leaves body and connection for another', async () => {
  let connections = 0;
  const came = Promise.withResolvers<ServerResponse>();
  const wire = await serve(async (request, response) => {
    if (request.headers['content-length'] === '2') return came.resolve(response);
    response.end(await text(request));
  }, 1);
  server!.on('connection', () => {
    connections += 1;
  });
  const first = wire.stream({ ...ASKED, headers: { 'content-length': '2' } }, NEVER);
  const response = await came.promise;
  const leave = new AbortController();
  const body = Readable.from([Buffer.from('ab'), Buffer.from('cd')], { objectMode: false });
  const asked = { ...ASKED, headers: { 'content-length': '4' }, body };
  const queued = wire.stream(asked, leave.signal);
  leave.abort();
  expect(await queued).toMatchObject({ kind: 'unsent', reason: 'hung_up' });
  response.end('first');
  const [one, other] = [await first, wire.stream(asked, NEVER)];
  if (one.kind === 'answered') expect(await text(one.body)).toBe('first');
  const again = await other;
  if (again.kind !== 'answered') throw new Error('no answer');
  expect(await text(again.body)).toBe('abcd');
  expect(connections).toBe(1);
});

test('nobody there: unsent, and no token in the words', async () => {
  const wire = await serve(() => {});
  server!.closeAllConnections();
  server!.close();
  const reply = await wire.stream(ASKED, NEVER);
  expect(reply).toMatchObject({ kind: 'unsent', reason: 'refused' });
  expect(JSON.stringify(reply)).not.toContain('verysecret');
});

test('a body that flows arrives whole, with its length', async () => {
  const wire = await serve(async (request, response) => {
    response.end(`${request.headers['content-length']} ${await text(request)}`);
  });
  const body = Readable.from([Buffer.from('ab'), Buffer.from('cd')], { objectMode: false });
  const reply = await wire.request({ ...ASKED, headers: { 'content-length': '4' }, body });
  expect(reply).toMatchObject({ kind: 'answered', body: '4 abcd' });
});

test('a body that fails in the middle is lost, not sent', async () => {
  const wire = await serve((request) => void request.resume());
  const broken = Readable.from(
    (async function* () {
      yield Buffer.from('ab');
      throw new Error('disk gone');
    })(),
    { objectMode: false },
  );
  const reply = await wire.request({ ...ASKED, headers: { 'content-length': '4' }, body: broken });
  expect(reply).toMatchObject({ kind: 'lost' });
});
