// Text and entities, put together line by line: at most one empty line between two, none at the ends.

import type { Entity, RichText } from './rich-text.ts';

export class RichLines {
  readonly #pieces: string[] = [];
  readonly #entities: Entity[] = [];
  #isBlank = false;
  #isStarted = false;
  // Lines can be made of lines (a quotation); what begins together shares its beginning.
  #isFresh = false;
  length = 0;

  blank(): void {
    this.#isBlank = true;
  }

  line(write: () => void): void {
    if (this.#isStarted && !this.#isFresh) this.text(this.#isBlank ? '\n\n' : '\n');
    this.#isBlank = false;
    this.#isStarted = true;
    this.#isFresh = true;
    write();
    this.#isFresh = false;
  }

  // Before the first of what begins together.
  sign(text: string): void {
    this.text(text);
    this.#isFresh = true;
  }

  text(text: string): void {
    if (text === '') return;
    this.#pieces.push(text);
    this.length += text.length;
    this.#isFresh = false;
  }

  rich({ text, entities }: RichText): void {
    for (const entity of entities) {
      this.#entities.push({ ...entity, offset: this.length + entity.offset });
    }
    this.text(text);
  }

  // All since `from`.
  mark(type: string, from: number, more: object = {}): void {
    this.#entities.push({ type, offset: from, length: this.length - from, ...more });
  }

  done(): RichText {
    const text = this.#pieces.join('');
    return { text: text.trimEnd(), entities: this.#entities };
  }
}
