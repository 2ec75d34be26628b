// Real sockets on the loopback: what is held for long must not take the place of what is to be answered soon.

import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createListener } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { FLEET_HEADERS, FLEET_PATHS } from '../domain/fleet.ts';
import { systemClock } from '../system/clock.ts';
import { FleetPeers, type ForwardOutcome, type PeerAnswer, type PeerRequest } from './peers.ts';

const HELD = 300;
const HOLD = '/hold';
const QUESTION = { n: 1 };
const READ_MS = 1_000;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function peersWith(forwardsMax: number) {
  const counted: ForwardOutcome[] = [];
  const count = (outcome: ForwardOutcome) => void counted.push(outcome);
  const peers = new FleetPeers({ secret: 'shared', clock: systemClock(), forwardsMax, count });
  closing.push(() => peers.close());
  return { peers, counted };
}

async function listening(server: Pick<Server, 'listen' | 'address' | 'close'>) {
  const opened = server as Server;
  opened.listen(0, '127.0.0.1');
  await once(opened, 'listening');
  closing.push(() => opened.close());
  return { url: `http://127.0.0.1:${(opened.address() as AddressInfo).port}` };
}

// Answers all but what is to be held, and says when so many of those have come.
async function answering(...looks: readonly number[]) {
  const held: ServerResponse[] = [];
  const reached = looks.map(() => Promise.withResolvers<void>());
  const listener: RequestListener = (request, response) => {
    request.resume();
    if (request.url !== HOLD) return void response.end(JSON.stringify({ asked: request.url }));
    held.push(response);
    reached[looks.indexOf(held.length)]?.resolve();
  };
  const server = createServer(listener);
  const node = await listening(server);
  closing.push(() => server.closeAllConnections());
  return { node, held, reached: reached.map(({ promise }) => promise) };
}

function hold(signal: AbortSignal): PeerRequest {
  return { method: 'POST', path: HOLD, headers: {}, body: Buffer.from('{}'), signal };
}

test('what callers wait for does not keep nodes from asking each other', async () => {
  const { node, held, reached } = await answering(HELD);
  const { peers, counted } = peersWith(1_000);
  const leave = new AbortController();
  const forwards = Array.from({ length: HELD }, () => peers.forward(node, hold(leave.signal)));
  await reached[0];
  expect(await peers.ask(node, FLEET_PATHS.claim, QUESTION)).toEqual({
    kind: 'answered',
    value: { asked: FLEET_PATHS.claim },
  });
  expect(await peers.read(node, '/v1/accounts', {}, READ_MS)).toMatchObject({ kind: 'answered' });
  for (const response of held) response.end('{}');
  for (const forward of await Promise.all(forwards)) expect(forward.kind).toBe('answered');
  expect(counted).toEqual(Array(HELD).fill('answered'));
});

test('callers that find all places taken leave at once, and may go elsewhere', async () => {
  const { node, held, reached } = await answering(2, 3);
  const { peers } = peersWith(2);
  const stay = new AbortController();
  const first = [1, 2].map(() => peers.forward(node, hold(stay.signal)));
  await reached[0];
  const leave = new AbortController();
  const queued = peers.forward(node, hold(leave.signal));
  leave.abort();
  expect(await queued).toEqual({ kind: 'unsent' });
  // The node is there: that one caller left does not say otherwise.
  expect(await peers.ask(node, FLEET_PATHS.claim, QUESTION)).toMatchObject({ kind: 'answered' });
  for (const response of held) response.end('{}');
  for (const one of await Promise.all(first)) expect(one.kind).toBe('answered');
  const next = peers.forward(node, hold(stay.signal));
  await reached[1];
  held[2]!.end('{}');
  expect(await next).toMatchObject({ kind: 'answered' });
});

// It takes connections and says nothing, as a process that stands still.
test.each([1_000, 200])(
  'with a node that is frozen all are told so, those that queue too: %i places',
  async (places) => {
    const node = await listening(createListener((socket) => socket.on('error', () => {})) as never);
    const { peers, counted } = peersWith(places);
    const stay = new AbortController();
    const forwards = Array.from({ length: HELD }, () => peers.forward(node, hold(stay.signal)));
    const asked = peers.ask(node, FLEET_PATHS.claim, QUESTION);
    const read = peers.read(node, '/v1/accounts', {}, READ_MS);
    expect(await read).toEqual({ kind: 'lost' });
    expect(await asked).toEqual({ kind: 'lost' });
    const kinds = (await Promise.all(forwards)).map(({ kind }) => kind);
    const left = Math.min(places, HELD);
    expect(kinds.filter((kind) => kind === 'lost')).toHaveLength(left);
    expect(kinds.filter((kind) => kind === 'unsent')).toHaveLength(HELD - left);
    expect(counted).toHaveLength(HELD);
  },
);

// What becomes of a request that the other node answers with 401.
async function refused(
  headers: Record<string, string>,
  body: Buffer | Readable | null,
): Promise<PeerAnswer['kind']> {
  const node = await listening(
    createServer((_request, response) => response.writeHead(401, headers).end('{}')),
  );
  const { peers } = peersWith(1_000);
  const { signal } = new AbortController();
  const length = body instanceof Readable ? { 'content-length': '2' } : {};
  const request = { method: 'POST', path: '/', headers: length, body, signal } as const;
  const answer = await peers.forward(node, request);
  if (answer.kind === 'answered') answer.body.resume();
  return answer.kind;
}

const STRANGER = { [FLEET_HEADERS.stranger]: '1' };

test('a 401 for its caller is an answer; of a node with another secret it is none', async () => {
  expect(await refused({}, null)).toBe('answered');
  expect(await refused(STRANGER, null)).toBe('unsent');
  expect(await refused(STRANGER, Buffer.from('{}'))).toBe('unsent');
});

test('a body that streamed to one with another secret may be gone in part: it does not go again', async () => {
  expect(await refused(STRANGER, Readable.from(['{}']))).toBe('lost');
});
