// One connection: packets are cut from its bytes, the handshake is answered in the clear, everything after it
// encrypted. What one packet brings is answered by one packet, as a container where there is more than one thing to
// say.

import { gzipSync, unzipSync } from 'node:zlib';
import type { Clock } from '../../system/clock.ts';
import { type Message, open, pack, seal, unpack } from './envelope.ts';
import { intOf, longOf, longsIn, objectIn } from './fields.ts';
import { type Framing, framingOf } from './frames.ts';
import { Handshake } from './handshake.ts';
import type { MtprotoModel, RpcReply } from './model.ts';
import type { ServerKey } from './server-key.ts';
import { idAt, type KeyRing, type KeyState, nextSeq } from './session.ts';
import { TlReader, TlWriter } from './tl/bytes.ts';
import type { TlObject, TlSchema } from './tl/tl.ts';

export interface ConnectionPorts {
  readonly schema: TlSchema;
  readonly clock: Clock;
  readonly serverKey: ServerKey;
  readonly keys: KeyRing;
  readonly model: MtprotoModel;
  readonly send: (bytes: Buffer) => void;
  readonly close: () => void;
}

const RPC_RESULT_ID = 0xf35c6d01;
const GZIP_ID = 0x3072cfa1;
const FUTURE_SALTS_ID = 0xae500895;
// Longer answers are compressed.
const PLAIN_BYTES_MAX = 128;
const UNPACKED_BYTES_MAX = 1 << 22;
// How far a message's id may be from now.
const LATE_MS_MAX = 300_000;
const EARLY_MS_MAX = 30_000;
// How many ids of messages are remembered.
const SEEN_MAX = 1000;
const SALT_S = 1800;
const NO_SUCH_KEY = -404;
const STATE_UNKNOWN = 1;
const STATE_RECEIVED = 4;
const WRAPPERS = [
  'invokeWithLayer',
  'initConnection',
  'invokeWithoutUpdates',
  'invokeWithTakeout',
  'invokeAfterMsg',
];

// A message to be sent; `isContent`: the client has to acknowledge it.
interface Said {
  readonly body: Buffer;
  readonly isContent: boolean;
}

interface Dialogue {
  readonly key: KeyState;
  readonly session: bigint;
  readonly said: Said[];
}

