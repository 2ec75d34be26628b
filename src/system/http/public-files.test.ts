import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isPublicAddress } from './address-range.ts';
import { type PublicFiles, publicFiles } from './public-files.ts';

describe('which addresses are public', () => {
  test.each(['8.8.8.8', '149.154.167.99', '172.32.0.1', '2606:4700::1', '2a00:1450:4001::1'])(
    '%s is',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  test.each([
    ...['127.0.0.1', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ...['169.254.169.254', '100.64.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
    ...['::', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '64:ff9b::7f00:1', '2002:7f00:1::'],
    ...['fd00::1', 'fe80::1', 'fec0::1', 'ff02::1', 'localhost', ''],
  ])('%s is not', (address) => expect(isPublicAddress(address)).toBe(false));
});

const CONTENT = Buffer.from('0123456789');
let asked: IncomingMessage[];
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let files: PublicFiles;
const server = createServer((request, response) => {
  asked.push(request);
  answer(request, response);
});

beforeEach(async () => {
  asked = [];
  files = publicFiles();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  await files.close();
  server.closeAllConnections();
  server.close();
});

const url = (host: string) => `http://${host}:${(server.address() as AddressInfo).port}/a.jpg?x=1`;
const get = (offset: number, bytesMax = 4) => files.get(url('127.0.0.1'), { offset, bytesMax });

test.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1'])(
  'nobody is asked at %s',
  async (host) => {
    const part = await files.get(url(host), { offset: 0, bytesMax: 10 });
    expect(part).toMatchObject({ kind: 'refused', status: null });
    expect(asked).toEqual([]);
  },
);

describe('where it may be reached', () => {
  beforeEach(() => {
    files = publicFiles(() => true);
    answer = (request, response) => {
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '')!;
      const part = CONTENT.subarray(Number(from), Number(to) + 1);
      const range = `bytes ${from}-${Number(from) + part.length - 1}/${CONTENT.length}`;
      response.writeHead(206, { 'content-range': range, 'content-type': 'image/jpeg' }).end(part);
    };
  });

  test('a file comes in pieces, and the last says so', async () => {
    const parts = [await get(0), await get(4), await get(8)];
    expect(parts).toMatchObject([{ isLast: false }, { isLast: false }, { isLast: true }]);
    const bytes = parts.map((part) => (part.kind === 'part' ? Buffer.from(part.bytes) : null));
    expect(Buffer.concat(bytes as Buffer[])).toEqual(CONTENT);
    expect(parts[0]).toMatchObject({ contentType: 'image/jpeg' });
    expect(asked[0]?.url).toBe('/a.jpg?x=1');
  });

  test('a server without pieces gives it whole, if it is not more than was asked for', async () => {
    answer = (_, response) => response.end(CONTENT);
    expect(await get(0, 10)).toMatchObject({ kind: 'part', isLast: true });
    expect(await get(0, 9)).toMatchObject({ kind: 'refused', detail: 'more than 9 bytes' });
    expect(await get(4)).toMatchObject({ kind: 'refused', status: 200 });
  });

  test('after the end there is nothing, and no redirect is followed', async () => {
    answer = (_, response) => response.writeHead(416).end();
    expect(await get(10)).toMatchObject({ kind: 'part', isLast: true });
    answer = (_, response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end();
    expect(await get(0)).toEqual({ kind: 'refused', status: 302, detail: 'HTTP 302' });
  });

  test('a line that breaks is a value', async () => {
    answer = (request) => request.socket.destroy();
    expect(await get(0)).toMatchObject({ kind: 'failed' });
  });
});
