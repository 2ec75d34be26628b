// Real sockets on the loopback: each way a request can end, and on which side of the write.

import { type Channel, channel } from 'node:diagnostics_channel';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { type HttpOptions, undiciTransport } from './http.ts';
import type { Reply, Transport } from './transport.ts';

const PATH = '/bot42:verysecret/sendMessage';
const DEADLINE_MS = 10_000;
const DEADLINE_SHORT_MS = 150;

const openTransports: Transport[] = [];
const openServers: { server: Server; sockets: Set<Socket> }[] = [];

afterEach(async () => {
  for (const transport of openTransports.splice(0)) await transport.close();
  for (const { server, sockets } of openServers.splice(0)) {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  openServers.push({ server, sockets });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const tcp = (onSocket: (socket: Socket) => void) => listen(createServer(onSocket));
const http = (onRequest: RequestListener) => listen(createHttpServer(onRequest));

function open(port: number, options: Partial<HttpOptions> = {}): Transport {
  const transport = undiciTransport({ baseUrl: `http://127.0.0.1:${port}`, ...options });
  openTransports.push(transport);
  return transport;
}

async function post(transport: Transport, deadlineMs = DEADLINE_MS): Promise<Reply> {
  const headers = { 'content-type': 'application/json' };
  const body = '{"chat_id":1}';
  const reply = await transport.request({ method: 'POST', path: PATH, headers, body, deadlineMs });
  expect(JSON.stringify(reply)).not.toContain('verysecret');
  return reply;
}

function once(of: Channel): Promise<void> {
  return new Promise((resolve) => {
    const listener = () => {
      of.unsubscribe(listener);
      resolve();
    };
    of.subscribe(listener);
  });
}

async function portOfNobody(): Promise<number> {
  const port = await tcp(() => {});
  const { server } = openServers.pop()!;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';

test('an answer comes back whole: status, headers, body', async () => {
  const seen: string[] = [];
  const port = await http((request, response) => {
    request.setEncoding('utf8').on('data', (text) => seen.push(`${request.url} ${text}`));
    request.on('end', () => {
      response.writeHead(429, { 'Retry-After': '35', 'Set-Cookie': ['a=1', 'b=2'] });
      response.end('{"ok":false}');
    });
  });
  const reply = await post(open(port, { baseUrl: `http://127.0.0.1:${port}/prefix/` }));
  expect(reply).toMatchObject({ kind: 'answered', status: 429, body: '{"ok":false}' });
  expect(reply).toMatchObject({ headers: { 'retry-after': '35', 'set-cookie': 'a=1, b=2' } });
  expect(seen).toEqual([`/prefix${PATH} {"chat_id":1}`]);
});

test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const)(
  '%s goes out as it is, with a body and without one, and its answer comes back',
  async (method) => {
    const seen: string[] = [];
    const port = await http((request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (more: string) => {
        text += more;
      });
      request.on('end', () => {
        seen.push(`${request.method} ${text}`);
        response.end(request.method);
      });
    });
    const transport = open(port);
    for (const body of ['{"a":1}', null]) {
      const headers = body === null ? {} : { 'content-type': 'application/json' };
      const asked = { method, path: PATH, headers, body, deadlineMs: DEADLINE_MS };
      expect(await transport.request(asked)).toMatchObject({ kind: 'answered', body: method });
    }
    expect(seen).toEqual([`${method} {"a":1}`, `${method} `]);
  },
);

test('what was written and not answered is lost, whatever the verb', async () => {
  const port = await tcp((socket) => socket.once('data', () => socket.destroy()));
  const transport = open(port);
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'] as const) {
    const asked = { method, path: PATH, headers: {}, body: null, deadlineMs: DEADLINE_MS };
    expect(await transport.request(asked)).toMatchObject({ kind: 'lost' });
  }
});

test('a page of HTML is an answer, also when it just fits the bound', async () => {
  const body = '<html>502</html>';
  const port = await http((_, response) => response.writeHead(502).end(body));
  const reply = await post(open(port, { answerBytesMax: body.length }));
  expect(reply).toMatchObject({ kind: 'answered', status: 502, body });
});

test('a multi-byte character cut between two chunks survives', async () => {
  const text = Buffer.from('{"text":"привет 🎈"}');
  const port = await http((_, response) => {
    response.write(text.subarray(0, 10), () => response.end(text.subarray(10)));
  });
  expect(await post(open(port))).toMatchObject({ body: text.toString() });
});

test('an interim answer is not the answer', async () => {
  const port = await tcp((socket) => {
    socket.once('data', () => socket.write(`HTTP/1.1 103 Early Hints\r\n\r\n${OK}`));
  });
  expect(await post(open(port))).toMatchObject({ kind: 'answered', status: 200, body: '{}' });
});

test('refused: unsent', async () => {
  const reply = await post(open(await portOfNobody()));
  expect(reply).toMatchObject({ kind: 'unsent', reason: 'refused' });
});

test('a name that does not resolve: unsent', async () => {
  const reply = await post(open(1, { baseUrl: 'http://nobody.invalid' }));
  expect(reply.kind).toBe('unsent');
});

test('a TLS handshake that fails: unsent', async () => {
  const port = await tcp((socket) => socket.once('data', () => socket.end('this is not TLS')));
  const reply = await post(open(port, { baseUrl: `https://127.0.0.1:${port}` }));
  expect(reply.kind).toBe('unsent');
});

test('a TLS handshake that hangs: unsent, by the connect time-out', async () => {
  const port = await tcp(() => {});
  const baseUrl = `https://127.0.0.1:${port}`;
  const reply = await post(open(port, { baseUrl, connectTimeoutMs: DEADLINE_SHORT_MS }));
  expect(reply).toMatchObject({ kind: 'unsent', reason: 'connect_timeout' });
});

test('https works', async () => {
  // A shared key instead of a certificate: nothing secret lies in the repository.
  const psk = Buffer.from('loopback test only');
  const shared = { ciphers: 'PSK', minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } as const;
  const port = await listen(
    createTlsServer({ ...shared, pskCallback: () => psk }, (socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.write(OK));
    }),
  );
  const tls = {
    ...shared,
    pskCallback: () => ({ psk, identity: 'test' }),
    checkServerIdentity: () => undefined,
  };
  const reply = await post(open(port, { baseUrl: `https://127.0.0.1:${port}`, tls }));
  expect(reply).toMatchObject({ kind: 'answered', status: 200, body: '{}' });
});

