// Encrypted messages: what lies in a packet once an auth key is agreed on.

import { randomBytes, randomInt } from 'node:crypto';
import { decryptIge, encryptIge, messageAes, messageKey } from './crypto.ts';
import { TlReader, TlWriter } from './tl/bytes.ts';

export interface Letter {
  readonly salt: bigint;
  readonly session: bigint;
  readonly message: Message;
}

export interface Message {
  readonly id: bigint;
  readonly seq: number;
  readonly body: Buffer;
}

const BLOCK_BYTES = 16;
const HEAD_BYTES = 32;
const PADDING_BYTES_MIN = 12;
const PADDING_BYTES_MAX = 1024;
const KEY_ID_BYTES = 8;
const MESSAGE_KEY_BYTES = 16;
const CONTAINER_ID = 0x73f1f8dc;
const CONTAINER_MESSAGES_MAX = 1020;

// null: it was not made with this key, or not by the rules.
export function open(key: Buffer, packet: Buffer): Letter | null {
  const from = KEY_ID_BYTES + MESSAGE_KEY_BYTES;
  const encrypted = packet.subarray(from);
  if (encrypted.length < HEAD_BYTES || encrypted.length % BLOCK_BYTES !== 0) return null;
  const msgKey = packet.subarray(KEY_ID_BYTES, from);
  const plain = decryptIge(encrypted, messageAes(key, msgKey, 'client'));
  if (!messageKey(key, plain, 'client').equals(msgKey)) return null;
  const reader = new TlReader(plain);
  const salt = reader.long();
  const session = reader.long();
  const message = readMessage(reader);
  const isPadded = reader.left >= PADDING_BYTES_MIN && reader.left <= PADDING_BYTES_MAX;
  return isPadded ? { salt, session, message } : null;
}

export function seal(key: Buffer, keyId: bigint, letter: Letter): Buffer {
  const writer = new TlWriter();
  writer.long(letter.salt);
  writer.long(letter.session);
  writeMessage(writer, letter.message);
  const plain = writer.bytes();
  const rest = (BLOCK_BYTES - ((plain.length + PADDING_BYTES_MIN) % BLOCK_BYTES)) % BLOCK_BYTES;
  // Some blocks more than needed, as the protocol wishes.
  const padding = randomBytes(PADDING_BYTES_MIN + rest + BLOCK_BYTES * randomInt(4));
  const padded = Buffer.concat([plain, padding]);
  const msgKey = messageKey(key, padded, 'server');
  const head = new TlWriter();
  head.long(keyId);
  return Buffer.concat([
    head.bytes(),
    msgKey,
    encryptIge(padded, messageAes(key, msgKey, 'server')),
  ]);
}

function readMessage(reader: TlReader): Message {
  const id = reader.long();
  const seq = reader.int();
  return { id, seq, body: reader.raw(reader.int()) };
}

function writeMessage(writer: TlWriter, { id, seq, body }: Message): void {
  writer.long(id);
  writer.int(seq);
  writer.int(body.length);
  writer.raw(body);
}

// Several messages in the body of one; null: it is no container.
export function unpack(body: Buffer): Message[] | null {
  const reader = new TlReader(body);
  if (reader.id() !== CONTAINER_ID) return null;
  const count = reader.int();
  if (count > CONTAINER_MESSAGES_MAX) throw new Error('a container of too many messages');
  return Array.from({ length: count }, () => readMessage(reader));
}

export function pack(messages: readonly Message[]): Buffer {
  const writer = new TlWriter();
  writer.id(CONTAINER_ID);
  writer.int(messages.length);
  for (const message of messages) writeMessage(writer, message);
  return writer.bytes();
}
