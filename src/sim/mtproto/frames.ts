// How packets are cut from a stream of bytes. A client says with its first bytes which of the four forms it speaks.

import { crc32 } from 'node:zlib';

export interface Framing {
  // How many bytes the first packet takes with its frame, and what is in it; null: it is not whole yet.
  cut(bytes: Buffer): { readonly taken: number; readonly packet: Buffer } | null;
  wrap(packet: Buffer): Buffer;
}

// The packet was broken, or is larger than anything a client of ours sends: the connection is to be closed.
export class BrokenFrame extends Error {
  override readonly name = 'BrokenFrame';
}

const PACKET_BYTES_MAX = 1 << 20;
const ABRIDGED = 0xef;
const INTERMEDIATE = 0xeeeeeeee;
const PADDED = 0xdddddddd;
const WORD_BYTES = 4;
// Of an encrypted packet: key id and message key, then whole blocks.
const SEALED_HEAD_BYTES = 24;
const BLOCK_BYTES = 16;
// Of a plain one: no key id, message id, length.
const PLAIN_HEAD_BYTES = 20;
const TAG_BYTES = 4;

// By the first bytes: the framing, and how many of them only named it; null: there are too few.
export function framingOf(first: Buffer): { framing: Framing; tagBytes: number } | null {
  if (first.length === 0) return null;
  if (first[0] === ABRIDGED) return { framing: abridged(), tagBytes: 1 };
  if (first.length < TAG_BYTES) return null;
  const tag = first.readUInt32LE();
  if (tag === INTERMEDIATE) return { framing: intermediate(false), tagBytes: TAG_BYTES };
  if (tag === PADDED) return { framing: intermediate(true), tagBytes: TAG_BYTES };
  return { framing: full(), tagBytes: 0 };
}

// A length in words: one byte, or 0x7f and three.
function abridged(): Framing {
  return {
    cut(bytes) {
      if (bytes.length < 1) return null;
      // The highest bit asks for a quick acknowledgement, which a server may leave out.
      const short = bytes[0]! & 0x7f;
      if (short !== 0x7f) return sliced(bytes, 1, short * WORD_BYTES);
      return bytes.length < 4 ? null : sliced(bytes, 4, bytes.readUIntLE(1, 3) * WORD_BYTES);
    },
    wrap(packet) {
      const words = packet.length / WORD_BYTES;
      const head =
        words < 0x7f
          ? Buffer.of(words)
          : Buffer.of(0x7f, words & 255, (words >> 8) & 255, words >> 16);
      return Buffer.concat([head, packet]);
    },
  };
}

function intermediate(isPadded: boolean): Framing {
  return {
    cut(bytes) {
      if (bytes.length < 4) return null;
      const found = sliced(bytes, 4, bytes.readUInt32LE() & 0x7fffffff);
      if (found === null || !isPadded) return found;
      return { ...found, packet: unpadded(found.packet) };
    },
    wrap(packet) {
      const extra = Buffer.alloc(isPadded ? packet.length % 3 : 0);
      return Buffer.concat([int(packet.length + extra.length), packet, extra]);
    },
  };
}

// A padded frame has up to 15 bytes more than its packet, which does not say where it ends: an encrypted one is of
// whole blocks, a plain one tells its length.
function unpadded(packet: Buffer): Buffer {
  // Shorter than any of them: an error, which is one word.
  if (packet.length < PLAIN_HEAD_BYTES) return packet.subarray(0, WORD_BYTES);
  if (packet.readBigUInt64LE() === 0n) {
    return packet.subarray(
      0,
      PLAIN_HEAD_BYTES + packet.readUInt32LE(PLAIN_HEAD_BYTES - WORD_BYTES),
    );
  }
  return packet.subarray(0, packet.length - ((packet.length - SEALED_HEAD_BYTES) % BLOCK_BYTES));
}

// Length, number, packet, CRC-32 of the three; the numbers of each side count from 0.
function full(): Framing {
  let received = 0;
  let sent = 0;
  return {
    cut(bytes) {
      if (bytes.length < 4) return null;
      const length = bytes.readUInt32LE();
      if (length < 12) throw new BrokenFrame('shorter than its frame');
      const found = sliced(bytes, 0, length);
      if (found === null) return null;
      const whole = found.packet;
      if (whole.readUInt32LE(length - 4) !== crc32(whole.subarray(0, length - 4))) {
        throw new BrokenFrame('the checksum does not fit');
      }
      if (whole.readUInt32LE(4) !== received) throw new BrokenFrame('out of order');
      received++;
      return { taken: length, packet: whole.subarray(8, length - 4) };
    },
    wrap(packet) {
      const head = Buffer.concat([int(packet.length + 12), int(sent++), packet]);
      return Buffer.concat([head, int(crc32(head))]);
    },
  };
}

function sliced(bytes: Buffer, head: number, length: number) {
  if (length > PACKET_BYTES_MAX) throw new BrokenFrame('larger than a packet may be');
  const taken = head + length;
  return bytes.length < taken ? null : { taken, packet: bytes.subarray(head, taken) };
}

function int(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