test('reset at once on connecting: never an answer, whichever came first', async () => {
  const port = await tcp((socket) => socket.resetAndDestroy());
  expect(['unsent', 'lost']).toContain((await post(open(port))).kind);
});

test('written, then reset before anything was read: lost, it was on its way', async () => {
  const accepted = Promise.withResolvers<Socket>();
  const server = createServer({ pauseOnConnect: true }, accepted.resolve);
  const reply = post(open(await listen(server)));
  await once(channel('undici:client:sendHeaders'));
  (await accepted.promise).resetAndDestroy();
  expect(await reply).toMatchObject({ kind: 'lost', reason: 'reset' });
});

test.each<[string, string, (socket: Socket) => void]>([
  ['reset after the request was read', 'reset', (socket) => socket.resetAndDestroy()],
  ['closed without an answer', 'closed', (socket) => socket.end()],
  ['a truncated answer', 'closed', (socket) => socket.end(OK.replace('2\r', '20\r'))],
  ['an answer that is no HTTP', 'not_http', (socket) => socket.end('nonsense\r\n\r\n')],
])('%s: lost (%s)', async (_, reason, answer) => {
  const port = await tcp((socket) => socket.once('data', () => answer(socket)));
  expect(await post(open(port))).toMatchObject({ kind: 'lost', reason });
});

test('a server that never answers: lost, at the deadline', async () => {
  const port = await tcp(() => {});
  const reply = await post(open(port), DEADLINE_SHORT_MS);
  expect(reply).toMatchObject({ kind: 'lost', reason: 'timeout' });
});

test('an answer that trickles for ever: lost, at the deadline', async () => {
  const port = await http((_, response) => {
    response.writeHead(200);
    const drip = () => {
      if (!response.destroyed) response.write(' ', () => setTimeout(drip, 10));
    };
    drip();
  });
  const reply = await post(open(port), DEADLINE_SHORT_MS);
  expect(reply).toMatchObject({ kind: 'lost', reason: 'timeout' });
});

