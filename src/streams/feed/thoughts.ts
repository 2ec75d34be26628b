// Models without a field for their thoughts write them into the text, before the answer: `<think>…</think>`. They are
// left out. Further down such a tag is part of an answer that speaks of it, and stays.

const OPENING = '<think>';
const CLOSING = '</think>';
// So much space may stand before a thought.
const HELD_UNITS_MAX = 64;

export class Thoughts {
  // `before`: a thought may begin here. `after`: it is over, and the space behind it goes with it.
  #place: 'before' | 'within' | 'after' | 'past' = 'before';
  // What may become a tag.
  #held = '';

  get isThinking(): boolean {
    return this.#place === 'within';
  }

  // What is to be shown now.
  take(text: string): string {
    switch (this.#place) {
      case 'before':
        return this.#before(this.#held + text);
      case 'within':
        return this.#within(this.#held + text);
      case 'after':
        return this.#after(text);
      case 'past':
        return text;
    }
  }

  // Another part of the answer begins, with its own thoughts.
  restart(): void {
    this.#place = 'before';
    this.#held = '';
  }

  // Nothing more comes: what was held back is a text after all.
  end(): string {
    const rest = this.#place === 'before' ? this.#held : '';
    this.#held = '';
    return rest;
  }

  #before(text: string): string {
    const begun = text.trimStart();
    if (begun.startsWith(OPENING)) {
      this.#place = 'within';
      return this.#within(begun.slice(OPENING.length));
    }
    const mayBecome = OPENING.startsWith(begun) && text.length <= HELD_UNITS_MAX;
    this.#held = mayBecome ? text : '';
    if (mayBecome) return '';
    this.#place = 'past';
    return text;
  }

  #within(text: string): string {
    const end = text.indexOf(CLOSING);
    if (end < 0) {
      // As much as half of the tag may be.
      this.#held = text.slice(-(CLOSING.length - 1));
      return '';
    }
    this.#held = '';
    this.#place = 'after';
    return this.#after(text.slice(end + CLOSING.length));
  }

  #after(text: string): string {
    const rest = text.trimStart();
    if (rest === '') return '';
    // Some think in several pieces.
    this.#place = 'before';
    return this.#before(rest);
  }
}
