import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { isRefused } from './listening.ts';

const MS_MAX = 5_000;

test('a port that somebody listens at does not refuse; after they are gone it does', async () => {
  for (const host of ['127.0.0.1', '::1']) {
    const server = createServer().listen(0, host);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
    expect(await isRefused(url, MS_MAX)).toBe(false);
    server.close();
    await once(server, 'close');
    expect(await isRefused(url, MS_MAX)).toBe(true);
  }
});

test('what cannot be told is no refusal', async () => {
  expect(await isRefused('http://there.is.none.invalid:9', MS_MAX)).toBe(false);
});
