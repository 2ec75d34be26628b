import { expect, test } from 'vitest';
import { BrokenFrame, type Framing, framingOf } from './frames.ts';

const TAGS = { abridged: 'ef', intermediate: 'eeeeeeee', padded: 'dddddddd' };
// As long as encrypted ones are, and an error's word.
const PACKETS = [40, 4, 600, 4008].map((length, fill) => Buffer.alloc(length, fill + 1));

function framing(first: Buffer): Framing {
  return framingOf(first)!.framing;
}

function cutAll(reader: Framing, bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let left = bytes; ; ) {
    const cut = reader.cut(left);
    if (cut === null) return found;
    found.push(cut.packet);
    left = left.subarray(cut.taken);
  }
}

test.each(Object.entries(TAGS))(
  '%s: packets come out as they went in, however they are cut',
  (_, tag) => {
    const first = Buffer.from(tag, 'hex');
    expect(framingOf(first)!.tagBytes).toBe(first.length);
    const stream = Buffer.concat(PACKETS.map((packet) => framing(first).wrap(packet)));
    expect(cutAll(framing(first), stream)).toEqual(PACKETS);
    const one = framing(first).wrap(PACKETS[2]!);
    for (const length of [0, 1, 3, 4, one.length - 1]) {
      expect(framing(first).cut(one.subarray(0, length))).toBeNull();
    }
  },
);

test('padded: however much is added, and of a plain packet what it says of itself', () => {
  const padded = framing(Buffer.from(TAGS.padded, 'hex'));
  const plain = Buffer.alloc(28);
  plain.writeUInt32LE(8, 16);
  for (const packet of [PACKETS[0]!, plain]) {
    for (let more = 0; more < 16; more++) {
      const frame = Buffer.concat([Buffer.alloc(4), packet, Buffer.alloc(more, 7)]);
      frame.writeUInt32LE(packet.length + more);
      expect(padded.cut(frame)?.packet, `${more} more`).toEqual(packet);
    }
  }
});

test('full: packets are numbered and checked', () => {
  const first = Buffer.from('34000000', 'hex');
  expect(framingOf(first)!.tagBytes).toBe(0);
  const sender = framing(first);
  const stream = Buffer.concat(PACKETS.map((packet) => sender.wrap(packet)));
  expect(cutAll(framing(first), stream)).toEqual(PACKETS);
  const broken = framing(first).wrap(PACKETS[0]!);
  broken[20]! ^= 1;
  expect(() => framing(first).cut(broken)).toThrow(BrokenFrame);
  expect(() => framing(first).cut(sender.wrap(PACKETS[0]!))).toThrow('out of order');
});

test('a packet larger than any is refused before it is there', () => {
  const head = Buffer.from('ffffff7f', 'hex');
  expect(() => framing(Buffer.from(TAGS.intermediate, 'hex')).cut(head)).toThrow(BrokenFrame);
});

test('too few bytes say nothing yet', () => {
  expect(framingOf(Buffer.alloc(0))).toBeNull();
  expect(framingOf(Buffer.from('eeee', 'hex'))).toBeNull();
});
