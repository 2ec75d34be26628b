// Bytes to JSON values that stand one after the other, over as many lines as they like: an object, several, or the
// elements of an array. Each character is looked at once.

const OPENING = '{[';
const CLOSING = '}]';

export class JsonSplitter {
  readonly #decoder = new TextDecoder();
  readonly #unitsMax: number;
  #pieces: string[] = [];
  #units = 0;
  // Brackets that are open in the present value; the first array around everything does not count.
  #depth = 0;
  #isQuoted = false;
  #isEscaped = false;
  #isBegun = false;

  constructor(unitsMax: number) {
    this.#unitsMax = unitsMax;
  }

  get isTooLong(): boolean {
    return this.#units > this.#unitsMax;
  }

  push(chunk: Uint8Array): string[] {
    return this.#read(this.#decoder.decode(chunk, { stream: true }));
  }

  // With what has no end.
  end(): string[] {
    const values = this.#read(this.#decoder.decode());
    return this.#units > 0 ? [...values, this.#take('')] : values;
  }

  #read(text: string): string[] {
    const values: string[] = [];
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const isOver = this.#see(text[at]!);
      if (isOver === null) from = at + 1;
      if (isOver !== true) continue;
      values.push(this.#take(text.slice(from, at + 1)));
      from = at + 1;
    }
    this.#pieces.push(text.slice(from));
    this.#units += text.length - from;
    return values;
  }

  // Whether a value ends with it; null: it is between values.
  #see(character: string): boolean | null {
    if (this.#isQuoted) return this.#seeQuoted(character);
    if (this.#depth === 0 && this.#isBetween(character)) return null;
    if (character === '"') this.#isQuoted = true;
    else if (OPENING.includes(character)) this.#depth += 1;
    else if (CLOSING.includes(character)) this.#depth -= 1;
    else return false;
    return this.#depth === 0 && !this.#isQuoted;
  }

  #seeQuoted(character: string): boolean {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === '\\') this.#isEscaped = true;
    else if (character === '"') {
      this.#isQuoted = false;
      return this.#depth === 0;
    }
    return false;
  }

  // Objects, arrays and texts are values here; but for the array around all of them.
  #isBetween(character: string): boolean {
    if (character !== '"' && !OPENING.includes(character)) return true;
    const isAround = character === '[' && !this.#isBegun;
    this.#isBegun = true;
    return isAround;
  }

  #take(last: string): string {
    const value = this.#pieces.join('') + last;
    this.#pieces = [];
    this.#units = 0;
    return value;
  }
}
