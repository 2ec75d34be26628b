// Bytes to lines. A line ends with CR, LF or both, a chunk may end anywhere: inside a character, between CR and LF.
// Only the new chunk is searched, so a long line in many pieces costs no more than it is long.

const LINE_END = /\r\n?|\n/g;

export class LineSplitter {
  readonly #decoder = new TextDecoder();
  readonly #unitsMax: number;
  #pieces: string[] = [];
  #units = 0;
  #isAfterCr = false;

  constructor(unitsMax: number) {
    this.#unitsMax = unitsMax;
  }

  // The line that has not ended yet is longer than any may be.
  get isTooLong(): boolean {
    return this.#units > this.#unitsMax;
  }

  push(chunk: Uint8Array): string[] {
    return this.#read(this.#decoder.decode(chunk, { stream: true }));
  }

  // With the last line, if it has no end.
  end(): string[] {
    const lines = this.#read(this.#decoder.decode());
    if (this.#units > 0) lines.push(this.#take(''));
    return lines;
  }

  #read(decoded: string): string[] {
    if (decoded === '') return [];
    const text = this.#isAfterCr && decoded.startsWith('\n') ? decoded.slice(1) : decoded;
    this.#isAfterCr = decoded.endsWith('\r');
    const lines: string[] = [];
    let from = 0;
    for (const { index, 0: end } of text.matchAll(LINE_END)) {
      lines.push(this.#take(text.slice(from, index)));
      from = index + end.length;
      if (lines.at(-1)!.length > this.#unitsMax) {
        this.#units = Number.POSITIVE_INFINITY;
        return lines.slice(0, -1);
      }
    }
    this.#pieces.push(text.slice(from));
    this.#units += text.length - from;
    return lines;
  }

  #take(last: string): string {
    const line = this.#pieces.join('') + last;
    this.#pieces = [];
    this.#units = 0;
    return line;
  }
}