test('an answer beyond the bound: lost, and the connection is closed', async () => {
  const closed = Promise.withResolvers<void>();
  const port = await http((_, response) => {
    response.on('close', closed.resolve);
    response.writeHead(200);
    const pour = () => {
      if (!response.destroyed) response.write('x'.repeat(4096), () => setImmediate(pour));
    };
    pour();
  });
  const reply = await post(open(port, { answerBytesMax: 10_000 }));
  expect(reply).toMatchObject({ kind: 'lost', reason: 'answer_too_large' });
  await closed.promise;
});

test('connections are kept and reused', async () => {
  let connections = 0;
  const port = await http((_, response) => response.end('{}'));
  openServers.at(-1)!.server.on('connection', () => connections++);
  const transport = open(port, { connectionsMax: 1 });
  for (let i = 0; i < 5; i++) expect((await post(transport)).kind).toBe('answered');
  expect(connections).toBe(1);
});

test('a kept connection that the server has closed is replaced, unnoticed', async () => {
  let connections = 0;
  const closed = Promise.withResolvers<void>();
  const port = await tcp((socket) => {
    connections++;
    socket.once('data', () => socket.write(OK, () => socket.end()));
    socket.on('close', () => closed.resolve());
  });
  const transport = open(port, { connectionsMax: 1 });
  expect((await post(transport)).kind).toBe('answered');
  await closed.promise;
  expect((await post(transport)).kind).toBe('answered');
  expect(connections).toBe(2);
});

test('a kept connection that is reset when reused: lost, and not repeated in silence', async () => {
  let requests = 0;
  const port = await tcp((socket) => {
    socket.on('data', () => {
      requests++;
      if (requests === 1) socket.write(OK);
      else socket.resetAndDestroy();
    });
  });
  const transport = open(port, { connectionsMax: 1 });
  expect((await post(transport)).kind).toBe('answered');
  expect((await post(transport)).kind).toBe('lost');
  expect(requests).toBe(2);
});

test('what waited for a connection past its deadline: unsent, never written', async () => {
  const seen: string[] = [];
  let release: () => void = () => {};
  let connections = 0;
  const port = await tcp((socket) => {
    connections++;
    socket.on('data', (data) => {
      seen.push(data.toString().split(' ')[1]!);
      if (seen.length === 1) release = () => socket.write(OK);
      else socket.write(OK);
    });
  });
  const transport = open(port, { connectionsMax: 1 });
  const get = (path: string, deadlineMs: number) =>
    transport.request({ method: 'GET', path, headers: {}, body: null, deadlineMs });
  const first = get('/first', DEADLINE_MS);
  const second = await get('/second', DEADLINE_SHORT_MS);
  expect(second).toMatchObject({ kind: 'unsent', reason: 'timeout' });
  const third = get('/third', DEADLINE_MS);
  release();
  expect((await first).kind).toBe('answered');
  expect((await third).kind).toBe('answered');
  expect(seen).toEqual(['/first', '/third']);
  expect(connections).toBe(1);
});

test('after close: unsent; what was in flight is lost at once', async () => {
  const arrived = Promise.withResolvers<void>();
  const transport = open(await http(() => arrived.resolve()));
  const inFlight = post(transport);
  await arrived.promise;
  const closing = transport.close();
  expect(await post(transport)).toMatchObject({ kind: 'unsent', reason: 'shut_down' });
  expect(await inFlight).toMatchObject({ kind: 'lost', reason: 'shut_down' });
  await closing;
  openTransports.length = 0;
});

test('a malformed request is unsent, and its path is not quoted', async () => {
  const transport = open(await tcp(() => {}));
  const path = '/bot42:verysecret\n/x';
  const request = {
    method: 'GET',
    path,
    headers: {},
    body: null,
    deadlineMs: DEADLINE_MS,
  } as const;
  const reply = await transport.request(request);
  expect(reply.kind).toBe('unsent');
  expect(JSON.stringify(reply)).not.toContain('verysecret');
});
