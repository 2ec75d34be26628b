// What a connection says to a client that keeps the rules, and to one that does not. The client is written out here.

import { randomBytes } from 'node:crypto';
import { deflateSync, gunzipSync } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import { seededRandom } from '../../system/random.ts';
import { Connection } from './connection.ts';
import { decryptIge, encryptIge, messageAes, messageKey } from './crypto.ts';
import { type Message, pack, unpack } from './envelope.ts';
import { MtprotoModel } from './model.ts';
import { idAt, KeyRing } from './session.ts';
import { TlReader, TlWriter } from './tl/bytes.ts';
import { API_SCHEMA } from './tl/schema-api.ts';
import { TRANSPORT_SCHEMA } from './tl/schema-transport.ts';
import { type TlObject, TlSchema } from './tl/tl.ts';

const SCHEMA = new TlSchema([...TRANSPORT_SCHEMA, ...API_SCHEMA]);
const KEY = randomBytes(256);
const KEY_ID = 77n;
const SALT = 5n;
const SESSION = 9n;
const NOW = 1_800_000_000_000;
const CONTAINER_ID = 0x73f1f8dc;
const RPC_RESULT_ID = 0xf35c6d01;
const GZIP_ID = 0x3072cfa1;

let keys: KeyRing;
let model: MtprotoModel;
let connection: Connection;
let sent: Buffer[];
let isClosed: boolean;
let now: number;
let count = 0n;

beforeEach(() => {
  now = NOW;
  sent = [];
  isClosed = false;
  const clock = { now: () => now, schedule: () => ({ cancel() {} }) };
  keys = new KeyRing(clock);
  model = new MtprotoModel({}, { clock, random: seededRandom(1) });
  keys.add({ id: KEY_ID, key: KEY, salt: SALT }, model.newHolder());
  connection = newConnection(clock);
});

function newConnection(clock: ConstructorParameters<typeof KeyRing>[0]): Connection {
  const serverKey = { pem: '', fingerprint: 1n, open: () => null };
  const send = (bytes: Buffer) => sent.push(bytes);
  const close = () => {
    isClosed = true;
  };
  const made = new Connection({ schema: SCHEMA, clock, serverKey, keys, model, send, close });
  made.receive(Buffer.from('eeeeeeee', 'hex'));
  return made;
}

function newId(): bigint {
  return (idAt(now) & ~3n) + 4n * ++count;
}

function message(object: TlObject | Buffer, fields: Partial<Message> = {}): Message {
  const body = Buffer.isBuffer(object) ? object : SCHEMA.encode(object, 227);
  return { id: newId(), seq: 1, body, ...fields };
}

function say(said: Message, salt = SALT): void {
  receive(sealed(said, salt));
}

function sealed(said: Message, salt: bigint): Buffer {
  const writer = new TlWriter();
  writer.long(salt);
  writer.long(SESSION);
  writer.long(said.id);
  writer.int(said.seq);
  writer.int(said.body.length);
  writer.raw(said.body);
  const length = writer.bytes().length;
  const plain = Buffer.concat([
    writer.bytes(),
    randomBytes(12 + ((16 - ((length + 12) % 16)) % 16)),
  ]);
  const msgKey = messageKey(KEY, plain, 'client');
  const head = new TlWriter();
  head.long(KEY_ID);
  const encrypted = encryptIge(plain, messageAes(KEY, msgKey, 'client'));
  return Buffer.concat([head.bytes(), msgKey, encrypted]);
}

function receive(packet: Buffer): void {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(packet.length);
  connection.receive(Buffer.concat([length, packet]));
}

// All that was said since, containers opened.
function heard(): Buffer[] {
  return sent.splice(0).flatMap((frame) => {
    const packet = frame.subarray(4);
    const msgKey = packet.subarray(8, 24);
    const plain = decryptIge(packet.subarray(24), messageAes(KEY, msgKey, 'server'));
    expect(messageKey(KEY, plain, 'server').equals(msgKey)).toBe(true);
    const reader = new TlReader(plain);
    expect([reader.long(), reader.long()]).toEqual([expect.any(BigInt), SESSION]);
    reader.raw(12);
    const body = reader.raw(reader.int());
    const inside = new TlReader(body).peekId() === CONTAINER_ID ? unpack(body)! : null;
    return inside === null ? [body] : inside.map((each) => each.body);
  });
}