export class Connection {
  readonly #ports: ConnectionPorts;
  readonly #handshake: Handshake;
  readonly #seen = new Set<bigint>();
  #framing: Framing | null = null;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(ports: ConnectionPorts) {
    this.#ports = ports;
    this.#handshake = new Handshake({
      ...ports,
      onKey: (key) => ports.keys.add(key, ports.model.newHolder()),
    });
  }

  // What cannot be understood ends the connection, as it does at the real server.
  receive(chunk: Buffer): void {
    try {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      for (;;) {
        const packet = this.#cut();
        if (packet === null) return;
        this.#take(packet);
      }
    } catch {
      this.#ports.close();
    }
  }

  #cut(): Buffer | null {
    if (this.#framing === null) {
      const named = framingOf(this.#bytes);
      if (named === null) return null;
      this.#framing = named.framing;
      this.#bytes = this.#bytes.subarray(named.tagBytes);
    }
    const found = this.#framing.cut(this.#bytes);
    if (found === null) return null;
    this.#bytes = this.#bytes.subarray(found.taken);
    return found.packet;
  }

  #write(packet: Buffer): void {
    this.#ports.send(this.#framing!.wrap(packet));
  }

  #take(packet: Buffer): void {
    const { keys } = this.#ports;
    const keyId = new TlReader(packet).long();
    if (keyId === 0n) {
      this.#greet(packet);
      return;
    }
    const key = keys.get(keyId);
    if (key === null) {
      const error = new TlWriter();
      error.int(NO_SUCH_KEY);
      this.#write(error.bytes());
      return;
    }
    const letter = open(key.key, packet);
    if (letter === null) {
      this.#ports.close();
      return;
    }
    const dialogue: Dialogue = { key, session: letter.session, said: [] };
    if (this.#isAccepted(dialogue, letter.message, letter.salt)) {
      this.#hear(dialogue, letter.message);
    }
    this.#flush(dialogue);
  }

  #greet(packet: Buffer): void {
    const reader = new TlReader(packet);
    reader.long();
    reader.long();
    const request = this.#ports.schema.decodeAll(reader.raw(reader.int()));
    const answer = request && this.#handshake.answer(request);
    if (answer === null) {
      this.#ports.close();
      return;
    }
    const body = this.#ports.schema.encode(answer);
    const writer = new TlWriter();
    writer.long(0n);
    writer.long(this.#ports.keys.nextId(true));
    writer.int(body.length);
    writer.raw(body);
    this.#write(writer.bytes());
  }

  // The id of a message is a time, the salt changes: whoever is wrong is told what to correct, and says it again.
  #isAccepted(dialogue: Dialogue, { id, seq }: Message, salt: bigint): boolean {
    const now = this.#ports.clock.now();
    const about = { bad_msg_id: id, bad_msg_seqno: seq };
    const bad = badId(id, now);
    if (bad !== null) {
      this.#say(dialogue, { _: 'bad_msg_notification', ...about, error_code: bad });
      return false;
    }
    if (salt === dialogue.key.salt) return true;
    const correction = { error_code: 48, new_server_salt: dialogue.key.salt };
    this.#say(dialogue, { _: 'bad_server_salt', ...about, ...correction });
    return false;
  }

  #hear(dialogue: Dialogue, whole: Message): void {
    const { key, session } = dialogue;
    if (!key.said.has(session)) {
      key.said.set(session, 0);
      const made = { first_msg_id: whole.id, unique_id: session ^ key.id, server_salt: key.salt };
      this.#say(dialogue, { _: 'new_session_created', ...made }, true);
    }
    const messages = unpack(whole.body) ?? [whole];
    const received: bigint[] = [];
    for (const message of messages) {
      if (message.seq % 2 === 1) received.push(message.id);
      // Said twice: its answer is on the way.
      if (this.#seen.has(message.id)) continue;
      this.#remember(message.id);
      this.#answer(dialogue, message);
    }
    if (received.length > 0) this.#say(dialogue, { _: 'msgs_ack', msg_ids: received });
  }

  #remember(id: bigint): void {
    this.#seen.add(id);
    if (this.#seen.size <= SEEN_MAX) return;
    const [oldest] = this.#seen;
    this.#seen.delete(oldest!);
  }

  #answer(dialogue: Dialogue, { id, body }: Message): void {
    const { schema } = this.#ports;
    const reader = new TlReader(unzipped(body));
    const request = schema.decode(reader);
    if (request === null) {
      const method = reader.peekId().toString(16);
      this.#reply(dialogue, id, '', {
        kind: 'error',
        code: 400,
        text: `INPUT_METHOD_INVALID_${method}`,
        delayMs: 0,
      });
      return;
    }
    if (!this.#serve(dialogue, id, request)) this.#run(dialogue, id, request);
  }

  // What the transport itself is asked for; false: it is a call of the API.
  #serve(dialogue: Dialogue, id: bigint, request: TlObject): boolean {
    switch (request._) {
      case 'msgs_ack':
      case 'http_wait':
      case 'msgs_all_info':
        return true;
      case 'ping':
      case 'ping_delay_disconnect':
        this.#say(dialogue, { _: 'pong', msg_id: id, ping_id: longOf(request, 'ping_id') });
        return true;
      case 'get_future_salts':
        dialogue.said.push({ body: this.#salts(dialogue.key, id), isContent: false });
        return true;
      case 'msgs_state_req':
      case 'msg_resend_req': {
        const states = longsIn(request, 'msg_ids').map((asked) =>
          this.#seen.has(asked) ? STATE_RECEIVED : STATE_UNKNOWN,
        );
        this.#say(dialogue, { _: 'msgs_state_info', req_msg_id: id, info: Buffer.from(states) });
        return true;
      }
      case 'destroy_session': {
        const gone = { session_id: longOf(request, 'session_id') };
        this.#say(dialogue, { _: 'destroy_session_none', ...gone });
        return true;
      }
      case 'rpc_drop_answer':
        this.#result(dialogue, id, this.#ports.schema.encode({ _: 'rpc_answer_unknown' }));
        return true;
      default:
        return false;
    }
  }

  #salts(key: KeyState, id: bigint): Buffer {
    const now = Math.floor(this.#ports.clock.now() / 1000);
    const writer = new TlWriter();
    writer.id(FUTURE_SALTS_ID);
    writer.long(id);
    writer.int(now);
    writer.int(1);
    writer.int(now - SALT_S);
    writer.int(now + SALT_S);
    writer.long(key.salt);
    return writer.bytes();
  }

  #run(dialogue: Dialogue, id: bigint, request: TlObject): void {
    const { model, clock } = this.#ports;
    const { call, takeout } = this.#unwrapped(dialogue.key, request);
    const reply = model.call(dialogue.key.holder, call, takeout);
    if (reply.delayMs === 0) {
      this.#reply(dialogue, id, call._, reply);
      return;
    }
    clock.schedule(clock.now() + reply.delayMs, () => {
      const later: Dialogue = { ...dialogue, said: [] };
      this.#reply(later, id, call._, reply);
      this.#flush(later);
    });
  }

  // A call may stand in others that say how it is meant.
  #unwrapped(key: KeyState, request: TlObject): { call: TlObject; takeout: bigint | null } {
    let takeout: bigint | null = null;
    let call = request;
    for (; WRAPPERS.includes(call._); call = objectIn(call, 'query')) {
      if (call._ === 'invokeWithLayer') key.layer = intOf(call, 'layer');
      if (call._ === 'invokeWithTakeout') takeout = longOf(call, 'takeout_id');
    }
    return { call, takeout };
  }

  #reply(dialogue: Dialogue, id: bigint, method: string, reply: RpcReply): void {
    const { schema, close } = this.#ports;
    switch (reply.kind) {
      case 'cut':
        close();
        return;
      case 'silence':
        return;
      case 'error': {
        const error = { error_code: reply.code, error_message: reply.text };
        this.#result(dialogue, id, schema.encode({ _: 'rpc_error', ...error }));
        return;
      }
      case 'result':
        this.#result(
          dialogue,
          id,
          zipped(schema.encodeResult(method, reply.value, dialogue.key.layer)),
        );
    }
  }

  #result(dialogue: Dialogue, id: bigint, result: Buffer): void {
    const writer = new TlWriter();
    writer.id(RPC_RESULT_ID);
    writer.long(id);
    writer.raw(result);
    dialogue.said.push({ body: writer.bytes(), isContent: true });
  }

  #say(dialogue: Dialogue, object: TlObject, isContent = false): void {
    dialogue.said.push({ body: this.#ports.schema.encode(object), isContent });
  }

  #flush({ key, session, said }: Dialogue): void {
    if (said.length === 0) return;
    const { keys } = this.#ports;
    const messages = said.map(({ body, isContent }) => ({
      id: keys.nextId(true),
      seq: nextSeq(key, session, isContent),
      body,
    }));
    const message =
      messages.length === 1
        ? messages[0]!
        : { id: keys.nextId(true), seq: nextSeq(key, session, false), body: pack(messages) };
    this.#write(seal(key.key, key.id, { salt: key.salt, session, message }));
  }
}

// Why an id is refused, as the protocol numbers it; null: it is not.
function badId(id: bigint, now: number): number | null {
  if ((id & 3n) !== 0n) return 18;
  if (id < idAt(now - LATE_MS_MAX)) return 16;
  return id > idAt(now + EARLY_MS_MAX) ? 17 : null;
}

function unzipped(body: Buffer): Buffer {
  const reader = new TlReader(body);
  if (reader.id() !== GZIP_ID) return body;
  // mtcute compresses in zlib's form, not gzip's.
  return unzipSync(reader.string(), { maxOutputLength: UNPACKED_BYTES_MAX });
}

function zipped(body: Buffer): Buffer {
  if (body.length <= PLAIN_BYTES_MAX) return body;
  const writer = new TlWriter();
  writer.id(GZIP_ID);
  writer.string(gzipSync(body));
  return writer.bytes();
}
