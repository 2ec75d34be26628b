// A text with its markup as entities: what every parse mode comes to, and the only form that can be cut anywhere.
// Offsets and lengths are UTF-16 units, as in JavaScript; a platform that counts otherwise maps them.

export interface Entity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  // url, user, language, custom_emoji_id, …
  readonly [more: string]: unknown;
}

export interface RichText {
  readonly text: string;
  readonly entities: readonly Entity[];
}

// The outer before the inner.
export function byPlace(a: Entity, b: Entity): number {
  return a.offset - b.offset || b.length - a.length;
}

// What platforms take for no text at all: white space, and signs that show nothing.
export function isBlank(text: string): boolean {
  return /^[\s\u180e\u200b-\u200f\u202e\u2800\ufffc\u{e0000}-\u{e007f}]*$/u.test(text);
}

// Halves of characters, which no platform takes, become U+FFFD; the last one of a text that grows is still to come.
export function wellFormed(text: string, isFinal: boolean): string {
  return (isFinal ? text : text.replace(/[\ud800-\udbff]$/, '')).toWellFormed();
}

// Platforms show a hundred in a message and a text becomes at most fifty messages. A source with more is not read to
// its end: it would cost many times its length in memory, and time that others wait for.
const ENTITIES_MAX = 5_000;

// Entities that are open while a source is read; each ends where its marker closes.
export class RichTextBuilder {
  text = '';
  readonly #entities: Entity[] = [];
  readonly #open: { marker: string; type: string; from: number; more: object }[] = [];
  // How many of each marker are open.
  readonly #openCount = new Map<string, number>();

  get marker(): string | null {
    return this.#open.at(-1)?.marker ?? null;
  }

  get isFull(): boolean {
    return this.#entities.length + this.#open.length > ENTITIES_MAX;
  }

  isOpen(marker: string): boolean {
    return (this.#openCount.get(marker) ?? 0) > 0;
  }

  open(marker: string, type: string, more: object = {}): void {
    this.#open.push({ marker, type, from: this.text.length, more });
    this.#openCount.set(marker, (this.#openCount.get(marker) ?? 0) + 1);
  }

  // The innermost will leave no entity.
  hush(): void {
    this.#open.at(-1)!.type = '';
  }

  // Of the innermost; `more` is what only its end tells.
  close(more: object = {}): void {
    const { marker, type, from, more: known } = this.#open.pop()!;
    this.#openCount.set(marker, this.#openCount.get(marker)! - 1);
    const length = this.text.length - from;
    if (length > 0 && type !== '') {
      this.#entities.push({ type, offset: from, length, ...known, ...more });
    }
  }

  // As if it were closed here; a `half` leaves no entity, as only its end says what it is.
  closeAll(half = ''): void {
    while (this.marker !== null) {
      if (this.marker === half) this.hush();
      this.close();
    }
  }

  // null: something was never closed, or there is too much of it.
  done(): RichText | null {
    if (this.#open.length > 0 || this.isFull) return null;
    return { text: this.text, entities: this.#entities.toSorted(byPlace) };
  }
}
