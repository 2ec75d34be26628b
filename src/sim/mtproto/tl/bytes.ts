// The bytes of TL: little endian, strings padded to words of four bytes.

const WORD_BYTES = 4;
// A string's length stands in one byte below this, else in three.
const LONG_STRING = 254;

export class TlWriter {
  readonly #parts: Buffer[] = [];

  id(value: number): void {
    const part = Buffer.alloc(4);
    part.writeUInt32LE(value);
    this.#parts.push(part);
  }

  int(value: number): void {
    const part = Buffer.alloc(4);
    part.writeInt32LE(value);
    this.#parts.push(part);
  }

  long(value: bigint): void {
    const part = Buffer.alloc(8);
    part.writeBigInt64LE(BigInt.asIntN(64, value));
    this.#parts.push(part);
  }

  double(value: number): void {
    const part = Buffer.alloc(8);
    part.writeDoubleLE(value);
    this.#parts.push(part);
  }

  string(value: Buffer): void {
    const head =
      value.length < LONG_STRING
        ? Buffer.of(value.length)
        : Buffer.of(LONG_STRING, value.length & 255, (value.length >> 8) & 255, value.length >> 16);
    this.#parts.push(head, value, Buffer.alloc(padding(head.length + value.length)));
  }

  raw(value: Buffer): void {
    this.#parts.push(value);
  }

  bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

// Reading beyond the end throws a RangeError, as Buffer does.
export class TlReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  // Where it reads next.
  get position(): number {
    return this.#at;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  peekId(): number {
    return this.#bytes.readUInt32LE(this.#at);
  }

  id(): number {
    const value = this.peekId();
    this.#at += 4;
    return value;
  }

  int(): number {
    const value = this.#bytes.readInt32LE(this.#at);
    this.#at += 4;
    return value;
  }

  long(): bigint {
    const value = this.#bytes.readBigInt64LE(this.#at);
    this.#at += 8;
    return value;
  }

  double(): number {
    const value = this.#bytes.readDoubleLE(this.#at);
    this.#at += 8;
    return value;
  }

  string(): Buffer {
    const first = this.#bytes.readUInt8(this.#at);
    const isLong = first === LONG_STRING;
    const length = isLong ? this.#bytes.readUIntLE(this.#at + 1, 3) : first;
    const head = isLong ? 4 : 1;
    this.#at += head;
    const value = this.raw(length);
    this.#at += padding(head + length);
    return value;
  }

  raw(length: number): Buffer {
    if (length < 0 || length > this.left) throw new RangeError('beyond the end of a TL object');
    const value = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return value;
  }
}

function padding(length: number): number {
  return (WORD_BYTES - (length % WORD_BYTES)) % WORD_BYTES;
}