function objects(): (TlObject | null)[] {
  return heard().map((body) => SCHEMA.decodeAll(body));
}

const PING: TlObject = { _: 'ping', ping_id: 42n };

test('a new session is announced once, and a ping answered', () => {
  const ping = message(PING);
  say(ping);
  expect(objects()).toEqual([
    expect.objectContaining({ _: 'new_session_created', first_msg_id: ping.id, server_salt: SALT }),
    { _: 'pong', msg_id: ping.id, ping_id: 42n },
    { _: 'msgs_ack', msg_ids: [ping.id] },
  ]);
  say(message(PING, { seq: 2 }));
  expect(objects()).toMatchObject([{ _: 'pong' }]);
});

test.each([
  ['too old', -301_000, 0n, 16],
  ['of the future', 31_000, 0n, 17],
  ['that is no client’s', 0, 1n, 18],
])('an id %s is refused with its number', (_, ms, rest, code) => {
  const id = (idAt(now + ms) & ~3n) + rest;
  say(message(PING, { id, seq: 3 }));
  const about = { bad_msg_id: id, bad_msg_seqno: 3, error_code: code };
  expect(objects()).toEqual([{ _: 'bad_msg_notification', ...about }]);
});

test('another salt is corrected, and the message not heard', () => {
  const ping = message(PING);
  say(ping, 6n);
  const about = { bad_msg_id: ping.id, bad_msg_seqno: 1, error_code: 48, new_server_salt: SALT };
  expect(objects()).toEqual([{ _: 'bad_server_salt', ...about }]);
  keys.changeSalts();
  say(message(PING));
  expect(objects()).toMatchObject([{ _: 'bad_server_salt' }]);
});

test('what is said twice is heard once; what was heard can be asked', () => {
  const ping = message(PING);
  say(ping);
  heard();
  say(ping);
  expect(objects()).toEqual([{ _: 'msgs_ack', msg_ids: [ping.id] }]);
  const asked = message({ _: 'msgs_state_req', msg_ids: [ping.id, 8n] });
  say(asked);
  const info = Buffer.of(4, 1);
  expect(objects()[0]).toEqual({ _: 'msgs_state_info', req_msg_id: asked.id, info });
});

test('containers and compressed calls are opened, and long answers compressed', () => {
  const packed = new TlWriter();
  packed.id(GZIP_ID);
  packed.string(deflateSync(SCHEMA.encode({ _: 'help.getConfig' }, 227)));
  const call = message(packed.bytes());
  const inner = [call, message(PING, { seq: 3 })];
  say(message(pack(inner), { seq: 4 }));
  const [, result, pong, ack] = heard();
  const reader = new TlReader(result!);
  expect([reader.id(), reader.long(), reader.id()]).toEqual([RPC_RESULT_ID, call.id, GZIP_ID]);
  expect(SCHEMA.decodeAll(gunzipSync(reader.string()))).toMatchObject({ _: 'config', this_dc: 2 });
  expect(SCHEMA.decodeAll(pong!)).toMatchObject({ _: 'pong' });
  expect(SCHEMA.decodeAll(ack!)).toEqual({ _: 'msgs_ack', msg_ids: inner.map(({ id }) => id) });
});

test('an unknown method, and one before the login, are refused', () => {
  const refusal = () => SCHEMA.decodeAll(heard().map((body) => body.subarray(12))[0]!);
  say(message(PING));
  heard();
  say(message(Buffer.from('0d0c0b0a', 'hex')));
  const unknown = { error_code: 400, error_message: 'INPUT_METHOD_INVALID_a0b0c0d' };
  expect(refusal()).toEqual({ _: 'rpc_error', ...unknown });
  say(message({ _: 'updates.getState' }));
  expect(refusal()).toMatchObject({ error_code: 401, error_message: 'AUTH_KEY_UNREGISTERED' });
});

test('a message that was changed on the way ends the connection, be it in its padding', () => {
  const packet = sealed(message(PING), SALT);
  packet[packet.length - 1]! ^= 1;
  receive(packet);
  expect(isClosed).toBe(true);
  expect(sent).toEqual([]);
});
