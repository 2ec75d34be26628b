import { expect, test } from 'vitest';
import { API_SCHEMA } from './schema-api.ts';
import { TRANSPORT_SCHEMA } from './schema-transport.ts';
import { type TlObject, TlSchema } from './tl.ts';

const SCHEMA = new TlSchema([...TRANSPORT_SCHEMA, ...API_SCHEMA]);

test('a definition whose id is not the CRC-32 of its text is refused', () => {
  const right = 'peerChannel#a2a5371e channel_id:long = Peer;';
  expect(() => new TlSchema([{ layer: 0, text: right }])).not.toThrow();
  for (const wrong of [right.replace('long', 'int'), right.replace('a2a5', 'a2a4')]) {
    expect(() => new TlSchema([{ layer: 0, text: wrong }])).toThrow('the id does not fit');
  }
});

test('objects come back as they were written: numbers, texts of any length, lists, flags', () => {
  const objects: TlObject[] = [
    { _: 'peerChannel', channel_id: -(2n ** 62n) },
    { _: 'messages.chats', chats: [{ _: 'channelForbidden', id: 1n, access_hash: 2n, title: '' }] },
    { _: 'documentAttributeFilename', file_name: 'é'.repeat(200) },
    { _: 'documentAttributeFilename', file_name: 'x'.repeat(70_000) },
    {
      _: 'jsonArray',
      value: [
        { _: 'jsonBool', value: true },
        { _: 'jsonNumber', value: 0.5 },
      ],
    },
    { _: 'resPQ', ...nonces(), pq: Buffer.of(1, 2, 3), server_public_key_fingerprints: [-5n] },
    { _: 'updates.channelDifferenceEmpty', final: true, pts: 5 },
    { _: 'updates.channelDifferenceEmpty', pts: 5, timeout: 30 },
  ];
  for (const object of objects) {
    const bytes = SCHEMA.encode(object, 227);
    expect(bytes.length % 4).toBe(0);
    expect(SCHEMA.decodeAll(bytes)).toEqual(object);
  }
});

test('an object is written as its client’s layer has it', () => {
  const page = { _: 'messages.messages', messages: [], topics: [], chats: [], users: [] };
  const { topics: _, ...older } = page;
  expect(SCHEMA.decodeAll(SCHEMA.encode(page, 144))).toEqual(older);
  expect(SCHEMA.decodeAll(SCHEMA.encode(page, 227))).toEqual(page);
  expect(SCHEMA.decodeAll(SCHEMA.encode(page, 300))).toEqual(page);
});

test('what is missing or of another kind is a mistake of the simulator, not of the client', () => {
  expect(() => SCHEMA.encode({ _: 'peerChannel' })).toThrow('peerChannel.channel_id is no long');
  expect(() => SCHEMA.encode({ _: 'nonsense' })).toThrow('does not define nonsense');
});

test('an unknown id is no object, and bytes that end early are an error', () => {
  expect(SCHEMA.decodeAll(Buffer.from('01020304', 'hex'))).toBeNull();
  const whole = SCHEMA.encode({ _: 'peerChannel', channel_id: 1n });
  expect(() => SCHEMA.decodeAll(whole.subarray(0, 8))).toThrow(RangeError);
});

function nonces() {
  return { nonce: Buffer.alloc(16, 1), server_nonce: Buffer.alloc(16, 2) };
}
