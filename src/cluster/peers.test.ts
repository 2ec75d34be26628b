// What becomes of a request to another node, by how that node answers.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { FLEET_HEADERS } from '../domain/fleet.ts';
import { systemClock } from '../system/clock.ts';
import { FleetPeers, type PeerAnswer } from './peers.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function asked(
  headers: Record<string, string>,
  body: Buffer | Readable | null,
): Promise<PeerAnswer['kind']> {
  const server = createServer((_request, response) => response.writeHead(401, headers).end('{}'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const peers = new FleetPeers('a secret', () => {}, systemClock());
  stops.push(() => peers.close(), server.close.bind(server));
  const { signal } = new AbortController();
  const length = body instanceof Readable ? { 'content-length': '2' } : {};
  const request = { method: 'POST', path: '/', headers: length, body, signal } as const;
  const answer = await peers.forward({ url }, request);
  if (answer.kind === 'answered') answer.body.resume();
  return answer.kind;
}

const STRANGER = { [FLEET_HEADERS.stranger]: '1' };

test('a 401 for its caller is an answer; of a node with another secret it is none', async () => {
  expect(await asked({}, null)).toBe('answered');
  expect(await asked(STRANGER, null)).toBe('unsent');
  expect(await asked(STRANGER, Buffer.from('{}'))).toBe('unsent');
});

test('a body that streamed to one with another secret may be gone in part: it does not go again', async () => {
  expect(await asked(STRANGER, Readable.from(['{}']))).toBe('lost');
});
