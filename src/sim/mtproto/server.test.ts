import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type ServedMtproto, serveMtproto } from './server.ts';

let sim: ServedMtproto;
const sockets: Socket[] = [];

beforeAll(async () => {
  sim = await serveMtproto({ host: '127.0.0.1', port: 0 });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => sim.close());

function send(hex: string): Socket {
  const socket = connect(sim.port, sim.host);
  sockets.push(socket);
  socket.write(Buffer.from(hex, 'hex'));
  return socket;
}

test('a key that it does not know is answered with -404', async () => {
  const packet = '0807060504030201'.padEnd(80, '0');
  const [answer] = (await once(send(`eeeeeeee28000000${packet}`), 'data')) as [Buffer];
  expect(answer.readInt32LE(0)).toBe(4);
  expect(answer.readInt32LE(4)).toBe(-404);
});

test.each([
  ['a request in the clear that is no handshake', 'ef06', `${'00'.repeat(16)}04000000deadbeef`],
  ['a packet that is too large', 'eeeeeeee', 'ffffff7f'],
  ['a frame with a wrong checksum', '18000000', `00000000${'00'.repeat(16)}`],
  ['an end inside an object', 'ef06', `${'00'.repeat(16)}04000000f18e7ebe`],
])('%s ends the connection', async (_, head, rest) => {
  const socket = send(head + rest);
  socket.resume();
  await once(socket, 'close');
});

test('a handshake is answered, byte by byte as it may come', async () => {
  const nonce = 'ab'.repeat(16);
  const request = `${'00'.repeat(16)}14000000f18e7ebe${nonce}`;
  const socket = send('ef');
  for (const byte of Buffer.from(`0a${request}`, 'hex')) socket.write(Buffer.of(byte));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.subarray(21, 25).readUInt32LE()).toBe(0x05162463);
  expect(answer.subarray(25, 41).toString('hex')).toBe(nonce);
});
