// JSON as a lenient server reads it, for tests of what a call means there: the first of two equal members counts, raw
// control characters may stand in strings, numbers may begin with `+` or `0`, and text after the end is not looked at.

export function readLeniently(text: string): unknown {
  return new Reader(text).value();
}

// As such a server takes a chat's number from a text: what stands before and behind the digits does not count.
export function chatLeniently(value: unknown): string {
  const [, sign, digits] = /^\s*\+?(-?)0*(\d+)/.exec(String(value)) ?? [];
  return digits === undefined ? String(value).toLowerCase() : `${sign}${digits}`;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): unknown {
    switch (this.#peek()) {
      case '{':
        return this.#object();
      case '[':
        return this.#array();
      case '"':
        return this.#string();
      default:
        return this.#word();
    }
  }

  #peek(): string {
    while (/[\s\p{C}]/u.test(this.#text[this.#at] ?? 'x')) this.#at += 1;
    return this.#text[this.#at] ?? '';
  }

  #take(letter: string): boolean {
    const isNext = this.#peek() === letter;
    if (isNext) this.#at += 1;
    return isNext;
  }

  #object(): object {
    const found: Record<string, unknown> = {};
    this.#at += 1;
    while (!this.#take('}') && this.#peek() !== '') {
      const name = String(this.value());
      this.#take(':');
      const value = this.value();
      found[name] ??= value;
      this.#take(',');
    }
    return found;
  }

  #array(): unknown[] {
    const found: unknown[] = [];
    this.#at += 1;
    while (!this.#take(']') && this.#peek() !== '') {
      found.push(this.value());
      this.#take(',');
    }
    return found;
  }

  #string(): string {
    let end = this.#at + 1;
    while (end < this.#text.length && this.#text[end] !== '"') {
      end += this.#text[end] === '\\' ? 2 : 1;
    }
    const raw = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    return raw.replace(
      /\\u([\da-f]{4})|\\(.)/gi,
      (_all, code: string | undefined, letter: string) =>
        code === undefined ? letter : String.fromCharCode(Number.parseInt(code, 16)),
    );
  }

  #word(): unknown {
    const [word = ''] = /^[^\s,:{}[\]"]*/.exec(this.#text.slice(this.#at)) ?? [];
    this.#at += Math.max(1, word.length);
    if (word === 'null') return null;
    if (word === 'true' || word === 'false') return word === 'true';
    return word;
  }
}
